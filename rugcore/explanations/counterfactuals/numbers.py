"""The number to propose within a span: one that somebody has, written with no more digits than needed."""

import math
from dataclasses import dataclass

import numpy as np

from rugcore.explanations.people.profiles import ColumnProfile

# A span may be narrower than a step of its column: then finer numbers are tried, up to so many decimals more.
FINER_DECIMALS = 6
# Numbers that were kept in single precision, such as 0.800000011920929, are off by this share of themselves.
SINGLE_PRECISION = 1e-6


@dataclass(frozen=True)
class Span:
    """Numbers above `above`, from `lowest` to `highest`."""

    above: float
    lowest: float
    highest: float

    def holds(self, number: float) -> bool:
        return self.above < number and self.lowest <= number <= self.highest

    def nearest(self, start: float, profile: ColumnProfile, whole: bool) -> float | None:
        """Of the numbers that people in training have, the nearest one, rounded as far as it stays in the span.

        None if nobody has one here.
        """
        people_have = profile.numbers
        if whole:
            people_have = people_have[people_have == np.floor(people_have)]
        inside = people_have[(people_have > self.above) & (people_have >= self.lowest) & (people_have <= self.highest)]
        if not len(inside):
            return None
        nearest = float(inside[np.argmin(np.abs(inside - start))])
        return self._rounded(nearest, profile)

    def _rounded(self, number: float, profile: ColumnProfile) -> float:
        """Not beyond what people have: the lowest and the highest number of a column are not rounded outwards."""
        lowest, highest = float(profile.numbers[0]), float(profile.numbers[-1])
        slack = SINGLE_PRECISION * max(abs(lowest), abs(highest))
        within = Span(-math.inf, lowest - slack, highest + slack)
        for decimals in range(profile.decimals, profile.decimals + FINER_DECIMALS + 1):
            rounded = round(number, decimals)
            if self.holds(rounded) and within.holds(rounded) and rounded not in profile.special:
                return rounded
        return number
