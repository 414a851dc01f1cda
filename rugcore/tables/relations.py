"""Columns that were worked out from others: a ratio of two amounts, a total, a yearly amount beside a monthly one.

Whoever changes the loan changes the ratio of loan to income with it, so the two must not be spoken of as if each could
be changed alone. A relation is only stated if the rows leave no doubt: it must give nearly every row's number, to the
last decimal that the column has, where guessing would miss by many times that.

The rows of a total do not tell which of its columns was worked out from the others. One whose name says so is taken,
then one that falls below nought where the others never do, as what is left of an income does.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Literal

import numpy as np

Operation = Literal["+", "-", "*", "/"]

MOST_COLUMNS = 40  # of numbers; in a wider table the first of them are looked at
FEWEST_ROWS = 100  # with all numbers known
FEWEST_DISTINCT = 5  # numbers of the column, and of each source
ROWS_TRIED_FIRST = 50
NEARLY_ALL, LIKELY = 0.98, 0.9  # of the rows; of the few that are tried first
MOST_DECIMALS = 9
# Half the last decimal is what rounding takes away; it must be small beside the differences between people.
FINE_ENOUGH = 0.02
SINGLE_PRECISION = 1e-6
ROWS_FOR_TOTALS = 8  # that all totals of three columns are tried on, before what is left is tried on all rows
# Names of what is worked out from other amounts.
MADE = re.compile(
    r"disposable|surplus|residual|remain|left|available|total|sum|ratio|ltv|dti|utili[sz]ation|verfuegbar|verfügbar",
    re.IGNORECASE,
)


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


@dataclass(frozen=True)
class Total:
    """`column` is the sum of three others, each with its sign: what is left of an income after rent and instalment."""

    column: str
    parts: tuple[tuple[int, str], ...]  # sign and name
    decimals: int = MOST_DECIMALS

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(name for _, name in self.parts)

    def value(self, cells: Mapping[str, float]) -> float | None:
        """What the column would be, given its sources; None where that is no number."""
        found = float(sum(sign * float(cells[name]) for sign, name in self.parts))
        return round(found, self.decimals) if np.isfinite(found) else None

    def source_for(self, source: str, value: float, cells: Mapping[str, float]) -> float | None:
        """What one source would have to be for the column to be `value`, the others staying as they are."""
        own = next(sign for sign, name in self.parts if name == source)
        found = own * (value - sum(sign * float(cells[name]) for sign, name in self.parts if name != source))
        return float(found) if np.isfinite(found) else None

    def __str__(self) -> str:
        first, *others = sorted(self.parts, key=lambda part: -part[0])
        rest = "".join(f" {'+' if sign > 0 else '-'} {name}" for sign, name in others)
        return f"{self.column} = {'' if first[0] > 0 else '-'}{first[1]}{rest}"


WorkedOut = Relation | Total


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


def relations_of(columns: Mapping[str, np.ndarray]) -> tuple[WorkedOut, ...]:
    """The relations between columns of numbers; NaN is a blank. A column is worked out in at most one way.

    Of the columns of one relation, one whose name says so is taken to be worked out, else the finest: a ratio has more
    decimals than what it is made of. A source may be worked out itself, but nothing is worked out from itself; sources
    come before what they make.
    """
    known = [_numbers(name, values) for name, values in list(columns.items())[:MOST_COLUMNS]]
    usable = [own for own in known if own is not None]
    has_sign = {own.name: bool(np.nanmin(own.values) < 0) for own in usable}
    found: dict[str, WorkedOut] = {}
    ways: list[WorkedOut] = [
        *sorted(_candidates(usable), key=lambda own: (*_claim(own, has_sign), *_preference(own))),
        *sorted(_totals(usable), key=lambda own: _claim(own, has_sign)),
    ]
    for relation in ways:
        if relation.column not in found and relation.column not in _behind(relation.sources, found):
            found[relation.column] = relation
    return _sources_first(found)


def _behind(names: tuple[str, ...], found: Mapping[str, WorkedOut]) -> set[str]:
    """These columns, and all that they are worked out from."""
    every = set(names)
    for name in names:
        if name in found:
            every |= _behind(found[name].sources, found)
    return every


def _sources_first(found: dict[str, WorkedOut]) -> tuple[WorkedOut, ...]:
    depth = {name: len(_behind(own.sources, found) & found.keys()) for name, own in found.items()}
    return tuple(sorted(found.values(), key=lambda own: depth[own.column]))


def _claim(relation: WorkedOut, has_sign: Mapping[str, bool]) -> tuple[bool, int, bool]:
    """A column whose name says so first; then the finest; then one that alone falls below nought."""
    is_below = has_sign[relation.column] and not any(has_sign[name] for name in relation.sources)
    return not MADE.search(relation.column), -relation.decimals, not is_below


def _preference(relation: Relation) -> tuple[int, int]:
    """Copies, totals and products before ratios and differences; then short factors."""
    order: tuple[Operation | None, ...] = (None, "+", "*", "/", "-")
    return order.index(relation.operation), len(f"{relation.factor:g}")


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


# --- Totals of three --------------------------------------------------------------------------------------------


def _totals(columns: list[_Numbers]) -> Iterator[Total]:
    """Every way to read an equation of four columns, such as: income = rent + instalment + what is left."""
    if len(columns) < 4:
        return
    every = np.array(list(combinations(range(len(columns)), 4)))
    values = np.array([own.values for own in columns])
    rows = _well_known(values)
    some = values[:, rows]
    # Only the coarsest of the four can be off by so much: the others would have to make up for it.
    slack = np.array([own.tolerance[rows] for own in columns])[every].max(axis=1)
    for signs in product((1, -1), repeat=3):
        total = sum(sign * some[every[:, place]] for place, sign in enumerate((1, *signs)))
        is_known = np.isfinite(total)
        is_met = (np.abs(total) <= slack) & is_known
        likely = (is_met.sum(axis=1) >= LIKELY * is_known.sum(axis=1)) & (is_known.sum(axis=1) >= len(rows) / 2)
        for four in every[likely].tolist():
            yield from _equations([columns[place] for place in four], (1, *signs))


def _well_known(values: np.ndarray) -> np.ndarray:
    """A few rows from all over the table, with as few blanks as there are."""
    rows = np.arange(0, values.shape[1], max(1, values.shape[1] // 200))
    n_known = np.isfinite(values[:, rows]).sum(axis=0)
    best = rows[np.argsort(-n_known, kind="stable")]
    return best[np.linspace(0, min(len(best), 4 * ROWS_FOR_TOTALS) - 1, ROWS_FOR_TOTALS).astype(int)]


def _equations(four: list[_Numbers], signs: tuple[int, ...]) -> Iterator[Total]:
    """The equation read from each of its columns, if the rows leave no doubt and need all four."""
    terms = np.array([sign * own.values for sign, own in zip(signs, four, strict=True)])
    is_known = np.isfinite(terms).all(axis=0)
    if is_known.sum() < FEWEST_ROWS:
        return
    slack = np.array([own.tolerance for own in four]).max(axis=0)[is_known]
    total = terms[:, is_known].sum(axis=0)
    is_needed = all((np.abs(total - own) <= slack).mean() < NEARLY_ALL for own in terms[:, is_known])
    if (np.abs(total) <= slack).mean() < NEARLY_ALL or not is_needed:
        return
    for place, own in enumerate(four):
        if own.is_fine:
            others = [(-signs[place] * sign, other.name) for sign, other in zip(signs, four, strict=True)]
            yield Total(own.name, tuple(part for n, part in enumerate(others) if n != place), own.decimals)
