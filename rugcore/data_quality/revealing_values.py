"""Single values that nearly settle the outcome: a column may be filled in after the decision in some rows only."""

from dataclasses import dataclass

import numpy as np

from rugcore.data_quality.findings import Column, Finding, percent
from rugcore.rules.words import value
from rugcore.tables.table import plain_value

FEWEST_ROWS = 20  # with the value; a few more or less of an outcome are chance
NEARLY_ALL = 0.9  # of them have one outcome
FAR_ABOVE = 0.5  # how far that is above the share of the outcome in all rows
MOST_VALUES = 50  # of a column; among many some value is revealing by chance
ADVICE = "Was it known before the decision?"


@dataclass(frozen=True, eq=False)
class RevealingValues:
    """Looks for values whose rows nearly all have one outcome, which is rare otherwise.

    That may be a good reason for the decision as well, so it is a question and no warning. Numbers are not looked at
    unless there are two of them, as for no and yes: an extreme one often settles the outcome, and rightly. Large parts
    of the table are another matter: see `revealing_part`.
    """

    rows: np.ndarray  # with a known outcome
    classes: np.ndarray  # of those rows
    names: tuple[str, ...]
    shares: np.ndarray  # of the classes in all rows

    @classmethod
    def of(cls, outcome: Column) -> "RevealingValues":
        rows = np.flatnonzero(outcome.codes >= 0)
        classes = outcome.codes[rows]
        names = tuple(value(plain_value(item)) for item in outcome.distinct)
        return cls(rows, classes, names, np.bincount(classes, minlength=len(names)) / len(rows))

    def findings_on(self, column: Column) -> list[Finding]:
        """The most revealing value of a column, if there is one."""
        if column.n_distinct > (MOST_VALUES if column.kind in ("category", "boolean") else 2):
            return []
        counts = self.counts_of(column)
        n_rows = counts.sum(axis=1, keepdims=True)
        share = counts / np.maximum(n_rows, 1)
        is_revealing = (n_rows >= FEWEST_ROWS) & (share >= NEARLY_ALL) & (share - self.shares >= FAR_ABOVE)
        if not is_revealing.any():
            return []
        strength = np.where(is_revealing, self.deviations(counts, n_rows), 0.0)
        place, outcome = np.unravel_index(int(strength.argmax()), strength.shape)
        what = "blank" if place == 0 else repr(value(plain_value(column.distinct[place - 1])))
        words = (
            f"is {what} in {n_rows[place, 0]:,} rows, {counts[place, outcome]:,} of them {self.names[outcome]!r} "
            f"(of all rows: {percent(float(self.shares[outcome]))})."
        )
        return [column.finding("revealing value", "note", words, ADVICE, float(strength.max()))]

    def counts_of(self, column: Column) -> np.ndarray:
        """Rows of each value and class; the first line is for blanks."""
        cells = (column.codes[self.rows] + 1) * len(self.names) + self.classes
        table = np.bincount(cells, minlength=(column.n_distinct + 1) * len(self.names))
        return table.reshape(-1, len(self.names))

    def deviations(self, counts: np.ndarray, n_rows: np.ndarray) -> np.ndarray:
        """How far the counts are from what chance would give, in standard deviations."""
        expected = n_rows * self.shares
        return (counts - expected) / np.sqrt(np.maximum(expected * (1 - self.shares), 1e-12))  # no division by zero
