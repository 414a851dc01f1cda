"""What the encoder learns of a training table."""

import numpy as np
import pandas as pd
import pytest

from rugcore.tables import CategoryColumn, EncodedTable, NumberColumn, encode, encoder, read_table


def encoded(frame: pd.DataFrame, weight: np.ndarray | None = None, **options: int) -> EncodedTable:
    weight = np.ones(len(frame)) if weight is None else weight
    return encode(read_table(frame), weight, np.random.RandomState(0), **options)


def numbers(found: EncodedTable, position: int = 0) -> NumberColumn:
    column = found.columns[position]
    assert isinstance(column, NumberColumn)
    return column


def categories(found: EncodedTable, position: int = 0) -> CategoryColumn:
    column = found.columns[position]
    assert isinstance(column, CategoryColumn)
    return column


def test_few_values_keep_a_code_each() -> None:
    found = encoded(pd.DataFrame({"x": [3.0, 1.0, 2.0, None, 1.0]}))
    assert found.codes[0].tolist() == [3, 1, 2, 0, 1]
    assert found.n_rows == 5


def test_up_to_255_values_nothing_is_lost() -> None:
    values = np.random.default_rng(0).permutation(np.linspace(-5, 7, 255))
    found = encoded(pd.DataFrame({"x": values}))
    assert len(np.unique(found.codes[0])) == 255
    np.testing.assert_array_equal(np.argsort(found.codes[0]), np.argsort(values))


def test_many_values_are_cut_into_bins_of_like_weight_that_keep_the_order() -> None:
    values = np.random.default_rng(0).normal(size=3_000)
    found = encoded(pd.DataFrame({"x": values}))
    codes = found.codes[0]
    assert np.all(np.diff(codes[np.argsort(values)].astype(int)) >= 0)
    assert np.bincount(codes).max() <= 3 * 3_000 / 255
    assert len(encoded(pd.DataFrame({"x": values}), max_bins=10).columns[0].cuts) == 9  # type: ignore[union-attr]


def test_weight_moves_the_bins() -> None:
    values = np.arange(1_000.0)
    weight = np.where(values < 500, 99.0, 1.0)
    cuts = numbers(encoded(pd.DataFrame({"x": values}), weight, max_bins=10)).cuts
    assert np.all(cuts < 510)


@pytest.mark.parametrize("column", [[1.0] * 4, [None] * 4, ["a"] * 4, [True] * 4, [np.nan, 2.0, 2.0, 2.0]])
def test_a_constant_column_has_nothing_to_split_but_its_blanks(column: list[object]) -> None:
    found = encoded(pd.DataFrame({"x": column}))
    is_blank = pd.isna(pd.Series(column)).to_numpy()
    np.testing.assert_array_equal(found.codes[0] == 0, is_blank)
    assert len(np.unique(found.codes[0][~is_blank])) <= 1


def test_every_category_has_a_name_if_there_are_few() -> None:
    frame = pd.DataFrame({"c": ["b", "a", None, "c", "a"]})
    column = categories(encoded(frame))
    assert column.values == ("a", "b", "c")
    assert not column.has_unnamed


def test_of_very_many_categories_only_those_seen_twice_have_a_name() -> None:
    values = [f"id {n}" for n in range(500)] + [f"id {n}" for n in range(20)]
    column = categories(encoded(pd.DataFrame({"c": values})))
    assert set(column.values) == {f"id {n}" for n in range(20)}
    assert column.has_unnamed
    assert len(np.unique(column.codes(np.array(values, dtype=object)))) == 21


def test_of_very_many_frequent_categories_the_most_frequent_have_a_name() -> None:
    values = [f"id {n}" for n in range(600) for _ in range(2 + (n >= 400))]
    column = categories(encoded(pd.DataFrame({"c": values})))
    assert len(column.values) == 254
    assert sum(int(value.removeprefix("id ")) >= 400 for value in column.values) == 200


def test_a_long_table_is_cut_by_a_sample_of_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "ROWS_FOR_QUANTILES", 2_000)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "many": rng.normal(size=9_000),
            "few": rng.choice([1.0, 2.0, np.nan], 9_000),
            "rare": np.r_[np.zeros(8_999), 1.0],  # the sample may miss it, the column must not
        }
    )
    found = encoded(frame)
    assert np.bincount(found.codes[0]).max() <= 4 * 9_000 / 255
    assert sorted(np.unique(found.codes[1])) == [0, 1, 2]
    assert found.codes[2].tolist() == [1] * 8_999 + [2]
    np.testing.assert_array_equal(encoded(frame).codes, found.codes)
