"""Columns that were worked out from others: a ratio of two amounts, a total, a yearly amount beside a monthly one.

Whoever changes the loan changes the ratio of loan to income with it, so the two must not be spoken of as if each could
be changed alone. A relation is only stated if the rows leave no doubt: it must give nearly every row's number, to the
last decimal that the column has, where guessing would miss by many times that.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

Operation = Literal["+", "-", "*", "/"]

MOST_COLUMNS = 40  # of numbers; in a wider table the first of them are looked at
FEWEST_ROWS = 100  # with all numbers known
FEWEST_DISTINCT = 10  # numbers of the column, and of each source
ROWS_TRIED_FIRST = 50
NEARLY_ALL, LIKELY = 0.98, 0.9  # of the rows; of the few that are tried first
MOST_DECIMALS = 9
# Half the last decimal is what rounding takes away; it must be small beside the differences between people.
FINE_ENOUGH = 0.02
SINGLE_PRECISION = 1e-6


@dataclass(frozen=True)
class Relation:
    """`column` is `factor` times `first`, or times what `operation` makes of `first` and `second`."""

    column: str
    first: str
    operation: Operation | None = None
    second: str | None = None
    factor: float = 1.0
    decimals: int = MOST_DECIMALS  # that the column has

    @property
    def sources(self) -> tuple[str, ...]:
        return (self.first,) if self.second is None else (self.first, self.second)

    def value(self, cells: Mapping[str, float]) -> float | None:
        """What the column would be, given its sources; None where that is no number."""
        first = np.asarray(cells[self.first], dtype=float)
        second = np.asarray(1.0 if self.second is None else cells[self.second], dtype=float)
        with np.errstate(all="ignore"):
            found = self.factor * float(_result(self.operation, first, second))
        return round(found, self.decimals) if np.isfinite(found) else None

    def source_for(self, source: str, value: float, cells: Mapping[str, float]) -> float | None:
        """What one source would have to be for the column to be `value`, the other one staying as it is."""
        target = np.asarray(value / self.factor)
        if self.operation is None or self.second is None:
            return float(target)
        with np.errstate(all="ignore"):
            if source == self.first:
                found = _result(_INVERSE[self.operation], target, np.asarray(cells[self.second], dtype=float))
            else:
                found = _second(self.operation, target, np.asarray(cells[self.first], dtype=float))
        return float(found) if np.isfinite(found) else None

    def __str__(self) -> str:
        factor = "" if self.factor == 1 else f"{self.factor:g} * "
        if self.second is None:
            return f"{self.column} = {factor}{self.first}"
        inner = f"{self.first} {self.operation} {self.second}"
        return f"{self.column} = {factor}{f'({inner})' if factor and self.operation in ('+', '-') else inner}"


_INVERSE: dict[Operation, Operation] = {"+": "-", "-": "+", "*": "/", "/": "*"}


def _result(operation: Operation | None, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    if operation is None:
        return first
    if operation in ("+", "-"):
        return first + second if operation == "+" else first - second
    return first * second if operation == "*" else first / second


def _second(operation: Operation, target: np.ndarray, first: np.ndarray) -> np.ndarray:
    """s in: target = first operation s."""
    if operation in ("+", "-"):
        return target - first if operation == "+" else first - target
    return target / first if operation == "*" else first / target


# --- Finding them -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Numbers:
    name: str
    values: np.ndarray
    decimals: int
    spread: float

    @property
    def tolerance(self) -> np.ndarray:
        """By row: what rounding, and storing in single precision, may have taken away."""
        rounding = 0.501 * 10.0**-self.decimals if self.decimals < MOST_DECIMALS else 0.0
        return np.asarray(rounding + SINGLE_PRECISION * np.abs(self.values))

    @property
    def is_fine(self) -> bool:
        return 0.5 * 10.0**-self.decimals <= FINE_ENOUGH * self.spread


@dataclass(frozen=True)
class _Making:
    """A way to make numbers of one or two columns."""

    first: _Numbers
    operation: Operation | None = None
    second: _Numbers | None = None

    def numbers(self, rows: slice | np.ndarray) -> np.ndarray:
        first = self.first.values[rows]
        with np.errstate(all="ignore"):
            return _result(self.operation, first, first if self.second is None else self.second.values[rows])

    def uses(self, other: _Numbers) -> bool:
        return other is self.first or other is self.second


def relations_of(columns: Mapping[str, np.ndarray]) -> tuple[Relation, ...]:
    """The relations between columns of numbers; NaN is a blank. A column is worked out in at most one way.

    Of the columns of one relation the finest is taken to be worked out: a ratio has more decimals than what it is made
    of. No column that is worked out is a source of another.
    """
    known = [_numbers(name, values) for name, values in list(columns.items())[:MOST_COLUMNS]]
    usable = [own for own in known if own is not None]
    found: dict[str, Relation] = {}
    for relation in sorted(_candidates(usable), key=_preference):
        is_free = relation.column not in found and not any(name in found for name in relation.sources)
        is_source = any(relation.column in other.sources for other in found.values())
        if is_free and not is_source:
            found[relation.column] = relation
    return tuple(found.values())


def _preference(relation: Relation) -> tuple[int, int, int]:
    """The finest column first; then copies, totals and products before ratios and differences; then short factors."""
    order: tuple[Operation | None, ...] = (None, "+", "*", "/", "-")
    return -relation.decimals, order.index(relation.operation), len(f"{relation.factor:g}")


def _numbers(name: str, values: np.ndarray) -> _Numbers | None:
    known = values[np.isfinite(values)]
    distinct = np.unique(known)
    if len(known) < FEWEST_ROWS or len(distinct) < FEWEST_DISTINCT:
        return None
    some = distinct[:: max(1, len(distinct) // 2_000)]
    enough = (d for d in range(MOST_DECIMALS) if np.allclose(np.round(some, d), some, rtol=SINGLE_PRECISION, atol=0))
    return _Numbers(name, values, next(enough, MOST_DECIMALS), float(known.std()))


def _candidates(columns: list[_Numbers]) -> Iterator[Relation]:
    """A few rows rule out nearly all ways, for all columns at once; what is left is tried on all rows."""
    targets = [own for own in columns if own.is_fine]
    if not targets:
        return
    rows = np.arange(0, len(targets[0].values), max(1, len(targets[0].values) // ROWS_TRIED_FIRST))
    some = np.array([own.values[rows] for own in targets])
    slack = np.array([own.tolerance[rows] for own in targets])
    for making in _makings(columns):
        for place in np.flatnonzero(_may_be(some, slack, making, rows)).tolist():
            if not making.uses(targets[place]):
                yield from _stated(targets[place], making)


def _makings(columns: list[_Numbers]) -> Iterator[_Making]:
    yield from map(_Making, columns)
    for one, other in combinations(columns, 2):
        yield _Making(one, "+", other)
        yield _Making(one, "*", other)
        for first, second in ((one, other), (other, one)):
            yield _Making(first, "-", second)
            yield _Making(first, "/", second)


def _may_be(some: np.ndarray, slack: np.ndarray, making: _Making, rows: np.ndarray) -> np.ndarray:
    """By column, whether its numbers in these rows could be made so; in doubt they could."""
    made = making.numbers(rows)
    is_sum = making.operation in ("+", "-")
    with np.errstate(all="ignore"):
        # The factors that each row allows; one of them must be allowed by nearly all rows.
        per = 1.0 if is_sum else made
        low, high = np.sort([(some - slack) / per, (some + slack) / per], axis=0)
        is_known = np.isfinite(low) & np.isfinite(high)
        centre = made if is_sum else _middle((low + high) / 2, is_known)[:, None]
        wide = (SINGLE_PRECISION if is_sum else 1e-3) * np.abs(centre)
        is_met = (low - wide <= centre) & (centre <= high + wide) & is_known
    return np.asarray(is_met.sum(axis=1) >= LIKELY * np.maximum(is_known.sum(axis=1), 1))


def _middle(values: np.ndarray, is_known: np.ndarray) -> np.ndarray:
    """The median of each line, of what is known: the rest is put on both sides in turn."""
    sides = np.where(np.arange(values.shape[1]) % 2, np.inf, -np.inf)
    return np.asarray(np.median(np.where(is_known, values, sides), axis=1))


def _stated(target: _Numbers, making: _Making) -> Iterator[Relation]:
    """The relation, if the rows leave no doubt."""
    made = making.numbers(slice(None))
    is_known = np.isfinite(target.values) & np.isfinite(made)
    if is_known.sum() < FEWEST_ROWS:
        return
    values, made, tolerance = target.values[is_known], made[is_known], target.tolerance[is_known]
    for factor in [1.0] if making.operation in ("+", "-") else _factors(values, made):
        is_met = np.abs(values - factor * made) <= tolerance + SINGLE_PRECISION * np.abs(factor * made)
        if is_met.mean() >= NEARLY_ALL and len(np.unique(values[is_met])) >= FEWEST_DISTINCT:
            second = None if making.second is None else making.second.name
            yield Relation(target.name, making.first.name, making.operation, second, factor, target.decimals)
            return


def _factors(values: np.ndarray, made: np.ndarray) -> list[float]:
    """Between two columns, from the largest numbers, where rounding matters least; a short one first, as 12 or 1/12."""
    is_large = (np.abs(made) >= np.median(np.abs(made))) & (made != 0)
    quotient = float(np.median(values[is_large] / made[is_large])) if is_large.any() else 0.0
    if not quotient:
        return []
    return [float(f"{quotient:.3g}"), 1.0 / float(f"{1.0 / quotient:.3g}"), quotient]
