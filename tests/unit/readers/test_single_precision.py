"""What a program kept in single precision reads as a person wrote it."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rugcore.readers import read_table_file


def read(frame: pd.DataFrame) -> pd.DataFrame:
    return read_table_file(frame.to_csv(index=False).encode(), "table.csv").frame


def test_the_decimals_that_were_meant_come_back() -> None:
    meant = [0.8, 0.221, np.nan, 12.5, -0.1, 3.0]
    kept = pd.DataFrame({"ratio": np.array(meant, dtype=np.float32).astype(float), "n": range(6)})
    assert str(kept["ratio"][0]) == "0.800000011920929"
    np.testing.assert_array_equal(read(kept)["ratio"], meant)
    buffer = io.BytesIO()
    kept.assign(ratio=np.array(meant, dtype=np.float32)).to_parquet(buffer)
    np.testing.assert_array_equal(read_table_file(buffer.getvalue(), "t.parquet").frame["ratio"], meant)


@pytest.mark.parametrize(
    "numbers",
    [
        [0.1, 0.2, 1 / 3],  # double precision
        [0.5, 0.25, 3.0],  # short already
        [123456784.0, 16777216.0, np.nan],  # whole numbers are what they are
        [0.800000011920929, 0.1],  # one of them is of double precision
        [1e300, 0.800000011920929],
    ],
)
def test_other_numbers_stay_to_the_last_digit(numbers: list[float]) -> None:
    np.testing.assert_array_equal(read(pd.DataFrame({"x": numbers, "y": "a"}))["x"], numbers)


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1, max_size=20))
def test_the_order_stays_and_nothing_moves_further_than_single_precision(numbers: list[float]) -> None:
    before = np.array(numbers)
    after = read(pd.DataFrame({"x": before, "y": "a"}))["x"].to_numpy(dtype=float)
    assert (np.argsort(before, kind="stable") == np.argsort(after, kind="stable")).all()
    assert len(np.unique(after)) == len(np.unique(before))
    np.testing.assert_array_equal(after.astype(np.float32), before.astype(np.float32))
