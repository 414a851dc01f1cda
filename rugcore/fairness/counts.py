"""The rates that a notion compares, as counts: what can be added up over samples, folds and splits."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rugcore.fairness.notions import Notion
from rugcore.fairness.outcomes import Outcomes
from rugcore.fairness.parity import Cells, cell_numbers, parity


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
    """Of every rate that a notion compares: how many rows, and how many of them are decided wrongly."""

    keys: tuple[RateKey, ...]
    n: np.ndarray
    hits: np.ndarray

    @classmethod
    def of(cls, outcomes: Outcomes, notion: Notion) -> "RateCounts":
        """In the order of classes and groups, also those without rows: the same for all rows of one table."""
        cells = Cells.of(outcomes.classes, outcomes.true, outcomes.groups)
        found = parity(notion, cells, outcomes.positive, min_cell_size=1)
        wrong = np.bincount(cell_numbers(outcomes.true, outcomes.groups)[outcomes.is_wrong], minlength=cells.n_cells)
        rates = {RateKey(rate.label, rate.group): rate for rate in (*found.rates, *found.not_estimable)}
        strata = notion.strata(outcomes.classes, outcomes.positive)
        keys = tuple(RateKey(stratum.label, group) for stratum in strata for group in outcomes.groups.names)
        return cls(
            keys,
            np.array([rates[key].count for key in keys], dtype=np.int64),
            np.array([wrong[rates[key].cells].sum() for key in keys], dtype=np.int64),
        )

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
    """Signed: positive where the first group is decided wrongly more often. The rates are in the last dimension."""
    first, second = ([pair.places[side] for pair in pairs] for side in (0, 1))
    return np.asarray(rates[..., first] - rates[..., second])
