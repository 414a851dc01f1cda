"""How far a chance can be believed: what became of people with about the same chance whom the training never saw."""

from dataclasses import dataclass

import numpy as np

from rugboard.runs.results import Results
from rugboard.session import adjusted_models
from rugboard.session.adjustments import Adjustment
from rugboard.session.cache import cached
from rugcore.fairness import wilson

KEPT = 12  # one number per test row
NEAREST = 100  # people: enough for an interval of about ten points either way
FEWEST = 30  # below, nothing is said, as everywhere
CONFIDENCE = 0.95


@dataclass(frozen=True)
class ChanceRecord:
    """The test rows whose chance is most like a given one."""

    n_people: int
    n_favourable: int
    lowest: float  # their chances
    highest: float

    @property
    def share(self) -> float:
        return self.n_favourable / self.n_people

    @property
    def interval(self) -> tuple[float, float]:
        """Of the share: Wilson's, 95 %."""
        lower, upper = wilson(np.array([self.share]), np.array([self.n_people]), CONFIDENCE)
        return float(lower[0]), float(upper[0])


def record_of(results: Results, model: str, change: Adjustment, chance: float) -> ChanceRecord | None:
    """What became of the people with about this chance of the favourable outcome; None if there are too few."""
    chances, is_favourable = _test_rows(results, model, change)
    if len(chances) < FEWEST:
        return None
    distance = np.abs(chances - chance)
    is_near = distance <= np.partition(distance, min(NEAREST, len(chances)) - 1)[min(NEAREST, len(chances)) - 1]
    near = chances[is_near]
    return ChanceRecord(len(near), int(is_favourable[is_near].sum()), float(near.min()), float(near.max()))


@cached(entries=KEPT)
def _test_rows(results: Results, model: str, change: Adjustment) -> tuple[np.ndarray, np.ndarray]:
    solved = adjusted_models.with_adjustment(results, model, change)
    favourable = results.plan.favourable
    place = [str(label) for label in solved.classes_.tolist()].index(str(favourable))
    chances = solved.predict_proba(results.X_test)[:, place]
    return np.asarray(chances), (results.y_test == favourable).to_numpy()
