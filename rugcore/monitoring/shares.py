"""Shares of people then and now, and whether they differ by more than chance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rugcore.fairness.intervals import newcombe


@dataclass(frozen=True)
class ShareThenAndNow:
    """One share in two independent samples: how many of how many."""

    what: str
    then: tuple[int, int]
    now: tuple[int, int]

    @classmethod
    def of(cls, what: str, then: np.ndarray, now: np.ndarray) -> "ShareThenAndNow":
        """From yes or no for everybody."""
        return cls(what, (int(then.sum()), len(then)), (int(now.sum()), len(now)))

    @property
    def shares(self) -> tuple[float, float]:
        """Of then and of now; NaN where there is nobody."""
        then, now = (hits / size if size else float("nan") for hits, size in (self.then, self.now))
        return then, now

    def change(self, confidence: float) -> tuple[float, float, float]:
        """Now minus then, with its bounds (Newcombe); NaN where one of them has nobody."""
        (_, n), (_, m) = self.then, self.now
        if not n or not m:
            return float("nan"), float("nan"), float("nan")
        then, now = self.shares
        return now - then, *newcombe((now, then), (m, n), confidence)


def share_table(items: Sequence[ShareThenAndNow], confidence: float) -> pd.DataFrame:
    """A line per share: what, n_then, then, n_now, now, change, low, high; the bounds of all lines hold together.

    The chance to be wrong about any of them is what `confidence` leaves, by Bonferroni.
    """
    each = 1.0 - (1.0 - confidence) / max(len(items), 1)
    lines = [
        (item.what, item.then[1], item.shares[0], item.now[1], item.shares[1], *item.change(each)) for item in items
    ]
    return pd.DataFrame(lines, columns=["what", "n_then", "then", "n_now", "now", "change", "low", "high"])
