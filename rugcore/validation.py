"""What comes in from outside, checked at the door."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_array, validate_data

from rugcore.encoding.table import Table, plain_value, read_table
from rugcore.errors import InputError


@dataclass(frozen=True)
class Target:
    """The classes that occur, sorted, and the number of each row's class."""

    classes: np.ndarray
    numbers: np.ndarray


def training_table(estimator: Any, X: Any) -> Table:
    """The training table; sets `n_features_in_` and `feature_names_in_` on the estimator."""
    if isinstance(X, pd.DataFrame):
        _refuse_empty(X)
        table = read_table(X)
        validate_data(estimator, X, skip_check_array=True)
        return table
    array = _as_array(estimator, X)
    validate_data(estimator, array, skip_check_array=True)
    return read_table(array)


def table_to_predict(estimator: Any, X: Any) -> Table:
    """A table with the training columns, in the training order."""
    if not isinstance(X, pd.DataFrame):
        X = _as_array(estimator, X)
    else:
        _refuse_empty(X)
    try:
        validate_data(estimator, X, reset=False, skip_check_array=True)
    except ValueError as error:
        hint = " Select the training columns first: X[list(model.feature_names_in_)]."
        raise InputError(f"{error}{hint if hasattr(estimator, 'feature_names_in_') else ''}") from error
    return estimator.schema_.read(X)


def _as_array(estimator: Any, X: Any) -> np.ndarray:
    return check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator, input_name="X")


def _refuse_empty(frame: pd.DataFrame) -> None:
    if not frame.shape[1]:
        raise InputError("Expected a table with at least one column, but X has 0 feature(s).")
    if not len(frame):
        raise InputError("Expected a table with at least one row, but X has 0 sample(s).")


def read_target(y: Any, n_rows: int) -> Target:
    """The classes; blanks, a single class and a continuous target are refused."""
    labels = _labels(y)
    if len(labels) != n_rows:
        raise InputError(f"Expected one label a row, but X has {n_rows} rows and y has {len(labels)} labels.")
    n_missing = int(pd.isna(labels).sum())
    if n_missing:
        raise InputError(
            f"Expected a class for every row, but the target y is blank (NaN) in {n_missing} of {n_rows} rows. "
            "Leave those rows out of training."
        )
    _refuse_continuous(labels)
    try:
        classes, numbers = np.unique(labels, return_inverse=True)
    except TypeError as error:
        raise InputError("Expected classes of one kind, but y mixes text and numbers.") from error
    if len(classes) < 2:
        raise InputError(
            f"Expected at least two classes, but y holds only one class: {plain_value(classes[0])!r}. "
            "There is nothing to tell apart."
        )
    return Target(classes, numbers)


def _labels(y: Any) -> np.ndarray:
    if y is None:
        raise InputError("This estimator requires y to be passed, but the target y is None.")
    if isinstance(y, pd.Series | pd.Categorical | pd.Index):
        series = pd.Series(y)
        values = series.to_numpy() if series.dtype.kind in "iufb" else series.astype(object).to_numpy()
        return np.asarray(values)
    labels = np.asarray(check_array(y, ensure_2d=False, dtype=None, ensure_all_finite=False, input_name="y"))
    if labels.ndim == 2 and labels.shape[1] == 1:
        from sklearn.utils import column_or_1d

        return column_or_1d(labels, warn=True)
    if labels.ndim != 1:
        raise InputError(f"Expected y to be one column of labels, but it has the shape {labels.shape}.")
    return labels


def _refuse_continuous(labels: np.ndarray) -> None:
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise InputError("Expected classes, but y holds an infinity (inf).")
    if labels.dtype.kind == "f" and type_of_target(labels) == "continuous":
        example = labels[labels != np.floor(labels)][0]
        raise InputError(
            f"Unknown label type: continuous. Expected classes, but y holds fractions such as {example}. "
            "Cut the target into bands first."
        )
    if labels.dtype.kind != "O":
        check_classification_targets(labels)


def read_weights(sample_weight: Any, X: Any, n_rows: int) -> np.ndarray:
    """One non-negative, finite weight a row, not all zero."""
    if sample_weight is None:
        return np.ones(n_rows)
    placeholder = np.empty((n_rows, 1))  # only its length is looked at; X itself may hold text
    weight = _check_sample_weight(sample_weight, placeholder, dtype=np.float64)
    if np.any(weight < 0):
        raise InputError(f"Expected sample_weight to be non-negative, but it goes down to {weight.min():g}.")
    if not weight.sum() > 0:
        raise InputError("Expected some positive sample_weight, but all weights are zero.")
    return weight
