"""Columns cut where the rules look: between two cuts, no rule sees a difference.

Code 0 is a blank. A column of numbers with cuts t_1 < ... < t_m has code 1 up to t_1 and code m + 1 above t_m. A column
of categories has a code for every value that some rule names, and one more for all others.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from rugcore.attribution.conjunctions import Conjunction
from rugcore.rules.conditions import Condition, Interval, IsMissing, Membership
from rugcore.rules.rule import Rule
from rugcore.tables.schema import Schema
from rugcore.tables.table import Table, plain_value

BLANK = 0


@dataclass(frozen=True, eq=False)
class CutColumn:
    """One column that rules look at: numbers with cuts, or categories with values."""

    name: str
    is_number: bool
    cuts: np.ndarray  # of numbers
    values: tuple[Any, ...]  # of categories: those that rules name

    @classmethod
    def of(cls, name: str, is_number: bool, conditions: Sequence[Condition]) -> "CutColumn":
        bounds = {bound for c in conditions if isinstance(c, Interval) for bound in (c.lower, c.upper)}
        lists = [c.values for c in conditions if isinstance(c, Membership)]  # noqa: PD011 (a tuple of our own)
        named = {value for values in lists for value in values}
        cuts = np.array(sorted(bound for bound in bounds if math.isfinite(bound)), dtype=float)
        return cls(name, is_number, cuts, tuple(sorted(named, key=str)))

    @property
    def n_codes(self) -> int:
        return 2 + (len(self.cuts) if self.is_number else len(self.values))

    def codes(self, column: np.ndarray) -> np.ndarray:
        """Of floats with NaN where blank, or of objects with None where blank."""
        if self.is_number:
            return np.where(np.isnan(column), BLANK, np.searchsorted(self.cuts, column, side="left") + 1)
        place, distinct = pd.factorize(column)
        number = {value: code for code, value in enumerate(self.values, start=1)}
        of_value = [number.get(plain_value(value), self.n_codes - 1) for value in distinct]
        return np.array([*of_value, BLANK], dtype=np.int64)[place]  # the place of a blank is -1: the last one

    def allowed(self, condition: Condition) -> np.ndarray:
        """Which codes meet the condition."""
        allowed = np.zeros(self.n_codes, dtype=bool)
        if isinstance(condition, IsMissing):
            allowed[BLANK] = True
            return allowed
        allowed[BLANK] = condition.or_missing
        if isinstance(condition, Interval):
            edges = np.concatenate([[-np.inf], self.cuts, [np.inf]])
            allowed[1:] = (edges[:-1] >= condition.lower) & (edges[1:] <= condition.upper)
        else:
            listed = [value in condition.values for value in self.values]  # noqa: PD011 (a tuple of our own)
            allowed[1:] = np.array([*listed, False]) != condition.negated
        return allowed


@dataclass(frozen=True, eq=False)
class RuleCuts:
    """Rules, and all columns that they look at, cut there; columns in the order in which rules first mention them."""

    rules: tuple[Rule, ...]
    columns: tuple[CutColumn, ...]
    positions: tuple[int, ...]  # of these columns in the table

    @classmethod
    def of(cls, rules: Sequence[Rule], schema: Schema) -> "RuleCuts":
        conditions: dict[str, list[Condition]] = {}
        for rule in rules:
            for condition in rule.conditions:
                conditions.setdefault(condition.feature, []).append(condition)
        positions = tuple(schema.names.index(name) for name in conditions)
        columns = [
            CutColumn.of(name, schema.kinds[position] == "number", own)
            for position, (name, own) in zip(positions, conditions.items(), strict=True)
        ]
        return cls(tuple(rules), tuple(columns), positions)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def conjunctions(self) -> tuple[Conjunction, ...]:
        """One for every rule."""
        place = {name: number for number, name in enumerate(self.names)}
        return tuple(
            Conjunction(
                columns=tuple(place[c.feature] for c in rule.conditions),
                allowed=tuple(self.columns[place[c.feature]].allowed(c) for c in rule.conditions),
            )
            for rule in self.rules
        )

    def codes(self, table: Table) -> np.ndarray:
        """(columns, rows): the codes of every column that rules look at."""
        pairs = zip(self.columns, self.positions, strict=True)
        return stacked([column.codes(table.column(position)) for column, position in pairs], table.n_rows)

    def codes_of_cells(self, cells: Sequence[Mapping[str, Any]]) -> np.ndarray:
        """The same for rows given as values by column: no table is needed for them."""
        columns = [c.codes(_column([row[c.name] for row in cells], c.is_number)) for c in self.columns]
        return stacked(columns, len(cells))


def stacked(columns: Sequence[np.ndarray], n_rows: int) -> np.ndarray:
    """(columns, rows), also of no columns at all."""
    return np.array(columns, dtype=np.int32).reshape(len(columns), n_rows)


def _column(values: list[Any], is_number: bool) -> np.ndarray:
    if is_number:
        return np.array(values, dtype=float)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
