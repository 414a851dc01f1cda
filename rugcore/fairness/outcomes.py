"""What an audit looks at: true and predicted classes, groups and weights, checked at the door."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd

from rugcore.errors import InputError
from rugcore.fairness.groups import Groups, read_groups
from rugcore.fairness.notions import Stratum, positive_code
from rugcore.tables.table import plain_value
from rugcore.tables.validation import read_weights


@dataclass(frozen=True, eq=False)
class Outcomes:
    """One entry per row, or per kind of row: numbers of the true and of the predicted class, the group, the weight."""

    classes: tuple[Any, ...]
    positive: int | None  # number of the positive class, where it is known
    true: np.ndarray
    predicted: np.ndarray
    groups: Groups
    weight: np.ndarray
    repeats: np.ndarray | None = None  # how many rows each entry stands for; None: one

    @property
    def n_rows(self) -> np.ndarray:
        """Of every entry."""
        return np.ones(len(self.true), dtype=np.int64) if self.repeats is None else self.repeats

    @property
    def is_wrong(self) -> np.ndarray:
        return self.true != self.predicted

    def among(self, stratum: Stratum) -> np.ndarray:
        """Which rows a stratum looks at."""
        return np.asarray(stratum.among[self.true, self.predicted])

    def counted(self, stratum: Stratum) -> np.ndarray:
        """Which rows it counts."""
        return np.asarray(stratum.counted[self.true, self.predicted])


@dataclass(frozen=True)
class Estimation:
    """How many rows a rate needs, and how sure its interval is."""

    min_cell_size: int
    confidence: float

    @classmethod
    def checked(cls, min_cell_size: Any, confidence: Any) -> "Estimation":
        if not isinstance(min_cell_size, Integral) or isinstance(min_cell_size, bool) or min_cell_size < 1:
            raise InputError(f"Expected min_cell_size to be a whole number, 1 or more, but got {min_cell_size!r}.")
        if not _is_number(confidence) or not 0 < confidence < 1:
            raise InputError(f"Expected confidence to lie between 0 and 1, such as 0.95, but got {confidence!r}.")
        return cls(int(min_cell_size), float(confidence))


def check_epsilon(epsilon: Any) -> float:
    """NaN for none: then nothing is met or missed."""
    if epsilon is None:
        return float("nan")
    if not _is_number(epsilon) or not 0 <= epsilon <= 1:
        raise InputError(f"Expected epsilon to be a number from 0 to 1, but got {epsilon!r}.")
    return float(epsilon)


def _is_number(item: Any) -> bool:
    return isinstance(item, Real) and not isinstance(item, bool) and math.isfinite(item)


def read_outcomes(
    y_true: Any,
    y_pred: Any,
    sensitive_features: Any,
    positive_class: Any = None,
    sample_weight: Any = None,
    classes: Sequence[Any] | None = None,
    repeats: Any = None,
) -> Outcomes:
    """The classes are the given ones, or those of `y_true` and a predicted positive class; others are refused."""
    true, predicted = _labels(y_true, "y_true"), _labels(y_pred, "y_pred")
    if len(true) != len(predicted):
        raise InputError(
            f"Expected one prediction per row, but y_true has {len(true)} rows and y_pred {len(predicted)}."
        )
    if not len(true):
        raise InputError("Expected at least one row to audit, but y_true is empty.")
    if sensitive_features is None:
        raise InputError(
            "Expected sensitive_features, one value per row that says which group it belongs to, but got None."
        )
    known = _sorted(classes if classes is not None else _classes_seen(true, predicted, positive_class))
    hint = "" if classes is not None else "; pass classes=... if one of them does not occur in y_true"
    return Outcomes(
        classes=tuple(known),
        positive=positive_code(positive_class, np.array(known, dtype=object)),
        true=_numbers(true, known, "y_true", hint),
        predicted=_numbers(predicted, known, "y_pred", hint),
        groups=read_groups(sensitive_features, len(true)),
        weight=_weights(sample_weight, len(true)),
        repeats=None if repeats is None else _repeats(repeats, len(true)),
    )


def _repeats(given: Any, n_entries: int) -> np.ndarray:
    repeats = np.asarray(given)
    if repeats.shape != (n_entries,) or repeats.dtype.kind not in "iu" or (repeats < 0).any():
        raise InputError(
            f"Expected repeats to hold a whole number, 0 or more, for each of {n_entries} entries: how many rows it "
            "stands for."
        )
    if not repeats.any():
        raise InputError("Expected at least one row to audit, but all repeats are 0.")
    return repeats.astype(np.int64)


def _weights(sample_weight: Any, n_rows: int) -> np.ndarray:
    """Relative to the largest: squares of tiny weights would vanish."""
    try:
        weight = read_weights(sample_weight, n_rows)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"Expected sample_weight to hold one finite number for each of {n_rows} rows.") from error
    return weight / weight.max()


def _labels(items: Any, name: str) -> pd.Series:
    """Labels as they are, whatever holds them; a list of text and numbers must not become all text."""
    try:
        series = pd.Series(_one_column(items, name)).astype(object).reset_index(drop=True)
        n_blank = int(series.isna().sum())
        series.unique()  # what cannot be hashed is no label
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"Expected {name} to be one column of labels, but got {type(items).__name__}.") from error
    if n_blank:
        raise InputError(f"Expected a class in every row, but {name} is blank in {n_blank}. Leave those rows out.")
    return series


def _one_column(items: Any, name: str) -> Any:
    if isinstance(items, str | bytes | dict) or items is None:
        raise InputError(f"Expected {name} to be one column of labels, but got {items!r}.")
    shape: tuple[int, ...] = getattr(items, "shape", ())
    if len(shape) == 2 and shape[1] == 1:
        return np.asarray(items, dtype=object)[:, 0]
    return items if len(shape) == 1 else list(items) if not shape else np.asarray(items)


def _classes_seen(true: pd.Series, predicted: pd.Series, positive_class: Any) -> list[Any]:
    """Rows at hand may happen to lack the positive class; that it is predicted shows that it is no slip of the pen."""
    seen = [plain_value(item) for item in true.unique()]
    is_new = positive_class is not None and positive_class not in seen and _is_alike(positive_class, seen)
    return [*seen, plain_value(positive_class)] if is_new and (predicted == positive_class).any() else seen


def _sorted(classes: Sequence[Any]) -> list[Any]:
    try:
        return sorted({plain_value(item) for item in classes})
    except TypeError as error:
        raise InputError(
            "Expected classes of one kind, but y_true mixes text and numbers. Make them all text: y.astype(str)."
        ) from error


def _is_alike(item: Any, known: Sequence[Any]) -> bool:
    """Text is no class among numbers, nor a number among text."""
    return all(isinstance(item, str) == isinstance(other, str) for other in known)


def _numbers(labels: pd.Series, classes: list[Any], name: str, hint: str) -> np.ndarray:
    codes, found = pd.factorize(labels)
    place = {label: number for number, label in enumerate(classes)}
    values = [plain_value(item) for item in found]
    unknown = [item for item in values if item not in place]
    if unknown:
        listed = ", ".join(repr(item) for item in classes[:10]) + (", ..." if len(classes) > 10 else "")
        raise InputError(
            f"Expected {name} to hold the classes {listed}, but it holds {unknown[0]!r}. Check that classes are "
            f"written the same way everywhere{hint}."
        )
    return np.array([place[item] for item in values], dtype=np.int64)[codes]
