"""How far the columns have moved: the population stability index, and how large it would be by chance.

A column is cut into bins as the people of then have it: tenths of its numbers, its categories, a bin for blanks and one
for every special code. With shares p_b of then and q_b of now,

    PSI = sum_b (q_b - p_b) ln(q_b / p_b),

where every bin is given half a person beforehand, so that an empty one has a logarithm. By custom .1 is a shift and .25
a large one. But few people scatter: where nothing has moved, PSI is distributed as (1/n + 1/m) times chi-square with
one degree of freedom less than there are bins (B. Yurdakul, Statistical Properties of Population Stability Index,
2018). A column has moved only if it exceeds the custom's limit and what chance reaches once in a hundred such
comparisons, all columns together.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import chi2

from rugcore.rules import words
from rugcore.tables.columns import MISSING_CODE, N_CODES, CategoryColumn, Column
from rugcore.tables.encoder import encode
from rugcore.tables.table import Table

BINS = 10
SHIFT, LARGE_SHIFT = 0.1, 0.25
BY_CHANCE = 0.01  # how often any column at all is said to have moved where none has
BEFOREHAND = 0.5  # of a person, in every bin
STEADY, MOVED, MOVED_FAR, TOO_FEW = "steady", "moved", "moved far", "too few to tell"


@dataclass(frozen=True)
class _Shares:
    """The people of then and now by bins that occur."""

    codes: np.ndarray
    then: np.ndarray
    now: np.ndarray
    n_then: int
    n_now: int

    @classmethod
    def of(cls, then: np.ndarray, now: np.ndarray) -> "_Shares":
        counts = np.bincount(then, minlength=N_CODES), np.bincount(now, minlength=N_CODES)
        codes = np.flatnonzero(counts[0] + counts[1])
        return cls(codes, counts[0][codes] / len(then), counts[1][codes] / len(now), len(then), len(now))

    @property
    def psi(self) -> float:
        then, now = self._filled(self.then, self.n_then), self._filled(self.now, self.n_now)
        return float(((now - then) * np.log(now / then)).sum())

    def _filled(self, shares: np.ndarray, n_people: int) -> np.ndarray:
        filled: np.ndarray = (shares * n_people + BEFOREHAND) / (n_people + BEFOREHAND * len(self.codes))
        return filled

    def by_chance(self, level: float) -> float:
        """What PSI exceeds with a chance of `level` if nothing has moved."""
        spread = 1 / self.n_then + 1 / self.n_now
        return float(spread * chi2.ppf(1.0 - level, len(self.codes) - 1)) if len(self.codes) > 1 else 0.0


def column_drift(then: Table, now: Table) -> pd.DataFrame:
    """How far each column has moved, the farthest first.

    Parameters
    ----------
    then, now : Table
        The same columns (`Schema.read`), of people from the two periods.

    Returns
    -------
    DataFrame
        column; psi; by_chance: what psi would seldom exceed if nothing had moved; status: "steady", "moved" (from .1),
        "moved far" (from .25), "too few to tell" where it is above .1 but no higher than chance may take it; change:
        the bin whose share moved most, in words, with its share then and now.
    """
    encoded = encode(then, np.ones(then.n_rows), np.random.RandomState(0), BINS)
    lines = [
        _line(column, _Shares.of(encoded.codes[place], column.codes(now.column(place))), len(then.names))
        for place, column in enumerate(encoded.columns)
    ]
    frame = pd.DataFrame(lines, columns=["column", "psi", "by_chance", "status", "change", "then", "now"])
    return frame.sort_values(["psi", "column"], ascending=[False, True], ignore_index=True)


def _line(column: Column, shares: _Shares, n_columns: int) -> tuple[object, ...]:
    psi, by_chance = shares.psi, shares.by_chance(BY_CHANCE / n_columns)
    widest = int(np.argmax(np.abs(shares.now - shares.then)))
    said = bin_in_words(column, int(shares.codes[widest]))
    return column.name, psi, by_chance, _status(psi, by_chance), said, shares.then[widest], shares.now[widest]


def _status(psi: float, by_chance: float) -> str:
    if psi < SHIFT:
        return STEADY
    if psi <= by_chance:
        return TOO_FEW
    return MOVED_FAR if psi >= LARGE_SHIFT else MOVED


def bin_in_words(column: Column, code: int) -> str:
    """Whom a bin holds, behind the name of its column."""
    if code == MISSING_CODE:
        return f"{words.clear(column.name)} is missing"
    if isinstance(column, CategoryColumn):
        named = dict(enumerate(map(words.clear, column.values), start=1))
        return f"{words.clear(column.name)} is {named.get(code, 'a value that was not there')}"
    allowed = np.zeros(N_CODES, dtype=bool)
    allowed[code] = True
    return str(column.condition(allowed))
