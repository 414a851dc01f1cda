"""Columns that give the target away, because they were filled in with or after the decision."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rugcore.data_quality.findings import Column, Finding, percent
from rugcore.rules.words import value
from rugcore.tables.table import numbers_of, plain_value

SAMPLE = 50_000  # rows; a share of 0.99 is then known to 0.001
SEED = 0
FEWEST_ROWS = 50
FEWEST_OTHERS = 10  # rows outside the most common class
NEARLY_PERFECT = 0.98
ERRORS_LEFT = 0.1  # of the errors of always saying the most common class


@dataclass(frozen=True)
class LeakSearch:
    """Whether one column alone gives the outcome away: how often is the most common class of its value right?

    A row is never counted among its own witnesses. Otherwise a column with a different value in every row would
    always be right.
    """

    target: str
    rows: np.ndarray  # with a known outcome; a sample of them if there are many
    classes: np.ndarray  # of those rows
    counts: np.ndarray
    most_common: str
    is_sample: bool

    @classmethod
    def of(cls, outcome: Column) -> "LeakSearch":
        known = np.flatnonzero(outcome.codes >= 0)
        is_sample = len(known) > SAMPLE
        rng = np.random.default_rng(SEED)
        rows = np.sort(rng.choice(known, SAMPLE, replace=False)) if is_sample else known
        classes = outcome.codes[rows]
        counts = np.bincount(classes, minlength=outcome.n_distinct)
        most_common = value(plain_value(outcome.distinct[int(counts.argmax())]))
        return cls(outcome.name, rows, classes, counts, most_common, is_sample)

    @property
    def base_rate(self) -> float:
        return float(self.counts.max() / len(self.rows))

    def findings_on(self, column: Column) -> list[Finding]:
        n_others = len(self.rows) - self.counts.max()
        if len(self.rows) < FEWEST_ROWS or n_others < FEWEST_OTHERS:
            return []
        codes = column.codes[self.rows]
        if self._is_renaming(codes):
            words = f"is the target {self.target!r} under other names: each of its values stands for one outcome"
            return [self._leak(column, words)]
        by_blank = self._share_right((codes < 0).astype(np.int64))
        by_value = max(self._share_right(codes + 1), self._share_right_of_neighbours(column))
        if not self._is_too_good(max(by_blank, by_value)):
            return []
        what = "whether it is blank" if by_blank >= by_value else "its value"
        share = percent(max(by_blank, by_value))
        words = (
            f"gives the target {self.target!r} away: knowing only {what}, {share} of the outcomes are right (always "
            f"saying {self.most_common!r}: {percent(self.base_rate)})"
        )
        return [self._leak(column, words)]

    def _leak(self, column: Column, words: str) -> Finding:
        sample = f" (in a sample of {len(self.rows):,} rows)" if self.is_sample else ""
        advice = "If it was filled in with or after the decision, leave it out."
        return column.finding("leak", "warning", f"{words}{sample}.", advice)

    def _is_renaming(self, codes: np.ndarray) -> bool:
        """As many values as classes, and as many pairs of them."""
        n_classes = int((self.counts > 0).sum())
        pairs = (codes + 1) * len(self.counts) + self.classes
        return len(pd.unique(codes)) == n_classes == len(pd.unique(pairs)) and bool((codes >= 0).all())

    def _share_right(self, values: np.ndarray) -> float:
        """A row is right if its class leads among the rows of its value even without it."""
        n_classes = len(self.counts)
        codes, found = pd.factorize(values)
        table = np.bincount(codes * n_classes + self.classes, minlength=len(found) * n_classes)
        ranked = np.sort(table.reshape(-1, n_classes), axis=1)
        first, second = ranked[:, -1], ranked[:, -2]
        return float(first[first - 1 > second].sum() / len(self.rows))

    def _share_right_of_neighbours(self, column: Column) -> float:
        """For numbers that hardly occur twice: a row is right if the next larger or smaller one has its class.

        By chance that is never nearly always so, whatever the classes. Equal numbers are put in random order, because
        the file may be sorted by outcome.
        """
        if column.kind != "number":
            return 0.0
        shuffled = np.random.default_rng(SEED).permutation(len(self.rows))
        numbers = numbers_of(column.series)[self.rows[shuffled]]
        classes = self.classes[shuffled[np.argsort(numbers, kind="stable")]]
        is_like_next = classes[:-1] == classes[1:]
        is_right = np.zeros(len(classes), dtype=bool)
        is_right[:-1] |= is_like_next
        is_right[1:] |= is_like_next
        return float(is_right.mean())

    def _is_too_good(self, share: float) -> bool:
        return share >= NEARLY_PERFECT and 1 - share <= ERRORS_LEFT * (1 - self.base_rate)
