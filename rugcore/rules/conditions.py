"""The conditions that a rule joins with "and", each on one column of the user's table.

A condition is a frozen value. Its text is the whole truth: a blank cell satisfies it only if the text says
so, and a printed threshold is the stored one, digit for digit. Where a column of numbers has special codes, such as
-9 for "no such record", a code satisfies it only if the text names what it stands for: -9 is not up to 5, unless the
text says `or "no such record"`.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rugcore.rules import words
from rugcore.rules.special import SpecialCode, SpecialCodes


@dataclass(frozen=True, slots=True)
class Interval:
    """A number between two thresholds; without thresholds, any number that is known.

    `specials` are the special codes of the column, and `or_special` those of them that satisfy the condition too.
    """

    kind: ClassVar[str] = "interval"
    feature: str
    lower: float = -np.inf  # exclusive
    upper: float = np.inf  # inclusive
    or_missing: bool = False
    specials: SpecialCodes = ()
    or_special: tuple[float, ...] = ()

    @property
    def has_alternatives(self) -> bool:
        """Whether the text contains an "or"."""
        return self.or_missing or (self.is_bounded and bool(self.or_special))

    @property
    def is_bounded(self) -> bool:
        """Whether there is a threshold."""
        return bool(np.isfinite(self.lower) or np.isfinite(self.upper))

    def covers(self, column: np.ndarray) -> np.ndarray:
        """Which entries of a float column satisfy the condition."""
        within = (column > self.lower) & (column <= self.upper)  # comparisons with NaN are false
        for code in self.specials:
            within[column == code.number] = code.number in self.or_special
        return within | np.isnan(column) if self.or_missing else within

    def holds(self, number: float) -> bool:
        """Whether a single number (NaN where missing) satisfies the condition."""
        if any(code.number == number for code in self.specials):
            return number in self.or_special
        return self.or_missing if math.isnan(number) else self.lower < number <= self.upper

    def __str__(self) -> str:
        excluded = self._texts(are_allowed=False)
        if not self.is_bounded and excluded:
            text = f"{words.name(self.feature)} is {words.neither_text(excluded)}"
            return f"{text}, or missing" if self.or_missing else text
        alternatives = self._texts(are_allowed=True) if self.is_bounded else []
        return " or ".join([self._bounds(), *alternatives, *(["missing"] if self.or_missing else [])])

    def _texts(self, are_allowed: bool) -> list[str]:
        return [str(code) for code in self.specials if (code.number in self.or_special) == are_allowed]

    def _bounds(self) -> str:
        has_lower, has_upper = np.isfinite(self.lower), np.isfinite(self.upper)
        name = words.name(self.feature)
        if has_lower and has_upper:
            return f"{words.number(self.lower)} < {name} <= {words.number(self.upper)}"
        if has_upper:
            return f"{name} <= {words.number(self.upper)}"
        if has_lower:
            return f"{name} > {words.number(self.lower)}"
        return f"{name} is known"


@dataclass(frozen=True, slots=True)
class Membership:
    """A category that is, or is not, one of the listed values.

    `is not` also holds for a value that the training table never showed: it truly is not one of those listed.
    """

    kind: ClassVar[str] = "membership"
    feature: str
    values: tuple[Any, ...] = ()
    negated: bool = False
    or_missing: bool = False

    @property
    def has_alternatives(self) -> bool:
        """Whether the text contains an "or"."""
        return self.or_missing or (len(self.values) > 1 and not self.negated)

    def covers(self, column: np.ndarray) -> np.ndarray:
        """Which entries of an object column (None where missing) satisfy the condition."""
        missing = np.array([item is None for item in column], dtype=bool)
        listed = np.array([item in self.values for item in column], dtype=bool) & ~missing
        held = ~listed & ~missing if self.negated else listed
        return held | missing if self.or_missing else held

    def holds(self, value: Any) -> bool:
        """Whether a single value (None where missing) satisfies the condition."""
        return self.or_missing if value is None else (value in self.values) != self.negated

    def __str__(self) -> str:
        name = words.name(self.feature)
        if self.negated and not self.values:
            return f"{name} is known or missing" if self.or_missing else f"{name} is known"
        text = f"{name} is {words.neither(self.values) if self.negated else words.either(self.values)}"
        return f"{text}, or missing" if self.or_missing else text


@dataclass(frozen=True, slots=True)
class IsMissing:
    """A blank cell."""

    kind: ClassVar[str] = "missing"
    has_alternatives: ClassVar[bool] = False
    feature: str

    def covers(self, column: np.ndarray) -> np.ndarray:
        """Which entries are blank, in a float or an object column."""
        if column.dtype == object:
            return np.array([item is None for item in column], dtype=bool)
        return np.isnan(column)

    def holds(self, value: Any) -> bool:
        """Whether a single value is None or NaN."""
        return value is None or value != value

    def __str__(self) -> str:
        return f"{words.name(self.feature)} is missing"


@dataclass(frozen=True, slots=True)
class IsSpecial:
    """One of the special codes of a column of numbers."""

    kind: ClassVar[str] = "special"
    feature: str
    codes: tuple[SpecialCode, ...]
    or_missing: bool = False

    @property
    def specials(self) -> SpecialCodes:
        return self.codes

    @property
    def has_alternatives(self) -> bool:
        """Whether the text contains an "or"."""
        return self.or_missing or len(self.codes) > 1

    def covers(self, column: np.ndarray) -> np.ndarray:
        """Which entries of a float column satisfy the condition."""
        listed = np.isin(column, [code.number for code in self.codes])
        return listed | np.isnan(column) if self.or_missing else listed

    def holds(self, number: float) -> bool:
        """Whether a single number (NaN where missing) satisfies the condition."""
        return self.or_missing if math.isnan(number) else any(code.number == number for code in self.codes)

    def __str__(self) -> str:
        text = f"{words.name(self.feature)} is {words.either_text([str(code) for code in self.codes])}"
        return f"{text}, or missing" if self.or_missing else text


Condition = Interval | Membership | IsMissing | IsSpecial
