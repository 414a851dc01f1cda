"""The columns a model was trained on, and whether a table to be predicted fits them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from rugcore.errors import InputError
from rugcore.rules.special import SpecialCodes
from rugcore.tables.table import (
    Kind,
    Table,
    column_names,
    is_blank,
    is_numeric,
    kind_of,
    plain_value,
    positional_names,
    read_table,
    refuse_infinities,
)

WORD_FOR_KIND: dict[Kind, str] = {
    "number": "numbers",
    "category": "text",
    "boolean": "true/false",
    "code": "categories",
    "blank": "nothing",
}
# Booleans count as 0 and 1, and a plain number can be the code of a category.
ALSO_FITS: dict[Kind, set[Kind]] = {"number": {"boolean"}, "code": {"number"}}


@dataclass(frozen=True)
class Schema:
    """Names and kinds of the training columns, in order, and the special codes of those that have any."""

    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    specials: Mapping[str, SpecialCodes] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, table: Table) -> "Schema":
        return cls(table.names, table.kinds, table.specials)

    def names_of(self, kind: Kind) -> list[str]:
        """The columns of one kind."""
        return [name for name, own in zip(self.names, self.kinds, strict=True) if own == kind]

    def special_values(self) -> dict[str, dict[float, str]]:
        """The special codes as a user declares them."""
        return {name: {code.number: code.meaning for code in own} for name, own in self.specials.items()}

    def read(self, source: pd.DataFrame | np.ndarray) -> Table:
        """A table with these columns, by position; refused if a column holds another kind of value."""
        has_numbers_only = all(kind == "number" for kind in self.kinds)
        if isinstance(source, np.ndarray) and is_numeric(source) and has_numbers_only:
            return replace(read_table(source, self.names), specials=self.specials)
        return self._read_frame(source)

    def refuse_other_names(self, frame: pd.DataFrame) -> None:
        """scikit-learn checks names only if they are text; others in a new order would silently mislead."""
        if list(self.names) == positional_names(len(self.names)):
            return  # trained on an array: any names will do
        for position, (expected, found) in enumerate(zip(self.names, column_names(frame), strict=True), start=1):
            if expected != found:
                raise InputError(
                    f"Expected column {position} to be {expected!r} as in training, but it is {found!r}. "
                    "Select the training columns first, in their order."
                )

    def _read_frame(self, source: pd.DataFrame | np.ndarray) -> Table:
        frame = source if isinstance(source, pd.DataFrame) else pd.DataFrame(source)
        table = Table(self.names, self.kinds, frame, self.specials)
        for position, (name, kind) in enumerate(zip(self.names, self.kinds, strict=True)):
            _refuse_other_kind(frame.iloc[:, position], name, kind)
            if kind == "number":
                refuse_infinities(table.column(position)[:, None], [name])
        return table

    def cells(self, row: Any) -> dict[str, Any]:
        """One row, given as a mapping, a Series, a one-row DataFrame or a sequence, as values by column name.

        Numbers come out as floats with NaN for a blank, everything else as it is with None. A row needs no table: that
        would take a hundred times longer than looking at its rules.
        """
        values = self._values_by_name(row)
        return {name: _cell(values[name], name, kind) for name, kind in zip(self.names, self.kinds, strict=True)}

    def _values_by_name(self, row: Any) -> Mapping[str, Any]:
        if isinstance(row, pd.DataFrame):
            if len(row) != 1:
                raise InputError(f"Expected one row to explain, but got {len(row)}. Pass X.iloc[[i]].")
            row = row.iloc[0]
        if isinstance(row, pd.Series | Mapping):
            return self._all_present([(str(name), value) for name, value in row.items()])
        flat = np.asarray(row, dtype=object).ravel()
        if len(flat) != len(self.names):
            raise InputError(f"Expected one row of {len(self.names)} values, but got {len(flat)}.")
        return dict(zip(self.names, flat.tolist(), strict=True))

    def _all_present(self, items: list[tuple[str, Any]]) -> Mapping[str, Any]:
        given = [name for name, _ in items]
        for name in self.names:
            if name not in given:
                raise InputError(
                    f"Expected a value for column {name!r}, but the row has none. Give None if it is not known."
                )
            if given.count(name) > 1:
                raise InputError(f"Expected one value for column {name!r}, but got {given.count(name)}.")
        return dict(items)


def _cell(value: Any, name: str, kind: Kind) -> Any:
    if kind == "number":
        number = _as_number(value, name)
        if math.isinf(number):
            refuse_infinities(np.array([[number]]), [name])
        return number
    if is_blank(value):
        return None
    _refuse_other_kind(pd.Series([value], dtype=object), name, kind)
    return plain_value(value)


def _as_number(value: Any, name: str) -> float:
    """A number, also when it was typed as text; an empty text is a blank, as in a CSV file."""
    if is_blank(value) or (isinstance(value, str) and not value):
        return math.nan
    try:
        if not np.isscalar(value):
            raise TypeError
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"Expected a number in column {name!r}, but got {value!r}.") from error


def _refuse_other_kind(series: pd.Series, name: str, expected: Kind) -> None:
    if expected == "blank":
        return
    found = kind_of(series, name)
    if found not in {expected, "blank"} | ALSO_FITS.get(expected, set()):
        raise InputError(
            f"Column {name!r} held {WORD_FOR_KIND[expected]} in training but holds {WORD_FOR_KIND[found]} "
            "now. Convert it to what it was."
        )
