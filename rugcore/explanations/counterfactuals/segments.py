"""Columns in segments: within a segment, no rule sees a difference."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from rugcore.explanations.counterfactuals.limits import Limit, is_near
from rugcore.explanations.counterfactuals.numbers import Span
from rugcore.explanations.people.profiles import ColumnProfile
from rugcore.rules.conditions import Condition, Interval, IsMissing, IsSpecial, Membership
from rugcore.rules.rule import Rule
from rugcore.tables.table import is_blank

COST_OF_ANOTHER_VALUE = 1.0  # as far as from the lowest to the highest number of a column
# A category with one of these words, or without any, says that something is not known: nobody is told to keep it back.
UNKNOWN = re.compile(
    r"\b(unknown|unspecified|undisclosed|missing|not (known|stated|given))\b|^(n/?a|\W*)$", re.IGNORECASE
)
# A category that says that there is no such thing, such as "no checking account": nobody is told to give something up.
# A plain "no" or "none" is an answer.
ABSENT = re.compile(r"^\W*(no|without|kein\w*|ohne|sans|pas de|aucun\w*|sin|ningun\w*|geen|zonder)\s+\w", re.IGNORECASE)


@dataclass(frozen=True)
class Between:
    """The numbers above `lower`, up to and with `upper`, but for special codes."""

    lower: float
    upper: float


@dataclass(frozen=True)
class Named:
    """One category that some rule names."""

    value: Any


@dataclass(frozen=True)
class Unnamed:
    """All categories that no rule names; `known` are those of the training rows."""

    known: tuple[Any, ...]


@dataclass(frozen=True)
class Special:
    """A special code in a column of numbers, such as -9 for "no such record". Nobody is told to get one."""

    number: float


@dataclass(frozen=True)
class Blank:
    """A blank cell."""


Segment = Between | Named | Unnamed | Special | Blank


@dataclass(frozen=True, eq=False)
class SegmentedColumn:
    """A column cut where the rules look, and which rules each segment satisfies as far as this column goes."""

    name: str
    profile: ColumnProfile
    is_number: bool
    segments: tuple[Segment, ...]  # the blank is the last
    satisfies: np.ndarray  # (rules, segments); rules that do not mention the column are satisfied
    is_mentioned: np.ndarray  # by rule
    speaks_of_blanks: bool

    @classmethod
    def of(cls, name: str, is_number: bool, profile: ColumnProfile, rules: Sequence[Rule]) -> "SegmentedColumn":
        by_rule = [next((c for c in rule.conditions if c.feature == name), None) for rule in rules]
        conditions = [condition for condition in by_rule if condition is not None]
        codes = tuple(Special(number) for number in sorted(profile.special))
        known = (*codes, *_intervals(conditions)) if is_number else _categories(conditions, profile)
        segments = (*known, Blank())
        held = [[c is None or _satisfies(segment, c) for segment in segments] for c in by_rule]
        return cls(
            name=name,
            profile=profile,
            is_number=is_number,
            segments=segments,
            satisfies=np.array(held, dtype=bool),
            is_mentioned=np.array([c is not None for c in by_rule]),
            speaks_of_blanks=any(isinstance(c, IsMissing) or c.or_missing for c in conditions),
        )

    def segment_of(self, cell: Any) -> int:
        """The number of the segment that a cell lies in."""
        if is_blank(cell):
            return len(self.segments) - 1
        return next(number for number, segment in enumerate(self.segments) if _contains(segment, cell))


def _intervals(conditions: Iterable[Condition]) -> tuple[Segment, ...]:
    intervals = [condition for condition in conditions if isinstance(condition, Interval)]
    cuts = sorted({bound for item in intervals for bound in (item.lower, item.upper) if math.isfinite(bound)})
    return tuple(Between(lower, upper) for lower, upper in pairwise([-math.inf, *cuts, math.inf]))


def _categories(conditions: Iterable[Condition], profile: ColumnProfile) -> tuple[Segment, ...]:
    named = {value for condition in conditions if isinstance(condition, Membership) for value in condition.values}
    unnamed = tuple(value for value in profile.categories if value not in named)
    return (*(Named(value) for value in sorted(named, key=str)), Unnamed(unnamed))


def _contains(segment: Segment, cell: Any) -> bool:
    """For cells that are not blank; the unnamed come after all named ones, the numbers after the special codes."""
    if isinstance(segment, Special):
        return bool(segment.number == cell)
    if isinstance(segment, Between):
        return bool(segment.lower < cell <= segment.upper)
    return isinstance(segment, Unnamed) or (isinstance(segment, Named) and segment.value == cell)


def _satisfies(segment: Segment, condition: Condition) -> bool:
    if isinstance(segment, Blank) or isinstance(condition, IsMissing):
        return isinstance(segment, Blank) and (isinstance(condition, IsMissing) or condition.or_missing)
    if isinstance(segment, Special):
        assert isinstance(condition, Interval | IsSpecial)
        return condition.holds(segment.number)
    if isinstance(condition, IsSpecial):
        return False
    if isinstance(condition, Interval):
        assert isinstance(segment, Between)
        return condition.lower <= segment.lower and segment.upper <= condition.upper
    return (isinstance(segment, Named) and segment.value in condition.values) != condition.negated


# --- Where one row can go ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Options:
    """Of one column and one row: for each segment it can move to, the nearest value in it and what that costs."""

    column: SegmentedColumn
    present: int  # number of the segment that the row lies in
    segments: np.ndarray  # numbers of other segments
    targets: tuple[Any, ...]
    costs: np.ndarray
    is_close: tuple[bool, ...] = ()  # the row lies just past the threshold

    @classmethod
    def of(cls, column: SegmentedColumn, cell: Any, limit: Limit) -> "Options":
        present = column.segment_of(cell)
        # A code such as "no such record" is no amount: nobody is told to get such a record, or another code.
        may_move = limit.changeable and cell not in column.profile.special
        may_move &= limit.may_be_filled or not is_blank(cell)
        others = [number for number in range(len(column.segments)) if number != present and may_move]
        found = [(number, _nearest(column.segments[number], column, cell, limit)) for number in others]
        reached = [
            (number, nearest[0]) for number, nearest in found if nearest and _is_near(column, cell, nearest[0], limit)
        ]
        return cls(
            column=column,
            present=present,
            segments=np.array([number for number, _ in reached], dtype=int),
            targets=tuple(target for _, target in reached),
            costs=np.array([_cost(cell, target, column, limit) for _, target in reached]),
            is_close=tuple(_is_close(column.segments[number], column, cell, limit) for number, _ in reached),
        )

    @property
    def satisfies(self) -> np.ndarray:
        """(rules, options)"""
        return self.column.satisfies[:, self.segments]


def _is_near(column: SegmentedColumn, before: Any, after: Any, limit: Limit) -> bool:
    return not column.is_number or is_blank(after) or is_near(limit, before, after, column.profile)


def _is_close(segment: Segment, column: SegmentedColumn, cell: Any, limit: Limit) -> bool:
    if not isinstance(segment, Between) or is_blank(cell):
        return False
    span = Span(segment.lower, -math.inf, segment.upper)
    return span.is_just_past(cell, column.profile, bool(limit.whole))


def _cost(before: Any, after: Any, column: SegmentedColumn, limit: Limit) -> float:
    return limit.effort * _steps(before, after, column, limit)


def _steps(before: Any, after: Any, column: SegmentedColumn, limit: Limit) -> float:
    if is_blank(before) or is_blank(after):
        return COST_OF_ANOTHER_VALUE
    if not column.is_number:
        steps = limit.steps(before, after)
        return COST_OF_ANOTHER_VALUE if steps is None else steps
    return column.profile.steps(before, after)


def _nearest(segment: Segment, column: SegmentedColumn, cell: Any, limit: Limit) -> list[Any]:
    """The value of the segment nearest to the present one, or an empty list where the limit allows none."""
    if isinstance(segment, Special):
        return []
    if isinstance(segment, Blank):
        is_allowed = column.speaks_of_blanks and limit.may_become_blank
        return [math.nan if column.is_number else None] if is_allowed else []
    if isinstance(segment, Between):
        number = _nearest_number(segment, column.profile, cell, limit)
        return [] if number is None else [number]
    if isinstance(segment, Named):
        is_possible = segment.value in column.profile.categories and _may_be_proposed(segment.value, cell, limit)
        return [segment.value] if is_possible else []
    return _unnamed(segment, cell, limit)[:1]


def _unnamed(segment: Unnamed, cell: Any, limit: Limit) -> list[Any]:
    """No rule tells these apart, so the nearest in the order stands for all; without one, the most frequent."""
    possible = [value for value in segment.known if _may_be_proposed(value, cell, limit)]
    return sorted(possible, key=lambda value: limit.steps(cell, value) or 0.0)


def _may_be_proposed(value: Any, cell: Any, limit: Limit) -> bool:
    """What the user lists as possible, or as better; else all but an answer not given, or a thing not there."""
    if limit.values is not None or limit.order is not None:
        return limit.allows(cell, value)
    return limit.may_become_blank or not (UNKNOWN.search(str(value)) or ABSENT.search(str(value)))


def _nearest_number(segment: Between, profile: ColumnProfile, cell: float, limit: Limit) -> float | None:
    start = profile.centre if math.isnan(cell) else cell
    only = "any" if math.isnan(cell) else limit.direction  # from a blank, nothing is up or down
    span = Span(
        above=segment.lower,
        lowest=max(limit.lowest, start) if only == "up" else limit.lowest,
        highest=min(segment.upper, limit.highest, start if only == "down" else math.inf),
    )
    return span.nearest(start, profile, bool(limit.whole), lambda number: is_near(limit, cell, number, profile))
