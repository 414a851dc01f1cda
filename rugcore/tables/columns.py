"""What each column of the user's table is, and how a set of its codes reads as a condition.

Code 0 is a blank cell. A number column with cuts t_1 < ... < t_m has code 1 up to t_1, code m + 1 above t_m.
The special codes of the column, in the order in which they were declared, have the codes after that.
A category column has one code for each named value, and one more for all values that are not named. Values with an
order, from worst to best, have the first codes: they are then cut as numbers are, and all others are special codes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.rules.conditions import Condition, Interval, IsMissing, IsSpecial, Membership
from rugcore.rules.special import SpecialCodes
from rugcore.tables import kernels
from rugcore.tables.table import plain_value

MISSING_CODE = 0
N_CODES = 256  # what a byte can hold
MOST_BINS = N_CODES - 1  # one code is the blank cell's
MOST_NAMED_VALUES = N_CODES - 2  # and one is for the values that are not named


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers with the cuts at which a condition may split it, and its special codes."""

    name: str
    cuts: np.ndarray
    specials: SpecialCodes = ()
    is_category: bool = False

    @property
    def n_codes(self) -> int:
        return self.first_special + len(self.specials)

    @property
    def first_special(self) -> int:
        """The code of the first special code: the numbers have those from 1 to the one before it."""
        return len(self.cuts) + 2

    @property
    def n_specials(self) -> int:
        return len(self.specials)

    def codes(self, numbers: np.ndarray) -> np.ndarray:
        """`x <= cuts[k]` exactly where the code is at most k + 1, unless x is a special code."""
        codes = np.empty(len(numbers), dtype=np.uint8)
        padded = np.full(N_CODES, np.inf)
        padded[: len(self.cuts)] = self.cuts
        kernels.number_codes(numbers, padded, codes)
        for code, special in enumerate(self.specials, start=self.first_special):
            codes[numbers == special.number] = code
        return codes

    def condition(self, allowed: np.ndarray) -> Condition:
        """The condition that holds for the allowed codes; those of numbers among them are consecutive."""
        numbers = np.flatnonzero(allowed[1 : self.first_special]) + 1
        or_missing = bool(allowed[MISSING_CODE])
        specials = tuple(c for code, c in enumerate(self.specials, start=self.first_special) if allowed[code])
        if not numbers.size:
            return IsSpecial(self.name, specials, or_missing) if specials else IsMissing(self.name)
        lower = -np.inf if numbers[0] == 1 else float(self.cuts[numbers[0] - 2])
        upper = np.inf if numbers[-1] == self.first_special - 1 else float(self.cuts[numbers[-1] - 1])
        or_special = tuple(code.number for code in specials)
        return Interval(self.name, lower, upper, or_missing, self.specials, or_special)


@dataclass(frozen=True)
class CategoryColumn:
    """A column of text, categories or true/false, with the values that a condition may name."""

    name: str
    values: tuple[Any, ...]
    has_unnamed: bool = False
    n_ordered: int = 0  # so many of the values, the first ones, go from the worst to the best

    @property
    def is_category(self) -> bool:
        """Whether a value is neither more nor less than another."""
        return not self.n_ordered

    @property
    def n_codes(self) -> int:
        return len(self.values) + 2

    @property
    def unnamed_code(self) -> int:
        return len(self.values) + 1

    @property
    def first_special(self) -> int:
        """Where values have an order: the first code that has no place in it."""
        return self.n_ordered + 1

    @property
    def n_specials(self) -> int:
        return self.n_codes - self.first_special if self.n_ordered else 0

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
