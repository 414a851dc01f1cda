"""Gaps between groups as single numbers, as scikit-learn's `make_scorer` wants them."""

from typing import Any

import numpy as np

from rugcore.errors import InputError
from rugcore.fairness.audit import Audit, audit
from rugcore.fairness.notions import notion_of
from rugcore.fairness.parity import MIN_CELL_SIZE


def error_rate_gap(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    fairness: str = "dmc",
    positive_class: Any = None,
    sample_weight: Any = None,
    min_cell_size: int = MIN_CELL_SIZE,
) -> float:
    """The largest difference between two groups in the share decided wrongly: 0 = none, 1 = as far apart as can be.

    It is the gap that `FairRUGClassifier` bounds by epsilon and that `fairness_report` prints. With 0/1 classes and
    groups that are all large enough, "dmc" is fairlearn's `equalized_odds_difference`.

    To choose models by it, make a scorer of which less is better, and let scikit-learn pass the groups on:

        sklearn.set_config(enable_metadata_routing=True)
        scorer = make_scorer(error_rate_gap, greater_is_better=False).set_score_request(sensitive_features=True)

    Parameters
    ----------
    y_true, y_pred : labels, one a row
        Text, numbers or true/false.
    sensitive_features : column or table, one entry per row
        Several columns make a group of every combination that occurs; a blank is a group of its own.
    fairness : {"dmc", "odm", "eop", "demographic_parity", "predictive_parity"}, default="dmc"
        Where groups are compared: within every class, over all rows, or within the positive class. The last two are
        not about errors by class: shares decided for the positive class, and of right ones among those.
    positive_class : label or None, default=None
        The class that serves people well; needed by all but "dmc" and "odm" unless the classes are 0 and 1.
    sample_weight : one number per row, or None
        Weighs every rate.
    min_cell_size : int, default=30
        Rates of fewer rows are left out: chance alone would make a gap of them.

    Returns
    -------
    float
        NaN if no two groups can be compared. A gap that nobody can measure must not count as none: scikit-learn's
        searches rank a model with NaN last. What is left out depends on the classes and groups of the rows, not on the
        predictions ("predictive_parity" aside), so all models of a search are compared in the same respects; `audit`
        says what was left out.
    """
    notion = notion_of(fairness).name
    gaps = _audit(y_true, y_pred, sensitive_features, positive_class, sample_weight, min_cell_size).gaps
    if notion not in gaps.index:
        raise _needs_positive_class(f"fairness={fairness!r}")
    return float(gaps["gap"][notion])


def equal_opportunity_gap(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    positive_class: Any = None,
    sample_weight: Any = None,
    min_cell_size: int = MIN_CELL_SIZE,
) -> float:
    """The largest difference between two groups in the share of the positive class that is decided wrongly.

    That is `error_rate_gap` with fairness="eop", and with 0/1 classes fairlearn's `equal_opportunity_difference`.
    Parameters and NaN as in `error_rate_gap`.
    """
    return error_rate_gap(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        fairness="eop",
        positive_class=positive_class,
        sample_weight=sample_weight,
        min_cell_size=min_cell_size,
    )


def demographic_parity_gap(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    positive_class: Any = None,
    sample_weight: Any = None,
    min_cell_size: int = MIN_CELL_SIZE,
) -> float:
    """The largest difference between two groups in the share decided positive, whatever they deserved.

    `y_true` only tells which classes there are; it is there because scorers pass it. With 0/1 classes this is
    fairlearn's `demographic_parity_difference`. Parameters and NaN as in `error_rate_gap`.
    """
    found = _audit(y_true, y_pred, sensitive_features, positive_class, sample_weight, min_cell_size)
    if found.positive_class is None:
        raise _needs_positive_class("demographic parity")
    return float(found.parity.difference)


def _audit(
    y_true: Any, y_pred: Any, sensitive_features: Any, positive_class: Any, sample_weight: Any, min_cell_size: int
) -> Audit:
    """One of several folds may happen to lack a class that is predicted: both columns say which classes there are."""
    return audit(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        positive_class=positive_class,
        sample_weight=sample_weight,
        min_cell_size=min_cell_size,
        classes=_labels_of(y_true, y_pred),
    )


def _labels_of(*columns: Any) -> list[Any] | None:
    """All labels that occur; None where a column is not one of labels, which the audit says in a sentence."""
    try:
        arrays = [np.asarray(column, dtype=object).ravel() for column in columns]
        return list({label for array in arrays for label in array.tolist() if label == label})
    except (TypeError, ValueError):
        return None


def _needs_positive_class(what: str) -> InputError:
    return InputError(
        f"Expected positive_class, because {what} looks at one class only and the classes are not 0 and 1. Pass the "
        "class that serves people well, such as positive_class='granted'."
    )
