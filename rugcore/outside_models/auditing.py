"""An audit of decisions or scores that another model made."""

from typing import Any

import numpy as np
import pandas as pd

from rugcore.errors import InputError
from rugcore.fairness.audit import Audit, audit
from rugcore.outside_models.reading import decided, is_score, said_about


def audit_decisions(
    y_true: Any,
    decisions: Any,
    *,
    sensitive_features: Any,
    X: Any = None,
    cut_off: float | None = None,
    above: Any = None,
    positive_class: Any = None,
    **options: Any,
) -> Audit:
    """`audit` for decisions, or scores with a cut-off, that any other model made.

    Parameters
    ----------
    y_true : labels, one a row
        What turned out to be true.
    decisions : labels or scores, one a row, a fitted classifier, or a function
        What the other model says; a classifier or a function is asked about X. Numbers with fractions are scores.
    sensitive_features : column or table, one entry per row
        Several columns make a group of every combination that occurs; a blank is a group of its own.
    X : table or None
        The rows to ask a classifier or a function about.
    cut_off : float or None
        Scores at or above it stand for `above`, others for the other class. None: 0.5 for scores from 0 to 1.
    above : label or None
        The class that high scores stand for; None: the positive class. Of a score of risk, it is the other one.
    positive_class : label or None
        The class that serves people well. Not needed if the classes are 0 and 1, or false and true: then it is 1.
    **options
        epsilon, fairness, sample_weight, min_cell_size, confidence and classes, as in `audit`.
    """
    said = said_about(decisions, X, cut_off, above if above is not None else positive_class)
    if cut_off is not None or is_score(said):
        said = decided(said, cut_off, _labels(y_true, above, positive_class))
    return audit(y_true, said, sensitive_features=sensitive_features, positive_class=positive_class, **options)


def _labels(y_true: Any, above: Any, positive_class: Any) -> tuple[Any, Any]:
    """The class of low scores, and that of high ones."""
    classes = [item.item() if isinstance(item, np.generic) else item for item in pd.unique(pd.Series(y_true).dropna())]
    high = above if above is not None else positive_class
    if high is None and set(classes) <= {0, 1}:
        high = next((item for item in classes if item == 1), 1)
    if len(classes) != 2 or high not in classes:
        raise InputError(
            "Expected two classes in y_true, and above or positive_class to say which one high scores stand for, but "
            f"got {classes[:5]} and {high!r}."
        )
    return next(item for item in classes if item != high), high
