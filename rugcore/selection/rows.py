"""Rows to be drawn from or cut into folds, with their outcomes, groups and weights; and models trained on some."""

import time
import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import _num_samples

from rugcore.errors import FairnessWarning, InputError
from rugcore.estimators import RUGClassifier
from rugcore.fairness.groups import Groups, read_groups
from rugcore.tables.validation import Target, read_target, read_weights
from rugcore.training.chances import Trust
from rugcore.training.run import train
from rugcore.training.settings import Settings

LARGEST_SEED = 2**31 - 1


@dataclass(frozen=True, eq=False)
class WeighedRows:
    """Rows that count for something: one without weight is as good as absent, also here."""

    X: Any
    target: Target
    groups: Groups | None
    weight: np.ndarray
    is_weighed: bool  # whether anybody gave weights

    @classmethod
    def read(cls, X: Any, y: Any, sensitive_features: Any, sample_weight: Any) -> "WeighedRows":
        """Check everything once, and leave out what has no weight."""
        n_rows = _num_samples(X)
        target = read_target(y, n_rows)
        groups = None if sensitive_features is None else read_groups(sensitive_features, n_rows)
        weight = read_weights(sample_weight, n_rows)
        rows = cls(X, target, groups, weight, sample_weight is not None)
        return rows if (weight > 0).all() else rows.take(np.flatnonzero(weight > 0))

    @property
    def n_rows(self) -> int:
        return len(self.weight)

    @property
    def labels(self) -> np.ndarray:
        """The outcome of every row, as the user's table names it."""
        return self.target.classes[self.target.codes]

    @property
    def sensitive_features(self) -> Any:
        """The groups under the names a person reads, in the order in which they came."""
        assert self.groups is not None
        return pd.Series(pd.Categorical.from_codes(self.groups.codes, categories=pd.Index(self.groups.names)))

    def take(self, rows: np.ndarray) -> "WeighedRows":
        """Some of the rows; one may be taken more than once."""
        groups = None if self.groups is None else self.groups.take(rows)
        return WeighedRows(
            _safe_indexing(self.X, rows), self.target.take(rows), groups, self.weight[rows], self.is_weighed
        )


class RulesAlone(RUGClassifier):
    """The same rules and decisions, without the five further trainings that calibrated chances take.

    Here models are trained by the dozen, and only their rules and decisions are looked at. A fair training takes so
    much longer than those five that nothing would be gained there.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """As the parent does, but the evidence for chances is believed as it is."""
        settings = Settings.checked(self)
        rows, _ = self._rows(X, y, sample_weight)
        self._take(train(rows, settings, time.perf_counter()), Trust.full(len(self.classes_)), rows)
        return self


def trained(untrained: Any, rows: WeighedRows) -> Any:
    """A copy of the model, trained on the rows. Whether one of many is fair enough is not worth a warning each."""
    is_plain = type(untrained) is RUGClassifier
    copy = RulesAlone(**untrained.get_params()) if is_plain else clone(untrained)
    people = {} if rows.groups is None else {"sensitive_features": rows.sensitive_features}
    weight = rows.weight if rows.is_weighed else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        return copy.fit(rows.X, rows.labels, weight, **people)


def seed_of(random_state: Any) -> int:
    """One number, from which everything random follows."""
    if isinstance(random_state, bool) or (isinstance(random_state, int) and random_state < 0):
        raise _no_seed(random_state)
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    try:
        return int(check_random_state(random_state).randint(LARGEST_SEED))
    except ValueError as error:
        raise _no_seed(random_state) from error


def _no_seed(random_state: Any) -> InputError:
    return InputError(f"Expected random_state to be a whole number, 0 or more, or None, but got {random_state!r}.")


def check_callback(callback: Any) -> None:
    if callback is not None and not callable(callback):
        raise InputError(f"Expected callback to be a function (done, total) or None, but got {callback!r}.")
