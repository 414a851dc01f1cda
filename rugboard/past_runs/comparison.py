"""Two models of past runs: what can be set against each other, and whom they decide differently. Nothing is shown."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rugboard.runs.results import Results
from rugboard.session import adjusted_models, measures
from rugboard.session.adjustments import AS_TRAINED
from rugcore.comparison import Paired, paired

if TYPE_CHECKING:
    from rugcore.estimators import RuleClassifier


@dataclass(frozen=True, eq=False)
class PastModel:
    """A model of a past run, as it was trained or kept: not as a visitor has set it since."""

    results: Results
    name: str  # "rug" or "fair"

    @property
    def model(self) -> "RuleClassifier":
        return self.results.model(self.name)

    @property
    def decided(self) -> np.ndarray:
        """Of every row of the run's table."""
        return adjusted_models.decided(self.results, self.name, AS_TRAINED)

    @property
    def is_right(self) -> np.ndarray:
        return np.asarray(self.decided == self.results.data.y.to_numpy(dtype=object))

    @property
    def n_test(self) -> int:
        return int(self.results.is_test.sum())

    @property
    def accuracy(self) -> float:
        return float(self.is_right[self.results.is_test].mean())

    @property
    def gap(self) -> float | None:
        """On the same test rows; None without groups, NaN where no two groups are large enough."""
        found = measures.gap_of(self.results, self.decided)
        return None if found is None else found.on_test_rows

    @property
    def average_length(self) -> float:
        return measures.average_length(self.results, self.name)


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Two models, and how far they are about the same people."""

    first: PastModel
    second: PastModel

    @property
    def same_people(self) -> bool:
        """The same table and the same outcomes, row by row."""
        one, two = self.first.results, self.second.results
        return (
            one.plan.snapshot == two.plan.snapshot
            and one.plan.target == two.plan.target
            and one.data.y.equals(two.data.y)
        )

    @property
    def same_test_rows(self) -> bool:
        return self.same_people and bool(np.array_equal(self.first.results.is_test, self.second.results.is_test))

    @property
    def same_gap(self) -> bool:
        """Whether both gaps are between the same groups, of the same rows, and of the same rates."""
        one, two = self.first.results.plan, self.second.results.plan
        asked = [(p.sensitive, dict(p.bands), p.fairness, p.fair_settings()["positive_class"]) for p in (one, two)]
        return self.same_test_rows and asked[0] == asked[1] and bool(one.sensitive)

    @property
    def common_rows(self) -> np.ndarray:
        """Positions of the rows that neither training saw; none if the people are others."""
        if not self.same_people:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(self.first.results.is_test & self.second.results.is_test)

    @property
    def decided_differently(self) -> np.ndarray:
        """Positions of the common rows that the two decide differently."""
        rows = self.common_rows
        return rows[self.first.decided[rows] != self.second.decided[rows]] if len(rows) else rows

    @property
    def who_is_right(self) -> Paired:
        """On the common rows."""
        rows = self.common_rows
        return paired(self.first.is_right[rows], self.second.is_right[rows]) if len(rows) else Paired(0, 0, 0)
