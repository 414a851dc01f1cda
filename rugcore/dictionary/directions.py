"""What the rows say of a column: do people with the favourable outcome have more of it?

A rank test says whether they have on the whole, and shares by fifth of the people whether that holds all the way.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import rankdata

from rugcore.dictionary.entry import Effect

SURE = 1.96  # standard deviations: by chance one column in twenty would look as one-sided
FEWEST = 10  # people on either side
# Where the name says nothing, the rows must be surer: by chance, one column in two thousand would look as one-sided.
CERTAIN = 3.5
N_PARTS = 5  # in which shares are compared, about equally many people in each


@dataclass(frozen=True)
class Evidence:
    """What the rows say about a column of numbers."""

    median_favourable: float
    median_others: float
    deviation: float  # from no difference, in standard deviations; above 0 if the favoured have more

    def agrees(self, effect: Literal["helps", "harms"]) -> bool | None:
        """None: the rows do not tell."""
        if abs(self.deviation) < SURE:
            return None
        return (self.deviation > 0) == (effect == "helps")


def evidence(numbers: np.ndarray, is_favourable: np.ndarray) -> Evidence | None:
    """The rank sum test of Wilcoxon, Mann and Whitney, ties counted half; None where there are too few people.

    Of n + m people in random order the favoured have the rank sum n (n + m + 1) / 2 on average, with the variance
    n m / 12 (n + m + 1 - sum(t^3 - t) / ((n + m) (n + m - 1))) over groups of t equal numbers.
    """
    is_known = np.isfinite(numbers)
    numbers, favoured = numbers[is_known], is_favourable[is_known]
    n, m = int(favoured.sum()), int((~favoured).sum())
    if min(n, m) < FEWEST:
        return None
    total = n + m
    _, ties = np.unique(numbers, return_counts=True)
    ties = ties.astype(float)
    variance = n * m / 12 * (total + 1 - float((ties**3 - ties).sum()) / (total * (total - 1)))
    if variance <= 0:
        return None
    rank_sum = float(rankdata(numbers)[favoured].sum())
    deviation = (rank_sum - n * (total + 1) / 2) / math.sqrt(variance)
    return Evidence(float(np.median(numbers[favoured])), float(np.median(numbers[~favoured])), deviation)


@dataclass(frozen=True)
class Trend:
    """A column of which more goes with the favourable outcome, or less, all the way."""

    effect: Effect
    lowest: float  # the share of people with the favourable outcome where there is least of it
    highest: float  # and where there is most


def trend(numbers: np.ndarray, is_favourable: np.ndarray) -> Trend | None:
    """Whether the rows alone say what more of a column does; None where they do not, or say one thing here, one there.

    People are parted into five by the column. Of no two parts may the one that should fare better fare worse by more
    than chance would have it.
    """
    found = evidence(numbers, is_favourable)
    if found is None or abs(found.deviation) < CERTAIN:
        return None
    sign = 1.0 if found.deviation > 0 else -1.0
    is_known = np.isfinite(numbers)
    shares, errors = _by_part(numbers[is_known], is_favourable[is_known])
    fall = -sign * (shares[None, :] - shares[:, None])  # from a part to a later one
    is_worse = fall > SURE * np.hypot(errors[None, :], errors[:, None])
    if np.triu(is_worse, 1).any():
        return None
    return Trend("helps" if sign > 0 else "harms", float(shares[0]), float(shares[-1]))


def effect_in_rows(numbers: np.ndarray, is_favourable: np.ndarray) -> Effect:
    """What more of a column does for the favourable outcome, as far as the rows alone are certain.

    Parameters
    ----------
    numbers : array
        The column; blanks, and what is no amount, as NaN.
    is_favourable : array of bool
        Who had the favourable outcome.
    """
    found = trend(numbers, is_favourable)
    return "unknown" if found is None else found.effect


def _by_part(numbers: np.ndarray, is_favourable: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The share of the favoured in every part, and its standard error; equal numbers are in the same part."""
    edges = np.unique(np.quantile(numbers, np.arange(1, N_PARTS) / N_PARTS, method="lower"))
    edges = edges[edges < numbers.max()]
    if not len(edges):  # almost everybody has the most there is
        edges = np.array([numbers[numbers < numbers.max()].max()])
    part = np.unique(np.searchsorted(edges, numbers, side="left"), return_inverse=True)[1]
    count = np.bincount(part)
    share = np.bincount(part, weights=is_favourable) / count
    usual = is_favourable.mean()  # so that a part in which all are alike has an error, too
    return share, np.sqrt(usual * (1 - usual) / count)
