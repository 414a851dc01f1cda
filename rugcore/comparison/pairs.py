"""Is one model right more often than another, or may that be chance? Both have decided the same rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import bdtr

from rugcore.errors import InputError

CHANCE = 0.05  # the usual level: of two equally good models, one pair in twenty would differ this much


@dataclass(frozen=True)
class Paired:
    """Two models on the same rows. Rows on which both are right, or both wrong, say nothing about which is better."""

    n: int
    only_first: int  # rows that the first alone decides rightly
    only_second: int

    @property
    def difference(self) -> float:
        """The share that the first decides rightly, minus that of the second; NaN without rows."""
        return (self.only_first - self.only_second) / self.n if self.n else float("nan")

    @property
    def p_value(self) -> float:
        """McNemar's exact test, two-sided.

        If the models were equally good, which of them is right alone would be the toss of a coin: the fewer of the two
        counts is then no larger than this with probability P(B <= min), B binomial with one half, doubled for the two
        sides.
        """
        fewer, total = min(self.only_first, self.only_second), self.only_first + self.only_second
        return min(2.0 * float(bdtr(fewer, total, 0.5)), 1.0) if total else 1.0

    @property
    def may_be_chance(self) -> bool:
        return self.p_value >= CHANCE


def paired(first: Any, second: Any) -> Paired:
    """`first` and `second` say row by row whether that model was right."""
    one, two = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    if one.shape != two.shape:
        raise InputError(f"Expected decisions on the same rows, but got {len(one)} and {len(two)}.")
    return Paired(len(one), int((one & ~two).sum()), int((two & ~one).sum()))


def not_clearly_worse(is_right: Mapping[str, Any]) -> set[str]:
    """The model that is right most often, and all whose difference from it may be chance."""
    if not is_right:
        return set()
    best = max(is_right, key=lambda name: int(np.sum(is_right[name])))
    return {name for name, own in is_right.items() if paired(is_right[best], own).may_be_chance}
