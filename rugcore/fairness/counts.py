"""The rates that a notion compares, as counts: what can be added up over samples, folds and splits."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rugcore.fairness.notions import Notion
from rugcore.fairness.outcomes import Outcomes


@dataclass(frozen=True)
class RateKey:
    """Which rate is meant: of one group, within one class or (None) within all."""

    label: Any
    group: str


@dataclass(frozen=True)
class RatePair:
    """Two groups within the same class, by the place of their rates; a gap is the first rate minus the second."""

    label: Any
    first: str
    second: str
    places: tuple[int, int]


@dataclass(frozen=True, eq=False)
class RateCounts:
    """Of every rate that a notion compares: how many rows it rests on, and how many of them it counts."""

    keys: tuple[RateKey, ...]
    n: np.ndarray
    hits: np.ndarray

    @classmethod
    def of(cls, outcomes: Outcomes, notion: Notion) -> "RateCounts":
        """In the order of strata and groups, also those without rows: the same for all rows of one table."""
        strata = notion.strata(outcomes.classes, outcomes.positive)
        groups = outcomes.groups
        marks = [(outcomes.among(stratum), outcomes.counted(stratum)) for stratum in strata]
        n, hits = (
            np.array([np.bincount(groups.codes[mark[side]], minlength=groups.n_groups) for mark in marks])
            for side in (0, 1)
        )
        keys = tuple(RateKey(stratum.label, group) for stratum in strata for group in groups.names)
        return cls(keys, n.ravel().astype(np.int64), hits.ravel().astype(np.int64))

    def plus(self, more: "RateCounts") -> "RateCounts":
        """With further rows of the same table."""
        return RateCounts(self.keys, self.n + more.n, self.hits + more.hits)

    def minus(self, fewer: "RateCounts") -> "RateCounts":
        """Without some of the rows."""
        return RateCounts(self.keys, self.n - fewer.n, self.hits - fewer.hits)

    @property
    def rates(self) -> np.ndarray:
        """NaN where there are no rows."""
        return np.divide(self.hits, self.n, out=np.full(len(self.n), np.nan), where=self.n > 0)


def pairs_of(keys: tuple[RateKey, ...]) -> tuple[RatePair, ...]:
    """Every two groups within every class."""
    return tuple(
        RatePair(one.label, one.group, other.group, (place, place + 1 + further))
        for place, one in enumerate(keys)
        for further, other in enumerate(keys[place + 1 :])
        if one.label == other.label
    )


def gaps_between(rates: np.ndarray, pairs: tuple[RatePair, ...]) -> np.ndarray:
    """Signed: positive where the first group has the less favourable rate. The rates are in the last dimension."""
    first, second = ([pair.places[side] for pair in pairs] for side in (0, 1))
    return np.asarray(rates[..., first] - rates[..., second])
