"""A table read in portions is the table read at once."""

import io
from functools import partial
from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rugcore.readers import delimited, read_table_file
from rugcore.readers.portions import LARGEST_EXACT, read_in_portions, with_blanks

FIELDS = ["", "1", "-3", "0.25", "1e3", "True", "False", "a", "007", " 5", "9007199254740993", "18446744073709551615"]
LONG = ["9" * 30, "1.7976931348623157e308", "nan", "inf", "NA", "ä"]


def reader(lines: list[str]) -> Any:
    """As `delimited` calls pandas."""

    def read(**options: Any) -> Any:
        return pd.read_csv(
            io.StringIO("\n".join(["x,y", *lines])),
            keep_default_na=False,
            na_values=[""],
            index_col=False,
            low_memory=False,
            **options,
        )

    return read


@given(st.lists(st.tuples(st.sampled_from(FIELDS + LONG), st.sampled_from(FIELDS)), min_size=1, max_size=12))
@example([("1", "1"), ("2", "2"), ("", "3"), ("a", "4")])
@example([("1", str(LARGEST_EXACT + 1)), ("2", "2"), ("0.5", "0.5"), ("", "")])
@example([("", "a"), ("", "b"), ("True", "True"), ("", "")])
@example([("", ""), ("True", ""), ("9" * 30, "")])
@example([("", ""), ("", "a"), ("", ""), ("", "18446744073709551615")])
def test_portions_change_nothing(fields: list[tuple[str, str]]) -> None:
    read = reader([f"{first},{second}" for first, second in fields])
    expected = with_blanks(read())
    for n_rows_at_once in (1, 2, 5):
        for n_rows in (len(fields), 1):  # and where more come than were expected
            found = with_blanks(read_in_portions(read, n_rows_at_once, n_rows))
            pd.testing.assert_frame_equal(found, expected, check_exact=True)


@pytest.mark.parametrize("first", ["9" * 30, "18446744073709551615"])
def test_a_blank_is_one_beside_a_number_that_is_too_long(first: str) -> None:
    found = read_table_file(f"code,n\n{first},1\nabc,2\n,3\n".encode(), "people.csv").frame
    assert found["code"].isna().tolist() == [False, False, True]
    found = read_table_file(f"code,n\n{first},1\n,2\n3,3\n".encode(), "people.csv").frame
    assert found["code"].isna().tolist() == [False, True, False]


@pytest.mark.parametrize("text", ["amount,when,code\n", "amount;when;code\n"])
def test_a_long_file_is_read_like_a_short_one(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    delimiter = text[6]
    rows = [("12", "", "007"), ("13.5", "b", "008"), ("", "c", "009"), ("9007199254740993", "", "010"), ("5", "d", "")]
    data = (text + "\n".join(delimiter.join(row) for row in rows * 3)).encode()
    expected = read_table_file(data, "people.csv")
    read = partial(read_table_file, data, "people.csv")
    monkeypatch.setattr(delimited, "ROWS_AT_ONCE", 2)
    found = read()
    pd.testing.assert_frame_equal(found.frame, expected.frame, check_exact=True)
    assert found.notes == expected.notes
