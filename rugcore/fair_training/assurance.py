"""Which epsilon a test on rows kept from training assures, and how many people a smaller one would take."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from rugcore.fairness.intervals import clopper_pearson
from rugcore.fairness.parity import ROUNDING, Parity

# Beyond this many people of one class and group, nobody plans a test.
MOST_PEOPLE = 10_000_000


@dataclass(frozen=True)
class AssuredRate:
    """One rate in the test: rows that it rests on, those it counts, and bounds that hold for all rates together."""

    label: Any  # the class, or None for all
    group: str
    n_rows: int
    n_wrong: int
    lower: float
    upper: float
    n_needed: int | None = None  # rows in the test that epsilon would take, at rates like these; None: no number would

    @property
    def rate(self) -> float:
        return self.n_wrong / self.n_rows if self.n_rows else float("nan")


@dataclass(frozen=True)
class Assurance:
    """What the test says about new people from the same source, with the confidence that was asked for."""

    confidence: float
    smallest_epsilon: float  # the least that can be assured for this model
    n_rows: int  # in the test
    kept_share: float  # of all rows: as many were kept from training


def rate_bounds(tested: Parity, tally: np.ndarray, confidence: float) -> tuple[AssuredRate, ...]:
    """Exact bounds on every rate, from the rows of every cell by decided class.

    With m rates, each end is left with probability at most (1 - confidence) / (2 m): all of them hold together with
    probability `confidence`, and then so do the differences, for every pair and every class.
    """
    rates = (*tested.rates, *tested.not_estimable)
    sure = 1.0 - (1.0 - confidence) / len(rates)
    n_rows = [round(rate.base(tally)) for rate in rates]
    n_wrong = [min(round(rate.hits(tally)), n) for rate, n in zip(rates, n_rows, strict=True)]
    lower, upper = clopper_pearson(np.array(n_wrong), np.array(n_rows), sure)
    ends = zip(rates, n_rows, n_wrong, lower.tolist(), upper.tolist(), strict=True)
    return tuple(AssuredRate(rate.label, rate.group, *numbers) for rate, *numbers in ends)


def smallest_epsilon(rates: Sequence[AssuredRate]) -> float:
    """No true gap is larger, while all bounds hold."""
    return max((_largest_gap(*pair) for pair in _pairs(rates)), default=0.0)


def assured(
    tested: Parity, tally: np.ndarray, epsilon: float, confidence: float, kept_share: float
) -> tuple[Assurance, tuple[AssuredRate, ...]]:
    """The outcome of the test, and every rate in it with the rows that epsilon would take."""
    rates = rate_bounds(tested, tally, confidence)
    sure = 1.0 - (1.0 - confidence) / len(rates)
    needed = tuple(replace(rate, n_needed=_needed(rate, rates, epsilon, sure)) for rate in rates)
    n_rows = sum(rate.n_rows for rate in rates)
    return Assurance(confidence, smallest_epsilon(rates), n_rows, kept_share), needed


def _pairs(rates: Sequence[AssuredRate]) -> list[tuple[AssuredRate, AssuredRate]]:
    return [(first, second) for first, second in combinations(rates, 2) if first.label == second.label]


def _largest_gap(first: AssuredRate, second: AssuredRate) -> float:
    return max(first.upper - second.lower, second.upper - first.lower)


def _needed(rate: AssuredRate, rates: Sequence[AssuredRate], epsilon: float, sure: float) -> int | None:
    """For all pairs that the rate stands in, if both of a pair had as many rows and rates stayed as they are."""
    most = rate.n_rows
    for first, second in _pairs(rates):
        if rate in (first, second) and _largest_gap(first, second) > epsilon:
            n_pair = _needed_for_pair(first, second, epsilon, sure)
            if n_pair is None:
                return None
            most = max(most, n_pair)
    return most


def _needed_for_pair(first: AssuredRate, second: AssuredRate, epsilon: float, sure: float) -> int | None:
    if not min(first.n_rows, second.n_rows) or abs(first.rate - second.rate) >= epsilon:
        return None

    def is_enough(size: int) -> bool:
        n_wrong = np.rint(np.array([first.rate, second.rate]) * size)
        lower, upper = clopper_pearson(n_wrong, np.full(2, size), sure)
        return max(upper[0] - lower[1], upper[1] - lower[0]) <= epsilon

    high = max(min(first.n_rows, second.n_rows), 1)
    while not is_enough(high):
        high *= 2
        if high > MOST_PEOPLE:
            return None
    low = high // 2
    while high - low > 1:  # rounding makes steps: good to a row or two
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def assurance_in_words(
    found: Assurance | None, rates: Sequence[AssuredRate], epsilon: float, whom: str = "people"
) -> list[str]:
    """The outcome of the test; nothing where there was none. `whom` the rates rest on is the notion's to say."""
    if found is None:
        return []
    sure, least = f"{100 * found.confidence:g} %", found.smallest_epsilon
    if least <= epsilon + ROUNDING:
        return [
            f"Assured with {sure} confidence: the gap on new people from the same source is at most {epsilon:g} "
            f"(bound {least:.4f}, from {found.n_rows:,} rows kept from training)."
        ]
    return [
        f"Cannot be assured with this table: a gap of at most {epsilon:g} on new people, with {sure} confidence. "
        f"The smallest that can be for this model is {least:.4f} ({found.n_rows:,} rows kept from training).",
        _needed_in_words(found, rates, whom),
    ]


def _needed_in_words(found: Assurance, rates: Sequence[AssuredRate], whom: str) -> str:
    hopeless = [rate for rate in rates if rate.n_needed is None]
    if hopeless:
        return (
            "More people alone would not help: in the test these rates differ by epsilon or more, or rest on nobody: "
            + "; ".join(_where(rate) for rate in hopeless)
            + "."
        )
    short = [rate for rate in rates if rate.n_needed is not None and rate.n_needed > rate.n_rows]
    return (
        "At rates like these it would take, in the whole table, about "
        + "; ".join(_shortage(rate, found, whom) for rate in short)
        + "."
    )


def _shortage(rate: AssuredRate, found: Assurance, whom: str) -> str:
    return f"{_in_table(rate.n_needed, found):,} {whom} of {_where(rate)} (now {_in_table(rate.n_rows, found):,})"


def _in_table(n_rows: int | None, found: Assurance) -> int:
    return round((n_rows or 0) / found.kept_share)


def _where(rate: AssuredRate) -> str:
    return f"'{rate.group}'" + ("" if rate.label is None else f" in class {rate.label}")
