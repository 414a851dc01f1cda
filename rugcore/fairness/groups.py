"""Sensitive features as groups of rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.errors import InputError
from rugcore.rules import words
from rugcore.tables.table import plain_value

# Every pair of groups is compared: far beyond this, no group is large enough and no page can show them.
MOST_GROUPS = 100
BLANK = "missing"
NO_NAME = "group"  # what a column is called that came without a name


@dataclass(frozen=True)
class Groups:
    """The groups that occur, with names a person can read, and the code of each row's group."""

    names: tuple[str, ...]
    codes: np.ndarray
    attribute: str = ""  # what they are groups of; of combinations the names of the groups say so

    @property
    def n_groups(self) -> int:
        return len(self.names)

    def take(self, rows: np.ndarray) -> "Groups":
        """The groups of some of the rows; the names stay, so that codes mean the same."""
        return Groups(self.names, self.codes[rows], self.attribute)

    def present(self) -> "Groups":
        """Only the groups that occur."""
        found, codes = np.unique(self.codes, return_inverse=True)
        return Groups(tuple(self.names[number] for number in found.tolist()), codes, self.attribute)


def read_groups(sensitive_features: Any, n_rows: int) -> Groups:
    """One group per row. Several columns make a group of every combination that occurs; a blank is a value too."""
    if sensitive_features is None:
        raise InputError(
            "Expected sensitive_features, one value per row that says which group it belongs to, but none came. Pass "
            "them as fit(X, y, sensitive_features=...), or use RUGClassifier, which promises nothing about groups."
        )
    frame = _as_frame(sensitive_features)
    if len(frame) != n_rows:
        raise InputError(
            f"Expected sensitive_features to have one entry per row, but {n_rows} rows came with {len(frame)} entries."
        )
    columns = _columns_of(frame)
    groups = columns[0] if len(columns) == 1 else _combined(columns, [str(name) for name in frame.columns])
    if groups.n_groups > MOST_GROUPS:
        raise InputError(
            f"Expected at most {MOST_GROUPS} groups, but the sensitive features make {groups.n_groups:,}. Cut numbers "
            "into bands, join rare values, or use fewer columns."
        )
    return groups


def read_columns(sensitive_features: Any) -> list[Groups]:
    """Every column by itself: the larger groups that the combinations lie in."""
    return _columns_of(_as_frame(sensitive_features))


def _columns_of(frame: pd.DataFrame) -> list[Groups]:
    return [_read_column(frame.iloc[:, place], str(frame.columns[place])) for place in range(frame.shape[1])]


def _as_frame(sensitive_features: Any) -> pd.DataFrame:
    if isinstance(sensitive_features, pd.DataFrame):
        frame = sensitive_features
    elif isinstance(sensitive_features, pd.Series | pd.Index | pd.Categorical):
        series = pd.Series(sensitive_features)
        frame = series.reset_index(drop=True).to_frame(series.name if series.name is not None else NO_NAME)
    else:
        frame = _from_array(sensitive_features)
    if not frame.shape[1]:
        raise InputError("Expected sensitive_features to have at least one column, but it has none.")
    return frame


def _from_array(items: Any) -> pd.DataFrame:
    if isinstance(items, str | bytes):  # the letters of a column's name are not its values
        raise InputError(
            f"Expected sensitive_features to hold one value per row, but got the text {items!r}. Pass the column "
            f"itself, such as table[{items!r}]."
        )
    if isinstance(items, dict):
        return _from_dict(items)
    try:
        array = items if isinstance(items, np.ndarray) else np.array(list(items), dtype=object)
    except TypeError as error:
        raise InputError(
            f"Expected sensitive_features to be a column or a table with one entry per row, but got {items!r}."
        ) from error
    if array.ndim not in (1, 2):
        raise InputError(f"Expected sensitive_features to be one or more columns, but it has the shape {array.shape}.")
    array = array[:, None] if array.ndim == 1 else array
    names = [NO_NAME] if array.shape[1] == 1 else [f"column {number + 1}" for number in range(array.shape[1])]
    return pd.DataFrame(array, columns=names)


def _from_dict(items: dict[Any, Any]) -> pd.DataFrame:
    try:
        return pd.DataFrame(items)
    except ValueError as error:  # single values, or columns of different lengths
        raise InputError("Expected sensitive_features to have columns of one length, one entry per row.") from error


def _read_column(series: pd.Series, name: str) -> Groups:
    """Values in their natural order, a blank last."""
    values = series.astype(object).to_numpy()
    is_blank = series.isna().to_numpy()
    try:
        codes, found = pd.factorize(values, use_na_sentinel=True)
    except TypeError as error:
        raise InputError(f"Expected text, numbers or true/false in the sensitive feature {name!r}.") from error
    codes = np.where(is_blank, -1, codes)
    if len(found) > MOST_GROUPS:
        raise InputError(
            f"Expected groups, but the sensitive feature {name!r} has {len(found):,} different values. Cut it into "
            "bands first, such as pandas.cut(age, [0, 25, 40, 120])."
        )
    plain = [plain_value(value) for value in found]
    order = _natural_order(series, plain)
    rank = np.empty(len(found) + 1, dtype=np.int64)
    rank[order] = np.arange(len(found))
    rank[-1] = len(found)  # where the code -1 of a blank looks
    names = _distinct_names([plain[place] for place in order], has_blank=bool(is_blank.any()))
    return Groups(names, rank[codes], "" if name == NO_NAME else name)


def _natural_order(series: pd.Series, values: list[Any]) -> list[int]:
    if isinstance(series.dtype, pd.CategoricalDtype):
        place = {plain_value(value): number for number, value in enumerate(series.cat.categories)}
        return sorted(range(len(values)), key=lambda number: place[values[number]])
    return sorted(range(len(values)), key=lambda number: _sort_key(values[number]))


def _sort_key(value: Any) -> tuple[int, float, str]:
    is_number = isinstance(value, bool | int | float)
    return (0, float(value), "") if is_number else (1, 0.0, str(value))


def _distinct_names(values: list[Any], has_blank: bool) -> tuple[str, ...]:
    """Values as text; where two would read alike (1 and "1", a blank and the word for it), quotes tell them apart."""
    names = [words.value(value) for value in values] + ([BLANK] if has_blank else [])
    clashes = {name for name in names if names.count(name) > 1}
    quoted = [repr(value) if name in clashes else name for value, name in zip(values, names, strict=False)]
    if len(set(quoted)) < len(quoted):  # a value that came with quotes of its own
        quoted = [repr(value) for value in values]
    return tuple(quoted + names[len(values) :])


def _combined(columns: list[Groups], names: list[str]) -> Groups:
    """A group for every combination that occurs, in the order of the columns.

    Combinations are numbered again after every column: a key over all columns at once could outgrow its integer.
    """
    texts = [f"{names[0]} {value}" for value in columns[0].names]
    codes = columns[0].codes
    for column, name in zip(columns[1:], names[1:], strict=True):
        found, codes = np.unique(codes * column.n_groups + column.codes, return_inverse=True)
        places = [divmod(key, column.n_groups) for key in found.tolist()]
        texts = [f"{texts[before]}, {name} {column.names[value]}" for before, value in places]
    return Groups(tuple(texts), codes)
