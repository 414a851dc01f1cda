"""The user's table as it came: which columns hold numbers and which categories.

A DataFrame may hold numbers, booleans, text, categories and blanks; an array likewise. What cannot be a
feature is refused with the column's name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from pandas.api import types

from rugcore.errors import InputError
from rugcore.rules.special import SpecialCodes

# A code is a number that only names something: a pandas category whose categories are numbers. A column
# without a single value is blank: no rule speaks about it, so it may hold anything later.
Kind = Literal["number", "category", "boolean", "code", "blank"]


@dataclass(frozen=True)
class Table:
    """Named columns of equal length; numbers as float64 with NaN, the rest as objects with None."""

    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    source: pd.DataFrame | np.ndarray
    specials: Mapping[str, SpecialCodes] = field(default_factory=dict)  # of columns of numbers that have any

    @property
    def n_rows(self) -> int:
        return len(self.source)

    def take(self, is_kept: np.ndarray) -> "Table":
        """Some of the rows."""
        return replace(self, source=self.source[is_kept])

    def column(self, position: int) -> np.ndarray:
        """One column, converted when it is asked for, so that the table is never copied as a whole."""
        if isinstance(self.source, np.ndarray):
            return np.ascontiguousarray(self.source[:, position], dtype=np.float64)
        series = self.source.iloc[:, position]
        return numbers_of(series) if self.kinds[position] == "number" else values_of(series)


def read_table(source: pd.DataFrame | np.ndarray, names: Sequence[str] | None = None) -> Table:
    """Look at every column once and say what it is; refuse what no condition could speak about."""
    if isinstance(source, np.ndarray) and is_numeric(source):
        names = names or positional_names(source.shape[1])
        refuse_infinities(source, names)
        return Table(tuple(names), ("number",) * source.shape[1], source)
    frame = source if isinstance(source, pd.DataFrame) else frame_of(source)
    labels = names or (column_names(frame) if frame is source else positional_names(frame.shape[1]))
    kinds = tuple(kind_of(frame.iloc[:, position], labels[position]) for position in range(frame.shape[1]))
    table = Table(tuple(labels), kinds, frame)
    for position, kind in enumerate(kinds):
        if kind == "number":
            refuse_infinities(table.column(position)[:, None], labels[position : position + 1])
    return table


def is_numeric(array: np.ndarray) -> bool:
    """Whether the array can be used as it is; true/false is not a number."""
    return array.dtype.kind in "iuf"


def frame_of(array: np.ndarray) -> pd.DataFrame:
    """Text stays text: pandas is not to guess."""
    return pd.DataFrame(array, dtype=None if array.dtype.kind == "b" else object)


def positional_names(n_columns: int) -> list[str]:
    """What the columns of an array are called."""
    return [f"x{position}" for position in range(n_columns)]


def column_names(frame: pd.DataFrame) -> list[str]:
    """The names as text; two columns that read the same could not be told apart in a rule."""
    names = [str(name) for name in frame.columns]
    twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if twice:
        raise InputError(
            f"Expected every column to have its own name, but {twice[0]!r} stands on {names.count(twice[0])} "
            "columns. Rename or drop the repeated ones."
        )
    return names


def kind_of(series: pd.Series, name: str) -> Kind:
    """What the column holds; anything that no condition could speak about is refused."""
    dtype = series.dtype
    if series.isna().all():
        return "blank"
    if isinstance(dtype, pd.CategoricalDtype):
        return _kind_of_categories(dtype.categories, name)
    if types.is_bool_dtype(dtype):
        return "boolean"
    if types.is_complex_dtype(dtype):
        raise InputError(f"Complex data not supported: column {name!r} holds complex numbers.")
    if types.is_numeric_dtype(dtype):
        return "number"
    if types.is_object_dtype(dtype):
        return _kind_of_objects(series, name)
    if types.is_string_dtype(dtype):
        return "category"
    raise InputError(
        f"Expected numbers, text, categories or true/false in column {name!r}, but it holds {dtype}. "
        "Turn it into a number first (a date into days since a fixed day, for example), or drop it."
    )


def _kind_of_categories(categories: pd.Index, name: str) -> Kind:
    inferred = types.infer_dtype(categories, skipna=True)
    kinds: dict[str, Kind] = {
        "string": "category",
        "boolean": "boolean",
        "integer": "code",
        "floating": "code",
    }
    if inferred not in kinds:
        raise InputError(
            f"Expected the categories of column {name!r} to be all text, all numbers or true/false, but they "
            f"are {inferred}, such as {categories[0]!r}. Turn them into text first: .astype(str)."
        )
    return kinds[inferred]


def _kind_of_objects(series: pd.Series, name: str) -> Kind:
    inferred = types.infer_dtype(series, skipna=True)
    kinds: dict[str, Kind] = {
        "string": "category",
        "boolean": "boolean",
        "integer": "number",
        "floating": "number",
        "mixed-integer-float": "number",
        "decimal": "number",
    }
    if inferred not in kinds:
        first = next((item for item in series if not isinstance(item, str) and not is_blank(item)), None)
        raise InputError(
            f"Expected column {name!r} to hold one kind of value, but it mixes kinds or holds something that "
            f"is neither a number, text nor true/false, such as {first!r} ({type(first).__name__}). Make it "
            "all numbers or all text."
        )
    return kinds[inferred]


def is_blank(item: Any) -> bool:
    """Also for a list or another container in a cell, which is no blank."""
    return bool(types.is_scalar(item) and pd.isna(item))


def numbers_of(series: pd.Series) -> np.ndarray:
    return series.to_numpy(dtype=np.float64, na_value=np.nan)


def values_of(series: pd.Series) -> np.ndarray:
    """Categories as Python objects, blank cells as None."""
    values = series.astype(object).to_numpy(copy=True)
    values[series.isna().to_numpy()] = None
    return values


def refuse_infinities(numbers: np.ndarray, names: Sequence[str]) -> None:
    """An infinite value has no readable threshold beside it, and is most often a division by zero."""
    for position in range(numbers.shape[1]):
        column = numbers[:, position]
        if np.issubdtype(column.dtype, np.floating) and np.isinf(column).any():
            row = int(np.flatnonzero(np.isinf(column))[0])
            raise InputError(
                f"Expected finite numbers, but column {names[position]!r} holds an infinity (first at row "
                f"{row}, counting from 0). Replace infinity values by a number, or leave them blank."
            )


def plain_value(item: Any) -> Any:
    """A category as a plain Python value, so that it compares and saves the same everywhere."""
    return item.item() if isinstance(item, np.generic) else item
