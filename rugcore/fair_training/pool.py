"""A pool whose rules are weighed under parity: a new epsilon or lambda is a matter of the pool alone."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from rugcore.fair_training.outcome import FairnessFit, FitRecord
from rugcore.fair_training.people import People
from rugcore.fair_training.search import RealisedSearch
from rugcore.fair_training.settings import FairSettings
from rugcore.training.pool import RulePool
from rugcore.training.settings import Settings


@dataclass(frozen=True)
class FairPool(RulePool):
    """A pool whose rules are weighed under parity; a new epsilon or lambda is a matter of the pool alone."""

    people: People
    fair: FairSettings
    weight_threshold: float
    fit: FairnessFit | None = None  # once the rules are weighed

    @classmethod
    def around(cls, pool: RulePool, people: People, fair: FairSettings, settings: Settings, **more: Any) -> Self:
        """A pool of rules, with who the rows are and what is asked for."""
        fields = {name: getattr(pool, name) for name in RulePool.__dataclass_fields__}
        return cls(**fields, people=people, fair=fair, weight_threshold=settings.weight_threshold, **more)

    def adjusted(self, penalty: float, epsilon: float, without: Collection[int]) -> "FairPool":
        """This pool under another lambda and epsilon, and without some rules."""
        raise NotImplementedError

    def resolved(self, penalty: float, without: Collection[int] = ()) -> "FairPool":
        """Under another lambda, and still within this pool's epsilon: parity is never dropped on the way."""
        return self.adjusted(penalty, self.fair.epsilon, without)

    @property
    def class_share(self) -> np.ndarray:
        share: np.ndarray = self.class_weight / self.class_weight.sum()
        return share

    def search(self, plain_weight: np.ndarray) -> RealisedSearch:
        return RealisedSearch(
            self.people.rows_seen(self.master.merged, self.merged_row),
            self.master.rule_class,
            self.class_share,
            self.people.both,
            self.weight_threshold,
            plain_weight,
            self.master.floor,
        )

    def row_duals(self, row_weight: np.ndarray) -> np.ndarray:
        """The dual of every training row; where it stands in all groups, that of its copies together."""
        likely = self.people.likely
        if likely is None:
            return super().row_duals(row_weight)
        return super().row_duals((row_weight[:, None] * likely.share).ravel()).reshape(likely.share.shape).sum(axis=1)

    def _with(self, record: FitRecord, rule_weight: np.ndarray, epsilon: float) -> Self:
        return replace(
            self,
            rule_weight=rule_weight,
            fair=replace(self.fair, epsilon=epsilon),
            fit=record.fit(self.people),
        )
