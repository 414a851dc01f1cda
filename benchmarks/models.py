"""The project and the peer with the same settings."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, f1_score

from benchmarks.tables import Split
from rugcore import RUGClassifier

ROUNDS = 15
PENALTY = 1.0
WEIGHT_THRESHOLD = 0.05


@dataclass(frozen=True)
class Scores:
    """On the test rows, in percent."""

    accuracy: float
    f1: float
    n_rules: int


def rug(depth: int) -> RUGClassifier:
    return RUGClassifier(
        max_depth=depth,
        penalty=PENALTY,
        max_iter=ROUNDS,
        weight_threshold=WEIGHT_THRESHOLD,
        solver="highs",
        random_state=0,
    )


def peer(depth: int, seed: int) -> Any:
    """ruleopt with HiGHS, as its documentation sets it up."""
    from ruleopt import RUGClassifier as Peer
    from ruleopt.rule_cost import Length
    from ruleopt.solver import HiGHSSolver

    return Peer(
        solver=HiGHSSolver(penalty=PENALTY),
        rule_cost=Length(),
        max_rmp_calls=ROUNDS,
        threshold=WEIGHT_THRESHOLD,
        random_state=seed,
        max_depth=depth,
    )


def scores_of_rug(model: RUGClassifier, split: Split) -> Scores:
    return _scores(split.y_test, model.predict(split.X_test), len(model.rules_))


def scores_of_peer(model: Any, split: Split, test_rows: np.ndarray) -> Scores:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _scores(split.y_test, model.predict(test_rows), len(model.decision_rules_))


def _scores(truth: np.ndarray, predicted: np.ndarray, n_rules: int) -> Scores:
    return Scores(100 * accuracy_score(truth, predicted), 100 * f1_score(truth, predicted, zero_division=0.0), n_rules)
