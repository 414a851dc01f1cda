"""Rates of small groups that borrow strength: the formula by hand, its limits, and what it is good for."""

import math

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import beta

from rugcore.fairness import borrowed_rates
from rugcore.fairness.borrowing import drawn, suggested

ALONE = np.ones((3, 1))  # one column: everybody is the larger group


def test_one_column_is_the_beta_binomial_by_moments() -> None:
    n, hits = np.array([10, 40, 50]), np.array([6, 8, 10])
    everybody = 24 / 100
    spread = sum(
        size * (hit / size - everybody) ** 2 / (everybody * (1 - everybody)) for size, hit in zip(n, hits, strict=True)
    )
    rho = (spread - 2) / (9 + 39 + 49)
    others, kappa = suggested(n, hits, ALONE)
    assert_allclose(others, everybody)
    assert kappa == pytest.approx(1 / rho - 1)
    assert 0 < kappa < 100
    estimate, lower, upper = drawn(n, hits, others, kappa, 0.9)
    for place in range(3):
        a, b = hits[place] + kappa * everybody, n[place] - hits[place] + kappa * (1 - everybody)
        assert estimate[place] == pytest.approx(a / (a + b))
        assert (lower[place], upper[place]) == pytest.approx(beta.interval(0.9, a, b))


def test_no_more_than_chance_draws_all_to_the_rate_of_everybody() -> None:
    others, kappa = suggested(np.array([10, 40, 50]), np.array([2, 8, 10]), ALONE)
    assert kappa == 100  # all people together
    estimate, _, _ = drawn(np.array([10, 40, 50]), np.array([2, 8, 10]), others, kappa, 0.95)
    assert_allclose(estimate, 0.2)


def test_groups_that_differ_by_far_keep_their_own_rates() -> None:
    n, hits = np.array([1000, 1000, 1000]), np.array([50, 500, 950])
    others, kappa = suggested(n, hits, ALONE)
    assert kappa < 3
    estimate, _, _ = drawn(n, hits, others, kappa, 0.95)
    assert_allclose(estimate, hits / n, atol=0.002)


def test_two_columns_that_add_up_are_told_without_the_small_combination() -> None:
    """Rates 0.1, 0.2, 0.3 and of four people of the last combination none: the columns say 0.4."""
    n, hits = np.array([10_000, 10_000, 10_000, 4]), np.array([1000, 2000, 3000, 0])
    design = np.array([[1, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1]], dtype=float)
    others, kappa = suggested(n, hits, design)
    assert others[3] == pytest.approx(0.4, abs=0.001)
    assert kappa == pytest.approx(n.sum(), rel=0.01) or kappa > 100
    estimate, lower, upper = drawn(n, hits, others, kappa, 0.95)
    assert 0.3 < estimate[3] < 0.4
    assert lower[3] < estimate[3] < upper[3]


def test_where_every_combination_has_a_term_of_its_own_nothing_is_borrowed() -> None:
    n, hits = np.array([10, 0]), np.array([3, 0])
    others, kappa = suggested(n, hits, np.ones((2, 1)))
    assert kappa == 0
    estimate, lower, upper = drawn(n, hits, others, kappa, 0.95)
    assert estimate[0] == pytest.approx(0.3)
    assert lower[0] < 0.3 < upper[0]
    assert math.isnan(estimate[1])
    assert math.isnan(lower[1])


@pytest.mark.parametrize("notion", ["dmc", "odm", "eop", "demographic_parity", "predictive_parity"])
def test_the_raw_rate_stands_beside_the_estimate_and_is_the_one_of_the_rows(notion: str) -> None:
    rng = np.random.default_rng(0)
    who = pd.DataFrame(
        {"sex": rng.choice(["f", "m"], 900), "age": rng.choice(["old", "young", "mid"], 900, p=[0.03, 0.5, 0.47])}
    )
    y, decided = rng.integers(0, 2, 900), rng.integers(0, 2, 900)
    found = borrowed_rates(y, decided, sensitive_features=who, fairness=notion)
    assert found["is_small"].any()
    labels = [1] if notion == "eop" else [0, 1] if notion == "dmc" else [None]
    assert list(dict.fromkeys(found["class"])) == labels
    for line in found.to_dict("records"):
        sex, age = (part.split(" ")[1] for part in line["group"].split(", "))
        own = ((who["sex"] == sex) & (who["age"] == age)).to_numpy().copy()
        if line["class"] is not None:
            own &= y == line["class"]
        if notion == "predictive_parity":
            own &= decided == 1
        hit = {"demographic_parity": decided != 1, "predictive_parity": y != 1}.get(notion, y != decided)
        assert line["n"] == own.sum()
        assert line["rate"] == pytest.approx(hit[own].mean())
        nearer = sorted([line["rate"], line["from_others"]])
        assert nearer[0] - 1e-9 <= line["estimate"] <= nearer[1] + 1e-9  # between the two
        assert line["estimate_lower"] < line["estimate"] < line["estimate_upper"]


def test_small_groups_are_estimated_better_than_by_their_raw_rates() -> None:
    """Known rates that differ a little between the combinations of two columns; many tables."""
    rng = np.random.default_rng(1)
    design = np.array([[1, a == 1, b == 1, b == 2] for a in range(2) for b in range(3)], dtype=float)
    n = np.array([400, 300, 12, 350, 280, 15])
    raw, better = [], []
    for _ in range(300):
        truth = np.clip(design @ [0.2, 0.1, 0.05, 0.1] + rng.normal(0, 0.03, 6), 0.01, 0.99)
        hits = rng.binomial(n, truth)
        others, kappa = suggested(n, hits, design)
        estimate, _, _ = drawn(n, hits, others, kappa, 0.95)
        small = n < 30
        raw.append(np.mean((hits / n - truth)[small] ** 2))
        better.append(np.mean((estimate - truth)[small] ** 2))
    assert np.mean(better) < 0.6 * np.mean(raw)
