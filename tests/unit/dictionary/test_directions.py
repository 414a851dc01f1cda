"""What rows alone say of a column: held against a logistic world whose directions are known."""

import numpy as np
import pytest

from rugcore.dictionary import effect_in_rows
from rugcore.dictionary.directions import evidence, trend


def world(slope: float, seed: int, n: int = 2_000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=n)
    return numbers, rng.random(n) < 1 / (1 + np.exp(-slope * numbers))


@pytest.mark.parametrize(("slope", "effect"), [(0.5, "helps"), (-0.5, "harms"), (3.0, "helps")])
def test_a_direction_that_is_there_is_found(slope: float, effect: str) -> None:
    assert all(effect_in_rows(*world(slope, seed)) == effect for seed in range(20))


def test_chance_alone_says_nothing() -> None:
    """At 3.5 standard deviations, one column in two thousand; none of a hundred."""
    assert {effect_in_rows(*world(0.0, seed)) for seed in range(100)} == {"unknown"}


def test_what_turns_round_has_no_direction() -> None:
    """People in the middle fare worst; the column as a whole still goes with the outcome."""
    rng = np.random.default_rng(3)
    numbers = rng.uniform(-1, 2, 4_000)
    is_good = rng.random(4_000) < 0.2 + 0.35 * numbers**2 / 2
    found = evidence(numbers, is_good)
    assert found is not None
    assert found.deviation > 3.5
    assert trend(numbers, is_good) is None


def test_shares_are_those_of_the_outer_fifths() -> None:
    numbers, is_good = world(1.0, 5)
    found = trend(numbers, is_good)
    order = np.argsort(numbers)
    assert found is not None
    assert found.lowest == pytest.approx(is_good[order[:400]].mean(), abs=0.01)
    assert found.highest == pytest.approx(is_good[order[-400:]].mean(), abs=0.01)


def test_turning_a_column_round_turns_the_answer() -> None:
    for seed in range(10):
        numbers, is_good = world(0.4, seed)
        turned = {"helps": "harms", "harms": "helps", "unknown": "unknown"}[effect_in_rows(numbers, is_good)]
        assert effect_in_rows(-numbers, is_good) == turned


def test_almost_everybody_has_the_most_there_is() -> None:
    rng = np.random.default_rng(2)
    flag = (rng.random(2_000) < 0.93).astype(float)
    is_good = rng.random(2_000) < 0.3 + 0.6 * flag
    found = trend(flag, is_good)
    assert found is not None
    assert (found.lowest, found.highest) == (is_good[flag == 0].mean(), is_good[flag == 1].mean())


def test_flags_and_blanks() -> None:
    rng = np.random.default_rng(1)
    flag = (rng.random(1_000) < 0.3).astype(float)
    is_good = rng.random(1_000) < 0.4 + 0.4 * flag
    assert effect_in_rows(np.where(rng.random(1_000) < 0.2, np.nan, flag), is_good) == "helps"
    assert effect_in_rows(np.full(1_000, 5.0), is_good) == "unknown"
    assert effect_in_rows(np.full(1_000, np.nan), is_good) == "unknown"
