"""The number to propose within a span: one that somebody has, written with no more digits than needed."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from rugcore.explanations.people.profiles import ColumnProfile

# A span may be narrower than a step of its column: then finer numbers are tried, up to so many decimals more.
FINER_DECIMALS = 6
# Numbers that were kept in single precision, such as 0.800000011920929, are off by this share of themselves.
SINGLE_PRECISION = 1e-6
# A number may go so far beyond the nearest one that it is easier to say, in standard deviations of its column: 0.79 is
# said rather than 0.7985, and 12,500 rather than 12,437.
ROUNDING_ROOM = 0.06
# Who stands a hair's breadth beyond a threshold may be on the other side tomorrow: a proposal keeps this share of a
# standard deviation away from it, or a unit where units are small, if there is room.
SAFETY = 0.02
SMALL_UNIT = 0.1  # of the standard deviation
# But it does not go far for it: past this share of people, or by this share of the threshold.
FEW_PASSED, PART_OF_THRESHOLD = 0.05, 0.1


def _anywhere(_: float) -> bool:
    return True


@dataclass(frozen=True)
class Span:
    """Numbers above `above`, from `lowest` to `highest`."""

    above: float
    lowest: float
    highest: float

    def holds(self, number: float) -> bool:
        return self.above < number and self.lowest <= number <= self.highest

    def nearest(
        self, start: float, profile: ColumnProfile, whole: bool, is_near: Callable[[float], bool] = _anywhere
    ) -> float | None:
        """Of the numbers that people in training have, the nearest one, or a rounder one just beyond it.

        None if nobody has one here. `is_near` tells which numbers do not go too far.
        """
        people_have = profile.numbers
        if whole:
            people_have = people_have[people_have == np.floor(people_have)]
        inside = people_have[(people_have > self.above) & (people_have >= self.lowest) & (people_have <= self.highest)]
        if not len(inside):
            return None
        nearest = float(inside[np.argmin(np.abs(inside - start))])
        safe = self._safe(nearest, start, profile, whole)
        if safe is not None and is_near(safe):
            return safe
        rounder = (number for number in rounder_beyond(nearest, start, profile, whole) if is_near(number))
        return next((number for number in rounder if self._may_hold(number, profile)), self._rounded(nearest, profile))

    def is_just_past(self, start: float, profile: ColumnProfile, whole: bool) -> bool:
        """Whether a number lies outside by no more than what a proposal would keep away from the threshold."""
        threshold = self.above if start <= self.above else self.highest
        is_outside = start <= self.above or start > self.highest
        return is_outside and abs(start - threshold) <= safety(threshold, profile, whole)

    def _safe(self, nearest: float, start: float, profile: ColumnProfile, whole: bool) -> float | None:
        """One that keeps away from the threshold where the nearest does not; somebody has it, but for rounding."""
        step = 1 if nearest > start else -1
        threshold = self.above if step > 0 else self.highest
        if not math.isfinite(threshold):
            return None
        least = threshold + step * safety(threshold, profile, whole)
        if step * (nearest - least) >= 0:
            return None  # it is far enough
        unit = 1.0 if whole else 10.0**-profile.decimals
        outwards = (math.ceil if step > 0 else math.floor)(round(least / unit, 6)) * unit
        tried = (*rounder_beyond(least, start, profile, whole), round(outwards, profile.decimals))
        return next((number for number in tried if self._may_be_safe(number, nearest, profile)), None)

    def _may_be_safe(self, number: float, nearest: float, profile: ColumnProfile) -> bool:
        is_had = np.abs(profile.numbers - number).min() <= ROUNDING_ROOM * profile.spread
        is_another_thing = number == 0.0 or not is_had
        return not is_another_thing and self._may_hold(number, profile) and profile.steps(nearest, number) <= FEW_PASSED

    def _may_hold(self, number: float, profile: ColumnProfile) -> bool:
        """Not beyond what people have: the lowest and the highest number of a column are not rounded outwards."""
        lowest, highest = float(profile.numbers[0]), float(profile.numbers[-1])
        slack = SINGLE_PRECISION * max(abs(lowest), abs(highest))
        is_within = lowest - slack <= number <= highest + slack
        return self.holds(number) and is_within and number not in profile.special

    def _rounded(self, number: float, profile: ColumnProfile) -> float:
        for decimals in range(profile.decimals, profile.decimals + FINER_DECIMALS + 1):
            rounded = round(number, decimals)
            if self._may_hold(rounded, profile):
                return rounded
        return number


def safety(threshold: float, profile: ColumnProfile, whole: bool) -> float:
    """How far a proposal keeps away from a threshold."""
    unit = 1.0 if whole else 10.0**-profile.decimals
    wanted = max(SAFETY * profile.spread, unit if unit <= SMALL_UNIT * profile.spread else 0.0)
    return min(wanted, PART_OF_THRESHOLD * abs(threshold)) if threshold else wanted


def rounder_beyond(number: float, start: float, profile: ColumnProfile, whole: bool) -> Iterator[float]:
    """Numbers that are easier to say, the roundest first: as far from the start as this one, or a little farther.

    From nought on a change is another one: nobody is told to owe nothing because 40 is close to it.
    """
    room = ROUNDING_ROOM * profile.spread
    if number in (start, 0.0):
        return
    step = 1 if number > start else -1
    finest = 0 if whole else -profile.decimals
    for exponent in range(math.ceil(math.log10(room)), finest - 1, -1):
        units = number / 10.0**exponent
        is_round = abs(units - round(units)) <= SINGLE_PRECISION * abs(units)
        first = round(units) if is_round else math.floor(units) + (step > 0)
        for count in (first, first + step) if is_round else (first,):
            rounder = round(count * 10.0**exponent, max(0, -exponent))
            if rounder != 0.0 and abs(rounder - number) <= room:
                yield rounder
