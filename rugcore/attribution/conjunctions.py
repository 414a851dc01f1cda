"""Exact Shapley values of a sum of conjunctions, in closed form.

A rule model's score is a sum of conjunctions, each with a weight; so is the output of a decision tree, whose leaves are
conjunctions. Shapley values are linear, so one conjunction is all there is to work out.

Take one of weight w over the columns C, a row x and one row z that it is compared with. A hybrid takes the columns in S
from x and all others from z. Sort the columns by who meets the condition on them:

    A  x does, z does not       B  z does, x does not       N  neither does       (both: the column does not matter)

Where N is not empty, no hybrid meets the conjunction and there is nothing to share. Else a hybrid meets it exactly if S
contains A and nothing of B. Column i tips the scales if it is the last of A to come, before any of B:

    phi_i = + w (|A| - 1)! |B|! / (|A| + |B|)!      for i in A
    phi_i = - w |A|! (|B| - 1)! / (|A| + |B|)!      for i in B

Against several rows z the values are averaged. All that matters of z is which conditions it meets: at most 2^|C|
patterns a conjunction, counted once, however many rows there are.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import beta

from rugcore.attribution import kernels

CONDITIONS_AT_ONCE = 31  # whose pattern fits a number, with that of those before


@dataclass(frozen=True, eq=False)
class Conjunction:
    """Conditions that must all be met, each on another column: which codes of the column meet it."""

    columns: tuple[int, ...]  # numbers of the columns
    allowed: tuple[np.ndarray, ...]  # by column: a boolean for every code

    def met(self, codes: np.ndarray) -> np.ndarray:
        """(rows, conditions): which rows meet which conditions; `codes` has a line for every column."""
        met = np.empty((codes.shape[1], len(self.columns)), dtype=bool)
        for place, (column, allowed) in enumerate(zip(self.columns, self.allowed, strict=True)):
            met[:, place] = allowed[codes[column]]
        return met


@dataclass(frozen=True, eq=False)
class Patterns:
    """Every combination of conditions that some rows meet, and which of them each row has."""

    met: np.ndarray  # (patterns, conditions)
    of_row: np.ndarray  # number of the pattern of each row

    @classmethod
    def of(cls, met: np.ndarray) -> "Patterns":
        number, first = np.zeros(len(met), dtype=np.int64), np.zeros(1, dtype=np.int64)
        if len(met) <= 1:
            return cls(met, number)
        for begin in range(0, met.shape[1], CONDITIONS_AT_ONCE):
            for place in range(begin, min(begin + CONDITIONS_AT_ONCE, met.shape[1])):
                number = 2 * number + met[:, place]
            _, first, number = np.unique(number, return_index=True, return_inverse=True)
        return cls(met[first], number)

    def totals(self, weight: np.ndarray) -> np.ndarray:
        """The weight of the rows with each pattern; of several kinds of weight (rows, kinds), a column for each."""
        n_patterns = len(self.met)
        if weight.ndim == 1:
            return np.bincount(self.of_row, weight, n_patterns)
        return np.column_stack([np.bincount(self.of_row, own, n_patterns) for own in weight.T])


def shapley_values(own: np.ndarray, compared: np.ndarray, share: np.ndarray) -> np.ndarray:
    """(patterns, conditions): what every condition adds to a conjunction of weight 1.

    `own` (patterns, conditions) says which conditions rows meet, `compared` the same of those they are compared with,
    of whom `share` have each pattern.
    """
    values = np.zeros(own.shape)
    kernels.add_values(own, compared, share, _coefficient(own.shape[1]), values)
    return values


@cache
def _coefficient(n_conditions: int) -> np.ndarray:
    """[a, b]: (a - 1)! b! / (a + b)!, the share of orders in which one of a comes last of them and before all of b."""
    counts = np.arange(n_conditions + 1)
    return np.asarray(beta(np.maximum(counts, 1)[:, None], counts[None, :] + 1))
