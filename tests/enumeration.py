"""Shapley values as they are defined, over all subsets of the columns: slow, and beyond doubt."""

from collections.abc import Callable
from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd


def by_enumeration(
    score: Callable[[pd.DataFrame], np.ndarray], row: pd.DataFrame, background: pd.DataFrame
) -> dict[str, float]:
    """The definition: over all sets S of columns, what column i adds to the mean score of hybrids."""
    names = list(background.columns)
    worth = {}
    for size in range(len(names) + 1):
        for chosen in combinations(names, size):
            hybrids = background.copy()
            for name in chosen:
                repeated = row[name].iloc[[0] * len(hybrids)]
                hybrids[name] = repeated.set_axis(hybrids.index)
            worth[frozenset(chosen)] = float(score(hybrids).mean())
    n = len(names)
    return {
        name: sum(
            factorial(len(own)) * factorial(n - len(own) - 1) / factorial(n) * (worth[own | {name}] - value)
            for own, value in worth.items()
            if name not in own
        )
        for name in names
    }
