"""What kind of parity is asked for, checked."""

import math
import warnings
from dataclasses import dataclass
from typing import Any

from rugcore.errors import InputError
from rugcore.fairness.notions import notion_of
from rugcore.training.settings import check_choice, check_real, check_whole

GUARANTEES = ("realised", "proxy", "confident")


@dataclass(frozen=True)
class FairSettings:
    """The parameters of a fair estimator beyond those of every rule model."""

    notion: str
    epsilon: float
    guarantee: str
    min_cell_size: int
    confidence: float = 0.95


def checked_settings(estimator: Any) -> FairSettings:
    """The parameters of a fair estimator, beyond those of `Settings`; refused with a sentence if they make no sense."""
    check_epsilon(estimator.epsilon)
    check_choice("guarantee", estimator.guarantee, GUARANTEES)
    check_whole("min_cell_size", estimator.min_cell_size, 1)
    if not 0.5 <= _number("confidence", estimator.confidence) < 1:
        raise InputError(
            f"Expected confidence to be at least 0.5 and below 1, such as 0.95, but got {estimator.confidence!r}."
        )
    if estimator.guarantee == "confident" and math.isinf(estimator.epsilon):
        raise InputError("Expected a finite epsilon with guarantee='confident': without a bound nothing is promised.")
    notion = notion_of(estimator.fairness)
    if estimator.guarantee == "proxy" and not notion.bounds_losses:
        raise InputError(
            f"Expected guarantee='realised' or 'confident' with fairness={notion.name!r}: the constraint of the paper "
            "(guarantee='proxy') is about losses, and this notion is not about mistakes within classes. There is no "
            "such constraint for it."
        )
    if estimator.validation_fraction is not None:
        warnings.warn(
            "validation_fraction does nothing any more: fairness_.expected_gap says what to expect on new people. "
            "Leave it out.",
            FutureWarning,
            stacklevel=3,
        )
    return FairSettings(
        notion=notion.name,
        epsilon=float(estimator.epsilon),
        guarantee=estimator.guarantee,
        min_cell_size=estimator.min_cell_size,
        confidence=float(estimator.confidence),
    )


def _number(name: str, value: Any) -> float:
    check_real(name, value, 0.0)
    return float(value)


def check_epsilon(epsilon: Any) -> None:
    """Zero or more; infinity asks for nothing."""
    if not (isinstance(epsilon, float) and math.isinf(epsilon) and epsilon > 0):
        check_real("epsilon", epsilon, 0.0)
