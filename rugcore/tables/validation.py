"""What comes in from outside, checked at the door."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_sample_weight, check_array, validate_data

from rugcore.errors import InputError
from rugcore.tables.table import Table, plain_value, read_table


@dataclass(frozen=True)
class Target:
    """The classes that occur, sorted, and the number of each row's class."""

    classes: np.ndarray
    codes: np.ndarray

    def take(self, is_taken: np.ndarray) -> "Target":
        """The classes of some rows only: one that does not occur among them is none."""
        present, codes = np.unique(self.codes[is_taken], return_inverse=True)
        return Target(self.classes[present], codes)


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
    if isinstance(X, pd.DataFrame):
        _refuse_empty(X)
    else:
        X = _as_array(estimator, X)
    try:
        validate_data(estimator, X, reset=False, skip_check_array=True)
    except ValueError as error:
        raise InputError(f"{error}{_hint(estimator, X)}") from error
    if isinstance(X, pd.DataFrame) and not hasattr(estimator, "feature_names_in_"):
        estimator.schema_.refuse_other_names(X)
    table: Table = estimator.schema_.read(X)
    return table


def _hint(estimator: Any, X: Any) -> str:
    """What to do about columns that are not those of training."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None or not isinstance(X, pd.DataFrame):
        return ""
    if set(names) <= set(X.columns):
        return " Select the training columns first: X[list(model.feature_names_in_)]."
    return " Add the missing columns; one whose values are not known may be left blank."


def _as_array(estimator: Any, X: Any) -> np.ndarray:
    X = _keeping_kinds(X)
    _refuse_complex(X, "X")
    return np.asarray(check_array(X, dtype=None, ensure_all_finite=False, estimator=estimator, input_name="X"))


def _keeping_kinds(items: Any) -> Any:
    """Lists as an array. If there is text among numbers, numpy would turn the numbers into text as well."""
    if not isinstance(items, list | tuple):
        return items
    try:
        array = np.asarray(items)
    except ValueError:  # rows of different lengths; scikit-learn says so in its own words
        return items
    return np.array(items, dtype=object) if array.dtype.kind in "US" else array


def _refuse_complex(array: Any, name: str) -> None:
    if isinstance(array, np.ndarray) and array.dtype.kind == "c":
        raise InputError(f"Complex data not supported: {name} holds complex numbers. Pass the real parts.")


def _refuse_empty(frame: pd.DataFrame) -> None:
    if not frame.shape[1]:
        raise InputError("Expected a table with at least one column, but X has 0 feature(s).")
    if not len(frame):
        raise InputError("Expected a table with at least one row, but X has 0 sample(s).")


def read_target(y: Any, n_rows: int) -> Target:
    """The classes; blanks, a single class and a continuous target are refused."""
    labels = labels_of(y)
    if len(labels) != n_rows:
        raise InputError(f"Expected one label per row, but X has {n_rows} rows and y has {len(labels)} labels.")
    refuse_blanks(int(pd.isna(labels).sum()), n_rows)
    codes, found = pd.factorize(labels)  # linear: it hashes
    _refuse_other_classes(found)
    _refuse_continuous(labels)
    try:
        classes, rank = np.unique(found, return_inverse=True)
    except TypeError as error:
        raise InputError(
            "Expected classes of one kind, but y mixes text and numbers. Make them all text: y.astype(str)."
        ) from error
    if len(classes) < 2:
        raise InputError(
            f"Expected at least two classes, but y holds only one class: {plain_value(classes[0])!r}. "
            "There is nothing to tell apart."
        )
    return Target(classes, rank[codes])


def refuse_blanks(n_blank: int, n_rows: int) -> None:
    if n_blank:
        raise InputError(
            f"Expected a class for every row, but the target y is blank (NaN) in {n_blank} of {n_rows} "
            "rows. Leave those rows out of training."
        )


def labels_of(y: Any) -> np.ndarray:
    """One label per row, as an array: blanks are still among them."""
    if y is None:
        raise InputError("This estimator requires y to be passed, but the target y is None.")
    if isinstance(y, pd.Series | pd.Categorical | pd.Index):
        return _numbers_as_such(pd.Series(y))
    y = _keeping_kinds(y)
    _refuse_complex(y, "y")
    labels = np.asarray(check_array(y, ensure_2d=False, dtype=None, ensure_all_finite=False, input_name="y"))
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = np.asarray(column_or_1d(labels, warn=True))
    if labels.ndim != 1:
        raise InputError(f"Expected y to be one column of labels, but it has the shape {labels.shape}.")
    return _numbers_as_such(pd.Series(labels, dtype=object)) if labels.dtype.kind == "O" else labels


def _numbers_as_such(series: pd.Series) -> np.ndarray:
    """Labels as an array: numbers and true/false as such, also from objects; everything else as objects."""
    if types.is_object_dtype(series.dtype) or isinstance(series.dtype, pd.CategoricalDtype):
        series = series.astype(object).infer_objects()
    is_plain = series.dtype.kind in "iufb" and not series.isna().any()
    return np.asarray(series.to_numpy() if is_plain else series.astype(object).to_numpy())


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


def _refuse_other_classes(labels: np.ndarray) -> None:
    """A class must be something that a person can read and a file can hold."""
    if labels.dtype.kind in "iufbU":
        return
    kinds = {type(plain_value(item)) for item in labels} if labels.dtype.kind == "O" else {labels.dtype.type}
    for kind in kinds:
        if not issubclass(kind, str | bool | int | float):
            raise InputError(
                f"Expected classes that are text, numbers or true/false, but y holds {kind.__name__}. Turn "
                "them into text first: y.astype(str)."
            )


def read_weights(sample_weight: Any, n_rows: int) -> np.ndarray:
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
