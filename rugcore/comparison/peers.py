"""The models that rules are compared with, each trained on the user's table as it is."""

import time
from collections.abc import Mapping
from typing import Any, Literal, Self, get_args

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rugcore.comparison.features import FeatureEncoder
from rugcore.errors import InputError, missing_package
from rugcore.tables import validation
from rugcore.tables.schema import Schema
from rugcore.tables.table import Table

Peer = Literal["logistic regression", "decision tree", "random forest", "AdaBoost", "LightGBM"]
PEERS: tuple[Peer, ...] = get_args(Peer)

# Where the packages' own defaults are not used: a tree that a person could still read, and enough steps to converge.
DEFAULTS: dict[Peer, dict[str, Any]] = {
    "logistic regression": {"max_iter": 1000},
    "decision tree": {"max_depth": 5},
    "random forest": {},
    "AdaBoost": {},
    "LightGBM": {},
}


class PeerClassifier(ClassifierMixin, BaseEstimator):
    """Another kind of model behind the interface of `RUGClassifier`: same tables in, same classes out.

    Parameters
    ----------
    kind : {"logistic regression", "decision tree", "random forest", "AdaBoost", "LightGBM"}, default="LightGBM"
    settings : dict or None, default=None
        Parameters of the class of scikit-learn or LightGBM that does the work, such as {"num_leaves": 4}.
    random_state : int, default=0
    n_jobs : int, default=1
        Threads, where the kind can use several.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    encoder_ : FeatureEncoder
        How columns become numbers. LightGBM gets categories as categories and blanks as blanks; the others a 0/1
        column for every category and for blanks.
    estimator_ : object
        The trained model itself; it predicts numbers of classes.
    fit_seconds_ : float
    """

    def __init__(
        self,
        kind: Peer = "LightGBM",
        *,
        settings: Mapping[str, Any] | None = None,
        random_state: int = 0,
        n_jobs: int = 1,
    ) -> None:
        self.kind = kind
        self.settings = settings
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from the same tables as `RUGClassifier`."""
        started = time.perf_counter()
        self._check()
        table = validation.training_table(self, X)
        target = validation.read_target(y, table.n_rows)
        self.schema_ = Schema.of(table)
        self.encoder_ = FeatureEncoder.fit(table)
        self.classes_ = target.classes
        self.estimator_ = self._made()
        extra = {"categorical_feature": self.encoder_.categories} if self.kind == "LightGBM" else {}
        self.estimator_.fit(self._matrix(table), target.codes, **extra)
        self.fit_seconds_ = time.perf_counter() - started
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The most likely class."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class, one line per row of X."""
        return np.asarray(self.estimator_.predict_proba(self.matrix(X)))

    def matrix(self, X: Any) -> np.ndarray:
        """The rows of X as numbers, as `estimator_` wants them."""
        check_is_fitted(self)
        return self._matrix(validation.table_to_predict(self, X))

    def raw_output(self, X: Any) -> np.ndarray:
        """What LightGBM adds up before it becomes a probability: a number per row, with more classes one per class."""
        refuse_others(self)
        return np.asarray(self.estimator_.predict(self.matrix(X), raw_score=True))

    def _matrix(self, table: Table) -> np.ndarray:
        return self.encoder_.codes(table) if self.kind == "LightGBM" else self.encoder_.indicators(table)

    def _check(self) -> None:
        if self.kind not in PEERS:
            raise InputError(f"Expected kind to be one of {', '.join(PEERS)}, but got {self.kind!r}.")
        if not isinstance(self.n_jobs, int) or self.n_jobs < 1:
            raise InputError(f"Expected n_jobs to be a whole number of threads, 1 or more, but got {self.n_jobs!r}.")

    def _made(self) -> Any:
        makers = {
            "logistic regression": _logistic_regression,
            "decision tree": _decision_tree,
            "random forest": _random_forest,
            "AdaBoost": _ada_boost,
            "LightGBM": _light_gbm,
        }
        return makers[self.kind]({**DEFAULTS[self.kind], **(self.settings or {})}, self.random_state, self.n_jobs)


def default_peers(*, random_state: int = 0, n_jobs: int = 1) -> dict[str, PeerClassifier]:
    """One untrained model of every other kind, by name, for `compare`; `n_jobs` is the number of threads."""
    return {kind: PeerClassifier(kind, random_state=random_state, n_jobs=n_jobs) for kind in PEERS}


def refuse_others(model: Any) -> None:
    """SHAP values are worked out for LightGBM only."""
    if not isinstance(model, PeerClassifier) or model.kind != "LightGBM":
        found = model.kind if isinstance(model, PeerClassifier) else type(model).__name__
        raise InputError(f'Expected a trained PeerClassifier("LightGBM"), but got {found}.')


# Imported where they are used: a page that compares nothing should not wait for them.


def _logistic_regression(settings: dict[str, Any], random_state: int, n_jobs: int) -> Any:  # noqa: ARG001
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(random_state=random_state, **settings))


def _decision_tree(settings: dict[str, Any], random_state: int, n_jobs: int) -> Any:  # noqa: ARG001
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=random_state, **settings)


def _random_forest(settings: dict[str, Any], random_state: int, n_jobs: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(random_state=random_state, n_jobs=n_jobs, **settings)


def _ada_boost(settings: dict[str, Any], random_state: int, n_jobs: int) -> Any:  # noqa: ARG001
    from sklearn.ensemble import AdaBoostClassifier

    return AdaBoostClassifier(random_state=random_state, **settings)


def _light_gbm(settings: dict[str, Any], random_state: int, n_jobs: int) -> Any:
    try:
        from lightgbm import LGBMClassifier
    except ImportError as error:
        raise missing_package("LightGBM", "compare") from error

    # Without the last three, the same seed may give another model on another number of threads, and prints a lot.
    fixed = {"deterministic": True, "force_col_wise": True, "verbosity": -1}
    return LGBMClassifier(**{"random_state": random_state, "n_jobs": n_jobs, **fixed, **settings})
