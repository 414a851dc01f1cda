"""Columns cut where the rules look: between two cuts, no rule sees a difference.

Code 0 is a blank. A column of numbers with cuts t_1 < ... < t_m has code 1 up to t_1 and code m + 1 above t_m; its
special codes, such as -9 for "no such record", have the codes after that, and lie between no two cuts. A column
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
from rugcore.rules.conditions import Condition, Interval, IsMissing, IsSpecial, Membership
from rugcore.rules.rule import Rule
from rugcore.rules.special import SpecialCodes, meaning_of
from rugcore.tables.schema import Schema
from rugcore.tables.table import Table, plain_value

BLANK = 0


@dataclass(frozen=True, eq=False)
class CutColumn:
    """One column that rules look at: numbers with cuts and special codes, or categories with values."""

    name: str
    is_number: bool
    cuts: np.ndarray  # of numbers
    values: tuple[Any, ...]  # of categories: those that rules name
    specials: SpecialCodes = ()  # of numbers

    @classmethod
    def of(
        cls, name: str, is_number: bool, conditions: Sequence[Condition], specials: SpecialCodes = ()
    ) -> "CutColumn":
        bounds = {bound for c in conditions if isinstance(c, Interval) for bound in (c.lower, c.upper)}
        lists = [c.values for c in conditions if isinstance(c, Membership)]  # noqa: PD011 (a tuple of our own)
        named = {value for values in lists for value in values}
        cuts = np.array(sorted(bound for bound in bounds if math.isfinite(bound)), dtype=float)
        return cls(name, is_number, cuts, tuple(sorted(named, key=str)), specials)

    @property
    def first_special(self) -> int:
        """Of numbers: the code of the first special code."""
        return 2 + len(self.cuts)

    @property
    def n_codes(self) -> int:
        return self.first_special + len(self.specials) if self.is_number else 2 + len(self.values)

    def is_amount(self, codes: np.ndarray) -> np.ndarray:
        """Which codes stand for numbers that are larger or smaller than others."""
        is_amount: np.ndarray = (codes != BLANK) & (codes < self.first_special) & self.is_number
        return is_amount

    def in_words(self, cell: Any) -> Any:
        """A cell as a reader knows it: of a special code, what it stands for."""
        return meaning_of(cell, self.specials) or cell

    def amount_codes(self, numbers: np.ndarray) -> np.ndarray:
        """Of numbers none of which is a special code, NaN where blank."""
        return np.where(np.isnan(numbers), BLANK, np.searchsorted(self.cuts, numbers, side="left") + 1)

    def codes(self, column: np.ndarray) -> np.ndarray:
        """Of floats with NaN where blank, or of objects with None where blank."""
        if self.is_number:
            codes = self.amount_codes(column)
            for code, special in enumerate(self.specials, start=self.first_special):
                codes[column == special.number] = code
            return codes
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
            allowed[1 : len(edges)] = (edges[:-1] >= condition.lower) & (edges[1:] <= condition.upper)
            allowed[self.first_special :] = [code.number in condition.or_special for code in self.specials]
        elif isinstance(condition, IsSpecial):
            allowed[self.first_special :] = [code in condition.codes for code in self.specials]
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
            CutColumn.of(name, schema.kinds[position] == "number", own, schema.specials.get(name, ()))
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

    def tells_apart(self, column: int, one: int, other: int) -> bool:
        """Whether a condition on the column, given by its number, holds for one of two codes alone.

        Two categories that rules name only together, or a blank and what they name with it, are the same to them.
        """
        allowed = [own.allowed[own.columns.index(column)] for own in self.conjunctions if column in own.columns]
        return any(bool(own[one] != own[other]) for own in allowed)

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
