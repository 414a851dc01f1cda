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
    """One epsilon, and the best model found for it; all figures are those of the training rows.

    Attributes
    ----------
    epsilon : float
        The largest gap that was asked for.
    gap : float
        The largest gap between groups that was reached.
    met : bool
        Whether gap <= epsilon.
    accuracy : float
        Share of the rows decided as the data says.
    n_rules : int
        Rules that the model uses.
    model : FairRUGClassifier
        The model itself.
    """

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
    """What fairness costs: accuracy and gap for several epsilons, from the smallest to the largest.

    Rules are looked for once, for the smallest epsilon; every point is then a matter of weighing them. A model that is
    fair enough for one epsilon is fair enough for the next, so accuracy, counted up to that of plain RUG, never falls
    along the way ("realised"). Each point comes as soon as it is there; `FairnessFrontierDisplay.from_points` draws
    them. To measure on other rows, use each point's `model`.

    Parameters
    ----------
    X, y, sensitive_features, sample_weight
        As in `FairRUGClassifier.fit`.
    epsilons : sequence of float
        The largest gaps to ask for, one point each.
    settings
        Those of `FairRUGClassifier` by name; its `callback` tells the progress of the training before the first point.
    """
    if "epsilon" in settings:
        raise InputError("Expected epsilons, the points of the frontier, but got epsilon. Leave it out.")
    if settings.get("guarantee") == "confident":
        raise InputError(
            "Expected guarantee='realised' or 'proxy' for a frontier: a test of many models on the same rows assures "
            "none. Choose an epsilon on the frontier, then train one model with guarantee='confident'."
        )
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
    """What other bounds would cost: a `FrontierPoint` for every epsilon, from the rules of a trained model.

    Parameters
    ----------
    model : FairRUGClassifier
        Trained in this session, or read from a file together with its pool (`load_pool`).
    epsilons : sequence of float
        The largest gaps to ask for, one point each.
    """
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
