"""What fairness costs: accuracy against gap over a range of epsilon, from one pool of rules."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rugcore.errors import FairnessWarning, InputError
from rugcore.estimators import FairRUGClassifier
from rugcore.fair_training.settings import check_epsilon

EPSILONS = (0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2)


@dataclass(frozen=True)
class FrontierPoint:
    """One epsilon, and the best model found for it; all figures are those of the training rows."""

    epsilon: float
    gap: float
    met: bool
    accuracy: float
    n_rules: int
    model: FairRUGClassifier


def fairness_frontier(
    X: Any,
    y: Any,
    *,
    sensitive_features: Any,
    epsilons: Sequence[float] = EPSILONS,
    sample_weight: Any = None,
    **settings: Any,
) -> Iterator[FrontierPoint]:
    """Points from the smallest epsilon to the largest, each as soon as it is there.

    Rules are looked for once, for the smallest epsilon; every point is then a matter of weighing them. A model that is
    fair enough for one epsilon is fair enough for the next, so accuracy, counted up to that of plain RUG, never falls
    along the way ("realised").
    `settings` are those of `FairRUGClassifier`; its `callback` tells the progress of the training before the first
    point. To measure on other rows, use each point's `model`.
    """
    if "epsilon" in settings:
        raise InputError("Expected epsilons, the points of the frontier, but got epsilon. Leave it out.")
    ordered = _ordered(epsilons)
    return _points(X, y, sensitive_features, ordered, sample_weight, settings)


def _ordered(epsilons: Sequence[float]) -> list[float]:
    if not np.iterable(epsilons):
        raise InputError(f"Expected epsilons to be several numbers, such as [0.01, 0.05], but got {epsilons!r}.")
    for epsilon in epsilons:
        check_epsilon(epsilon)
    ordered = sorted({float(epsilon) for epsilon in epsilons})
    if not ordered:
        raise InputError("Expected at least one epsilon, but got none.")
    return ordered


def _points(
    X: Any, y: Any, sensitive_features: Any, epsilons: list[float], sample_weight: Any, settings: dict[str, Any]
) -> Iterator[FrontierPoint]:
    model = FairRUGClassifier(epsilon=epsilons[0], **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)  # every point says whether it is met
        model.fit(X, y, sample_weight, sensitive_features=sensitive_features)
    yield _point(model)
    yield from _refitted(model, epsilons[1:])


def frontier_of(model: FairRUGClassifier, epsilons: Sequence[float] = EPSILONS) -> Iterator[FrontierPoint]:
    """Points from the rules of a model trained here."""
    return _refitted(model, _ordered(epsilons))


def _refitted(model: FairRUGClassifier, epsilons: list[float]) -> Iterator[FrontierPoint]:
    for epsilon in epsilons:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FairnessWarning)
            model = model.refit(epsilon=epsilon)
        yield _point(model)


def _point(model: FairRUGClassifier) -> FrontierPoint:
    fit = model.fairness_
    return FrontierPoint(fit.epsilon, fit.realised_gap, fit.met, fit.accuracy, len(model.rules_), model)
