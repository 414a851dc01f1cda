"""One training run towards parity between groups, from checked rows to a fair pool of rules."""

import math
from dataclasses import replace

from rugcore.fair_training.confident import train_confident
from rugcore.fair_training.expectation import Expectation
from rugcore.fair_training.folds import expected_by_folds
from rugcore.fair_training.people import People
from rugcore.fair_training.pool import FairPool
from rugcore.fair_training.proxy import train_proxy
from rugcore.fair_training.realised import train_realised
from rugcore.fair_training.settings import FairSettings
from rugcore.fairness.groups import Groups
from rugcore.training.pool import RulePool
from rugcore.training.rows import Trainable, TrainingRows
from rugcore.training.run import TrainingResult
from rugcore.training.settings import Settings


def train_fair(
    rows: Trainable,
    groups: Groups,
    positive: int | None,
    settings: Settings,
    fair: FairSettings,
    started: float,
) -> TrainingResult:
    """A pool of rules whose weights keep the gaps between groups within epsilon, or say that they do not."""
    if fair.guarantee == "confident":
        return train_confident(*_here(rows, groups), positive, settings, fair, started)
    people = People.among(rows, groups, positive, fair)
    # Without a bound there is nothing to constrain: the model is the one that plain training finds.
    if fair.guarantee == "proxy" and math.isfinite(fair.epsilon):
        return train_proxy(rows, people, settings, fair, started)
    result = train_realised(rows, people, settings, fair, started)
    expected = expected_by_folds(rows, groups, positive, settings, fair, result, started)
    return result if expected is None else replace(result, pool=_expecting(result.pool, expected))


def _here(rows: Trainable, groups: Groups) -> tuple[TrainingRows, Groups]:
    """The rows in this process: which of them a test keeps is drawn from all."""
    groups = rows.outcomes(groups).groups  # says so where the rows are too many
    here = rows.in_memory(len(groups.codes))
    assert here is not None
    return here, groups


def _expecting(pool: RulePool, expected: Expectation) -> FairPool:
    assert isinstance(pool, FairPool)
    assert pool.fit is not None
    return replace(pool, fit=replace(pool.fit, expected=expected))
