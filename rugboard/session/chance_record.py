"""How far a chance can be believed: what became of people with about the same chance whom the training never saw."""

from dataclasses import dataclass

import numpy as np

from rugboard.runs.results import Results
from rugboard.session import adjusted_models
from rugboard.session.adjustments import Adjustment
from rugboard.session.cache import cached
from rugcore.fairness import wilson

KEPT = 12  # one number per test row
WITHIN = 0.05  # chances that differ by less are alike
CONFIDENCE = 0.95


@dataclass(frozen=True)
class ChanceRecord:
    """The test rows whose chance is about the same as a given one."""

    n_people: int
    n_favourable: int

    @property
    def share(self) -> float:
        return self.n_favourable / self.n_people if self.n_people else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """Of the share: Wilson's, 95 %. It needs somebody."""
        lower, upper = wilson(np.array([self.share]), np.array([self.n_people]), CONFIDENCE)
        return float(lower[0]), float(upper[0])


def record_of(results: Results, model: str, change: Adjustment, chance: float) -> ChanceRecord:
    """What became of the people with about this chance of the favourable outcome."""
    chances, is_favourable = _test_rows(results, model, change)
    is_near = np.abs(chances - chance) <= WITHIN
    return ChanceRecord(int(is_near.sum()), int(is_favourable[is_near].sum()))


@cached(entries=KEPT)
def _test_rows(results: Results, model: str, change: Adjustment) -> tuple[np.ndarray, np.ndarray]:
    solved = adjusted_models.with_adjustment(results, model, change)
    favourable = results.plan.favourable
    place = [str(label) for label in solved.classes_.tolist()].index(str(favourable))
    chances = solved.predict_proba(results.X_test)[:, place]
    return np.asarray(chances), (results.y_test == favourable).to_numpy()
