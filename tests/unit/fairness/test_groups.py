"""Sensitive features as groups: any kind of value, blanks, several columns, and what is refused."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from rugcore.errors import InputError
from rugcore.fairness.groups import MOST_GROUPS, read_groups


def members(sensitive_features: Any, n_rows: int) -> list[str]:
    """The name of every row's group."""
    groups = read_groups(sensitive_features, n_rows)
    assert len(set(groups.names)) == groups.n_groups  # a name means one group
    return [groups.names[number] for number in groups.codes]


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (["b", "a", "b"], ["b", "a", "b"]),
        (np.array(["b", "a", "b"]), ["b", "a", "b"]),
        (pd.Series([1, 0, 1]), ["1", "0", "1"]),
        (pd.Series([1.0, 0.0, 1.0]), ["1", "0", "1"]),
        (pd.Series([1, None, 0], dtype="Int64"), ["1", "missing", "0"]),
        ([True, False, True], ["True", "False", "True"]),
        (pd.Series([True, None, False], dtype="boolean"), ["True", "missing", "False"]),
        (pd.Index(["x", "y", "x"]), ["x", "y", "x"]),
        (pd.Categorical(["x", "y", "x"]), ["x", "y", "x"]),
        (pd.cut([10, 30, 70], [0, 25, 40, 120]), ["(0, 25]", "(25, 40]", "(40, 120]"]),
        (np.array([["a"], ["b"], ["a"]]), ["a", "b", "a"]),
        ((value for value in "aba"), ["a", "b", "a"]),
    ],
)
def test_values_of_any_kind(values: Any, names: list[str]) -> None:
    assert members(values, 3) == names


@pytest.mark.parametrize("blank", [None, np.nan, pd.NA, pd.NaT])
def test_a_blank_is_a_group_of_its_own_and_comes_last(blank: Any) -> None:
    groups = read_groups(pd.Series(["b", blank, "z", blank], dtype=object), 4)
    assert groups.names == ("b", "z", "missing")
    assert groups.codes.tolist() == [0, 2, 1, 2]


def test_nothing_but_blanks_is_one_group() -> None:
    assert members([None, None], 2) == ["missing", "missing"]


def test_values_that_read_alike_are_told_apart() -> None:
    mixed = pd.Series([1, "1", "missing", None, "plain"], dtype=object)
    assert members(mixed, 5) == ["1", "'1'", "'missing'", "missing", "plain"]
    assert len(set(members(["'missing'", "missing", None], 3))) == 3


def test_groups_are_in_natural_order() -> None:
    assert read_groups([10, 9, 100], 3).names == ("9", "10", "100")
    assert read_groups([True, False], 2).names == ("False", "True")
    assert read_groups(pd.Series(["b", 2, "a", 1], dtype=object), 4).names == ("1", "2", "a", "b")
    ages = pd.Categorical(["old", "young", "old"], categories=["young", "middle", "old"], ordered=True)
    assert read_groups(pd.Series(ages), 3).names == ("young", "old")  # without the category that does not occur


def test_several_columns_make_the_combinations_that_occur() -> None:
    table = pd.DataFrame({"sex": ["f", "m", "f", "m"], "single": [True, True, None, True]}, index=[7, 7, 8, 9])
    groups = read_groups(table, 4)
    assert groups.names == ("sex f, single True", "sex f, single missing", "sex m, single True")
    assert groups.codes.tolist() == [0, 2, 1, 2]


def test_a_dict_of_columns_and_an_array_of_columns() -> None:
    assert members({"a": [1, 2], "b": ["x", "y"]}, 2) == ["a 1, b x", "a 2, b y"]
    assert members(np.array([["1", "x"], ["2", "y"]]), 2) == ["column 1 1, column 2 x", "column 1 2, column 2 y"]


def test_combinations_agree_with_pandas() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({name: rng.choice(["x", "y", None], 300) for name in "abc"})
    expected = table.groupby(list("abc"), dropna=False).ngroup().to_numpy()
    assert np.array_equal(read_groups(table, 300).codes, expected)


def test_very_many_columns_do_not_run_into_each_other() -> None:
    """2 ** 70 possible combinations do not fit into an integer of 64 bits."""
    rows = np.random.default_rng(1).integers(0, 2, (40, 70))
    names = members(pd.DataFrame(rows), 40)
    assert names == [", ".join(f"{column} {value}" for column, value in enumerate(row)) for row in rows]


def test_taking_rows_keeps_the_meaning_of_numbers() -> None:
    groups = read_groups(["a", "b", "c"], 3).take(np.array([2, 0]))
    assert groups.names == ("a", "b", "c")
    assert groups.codes.tolist() == [2, 0]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (None, "Expected sensitive_features, one value per row"),
        ([], "3 rows came with 0 entries"),
        (["a", "b"], "3 rows came with 2 entries"),
        ("sex", "got the text 'sex'. Pass the column itself"),
        (5, "a column or a table with one entry per row, but got 5"),
        ({"a": 1}, "columns of one length"),
        ({"a": [1, 2, 3], "b": [1]}, "columns of one length"),
        (np.zeros((3, 2, 2)), "has the shape (3, 2, 2)"),
        (pd.DataFrame(index=range(3)), "at least one column"),
        (pd.Series([[1], [2], [3]]), "Expected text, numbers or true/false in the sensitive feature 'group'"),
    ],
)
def test_what_cannot_be_groups_is_refused(values: Any, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        read_groups(values, 3)
    assert sentence in str(refused.value)


def test_numbers_with_many_values_are_refused() -> None:
    with pytest.raises(InputError, match="'income' has 500 different values. Cut it into bands first"):
        read_groups(pd.Series(np.arange(500) / 7, name="income"), 500)
    assert read_groups(np.arange(MOST_GROUPS), MOST_GROUPS).n_groups == MOST_GROUPS


def test_too_many_combinations_are_refused() -> None:
    n_rows = 400
    table = pd.DataFrame({"a": np.arange(n_rows) % 20, "b": np.arange(n_rows) // 20})
    with pytest.raises(InputError, match="at most 100 groups, but the sensitive features make 400"):
        read_groups(table, n_rows)


def test_groups_know_what_they_are_groups_of() -> None:
    assert read_groups(pd.Series(["yes", "no"], name="married"), 2).attribute == "married"
    assert read_groups(["yes", "no"], 2).attribute == ""
    both = pd.DataFrame({"married": ["yes", "no"], "old": ["no", "no"]})
    assert read_groups(both, 2).attribute == ""  # the names of the groups say it themselves
