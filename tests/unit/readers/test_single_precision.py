"""Numbers that a program kept in single precision are read as they were meant; all others stay to the last digit."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rugcore.readers import read_table_file
from rugcore.readers.single_precision import without_noise


def test_noise_is_taken_off_and_told() -> None:
    read = read_table_file(b"ratio,n\n0.800000011920929,1\n,2\n0.25,3\n", "loans.csv")
    assert read.frame["ratio"].tolist()[::2] == [0.8, 0.25]
    assert read.frame["ratio"].isna().tolist() == [False, True, False]
    (note,) = [note for note in read.notes if "as they were meant" in note]
    assert "such as 0.8 for 0.800000011920929: 'ratio'." in note


@pytest.mark.parametrize("numbers", [[0.1, 0.2], [0.5, 0.25], [1.0, np.nan], [1e300, 0.5], [np.nan], [0.1 + 0.2, 0.5]])
def test_other_numbers_stay_as_they_are(numbers: list[float]) -> None:
    frame = pd.DataFrame({"x": numbers})
    same, notes = without_noise(frame)
    assert same is frame
    assert notes == []


@given(st.lists(st.decimals(-1000, 1000, places=3).map(float), min_size=1))
def test_short_numbers_survive_a_journey_through_single_precision(meant: list[float]) -> None:
    """Seven digits are safe in single precision: what was meant comes back exactly."""
    noisy = pd.DataFrame({"x": np.array(meant, dtype="float32").astype("float64")})
    found, _ = without_noise(noisy)
    assert found["x"].tolist() == meant
