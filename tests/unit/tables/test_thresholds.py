"""Where a column of numbers is cut, and how the cut is written."""

import numpy as np
import pytest

from rugcore.tables.thresholds import cuts_at_quantiles, cuts_between_all, readable_thresholds
from tests.reading import fits_in_gap, significant_digits


@pytest.mark.parametrize(
    ("below", "above", "threshold"),
    [
        (41_873.5, 42_117.0, 42_000.0),
        (-3.0, 5.0, 0.0),
        (0.0, 5.0, 0.0),
        (-5.0, 0.0, -2.0),  # 0 is not below 0; the middle is -2.5
        (-1.0, 0.0, -1.0),  # whole numbers are not cut at -0.5
        (15.0, 16.0, 15.0),
        (9.0, 10.0, 9.0),
        (1.0, 2.0, 1.0),
        (99.0, 101.0, 100.0),
        (0.1, 0.2, 0.1),
        (0.25, 0.26, 0.25),
        (0.9999999999999999, 2.0, 1.0),
        (1e300, 3e300, 2e300),
        (5e-324, 1e-323, 5e-324),
        (1.7976931348623155e308, 1.7976931348623157e308, 1.7976931348623155e308),
    ],
)
def test_the_shortest_number_in_the_gap(below: float, above: float, threshold: float) -> None:
    assert readable_thresholds(np.array([below]), np.array([above])).tolist() == [threshold]


def test_among_equally_short_numbers_the_one_nearest_to_the_middle() -> None:
    assert readable_thresholds(np.array([1.0, 110.0]), np.array([8.0, 890.0])).tolist() == [4.0, 500.0]


def test_a_cut_in_every_gap() -> None:
    distinct = np.array([-2.0, -1.0, 0.5, 0.75, 100.0])
    cuts = cuts_between_all(distinct)
    assert np.all((distinct[:-1] <= cuts) & (cuts < distinct[1:]))
    assert cuts_between_all(np.array([3.0])).size == 0
    assert cuts_between_all(np.array([])).size == 0


@pytest.mark.parametrize("seed", range(3))
def test_quantiles_leave_about_the_same_weight_between_cuts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    numbers = np.sort(rng.normal(size=2_000))
    weight = rng.integers(1, 4, 2_000).astype(float)
    cuts = cuts_at_quantiles(numbers, weight, n_bins=10)
    shares = np.bincount(np.searchsorted(cuts, numbers), weight) / weight.sum()
    assert len(cuts) == 9
    np.testing.assert_allclose(shares, 0.1, atol=2 * weight.max() / weight.sum())
    for cut in cuts:
        below, above = numbers[numbers <= cut].max(), numbers[numbers > cut].min()
        digits = significant_digits(repr(float(cut)))
        assert digits == 1 or not fits_in_gap(digits - 1, below, above)


def test_a_value_with_nearly_all_of_the_weight_gets_one_cut_and_not_many() -> None:
    distinct = np.arange(300.0)
    weight = np.ones(300)
    weight[150] = 1e6
    assert cuts_at_quantiles(distinct, weight, n_bins=255).tolist() == [150.0]
    weight[150], weight[299] = 1.0, 1e6
    assert cuts_at_quantiles(distinct, weight, n_bins=255).tolist() == [298.0]  # never beyond the last value
