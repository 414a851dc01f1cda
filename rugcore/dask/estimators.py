"""DaskRUGClassifier and DaskFairRUGClassifier: the same rules, from tables that need not fit into one process."""

import time
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
import pandas as pd
from dask import dataframe as dd
from dask import delayed
from sklearn.utils.validation import check_is_fitted, validate_data

from rugcore.dask.agreeing import AgreedGroups, agreed_classes, agreed_kinds, groups_without_rows, survey
from rugcore.dask.cluster import Cluster, client_of
from rugcore.dask.sources import read_source
from rugcore.dask.training_rows import Agreed, PartitionedTrainingRows
from rugcore.errors import InputError
from rugcore.estimators import FairRUGClassifier, RUGClassifier
from rugcore.estimators.base import RuleClassifier
from rugcore.fair_training.settings import checked_settings
from rugcore.generation.loop import Round
from rugcore.tables.schema import Schema
from rugcore.tables.special import special_codes
from rugcore.tables.table import Table, column_names
from rugcore.training.settings import Settings


class _OnACluster(RuleClassifier):
    """What both have in common: rows from partitions, and predictions that stay in them."""

    client: Any

    def _partitioned(
        self, cluster: Cluster, X: Any, y: Any, sample_weight: Any, sensitive_features: Any = None
    ) -> tuple[PartitionedTrainingRows, Agreed]:
        """The rows to learn from, once all partitions agree on what they hold."""
        source = read_source(X, y, sample_weight, sensitive_features)
        if not source.features.shape[1]:
            raise InputError("Expected a table with at least one column to learn from, but X has 0 feature(s).")
        surveyed = [delayed(survey)(*own) for own in zip(source.pieces, source.names, strict=True)]
        surveys = cluster.gathered(cluster.compute(surveyed))
        names = tuple(column_names(source.features))
        table = Table(names, agreed_kinds(surveys, source.names, names), source.features)
        self.classes_ = agreed_classes(surveys)
        validate_data(self, source.features, skip_check_array=True)
        self.schema_ = Schema(names, table.kinds, special_codes(self.special_values, table))
        groups = None if sensitive_features is None else AgreedGroups.of(surveys)
        agreed = Agreed(self.schema_, tuple(self.classes_.tolist()), groups)
        n_rows = [own.n_with_weight for own in surveys]
        return PartitionedTrainingRows(cluster, source, agreed, n_rows, self._directions), agreed

    def _keep_reference(self, rows: PartitionedTrainingRows) -> None:
        """Where the people stay on the cluster, what reasons need of them is worked out there."""
        if self._people is None:
            self.__dict__["reference_"] = rows.reference(self.rule_votes_, self.pool_.columns)
            self.__dict__["fared_"] = rows.fared(self.rule_votes_, self.pool_.columns)

    def predict(self, X: Any) -> Any:
        """The class of every row, as a lazy series of a Dask frame; of any other table at once, as an array.

        Parameters
        ----------
        X : dask DataFrame, DataFrame or array
            The columns of training.
        """
        check_is_fitted(self)
        if not isinstance(X, dd.DataFrame):
            return super().predict(X)
        return X.map_partitions(_predicted, self.to_local(), meta=pd.Series(self.classes_[:0], name="prediction"))

    def predict_proba(self, X: Any) -> Any:
        """The chance of every class, as a lazy frame with a column per class; of a table that is no Dask frame at once.

        Parameters
        ----------
        X : dask DataFrame, DataFrame or array
            The columns of training.
        """
        check_is_fitted(self)
        if not isinstance(X, dd.DataFrame):
            return super().predict_proba(X)
        meta = pd.DataFrame(np.empty((0, len(self.classes_))), columns=self.classes_)
        return X.map_partitions(_chances, self.to_local(), meta=meta)

    def _as(self, kind: type[RuleClassifier]) -> Any:
        """The same fitted model as an estimator that knows no cluster."""
        check_is_fitted(self)
        params = {name: value for name, value in self.get_params(deep=False).items() if name != "client"}
        local = kind(**params)
        fitted = {name: value for name, value in self.__dict__.items() if name not in {*params, "client"}}
        local.__dict__.update(fitted)
        return local

    def to_local(self) -> RuleClassifier:
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"client": None}

    def __sklearn_clone__(self) -> Self:
        """With the same client: a connection cannot be copied."""
        return type(self)(**self.get_params(deep=False))


