"""Which kind of value a column holds; what is refused is in tests/unit/test_inputs.py."""

import decimal

import numpy as np
import pandas as pd
import pytest

from rugcore.tables import read_table
from rugcore.tables.table import Kind


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ([1, 2], "number"),
        ([1.5, None], "number"),
        (pd.array([1, None], dtype="Int64"), "number"),
        (pd.array([1, 2], dtype="int64[pyarrow]"), "number"),
        (np.array([1, 2], dtype=np.float32), "number"),
        (pd.Series([1, 2.5, None], dtype=object), "number"),
        ([decimal.Decimal("1.5"), None], "number"),
        (["a", None], "category"),
        (pd.array(["a", None], dtype="str"), "category"),
        (pd.array(["a", None], dtype="string[pyarrow]"), "category"),
        (pd.Series(["a", np.nan], dtype=object), "category"),
        (pd.Categorical(["a", None], categories=["a", "unused"]), "category"),
        (pd.Categorical([3, 7]), "code"),
        (pd.Categorical([0.5, 7.0]), "code"),
        (pd.Categorical([True, False]), "boolean"),
        ([True, False], "boolean"),
        (pd.array([True, None], dtype="boolean"), "boolean"),
        (pd.Series([True, None], dtype=object), "boolean"),
        ([None, None], "blank"),
        ([np.nan, np.nan], "blank"),
        (pd.Categorical([None, None]), "blank"),
        (pd.array([None, None], dtype="Int64"), "blank"),
    ],
)
def test_the_kind_of_a_column(column: object, kind: Kind) -> None:
    assert read_table(pd.DataFrame({"x": column})).kinds == (kind,)


def test_numbers_come_as_floats_and_the_rest_as_objects_with_none_for_blanks() -> None:
    table = read_table(
        pd.DataFrame({"x": pd.array([1, None], dtype="Int64"), "c": pd.Categorical([None, "a"]), "b": [True, False]})
    )
    np.testing.assert_array_equal(table.column(0), [1.0, np.nan])
    assert table.column(1).tolist() == [None, "a"]
    assert table.column(2).tolist() == [True, False]


@pytest.mark.parametrize(
    ("array", "kinds"),
    [
        (np.zeros((2, 2)), ("number", "number")),
        (np.zeros((2, 2), dtype=np.uint8), ("number", "number")),
        (np.zeros((2, 2), dtype=bool), ("boolean", "boolean")),
        (np.array([["a", "1"], ["b", "2"]]), ("category", "category")),
        (np.array([["a", 1], ["b", 2]], dtype=object), ("category", "number")),
    ],
)
def test_arrays_of_every_kind(array: np.ndarray, kinds: tuple[Kind, ...]) -> None:
    table = read_table(array)
    assert table.kinds == kinds
    assert table.names == ("x0", "x1")
