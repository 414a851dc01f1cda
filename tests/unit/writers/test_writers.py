"""Files for spreadsheets hold what the table holds, and nothing that is run."""

import io

import pandas as pd
import pytest

from rugcore.readers import read_table_file
from rugcore.writers import harmless_cell, quoted_cell, to_csv, to_xlsx, unquoted_cell

HOSTILE = ["=1+1", "+1", "-1", "@x", "\tx", "'=x", "''", "'tis", "a", "", "<b>&</b>", "\x00\x0b"]
TABLE = pd.DataFrame(
    {"=name": ["=cmd()", "<b>&\x0b", None, " spaced "], "n": [1.5, -2.0, float("nan"), 1e9], "t": ["a", "b", "c", "d"]}
)


@pytest.mark.parametrize("text", HOSTILE)
def test_cells_come_back_as_they_were(text: str) -> None:
    assert unquoted_cell(quoted_cell(text)) == text
    assert not quoted_cell(text).startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
    assert harmless_cell(text) in (text, f"'{text}")


def test_a_quote_that_somebody_typed_stays() -> None:
    assert unquoted_cell("'tis") == "'tis"


def test_a_workbook_holds_numbers_as_numbers_and_formulas_as_text() -> None:
    found = read_table_file(to_xlsx(TABLE), "cases.xlsx").frame
    assert found.columns.tolist() == ["=name", "n", "t"]
    assert found["n"].fillna(0).tolist() == [1.5, -2.0, 0.0, 1e9]
    assert found["=name"].tolist()[:2] == ["=cmd()", "<b>&\ufffd"]
    assert found["=name"].isna().tolist() == [False, False, True, False]


def test_the_same_table_is_the_same_file() -> None:
    assert to_xlsx(TABLE) == to_xlsx(TABLE)


def test_csv_makes_formulas_harmless() -> None:
    found = pd.read_csv(io.BytesIO(to_csv(TABLE)), encoding="utf-8-sig")
    assert found.columns.tolist() == ["'=name", "n", "t"]
    assert found["'=name"].tolist()[0] == "'=cmd()"
