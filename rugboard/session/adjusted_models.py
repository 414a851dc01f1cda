"""Models re-weighted from the rules that training found: another lambda, another epsilon, without some rules.

The run itself is never changed. The models are solved once for everybody who asks for the same, and all visitors share
them: nobody may change what comes out of here.
"""

import warnings
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from rugboard.runs.plan import FAIR, RUG
from rugboard.runs.results import Results
from rugboard.session import adjustments, run_models
from rugboard.session.adjustments import Adjustment
from rugboard.session.cache import cached
from rugboard.shell.theme import OUTSIDE
from rugcore.errors import FairnessWarning

if TYPE_CHECKING:
    from rugcore.estimators import FairRUGClassifier, RUGClassifier, RuleClassifier
    from rugcore.explanations import ConfidenceFinder

MODELS_KEPT = 24  # each holds the program of its rules
DECISIONS_KEPT = 24  # each holds one value per row
CONFIDENCES_KEPT = 12  # each holds a few numbers per test row
COVERED_KEPT = 2  # needed a few times in a row, then never again
ROWS_AT_ONCE = 50_000  # of a large table that are decided together


def now(results: Results, model: str) -> "RuleClassifier":
    """The model as this visitor has set it."""
    return with_adjustment(results, model, adjustments.current(results.run.id, model))


def with_adjustment(results: Results, model: str, change: Adjustment) -> "RuleClassifier":
    """A model ("rug" or "fair") with a visitor's changes; without any, as trained."""
    return fair_with_adjustment(results, change) if model == FAIR else _rug_with_adjustment(results, change)


def fair_with_adjustment(results: Results, change: Adjustment) -> "FairRUGClassifier":
    change = adjustments.normal(results.plan, FAIR, change)
    return _refitted_fair(results, change) if change.is_any else results.fair


def _rug_with_adjustment(results: Results, change: Adjustment) -> "RUGClassifier":
    change = adjustments.normal(results.plan, RUG, change)
    return _refitted_rug(results, change) if change.is_any else results.rug


@cached(entries=MODELS_KEPT)
def _refitted_rug(results: Results, change: Adjustment) -> "RUGClassifier":
    return results.rug.refit(penalty=change.penalty, without=change.without)


@cached(entries=MODELS_KEPT)
def _refitted_fair(results: Results, change: Adjustment) -> "FairRUGClassifier":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)  # `fairness_.met` says it, and the page tells it
        return results.fair.refit(penalty=change.penalty, epsilon=change.epsilon, without=change.without)


@cached(entries=CONFIDENCES_KEPT)
def confidence_finder(results: Results, model: str, change: Adjustment) -> "ConfidenceFinder":
    """What became of the test people whom the model decided alike."""
    from rugcore.explanations import ConfidenceFinder  # few pages need it

    return ConfidenceFinder(with_adjustment(results, model, change), results.X_test, results.y_test)


def decided_now(results: Results, model: str) -> np.ndarray:
    """What any model of `run_models.of_run` decides for every row, as this visitor has set it if it has rules."""
    if model == OUTSIDE:
        return run_models.outside_of(results).decided
    return decided(results, model, adjustments.current(results.run.id, model))


def decided_in_test(results: Results) -> dict[str, np.ndarray]:
    """What every such model decides for the test rows."""
    return {model: decided_now(results, model)[results.is_test] for model in run_models.of_run(results)}


@cached(entries=DECISIONS_KEPT)
def decided(results: Results, model: str, change: Adjustment) -> np.ndarray:
    """What the model decides for every row of the run's table, training rows and test rows alike."""
    solved = with_adjustment(results, model, change)
    if solved is results.model(model):
        X = results.data.X
        portions = [solved.predict(X.iloc[begin : begin + ROWS_AT_ONCE]) for begin in range(0, len(X), ROWS_AT_ONCE)]
        return np.concatenate(portions)
    found: np.ndarray = solved.classes_[solved.decisions_for(covered(results, model, change)).class_code]
    return found


@cached(entries=COVERED_KEPT)
def covered(results: Results, model: str, change: Adjustment) -> sparse.csr_array:
    """Which rules of the model cover which rows of the run's table."""
    return with_adjustment(results, model, change).covering_rules(results.data.X)


def model_id(model: "RuleClassifier") -> str:
    """A short name for exactly these rules and weights: two models with the same one decide alike."""
    return sha256(model.rules_.to_json().encode()).hexdigest()[:12]
