"""The test behind a promise: its bounds by enumeration, its verdict by hand."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from rugcore.fair_training.assurance import assured, rate_bounds, smallest_epsilon
from rugcore.fairness.intervals import clopper_pearson
from rugcore.fairness.parity import Cells, Parity, parity


def compared_in(counts: list[list[int]], notion: str = "dmc") -> Parity:
    """One line per class, one column per group."""
    count = np.array(counts)
    cells = Cells(tuple(range(len(count))), tuple("fmx"[: count.shape[1]]), count, count.astype(float))
    return parity(notion, cells, positive=1, min_cell_size=0)


def tally_in(compared: Parity, wrong: list[int] | tuple[int, ...] | np.ndarray) -> np.ndarray:
    """The rows of every cell by decided class: the wrong ones are given the other class of the two."""
    count = np.zeros(compared.n_cells)
    for rate in (*compared.rates, *compared.not_estimable):
        count[rate.cells[0]] += rate.count  # where a rate has two cells, the second is empty here
    right = np.maximum(count - wrong, 0)
    return np.array([[wrong[cell], right[cell]][:: 2 * own - 1] for cell, own in enumerate(compared.class_of_cell)])


@pytest.mark.parametrize(("hits", "size"), [(0, 10), (3, 10), (10, 10), (1, 1), (40, 170)])
def test_exact_bounds_are_those_of_scipy(hits: int, size: int) -> None:
    exact = binomtest(hits, size).proportion_ci(0.9, method="exact")
    lower, upper = clopper_pearson(np.array([hits]), np.array([size]), 0.9)
    assert (lower[0], upper[0]) == pytest.approx((exact.low, exact.high))


def test_nobody_seen_means_nothing_known() -> None:
    lower, upper = clopper_pearson(np.array([0]), np.array([0]), 0.95)
    assert (lower[0], upper[0]) == (0.0, 1.0)


@pytest.mark.parametrize("rates", [(0.3, 0.3), (0.1, 0.3), (0.02, 0.12), (0.5, 0.9)])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_the_true_gap_is_bounded_as_often_as_promised(rates: tuple[float, float], confidence: float) -> None:
    """All outcomes of two groups of 18 and 11 people, each with its exact probability."""
    sizes = (18, 11)
    compared = compared_in([list(sizes), [0, 0]], "odm")
    wrongly_assured = 0.0
    for wrong in product(range(sizes[0] + 1), range(sizes[1] + 1)):
        found = rate_bounds(compared, tally_in(compared, [*wrong, 0, 0]), confidence)
        if smallest_epsilon(found) < abs(rates[0] - rates[1]) - 1e-12:
            wrongly_assured += float(np.prod(binom.pmf(wrong, sizes, rates)))
    assert wrongly_assured <= 1 - confidence


def test_every_class_and_group_makes_the_bounds_wider() -> None:
    alone_in, both_in = compared_in([[50, 60], [40, 70]], "eop"), compared_in([[50, 60], [40, 70]])
    tally = tally_in(both_in, [5, 6, 8, 9])
    one_class, both = rate_bounds(alone_in, tally, 0.95), rate_bounds(both_in, tally, 0.95)
    alone, among = one_class[0], next(rate for rate in both if rate.label == 1 and rate.group == "f")
    assert among.lower < alone.lower < alone.rate < alone.upper < among.upper


def test_the_people_needed_are_enough_and_hardly_fewer_would_do() -> None:
    counts, epsilon = [[200, 300], [0, 0]], 0.05
    compared = compared_in(counts, "odm")
    _, rates = assured(compared, tally_in(compared, [40, 60, 0, 0]), epsilon, 0.95, 0.4)
    needed = rates[0].n_needed
    assert needed is not None
    assert needed == rates[1].n_needed

    def bound(size: int) -> float:
        wrong = round(0.2 * size)
        compared = compared_in([[size, size], [0, 0]], "odm")
        return smallest_epsilon(rate_bounds(compared, tally_in(compared, [wrong, wrong, 0, 0]), 0.95))

    assert bound(needed) <= epsilon < bound(int(0.99 * needed))


def test_no_number_of_people_closes_a_gap() -> None:
    compared = compared_in([[200, 200], [0, 0]], "odm")
    found, rates = assured(compared, tally_in(compared, [20, 80, 0, 0]), 0.1, 0.95, 0.4)
    assert found.smallest_epsilon > 0.3
    assert [rate.n_needed for rate in rates] == [None, None]


def test_a_group_that_never_occurs_leaves_nothing_assured() -> None:
    compared = compared_in([[5000, 0], [5000, 5000]])
    found, _ = assured(compared, tally_in(compared, [0, 0, 0, 0]), 0.5, 0.95, 0.4)
    assert found.smallest_epsilon > 0.99


def test_groups_are_not_compared_across_classes() -> None:
    compared = compared_in([[9000, 9000], [9000, 9000]])
    found, _ = assured(compared, tally_in(compared, [0, 0, 8000, 8000]), 0.1, 0.95, 0.4)
    assert found.smallest_epsilon < 0.05
