"""Splits of a model that decides the same whatever it learns: all that varies is who is looked at."""

import numpy as np

from rugcore.fairness.counts import RateKey
from rugcore.selection import FairnessOverSplits, ModelOverSplits
from rugcore.selection.splits import _held_out


def over_splits(
    *,
    rates: tuple[float, float],
    sizes: tuple[int, int],
    n_splits: int,
    rng: np.random.Generator | None = None,
) -> FairnessOverSplits:
    """Two groups, "a" and "b", decided wrongly at these rates; the limit is 0.05."""
    rng = np.random.default_rng(0) if rng is None else rng
    group = np.repeat([0, 1], sizes)
    is_wrong = rng.random(len(group)) < np.array(rates)[group]
    n, hits = np.zeros((n_splits, 2), dtype=int), np.zeros((n_splits, 2), dtype=int)
    for split in range(n_splits):
        is_test = _held_out(group, 0.3, rng)
        n[split] = np.bincount(group[is_test], minlength=2)
        hits[split] = np.bincount(group[is_test & is_wrong], minlength=2)
    keys = (RateKey(None, "a"), RateKey(None, "b"))
    model = ModelOverSplits("m", keys, sizes, n, hits, hits / n, np.ones(n_splits), np.ones(n_splits))
    return FairnessOverSplits((model,), "odm", 0.05, n_splits, len(group), 0.3, 30, 0.95)
