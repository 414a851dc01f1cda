"""Whether the rows agree with what a name says of a column: do people with the favourable outcome have more of it?"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import rankdata

SURE = 1.96  # standard deviations: by chance one column in twenty would look as one-sided
FEWEST = 10  # people on either side


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
