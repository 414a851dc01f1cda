"""The engine behind scikit-learn's interface, one estimator per file."""

from rugcore.estimators.base import RuleClassifier
from rugcore.estimators.fair_rug import FairRUGClassifier
from rugcore.estimators.frontier import EPSILONS, FrontierPoint, fairness_frontier, frontier_of
from rugcore.estimators.loading import load_model
from rugcore.estimators.rug import RUGClassifier

__all__ = [
    "EPSILONS",
    "FairRUGClassifier",
    "FrontierPoint",
    "RUGClassifier",
    "RuleClassifier",
    "fairness_frontier",
    "frontier_of",
    "load_model",
]