class DaskRUGClassifier(RUGClassifier, _OnACluster):
    """RUGClassifier for tables in partitions on a Dask cluster: the same rules as from the same rows on one machine.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        The cluster to train on; None takes the default client, and no cluster is started where there is none.
    max_depth, penalty, max_iter, rule_cost, weight_threshold, pricing, loss, min_support, special_values,
    monotonic_cst, positive_class, solver, time_limit, callback, random_state
        As in `RUGClassifier`.

    Attributes
    ----------
    All attributes of `RUGClassifier`. The rows stay on the cluster: after more than 100,000 of them a `refit` model
    cannot tell whom reasons compare with (`reference_`), nor how they fared.
    """

    def __init__(
        self,
        *,
        client: Any = None,
        max_depth: int = 3,
        penalty: float = 1.0,
        max_iter: int = 15,
        rule_cost: str = "length",
        weight_threshold: float = 0.05,
        pricing: str = "tree",
        loss: str = "margin",
        min_support: float | None = None,
        special_values: Mapping[str, Any] | None = None,
        monotonic_cst: Any = None,
        positive_class: Any = None,
        solver: str = "auto",
        time_limit: float | None = None,
        callback: Callable[[Round], Any] | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            max_depth=max_depth,
            penalty=penalty,
            max_iter=max_iter,
            rule_cost=rule_cost,
            weight_threshold=weight_threshold,
            pricing=pricing,
            loss=loss,
            min_support=min_support,
            special_values=special_values,
            monotonic_cst=monotonic_cst,
            positive_class=positive_class,
            solver=solver,
            time_limit=time_limit,
            callback=callback,
            random_state=random_state,
        )
        self.client = client

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn rules from a table in partitions.

        Parameters
        ----------
        X : dask DataFrame, folder, file or list of files
            A Dask frame, or Parquet; a folder is read file by file in the order of the names.
        y : str or dask Series
            The outcome to learn: a column of X, which is then not learned from, or a series with the same partitions.
        sample_weight : str, dask Series or None
            How much each row counts, likewise.
        """
        started = time.perf_counter()
        settings = Settings.checked(self)
        with Cluster(client_of(self.client)) as cluster:
            rows, _ = self._partitioned(cluster, X, y, sample_weight)
            self._learned(rows, settings, started)
            self._keep_reference(rows)
        return self

    def to_local(self) -> RUGClassifier:
        """The same model as a `RUGClassifier`, which needs no cluster: to save, to explain, to open elsewhere."""
        local: RUGClassifier = self._as(RUGClassifier)
        return local


class DaskFairRUGClassifier(FairRUGClassifier, _OnACluster):
    """FairRUGClassifier for tables in partitions on a Dask cluster.

    Parameters
    ----------
    client : distributed.Client or None, default=None
        The cluster to train on; None takes the default client, and no cluster is started where there is none.
    fairness, epsilon, guarantee, positive_class, min_cell_size, confidence, validation_fraction
        As in `FairRUGClassifier`. Of more than a million rows, guarantee="confident" is refused, and so is a group of
        which fewer than 500 rows are compared: both need the rows on one machine.
    max_depth, penalty, max_iter, rule_cost, weight_threshold, pricing, loss, min_support, special_values,
    monotonic_cst, solver, time_limit, callback, random_state
        As in `RUGClassifier`.

    Attributes
    ----------
    All attributes of `FairRUGClassifier`, and the same remark as for `DaskRUGClassifier`.
    """

    def __init__(
        self,
        *,
        client: Any = None,
        fairness: str = "dmc",
        epsilon: float = 0.025,
        guarantee: str = "realised",
        positive_class: Any = None,
        min_cell_size: int = 30,
        confidence: float = 0.95,
        validation_fraction: float | None = None,
        max_depth: int = 3,
        penalty: float = 1.0,
        max_iter: int = 15,
        rule_cost: str = "length",
        weight_threshold: float = 0.05,
        pricing: str = "tree",
        loss: str = "margin",
        min_support: float | None = None,
        special_values: Mapping[str, Any] | None = None,
        monotonic_cst: Any = None,
        solver: str = "auto",
        time_limit: float | None = None,
        callback: Callable[[Round], Any] | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            fairness=fairness,
            epsilon=epsilon,
            guarantee=guarantee,
            positive_class=positive_class,
            min_cell_size=min_cell_size,
            confidence=confidence,
            validation_fraction=validation_fraction,
            max_depth=max_depth,
            penalty=penalty,
            max_iter=max_iter,
            rule_cost=rule_cost,
            weight_threshold=weight_threshold,
            pricing=pricing,
            loss=loss,
            min_support=min_support,
            special_values=special_values,
            monotonic_cst=monotonic_cst,
            solver=solver,
            time_limit=time_limit,
            callback=callback,
            random_state=random_state,
        )
        self.client = client

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, sensitive_features: Any = None) -> Self:
        """Learn fair rules from a table in partitions; otherwise as `FairRUGClassifier.fit`.

        Parameters
        ----------
        X : dask DataFrame, folder, file or list of files
            A Dask frame, or Parquet; a folder is read file by file in the order of the names.
        y : str or dask Series
            The outcome to learn: a column of X, which is then not learned from, or a series with the same partitions.
        sample_weight : str, dask Series or None
            How much each row counts, likewise.
        sensitive_features : str, list of str, dask Series or DataFrame
            Who belongs to which group, likewise; needed.
        """
        started = time.perf_counter()
        settings = Settings.checked(self)
        fair = checked_settings(self)
        if sensitive_features is None:
            raise InputError(
                "Expected sensitive_features, the columns that say which group each row belongs to, but none came. "
                "Pass their names, or use DaskRUGClassifier, which promises nothing about groups."
            )
        with Cluster(client_of(self.client)) as cluster:
            rows, agreed = self._partitioned(cluster, X, y, sample_weight, sensitive_features)
            assert agreed.groups is not None
            self._learned(rows, groups_without_rows(agreed.groups), settings, fair, started)
            self._keep_reference(rows)
        self._warn_if_unfair()
        return self

    def to_local(self) -> FairRUGClassifier:
        """The same model as a `FairRUGClassifier`, which needs no cluster."""
        local: FairRUGClassifier = self._as(FairRUGClassifier)
        return local


def _predicted(frame: pd.DataFrame, model: RuleClassifier) -> pd.Series:
    decided = model.predict(frame) if len(frame) else model.classes_[:0]
    return pd.Series(decided, index=frame.index, name="prediction")


def _chances(frame: pd.DataFrame, model: RuleClassifier) -> pd.DataFrame:
    chances = model.predict_proba(frame) if len(frame) else np.empty((0, len(model.classes_)))
    return pd.DataFrame(chances, index=frame.index, columns=model.classes_)
