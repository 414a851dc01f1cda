"""The columns a model was trained on, and whether a table to be predicted fits them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.encoding.table import Kind, Table, kind_of, read_table, refuse_infinities
from rugcore.errors import InputError

WORD_FOR_KIND: dict[Kind, str] = {"number": "numbers", "category": "text", "boolean": "true/false"}


@dataclass(frozen=True)
class Schema:
    """Names and kinds of the training columns, in order."""

    names: tuple[str, ...]
    kinds: tuple[Kind, ...]

    @classmethod
    def of(cls, table: Table) -> "Schema":
        return cls(table.names, table.kinds)

    def read(self, source: pd.DataFrame | np.ndarray) -> Table:
        """A table with these columns, by position; refused if a column holds another kind of value."""
        if isinstance(source, np.ndarray) and all(kind == "number" for kind in self.kinds):
            return read_table(source, self.names) if source.dtype != object else self._read_frame(source)
        return self._read_frame(source)

    def _read_frame(self, source: pd.DataFrame | np.ndarray) -> Table:
        frame = source if isinstance(source, pd.DataFrame) else pd.DataFrame(source)
        table = Table(self.names, self.kinds, frame)
        for position, (name, kind) in enumerate(zip(self.names, self.kinds, strict=True)):
            _refuse_other_kind(frame.iloc[:, position], name, kind)
            if kind == "number":
                refuse_infinities(table.column(position)[:, None], [name])
        return table

    def single_row(self, row: Any) -> pd.DataFrame:
        """One applicant, given as a mapping, a Series, a one-row DataFrame or a sequence of values, as a table."""
        values = self._values_by_name(row)
        frame = pd.DataFrame({name: pd.Series([values[name]], dtype=object) for name in self.names})
        for name, kind in zip(self.names, self.kinds, strict=True):
            if kind == "number":
                frame[name] = _as_number(frame[name], name)
        return frame

    def _values_by_name(self, row: Any) -> Mapping[str, Any]:
        if isinstance(row, pd.DataFrame):
            if len(row) != 1:
                raise InputError(f"Expected one row to explain, but got {len(row)}. Pass X.iloc[[i]].")
            row = row.iloc[0]
        if isinstance(row, pd.Series | Mapping):
            values = {str(name): value for name, value in row.items()}
            absent = [name for name in self.names if name not in values]
            if absent:
                raise InputError(f"Expected a value for column {absent[0]!r}, but the row has none.")
            return values
        flat = np.asarray(row, dtype=object).ravel()
        if len(flat) != len(self.names):
            raise InputError(f"Expected one row of {len(self.names)} values, but got {len(flat)}.")
        return dict(zip(self.names, flat.tolist(), strict=True))


def _as_number(series: pd.Series, name: str) -> pd.Series:
    try:
        return pd.to_numeric(series).astype(float)
    except (TypeError, ValueError) as error:
        raise InputError(f"Expected a number in column {name!r}, but got {series.iloc[0]!r}.") from error


def _refuse_other_kind(series: pd.Series, name: str, expected: Kind) -> None:
    if isinstance(series.dtype, pd.CategoricalDtype) and expected != "number":
        return
    found = kind_of(series, name)
    # Booleans count as 0 and 1; a column of blanks alone fits any kind; numbers may be the names of categories.
    fits = found == expected or (found == "boolean" and expected == "number") or series.isna().all()
    if not fits:
        raise InputError(
            f"Column {name!r} held {WORD_FOR_KIND[expected]} in training but holds {WORD_FOR_KIND[found]} now. "
            "Convert it to what it was."
        )
