"""One training run towards parity between groups, from checked rows to a fair pool of rules."""

import math

from rugcore.fair_training.hold_out import train_with_hold_out
from rugcore.fair_training.people import People
from rugcore.fair_training.proxy import train_proxy
from rugcore.fair_training.realised import train_realised
from rugcore.fair_training.settings import FairSettings
from rugcore.fairness.groups import Groups
from rugcore.training.rows import TrainingRows
from rugcore.training.run import TrainingResult
from rugcore.training.settings import Settings


def train_fair(
    rows: TrainingRows,
    groups: Groups,
    positive: int | None,
    settings: Settings,
    fair: FairSettings,
    started: float,
) -> TrainingResult:
    """A pool of rules whose weights keep the gaps between groups within epsilon, or say that they do not."""
    if fair.validation_fraction is not None:
        return train_with_hold_out(rows, groups, positive, settings, fair, started)
    people = People.among(rows, groups, positive, fair)
    # Without a bound there is nothing to constrain: the model is the one that plain training finds.
    is_constrained = fair.guarantee == "proxy" and math.isfinite(fair.epsilon)
    train = train_proxy if is_constrained else train_realised
    return train(rows, people, settings, fair, started)
