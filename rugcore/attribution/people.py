"""The training rows as the rules of a pool can tell them apart: a byte a cell, kept with a model to refit it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rugcore.attribution.cuts import CutColumn, RuleCuts, stacked
from rugcore.tables.columns import Column, NumberColumn
from rugcore.tables.table import Table

_OTHER = object()  # a category that no rule of the pool can name


@dataclass(frozen=True, eq=False)
class CodedPeople:
    """One code a cell; the table itself is not kept, and may be changed by whoever owns it."""

    columns: tuple[Column, ...]
    codes: np.ndarray  # (columns, rows)
    class_codes: np.ndarray  # what became of each
    weight: np.ndarray

    @classmethod
    def of(cls, table: Table, columns: Sequence[Column], class_codes: np.ndarray, weight: np.ndarray) -> "CodedPeople":
        codes = np.empty((len(columns), table.n_rows), dtype=np.uint8)
        for position, column in enumerate(columns):
            codes[position] = column.codes(table.column(position))
        return cls(tuple(columns), codes, class_codes, weight)

    def codes_for(self, cuts: RuleCuts) -> np.ndarray:
        """As `RuleCuts.codes`, of rules from the same pool: their cuts are among those of its columns."""
        pairs = zip(cuts.columns, cuts.positions, strict=True)
        found = [_translated(self.columns[position], cut)[self.codes[position]] for cut, position in pairs]
        return stacked(found, self.codes.shape[1])


def _translated(column: Column, cut: CutColumn) -> np.ndarray:
    """For every code of a column, that of the same column cut where some rules look."""
    if isinstance(column, NumberColumn):
        highest = np.concatenate([[np.nan], column.cuts, [np.inf]])  # between two cuts
        return np.concatenate([cut.amount_codes(highest), cut.first_special + np.arange(len(column.specials))])
    values: list[Any] = [None, *column.values, _OTHER]
    examples = np.empty(len(values), dtype=object)
    examples[:] = values
    return cut.codes(examples)
