"""The conditions that a rule joins with "and", each on one column of the user's table.

A condition is a frozen value. Its text is the whole truth: a blank cell satisfies it only if the text says
so, and a printed threshold is the stored one, digit for digit.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rugcore.rules import words


@dataclass(frozen=True, slots=True)
class Interval:
    """A number between two thresholds; without thresholds, any number that is known."""

    kind: ClassVar[str] = "interval"
    feature: str
    lower: float = -np.inf  # exclusive
    upper: float = np.inf  # inclusive
    or_missing: bool = False

    @property
    def has_alternatives(self) -> bool:
        """Whether the text contains an "or"."""
        return self.or_missing

    def covers(self, column: np.ndarray) -> np.ndarray:
        """Which entries of a float column satisfy the condition."""
        within = (column > self.lower) & (column <= self.upper)  # comparisons with NaN are false
        return within | np.isnan(column) if self.or_missing else within

    def holds(self, number: float) -> bool:
        """Whether a single number (NaN where missing) satisfies the condition."""
        return self.or_missing if math.isnan(number) else self.lower < number <= self.upper

    def __str__(self) -> str:
        return f"{self._bounds()} or missing" if self.or_missing else self._bounds()

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


Condition = Interval | Membership | IsMissing
