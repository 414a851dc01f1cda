"""Columns in pieces: within a piece, no rule sees a difference."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from rugcore.explanations.counterfactuals.limits import Limit
from rugcore.explanations.counterfactuals.numbers import Span
from rugcore.explanations.counterfactuals.profiles import ColumnProfile
from rugcore.rules.conditions import Condition, Interval, IsMissing, Membership
from rugcore.rules.rule import Rule
from rugcore.tables.table import is_blank

COST_OF_ANOTHER_VALUE = 1.0


@dataclass(frozen=True)
class Between:
    """The numbers above `lower`, up to and with `upper`."""

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
class Blank:
    """A blank cell."""


Piece = Between | Named | Unnamed | Blank


@dataclass(frozen=True, eq=False)
class PiecedColumn:
    """A column cut where the rules look, and which rules each piece satisfies as far as this column goes."""

    name: str
    facts: ColumnProfile
    is_number: bool
    pieces: tuple[Piece, ...]  # the blank is the last
    satisfies: np.ndarray  # (rules, pieces); rules that do not mention the column are satisfied
    is_mentioned: np.ndarray  # by rule
    speaks_of_blanks: bool

    @classmethod
    def of(cls, name: str, is_number: bool, facts: ColumnProfile, rules: Sequence[Rule]) -> "PiecedColumn":
        by_rule = [next((c for c in rule.conditions if c.feature == name), None) for rule in rules]
        conditions = [condition for condition in by_rule if condition is not None]
        pieces = (*(_intervals(conditions) if is_number else _categories(conditions, facts)), Blank())
        held = [[c is None or _satisfies(piece, c) for piece in pieces] for c in by_rule]
        return cls(
            name=name,
            facts=facts,
            is_number=is_number,
            pieces=pieces,
            satisfies=np.array(held, dtype=bool),
            is_mentioned=np.array([c is not None for c in by_rule]),
            speaks_of_blanks=any(isinstance(c, IsMissing) or c.or_missing for c in conditions),
        )

    def piece_of(self, cell: Any) -> int:
        """The number of the piece that a cell lies in."""
        if is_blank(cell):
            return len(self.pieces) - 1
        return next(number for number, piece in enumerate(self.pieces) if _contains(piece, cell))

    def named(self) -> set[Any]:
        return {piece.value for piece in self.pieces if isinstance(piece, Named)}


def _intervals(conditions: Iterable[Condition]) -> tuple[Piece, ...]:
    intervals = [condition for condition in conditions if isinstance(condition, Interval)]
    cuts = sorted({bound for item in intervals for bound in (item.lower, item.upper) if math.isfinite(bound)})
    return tuple(Between(lower, upper) for lower, upper in pairwise([-math.inf, *cuts, math.inf]))


def _categories(conditions: Iterable[Condition], facts: ColumnProfile) -> tuple[Piece, ...]:
    named = {value for condition in conditions if isinstance(condition, Membership) for value in condition.values}
    unnamed = tuple(value for value in facts.categories if value not in named)
    return (*(Named(value) for value in sorted(named, key=str)), Unnamed(unnamed))


def _contains(piece: Piece, cell: Any) -> bool:
    """For cells that are not blank; the unnamed come after all named ones."""
    if isinstance(piece, Between):
        return bool(piece.lower < cell <= piece.upper)
    return isinstance(piece, Unnamed) or (isinstance(piece, Named) and piece.value == cell)


def _satisfies(piece: Piece, condition: Condition) -> bool:
    if isinstance(piece, Blank) or isinstance(condition, IsMissing):
        return isinstance(piece, Blank) and (isinstance(condition, IsMissing) or condition.or_missing)
    if isinstance(condition, Interval):
        assert isinstance(piece, Between)
        return condition.lower <= piece.lower and piece.upper <= condition.upper
    return (isinstance(piece, Named) and piece.value in condition.values) != condition.negated


# --- Where one row can go ---------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Options:
    """Of one column and one row: for each piece it can move to, the nearest value in it and what that costs."""

    column: PiecedColumn
    present: int  # number of the piece that the row lies in
    pieces: np.ndarray  # numbers of other pieces
    targets: tuple[Any, ...]
    costs: np.ndarray

    @classmethod
    def of(cls, column: PiecedColumn, cell: Any, limit: Limit) -> "Options":
        present = column.piece_of(cell)
        others = [number for number in range(len(column.pieces)) if number != present and limit.changeable]
        found = [(number, _nearest(column.pieces[number], column, cell, limit)) for number in others]
        reached = [(number, nearest[0]) for number, nearest in found if nearest]
        return cls(
            column=column,
            present=present,
            pieces=np.array([number for number, _ in reached], dtype=int),
            targets=tuple(target for _, target in reached),
            costs=np.array([_cost(cell, target, column) for _, target in reached]),
        )

    @property
    def satisfies(self) -> np.ndarray:
        """(rules, options)"""
        return self.column.satisfies[:, self.pieces]


def _cost(before: Any, after: Any, column: PiecedColumn) -> float:
    if not column.is_number or is_blank(before) or is_blank(after):
        return COST_OF_ANOTHER_VALUE
    return float(abs(after - before) / column.facts.spread)


def _nearest(piece: Piece, column: PiecedColumn, cell: Any, limit: Limit) -> list[Any]:
    """The value of the piece nearest to the present one, or an empty list where the limit allows none."""
    if isinstance(piece, Blank):
        is_allowed = column.speaks_of_blanks and limit.may_become_blank
        return [math.nan if column.is_number else None] if is_allowed else []
    if isinstance(piece, Between):
        number = _nearest_number(piece, column.facts, cell, limit)
        return [] if number is None else [number]
    if isinstance(piece, Named):
        return [piece.value] if limit.values is None or piece.value in limit.values else []
    return list(_unnamed(piece, column, limit)[:1])


def _unnamed(piece: Unnamed, column: PiecedColumn, limit: Limit) -> tuple[Any, ...]:
    """No rule tells these apart, so the most frequent stands for all; or the first that the user allows."""
    if limit.values is None:
        return piece.known
    named = column.named()
    return tuple(value for value in limit.values if value not in named)


def _nearest_number(piece: Between, facts: ColumnProfile, cell: float, limit: Limit) -> float | None:
    start = facts.centre if math.isnan(cell) else cell
    only = "any" if math.isnan(cell) else limit.direction  # from a blank, nothing is up or down
    must_be_whole = facts.is_whole if limit.whole is None else limit.whole
    span = Span(
        above=piece.lower,
        lowest=max(limit.lowest, start) if only == "up" else limit.lowest,
        highest=min(piece.upper, limit.highest, start if only == "down" else math.inf),
        decimals=0 if must_be_whole else facts.decimals,
        must_be_whole=must_be_whole,
    )
    return span.nearest(start)
