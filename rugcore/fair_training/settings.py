"""What kind of parity is asked for, checked."""

import math
from dataclasses import dataclass
from typing import Any

from rugcore.errors import InputError
from rugcore.fairness.notions import notion_of
from rugcore.training.settings import check_choice, check_real, check_whole

GUARANTEES = ("realised", "proxy")


@dataclass(frozen=True)
class FairSettings:
    """The parameters of a fair estimator beyond those of every rule model."""

    notion: str
    epsilon: float
    guarantee: str
    min_cell_size: int
    validation_fraction: float | None


def checked_settings(estimator: Any) -> FairSettings:
    """The parameters of a fair estimator, beyond those of `Settings`; refused with a sentence if they make no sense."""
    check_epsilon(estimator.epsilon)
    check_choice("guarantee", estimator.guarantee, GUARANTEES)
    check_whole("min_cell_size", estimator.min_cell_size, 1)
    if estimator.validation_fraction is not None:
        check_real("validation_fraction", estimator.validation_fraction, 0.05, 0.5)
        if estimator.guarantee == "proxy":
            raise InputError(
                "Expected validation_fraction to be None with guarantee='proxy', where there is nothing to choose."
            )
    return FairSettings(
        notion=notion_of(estimator.fairness).name,
        epsilon=float(estimator.epsilon),
        guarantee=estimator.guarantee,
        min_cell_size=estimator.min_cell_size,
        validation_fraction=estimator.validation_fraction,
    )


def check_epsilon(epsilon: Any) -> None:
    """Zero or more; infinity asks for nothing."""
    if not (isinstance(epsilon, float) and math.isinf(epsilon) and epsilon > 0):
        check_real("epsilon", epsilon, 0.0)
