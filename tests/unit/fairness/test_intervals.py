"""Intervals against scipy, against published figures, and against how often they hold the truth."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from rugcore.fairness.intervals import effective_size, newcombe, wilson


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("n", [1, 7, 30, 1000])
def test_wilson_agrees_with_scipy(n: int, confidence: float) -> None:
    hits = np.unique(np.linspace(0, n, 9).astype(int))
    lower, upper = wilson(hits / n, np.full(len(hits), n), confidence)
    for place, count in enumerate(hits):
        expected = stats.binomtest(int(count), n).proportion_ci(confidence, method="wilson")
        assert_allclose((lower[place], upper[place]), (expected.low, expected.high), atol=1e-12)


def test_wilson_at_the_ends_is_exact() -> None:
    lower, upper = wilson(np.array([0.0, 1.0]), np.array([37.0, 37.0]), 0.95)
    assert (lower[0], upper[1]) == (0.0, 1.0)
    assert 0 < upper[0] < 0.1
    assert 0.9 < lower[1] < 1


@pytest.mark.parametrize(
    ("first", "second", "bounds"),
    [  # Newcombe (1998), Table II, method 10, with his four decimals
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((6, 7), (2, 7), (0.0582, 0.8062)),
        ((5, 56), (0, 29), (-0.0381, 0.1926)),
        ((0, 10), (0, 20), (-0.1611, 0.2775)),
        ((0, 10), (0, 10), (-0.2775, 0.2775)),
        ((10, 10), (0, 20), (0.6791, 1.0)),
        ((10, 10), (0, 10), (0.6075, 1.0)),
    ],
)
def test_newcombe_agrees_with_his_paper(
    first: tuple[int, int], second: tuple[int, int], bounds: tuple[float, float]
) -> None:
    rates, sizes = (first[0] / first[1], second[0] / second[1]), (first[1], second[1])
    assert_allclose(newcombe(rates, sizes, 0.95), bounds, atol=5e-5)


def test_newcombe_step_by_step() -> None:
    """80% of 70 against 60% of 80, with the Wilson bounds worked out by hand (z = 1.959964, z squared 3.841459).

    56/70: centre (0.8 + 3.841459/140) / (1 + 3.841459/70) = 0.784393, half width
    1.959964 * sqrt(0.8 * 0.2 / 70 + 3.841459 / 19600) / 1.054878 = 0.092560; so 0.691834 and 0.876953.
    48/80: likewise centre 0.595418, half width 0.104964; so 0.490455 and 0.700382.
    """
    lower = 0.2 - ((0.8 - 0.691834) ** 2 + (0.700382 - 0.6) ** 2) ** 0.5
    upper = 0.2 + ((0.876953 - 0.8) ** 2 + (0.6 - 0.490455) ** 2) ** 0.5
    assert_allclose(newcombe((0.8, 0.6), (70, 80), 0.95), (lower, upper), atol=2e-6)


def test_swapping_the_samples_mirrors_the_interval() -> None:
    one = newcombe((0.3, 0.1), (40, 90), 0.9)
    other = newcombe((0.1, 0.3), (90, 40), 0.9)
    assert_allclose(one, (-other[1], -other[0]))


@pytest.mark.parametrize(("truth", "sizes"), [((0.2, 0.3), (40, 60)), ((0.02, 0.1), (35, 200)), ((0.9, 0.9), (50, 50))])
def test_newcombe_holds_the_truth_as_often_as_it_says(truth: tuple[float, float], sizes: tuple[int, int]) -> None:
    """All outcomes, each with its probability, rather than a sample of them: the coverage itself."""
    hits = [np.arange(size + 1) for size in sizes]
    chances = [stats.binom.pmf(hits[side], sizes[side], truth[side]) for side in (0, 1)]
    covered = 0.0
    for first, chance in zip(hits[0], chances[0], strict=True):
        for second, other in zip(hits[1], chances[1], strict=True):
            if chance * other > 1e-9:
                lower, upper = newcombe((first / sizes[0], second / sizes[1]), sizes, 0.95)
                covered += chance * other * (lower <= truth[0] - truth[1] <= upper)
    assert 0.93 < covered < 0.99


def test_intervals_under_weights_hold_the_truth_as_often_as_they_say() -> None:
    """Kish's size is an approximation; ignoring the weights would cover far less."""
    rng = np.random.default_rng(11)
    weight = rng.lognormal(0, 1, 150)
    size = effective_size(np.array(weight.sum()), np.array((weight**2).sum()))
    hits = rng.random((4000, 150)) < 0.3
    rates = hits @ weight / weight.sum()
    lower, upper = wilson(rates, np.full(4000, size), 0.95)
    assert 0.93 < np.mean((lower <= 0.3) & (upper >= 0.3)) < 0.97
    lower, upper = wilson(rates, np.full(4000, 150), 0.95)
    assert np.mean((lower <= 0.3) & (upper >= 0.3)) < 0.9


def test_the_effective_size() -> None:
    for weight in (np.ones(8), np.full(8, 0.25)):
        assert effective_size(np.array(weight.sum()), np.array((weight**2).sum())) == pytest.approx(8)
    weight = np.array([1.0, 1.0, 0.0, 2.0])
    assert effective_size(np.array(weight.sum()), np.array((weight**2).sum())) == pytest.approx(16 / 6)
    assert effective_size(np.array(0.0), np.array(0.0)) == 0
