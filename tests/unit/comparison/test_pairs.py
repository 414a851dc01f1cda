"""Whether a difference between two models may be chance, held against scipy's own test."""

import numpy as np
import pytest
from scipy.stats import binomtest

from rugcore import InputError
from rugcore.comparison import Paired, not_clearly_worse, paired


@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (5, 5), (19, 38), (11, 22), (3, 900), (4_000, 4_100)])
def test_the_exact_test_is_that_of_a_coin(first: int, second: int) -> None:
    expected = binomtest(first, first + second).pvalue if first + second else 1.0
    assert Paired(10_000, first, second).p_value == pytest.approx(expected)
    assert Paired(10_000, second, first).p_value == Paired(10_000, first, second).p_value


def test_rows_are_counted_in_pairs() -> None:
    found = paired([True, True, False, False, True], [True, False, True, False, False])
    assert (found.n, found.only_first, found.only_second) == (5, 2, 1)
    assert found.difference == pytest.approx(3 / 5 - 2 / 5)
    assert found.may_be_chance


def test_nothing_to_compare() -> None:
    assert np.isnan(paired([], []).difference)
    assert paired([], []).may_be_chance
    assert not_clearly_worse({}) == set()
    with pytest.raises(InputError, match="same rows"):
        paired([True], [True, False])


def test_the_same_shares_can_differ_by_chance_or_not() -> None:
    """Both pairs differ by 3 points; only where the models hardly disagree is that more than chance."""
    best = np.arange(400) < 360
    one_sided = np.arange(400) < 348  # wrong where the best is wrong, and on 12 rows more
    scattered = np.roll(one_sided, 52)
    assert not paired(best, one_sided).may_be_chance
    assert paired(best, scattered).difference == paired(best, one_sided).difference
    assert paired(best, scattered).may_be_chance
    assert not_clearly_worse({"best": best, "one-sided": one_sided, "scattered": scattered}) == {"best", "scattered"}
