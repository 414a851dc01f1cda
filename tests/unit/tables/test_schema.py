"""One row or a table at prediction, held against the columns of training."""

import decimal
import math

import numpy as np
import pandas as pd
import pytest

from rugcore.errors import InputError
from rugcore.tables.schema import Schema

SCHEMA = Schema(("income", "purpose", "employed", "branch"), ("number", "category", "boolean", "code"))
ROW = {"income": 3.5, "purpose": "car", "employed": True, "branch": 7}


@pytest.mark.parametrize(
    "row",
    [
        ROW,
        {**ROW, "extra": 1},
        dict(reversed(ROW.items())),
        pd.Series(ROW),
        pd.DataFrame([ROW]),
        pd.DataFrame([ROW]).iloc[0],
        list(ROW.values()),
        tuple(ROW.values()),
        np.array(list(ROW.values()), dtype=object),
        np.array([list(ROW.values())], dtype=object),
        {**ROW, "income": "3.5"},
        {**ROW, "income": decimal.Decimal("3.5")},
        {**ROW, "income": np.float32(3.5)},
    ],
)
def test_a_row_in_any_form_is_the_same_row(row: object) -> None:
    cells = SCHEMA.cells(row)
    assert cells == ROW
    assert list(cells) == list(SCHEMA.names)


@pytest.mark.parametrize("blank", [None, np.nan, pd.NA, pd.NaT])
def test_blanks_of_every_kind(blank: object) -> None:
    cells = SCHEMA.cells(dict.fromkeys(SCHEMA.names, blank))
    assert math.isnan(cells.pop("income"))
    assert cells == dict.fromkeys(SCHEMA.names[1:])


def test_an_empty_text_is_a_blank_number_and_a_category_of_its_own() -> None:
    cells = SCHEMA.cells({**ROW, "income": "", "purpose": ""})
    assert math.isnan(cells["income"])
    assert cells["purpose"] == ""


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"income": 1}, "value for column 'purpose', but the row has none"),
        (pd.DataFrame([ROW, ROW]), "one row to explain, but got 2"),
        (pd.DataFrame([ROW]).iloc[:0], "one row to explain, but got 0"),
        (pd.concat([pd.Series(ROW), pd.Series(ROW)]), "one value for column 'income', but got 2"),
        ([1, 2], "one row of 4 values, but got 2"),
        (None, "one row of 4 values, but got 1"),
        (17, "one row of 4 values, but got 1"),
        ({**ROW, "income": "much"}, "number in column 'income', but got 'much'"),
        ({**ROW, "income": 1 + 1j}, "number in column 'income'"),
        ({**ROW, "income": [1]}, "number in column 'income'"),
        ({**ROW, "income": pd.Timestamp("2020-01-01")}, "number in column 'income'"),
        ({**ROW, "income": 10**400}, "number in column 'income'"),
        ({**ROW, "income": math.inf}, "infinity"),
        ({**ROW, "purpose": 3}, "'purpose' held text in training but holds numbers now"),
        ({**ROW, "employed": "yes"}, "'employed' held true/false in training but holds text now"),
    ],
)
def test_a_row_that_does_not_fit_is_refused(row: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        SCHEMA.cells(row)


@pytest.mark.parametrize(
    ("column", "values", "words"),
    [
        ("income", ["a"], "'income' held numbers in training but holds text now"),
        ("income", [math.inf], "'income' holds an infinity"),
        ("income", pd.Categorical([3]), "'income' held numbers in training but holds categories now"),
        ("purpose", [3], "'purpose' held text in training but holds numbers now"),
        ("purpose", [True], "'purpose' held text in training but holds true/false now"),
        ("purpose", pd.Categorical([3]), "'purpose' held text in training but holds categories now"),
        ("employed", [1], "'employed' held true/false in training but holds numbers now"),
        ("branch", ["7"], "'branch' held categories in training but holds text now"),
        ("income", pd.to_datetime(["2020-01-01"]), "'income', but it holds datetime64"),
    ],
)
def test_a_column_of_another_kind_is_refused(column: str, values: object, words: str) -> None:
    frame = pd.DataFrame([ROW]).assign(**{column: values})
    with pytest.raises(InputError, match=words):
        SCHEMA.read(frame)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("income", [True]),  # 1
        ("income", [None]),
        ("purpose", [None]),
        ("purpose", pd.Categorical(["car"])),
        ("purpose", pd.Categorical([None])),
        ("branch", pd.Categorical([7])),
        ("branch", [7.0]),
        ("employed", pd.array([None], dtype="boolean")),
    ],
)
def test_a_column_of_the_same_kind_in_other_clothes_is_welcome(column: str, values: object) -> None:
    table = SCHEMA.read(pd.DataFrame([ROW]).assign(**{column: values}))
    assert table.n_rows == 1


def test_a_column_that_was_all_blank_may_hold_anything() -> None:
    schema = Schema(("x",), ("blank",))
    for values in ([1.0], ["a"], [True], pd.to_datetime(["2020-01-01"])):
        schema.read(pd.DataFrame({"x": values}))


def test_the_columns_of_a_kind() -> None:
    assert SCHEMA.names_of("category") == ["purpose"]
    assert SCHEMA.names_of("blank") == []
