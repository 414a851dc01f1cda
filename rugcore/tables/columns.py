"""What each column of the user's table is, and how a set of its codes reads as a condition.

Code 0 is a blank cell. A number column with cuts t_1 < ... < t_m has code 1 up to t_1, code m + 1 above t_m.
A category column has one code for each named value, and one more for all values that are not named.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.rules.conditions import Condition, Interval, IsMissing, Membership
from rugcore.tables import kernels
from rugcore.tables.table import plain_value

MISSING_CODE = 0
N_CODES = 256  # what a byte can hold
MOST_BINS = N_CODES - 1  # one code is the blank cell's
MOST_NAMED_VALUES = N_CODES - 2  # and one is for the values that are not named


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers with the cuts at which a condition may split it."""

    name: str
    cuts: np.ndarray
    is_category: bool = False

    @property
    def n_codes(self) -> int:
        return len(self.cuts) + 2

    def codes(self, numbers: np.ndarray) -> np.ndarray:
        """`x <= cuts[k]` exactly where the code is at most k + 1."""
        codes = np.empty(len(numbers), dtype=np.uint8)
        padded = np.full(N_CODES, np.inf)
        padded[: len(self.cuts)] = self.cuts
        kernels.number_codes(numbers, padded, codes)
        return codes

    def condition(self, allowed: np.ndarray) -> Condition:
        """The condition that holds for the allowed codes; the known ones among them are consecutive."""
        known = np.flatnonzero(allowed[1 : self.n_codes]) + 1
        or_missing = bool(allowed[MISSING_CODE])
        if not known.size:
            return IsMissing(self.name)
        lower = -np.inf if known[0] == 1 else float(self.cuts[known[0] - 2])
        upper = np.inf if known[-1] == self.n_codes - 1 else float(self.cuts[known[-1] - 1])
        return Interval(self.name, lower, upper, or_missing)


@dataclass(frozen=True)
class CategoryColumn:
    """A column of text, categories or true/false, with the values that a condition may name."""

    name: str
    values: tuple[Any, ...]
    has_unnamed: bool = False
    is_category: bool = True

    @property
    def n_codes(self) -> int:
        return len(self.values) + 2

    @property
    def unnamed_code(self) -> int:
        return len(self.values) + 1

    def codes(self, values: np.ndarray) -> np.ndarray:
        """`values` is an object array with None for a blank cell."""
        place, distinct = pd.factorize(values)  # the rows are hashed once, the few distinct values looked up
        number = {value: code for code, value in enumerate(self.values, start=1)}
        code_of = [number.get(plain_value(value), self.unnamed_code) for value in distinct]
        return np.array([*code_of, MISSING_CODE], dtype=np.uint8)[place]  # a blank's place is -1: the last one

    def condition(self, allowed: np.ndarray) -> Condition:
        """`is` with the allowed values or `is not` with the others, whichever lists fewer.

        If the table has values that are not named, there is no choice: only `is not` covers them.
        """
        known = allowed[1 : self.unnamed_code]
        within = tuple(value for value, is_in in zip(self.values, known, strict=True) if is_in)
        without = tuple(value for value, is_in in zip(self.values, known, strict=True) if not is_in)
        or_missing = bool(allowed[MISSING_CODE])
        allows_unnamed = self.has_unnamed and bool(allowed[self.unnamed_code])
        if not within and not allows_unnamed:
            return IsMissing(self.name)
        negated = allows_unnamed if self.has_unnamed else len(without) < len(within)
        return Membership(self.name, without if negated else within, negated, or_missing)


Column = NumberColumn | CategoryColumn
