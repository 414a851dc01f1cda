"""What another model says about every row: decisions as they are, or scores with a cut-off."""

from typing import Any

import numpy as np
import pandas as pd

from rugcore.errors import InputError

HALF = 0.5  # where chances are cut if nobody says otherwise


def said_about(decisions: Any, X: Any, cut_off: float | None, above: Any = None) -> np.ndarray:
    """Decisions or scores, one a row: as given, or from a fitted classifier or a function, which is asked about X."""
    if not (hasattr(decisions, "predict") or callable(decisions)):
        return _one_column(decisions)
    if X is None:
        raise InputError("Expected X, the rows that the model is to be asked about, but none came. Pass X=...")
    if not hasattr(decisions, "predict"):
        return _one_column(decisions(X))
    if cut_off is None:
        return _one_column(decisions.predict(X))
    return _chances(decisions, X, above)


def _chances(model: Any, X: Any, above: Any) -> np.ndarray:
    """The chance of one class: `above`, or the second of two."""
    if not hasattr(model, "predict_proba"):
        raise InputError(
            f"Expected a model with predict_proba to cut its chances at cut_off, but {type(model).__name__} has none. "
            "Leave out cut_off to take its decisions, or pass its scores."
        )
    classes = list(model.classes_)
    wanted = classes[-1] if above is None else above
    if len(classes) != 2 or wanted not in classes:
        raise InputError(f"Expected a model of two classes with {wanted!r} among them, but it has {classes}.")
    return np.asarray(model.predict_proba(X))[:, classes.index(wanted)]


def _one_column(items: Any) -> np.ndarray:
    """Also of two columns, which are chances of two classes: the second."""
    found: np.ndarray = _as_array(items)
    is_chances = found.ndim == 2 and len(found.T) == 2 and is_score(found)
    if is_chances or (found.ndim == 2 and len(found.T) == 1):
        found = found[:, -1]
    if found.ndim != 1:
        raise InputError(f"Expected one decision or score a row, but they have the shape {found.shape}.")
    n_blank = int(pd.isna(found).sum())
    if n_blank:
        raise InputError(
            f"Expected a decision or score for every row, but {n_blank} of {len(found)} are blank. Leave them out."
        )
    return found


def _as_array(items: Any) -> np.ndarray:
    if isinstance(items, pd.Series | pd.Categorical | pd.Index):
        series = pd.Series(items)
        is_plain = series.dtype.kind in "iufb" and not series.isna().any()
        return np.asarray(series.to_numpy() if is_plain else series.astype(object).infer_objects().to_numpy())
    return np.asarray(items)


def is_score(items: np.ndarray) -> bool:
    """Numbers with fractions are scores; whole numbers, text and true/false are decisions."""
    return bool(items.dtype.kind == "f" and (items != np.floor(items)).any())


def cut_of(scores: np.ndarray, cut_off: float | None) -> float:
    """Where scores are cut: as said, or chances in the middle."""
    if cut_off is not None:
        is_number = isinstance(cut_off, int | float) and not isinstance(cut_off, bool) and np.isfinite(cut_off)
        if not is_number:
            raise InputError(f"Expected cut_off to be a number, but got {cut_off!r}.")
        return float(cut_off)
    if scores.min() >= 0 and scores.max() <= 1:
        return HALF
    raise InputError(
        f"Expected cut_off with scores from {scores.min():g} to {scores.max():g}: nobody but you knows "
        "where to cut them. Pass cut_off=..."
    )


def labels_of(decisions: Any) -> tuple[Any, Any]:
    """What scores below and at or above the cut-off are called, if nobody says: as the classifier does, or 0 and 1."""
    classes = [item.item() if isinstance(item, np.generic) else item for item in getattr(decisions, "classes_", (0, 1))]
    return (classes[0], classes[1]) if len(classes) == 2 else (0, 1)


def decided(said: np.ndarray, cut_off: float | None, labels: tuple[Any, Any]) -> np.ndarray:
    """Decisions; scores at or above the cut-off are the second label. A cut-off makes scores of any numbers."""
    if cut_off is None and not is_score(said):
        return said
    if said.dtype.kind not in "iufb":
        raise InputError(
            "Expected scores, which are numbers, to go with cut_off, but got decisions. Leave out cut_off."
        )
    below, above = labels
    kept = None if isinstance(below, int | float) and isinstance(above, int | float) else object
    return np.array([below, above], dtype=kept)[(said >= cut_of(said, cut_off)).astype(int)]
