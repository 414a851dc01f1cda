"""Large parts of a table in which the outcome is all but settled: `typur > 0`, 908 yes and 3 no, in 46 % of the rows.

How revealing a part is, is measured by the errors that are left, relative to those of always saying the outcome: where
88 % are approved, nothing can be 50 points above that, but 12 % of errors can become next to none.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy.special import betaincinv

from rugcore.data_quality.findings import Column, Finding, percent
from rugcore.data_quality.revealing_values import ADVICE, RevealingValues
from rugcore.rules.words import cell, value
from rugcore.tables.table import numbers_of, plain_value

AT_MOST_LEFT = 0.25  # of the errors in all rows, with certainty
CHANCE = 0.01  # that one of all parts of a table is taken for revealing, though it is not
MOST_KINDS = 50  # values of a column of kinds; numbers with more are amounts
MOST_CUTS = 200  # of a column of amounts
OFTEN = 0.02  # of the rows: an amount that so many have is a kind of its own, as zero often is


@dataclass(frozen=True)
class Bar:
    """What makes a part revealing."""

    least_share: float  # of the rows
    errors_left: float  # at most, of those in all rows


# A kind of people (a value, those above 0 of few numbers) settles much by itself if it is a fifth of all. The end of a
# scale often settles the outcome, and rightly: only if it is a third, with next to no exception, that is odd.
# Calibrated on 33 public tables.
KIND = Bar(0.2, 0.05)
RANGE = Bar(1 / 3, 0.01)


Words = Callable[[], str]  # put together for the one part that is told of, not for all that are looked at


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of a table that one column makes: rows by class, and what they are in words."""

    counts: np.ndarray  # (parts, classes)
    bars: tuple[Bar, ...]
    words: tuple[Words, ...]

    @property
    def least_share(self) -> np.ndarray:
        return np.array([[bar.least_share] for bar in self.bars])

    @property
    def errors_left(self) -> np.ndarray:
        return np.array([[bar.errors_left] for bar in self.bars])


def revealing_part(column: Column, outcome: RevealingValues, n_columns: int) -> list[Finding]:
    """The most revealing part that the column makes, if there is one; `n_columns` are tried in all.

    Of n rows of a part, k have another outcome. By Clopper and Pearson the share of others is below the
    (1 - a)-quantile of the beta distribution with k + 1 and n - k, but for a chance of a, here that of one part among
    all.
    """
    parts = _parts(column, outcome)
    if not len(parts.counts):
        return []
    n_rows = parts.counts.sum(axis=1, keepdims=True)
    n_others = n_rows - parts.counts
    base = 1 - outcome.shares
    is_large = (n_rows >= parts.least_share * len(outcome.rows)) & (n_rows < len(outcome.rows))
    is_candidate = is_large & (n_others <= parts.errors_left * base * n_rows)
    chance = CHANCE / (parts.counts.size * n_columns)
    bound = np.ones(parts.counts.shape)
    some = np.nonzero(is_candidate)
    most = np.broadcast_to(n_rows, parts.counts.shape)[some]
    bound[some] = betaincinv(n_others[some] + 1.0, most - n_others[some], 1 - chance)
    is_revealing = is_candidate & (bound <= AT_MOST_LEFT * base)
    if not is_revealing.any():
        return []
    strength = np.where(is_revealing, outcome.deviations(parts.counts, n_rows), 0.0)
    place, label = np.unravel_index(int(strength.argmax()), strength.shape)
    words = (
        f"{parts.words[place]()} in {n_rows[place, 0]:,} rows ({percent(n_rows[place, 0] / len(outcome.rows))}), "
        f"{parts.counts[place, label]:,} of them {outcome.names[label]!r} "
        f"(of all rows: {percent(float(outcome.shares[label]))})."
    )
    return [column.finding("revealing value", "note", words, ADVICE, float(strength.max()))]


def _parts(column: Column, outcome: RevealingValues) -> Parts:
    counts = outcome.counts_of(column)  # blanks first
    found = [*_ranges(column, counts), *_kinds(column, counts, len(outcome.rows))]
    if not found:
        return Parts(np.zeros((0, counts.shape[1])), (), ())
    counted, bars, words = zip(*found, strict=True)
    return Parts(np.array(counted), bars, words)


Part = tuple[np.ndarray, Bar, Words]


def _kinds(column: Column, counts: np.ndarray, n_rows: int) -> Iterator[Part]:
    """Rows with one value and all others, as far as the column has kinds."""
    total = counts.sum(axis=0)
    if counts[0].any():
        yield counts[0], KIND, lambda: "is blank"
        yield total - counts[0], KIND, lambda: "is known"
    is_few = column.n_distinct <= MOST_KINDS
    sizes = counts[1:].sum(axis=1)
    for place in np.flatnonzero(sizes >= (1 if is_few else OFTEN * n_rows)).tolist():
        yield counts[place + 1], KIND, partial(_kind_in_words, "is", column, place)
        others = "is known and not" if counts[0].any() else "is not"
        yield total - counts[0] - counts[place + 1], KIND, partial(_kind_in_words, others, column, place)


def _kind_in_words(verb: str, column: Column, place: int) -> str:
    shown = value(plain_value(column.distinct[place]))
    return f"{verb} {shown if column.kind == 'number' else repr(shown)}"


def _cuts(n_below: np.ndarray) -> list[int]:
    """Where to cut sorted numbers: everywhere, or at so many places with about equally many rows between them."""
    wanted = np.linspace(0, n_below[-1], MOST_CUTS + 1)[1:-1]
    places = np.searchsorted(n_below, wanted) if len(n_below) > MOST_CUTS else np.arange(len(n_below) - 1)
    return [place for place in np.unique(places).tolist() if place < len(n_below) - 1]


def _ranges(column: Column, counts: np.ndarray) -> Iterator[Part]:
    """Numbers up to every one of them, and above."""
    if column.kind != "number" or column.n_distinct < 2:
        return
    numbers = numbers_of(pd.Series(column.distinct))
    order = np.argsort(numbers)
    below = np.cumsum(counts[1:][order], axis=0)
    bar = KIND if column.n_distinct <= MOST_KINDS else RANGE
    for place in _cuts(below.sum(axis=1)):
        cut = float(numbers[order[place]])
        yield below[place], bar, partial(_range_in_words, "is at most", cut)
        yield below[-1] - below[place], bar, partial(_range_in_words, "is above", cut)


def _range_in_words(verb: str, cut: float) -> str:
    return f"{verb} {cell(cut)}"
