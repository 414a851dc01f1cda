"""Columns of numbers of which one is never more than another: a loan and the price of what is bought with it.

Whoever lowers the price below the loan has proposed what does not exist. An ordering is only stated if nearly all rows
keep it, if many would not were the two columns strangers, and if it is close for some: that a year of birth is less
than an income tells nothing about either.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

import numpy as np

MOST_COLUMNS = 40  # of numbers; in a wider table the first of them are looked at
FEWEST_ROWS = 100  # with both numbers known
FEWEST_DISTINCT = 5  # numbers of each column
KEPT = 0.99  # share of the rows
BY_CHANCE = 0.05  # share of pairs of two different rows' numbers that would break it
# Some come close: within this part of the standard deviation, this share of the rows.
CLOSE, FEWEST_CLOSE = 0.1, 0.01
SAME_SCALE = 20.0  # times the spread of the other column, at most
SINGLE_PRECISION = 1e-6


@dataclass(frozen=True)
class Ordering:
    """`lower` is at most `upper`."""

    lower: str
    upper: str

    def is_kept(self, cells: Mapping[str, float]) -> bool:
        """Whether it is so of these values; of a blank nothing is known."""
        lower, upper = float(cells[self.lower]), float(cells[self.upper])
        return lower <= upper + SINGLE_PRECISION * max(abs(lower), abs(upper))

    def __str__(self) -> str:
        return f"{self.lower} <= {self.upper}"


def orderings_of(columns: Mapping[str, np.ndarray]) -> tuple[Ordering, ...]:
    """The orderings between columns of numbers; NaN is a blank."""
    usable = {name: values for name, values in list(columns.items())[:MOST_COLUMNS] if _tells(values)}
    return tuple(_found(usable))


def _tells(values: np.ndarray) -> bool:
    known = values[np.isfinite(values)]
    return len(known) >= FEWEST_ROWS and len(np.unique(known)) >= FEWEST_DISTINCT


def _found(columns: Mapping[str, np.ndarray]) -> Iterator[Ordering]:
    for (lower, low), (upper, high) in permutations(columns.items(), 2):
        is_known = np.isfinite(low) & np.isfinite(high)
        if is_known.sum() >= FEWEST_ROWS and _is_ordered(low[is_known], high[is_known]):
            yield Ordering(lower, upper)


def _is_ordered(low: np.ndarray, high: np.ndarray) -> bool:
    slack = SINGLE_PRECISION * np.maximum(np.abs(low), np.abs(high))
    if (low <= high + slack).mean() < KEPT:
        return False
    spreads = float(low.std()), float(high.std())
    if max(spreads) > SAME_SCALE * min(spreads):
        return False
    by_chance = np.searchsorted(np.sort(high), low, side="left").mean() / len(high)
    is_close = (high - low <= CLOSE * spreads[1]).mean()
    return bool(by_chance >= BY_CHANCE and is_close >= FEWEST_CLOSE)
