"""That one column is never more than another is learned where rows tell, and only there."""

import numpy as np
import pytest

from rugcore.tables.orderings import Ordering, orderings_of

N = 1_000


def purchase(seed: int) -> dict[str, np.ndarray]:
    """Loans are part of a price, housing part of all payments; age and score have nothing to do with them."""
    random = np.random.default_rng(seed)
    price = random.lognormal(8.6, 0.7, N).round(-1)
    housing = random.normal(0.25, 0.08, N).clip(0)
    return {
        "price": price,
        "loan": (price * random.choice([1.0, 0.9, 0.7], N)).round(-1),
        "payments": housing + random.exponential(0.05, N),
        "housing": housing,
        "age": random.integers(18, 80, N).astype(float),
        "score": random.normal(600, 80, N),
    }


@pytest.mark.parametrize("seed", range(5))
def test_parts_are_at_most_the_whole(seed):
    assert [str(own) for own in orderings_of(purchase(seed))] == ["loan <= price", "housing <= payments"]


def test_a_few_mistakes_and_blanks_do_not_hide_it():
    columns = purchase(0)
    columns["loan"][:8] = columns["price"][:8] * 3
    columns["price"][100:300] = np.nan
    assert Ordering("loan", "price") in orderings_of(columns)
    columns["loan"][:80] = columns["price"][:80] * 3
    assert Ordering("loan", "price") not in orderings_of(columns)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_apart_anyway_is_no_ordering(seed):
    random = np.random.default_rng(seed)
    apart = {"small": random.uniform(0, 1, N), "large": random.uniform(2, 3, N), "other": random.uniform(0, 1, N)}
    assert orderings_of(apart) == ()


def test_who_keeps_it():
    own = Ordering("loan", "price")
    assert own.is_kept({"loan": 5.0, "price": 5.0})
    assert not own.is_kept({"loan": 5.1, "price": 5.0})
    assert not own.is_kept({"loan": float("nan"), "price": 5.0})  # of a blank nothing is known
