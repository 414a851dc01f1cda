"""What the training rows tell about a column: which numbers or categories occur, and how far apart they are.

Two numbers are as far apart as the share of people between them: with

    F(v) = share of people below v + half the share of people at v

a step from u to v costs |F(v) - F(u)|, so that a column of cents and one of years can be compared, and a step where
many people stand costs more than one through empty space.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from rugcore.tables.table import Kind, plain_value, read_table

MOST_DECIMALS = 6
# A proposal is not finer than this share of the column's spread: nobody changes a yearly income by a cent.
FINEST_SHARE = 1e-3


def _nothing() -> np.ndarray:
    return np.empty(0)


@dataclass(frozen=True, eq=False)
class ColumnProfile:
    """Of one column."""

    kind: Kind
    spread: float = 1.0  # standard deviation
    centre: float = 0.0  # median: a blank that becomes a number becomes one near it
    decimals: int = 0  # of a proposal: as many as the column's own numbers have, if that is not too fine
    is_whole: bool = False
    categories: tuple[Any, ...] = ()  # most frequent first
    numbers: np.ndarray = field(
        default_factory=_nothing, repr=False
    )  # that occur, each once, rising; special codes are none
    counts: np.ndarray = field(default_factory=_nothing, repr=False)  # people at each number
    special: frozenset[float] = frozenset()  # codes that are no amounts

    def without(self, codes: Collection[float]) -> "ColumnProfile":
        """The same column, where these codes are no amounts either."""
        if self.kind != "number" or set(codes) <= self.special:
            return self
        is_amount = ~np.isin(self.numbers, list(codes))
        return _profile_of_numbers(self.numbers[is_amount], self.counts[is_amount], self.special | frozenset(codes))

    def percentile(self, number: Any) -> Any:
        """F(number): the share of people below, and half of those at it; of one number or of many."""
        below = np.concatenate([[0.0], np.cumsum(self.counts)])
        first = np.searchsorted(self.numbers, number, side="left")
        last = np.searchsorted(self.numbers, number, side="right")
        return (below[first] + below[last]) / (2.0 * max(below[-1], 1.0))

    def steps(self, before: float, after: float) -> float:
        """The share of people between two numbers."""
        return float(abs(self.percentile(after) - self.percentile(before)))


def column_profiles(X: Any, special_values: Mapping[str, Collection[float]] | None = None) -> dict[str, ColumnProfile]:
    """What the columns of the training rows hold, which values and how far apart: what `FlipFinder` starts from.

    Parameters
    ----------
    X : table
        The training rows.
    special_values : dict or None, default=None
        By column, codes that stand among its numbers and are no amounts: nobody is advised to have one.
    """
    table = read_table(X if isinstance(X, pd.DataFrame) else np.asarray(X))
    codes = special_values or {}
    return {
        name: _profile(table.column(position), kind, frozenset(map(float, codes.get(name, ()))))
        for position, (name, kind) in enumerate(zip(table.names, table.kinds, strict=True))
    }


def _profile(column: np.ndarray, kind: Kind, special: frozenset[float]) -> ColumnProfile:
    if kind == "blank":
        return ColumnProfile(kind)
    if kind == "number":
        is_amount = ~(np.isnan(column) | np.isin(column, list(special)))
        return _profile_of_numbers(*np.unique(column[is_amount], return_counts=True), special)
    counts = pd.Series(column, dtype=object).value_counts()
    ordered = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
    return ColumnProfile(kind, categories=tuple(plain_value(value) for value, _ in ordered))


def _profile_of_numbers(numbers: np.ndarray, counts: np.ndarray, special: frozenset[float]) -> ColumnProfile:
    if not len(numbers):
        return ColumnProfile("number", special=special)
    every = np.repeat(numbers, counts)
    spread = float(every.std()) or 1.0  # a constant column has no spread
    return ColumnProfile(
        kind="number",
        spread=spread,
        centre=float(np.median(every)),
        decimals=_decimals(numbers, spread),
        is_whole=bool((numbers == np.floor(numbers)).all()),
        numbers=numbers,
        counts=counts,
        special=special,
    )


def _decimals(distinct: np.ndarray, spread: float) -> int:
    useful = min(MOST_DECIMALS, max(0, math.ceil(-math.log10(spread * FINEST_SHARE))))
    enough = (d for d in range(useful) if np.array_equal(np.round(distinct, d), distinct))
    return next(enough, useful)
