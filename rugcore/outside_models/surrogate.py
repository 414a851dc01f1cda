"""Rules that imitate another model, so that it can be read, and how far they can be trusted to be it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from rugcore.errors import InputError
from rugcore.estimators import RUGClassifier
from rugcore.fairness.groups import read_groups
from rugcore.outside_models.fidelity import Fidelity, measured_fidelity
from rugcore.outside_models.reading import decided, labels_of, said_about


def surrogate_rules(
    X: Any,
    decisions: Any,
    *,
    cut_off: float | None = None,
    labels: tuple[Any, Any] | None = None,
    sensitive_features: Any = None,
    n_folds: int = 5,
    confidence: float = 0.95,
    random_state: int = 0,
    progress: Callable[[int, int], object] | None = None,
    **settings: Any,
) -> RUGClassifier:
    """Rules that imitate decisions another model made; `fidelity_` tells how often they agree with it.

    The rules are a reading of the other model, not that model: where `fidelity_` is low, they say little about it. It
    is measured on rows that the rules were not learned from, and kept with the model in memory, not in its file.
    Best pass rows that the other model was not trained on: those it may have learned by heart.

    Parameters
    ----------
    X : table
        The rows, with the columns that rules may mention.
    decisions : labels or scores, one a row, a fitted classifier, or a function
        What the other model says. A classifier or a function is asked about X. Numbers with fractions are scores.
    cut_off : float or None
        Scores at or above it are the second of `labels`. None: 0.5 for scores from 0 to 1. Of a classifier, the
        chance of its second class is cut; None takes its decisions.
    labels : two labels or None
        What scores below the cut-off, and at or above it, are called; None: as the classifier says, or 0 and 1.
    sensitive_features : column or table, one entry per row, or None
        Fidelity is also told by group; rules that are true to the model for one group only would mislead.
    n_folds : int
        How often some of the rows are held out, each once.
    confidence : float
        Of every interval.
    progress : callable or None
        Called before every training with how many are done and how many there are: one a fold, and the last one.
    **settings
        Of `RUGClassifier`, such as max_depth and penalty.
    """
    said = said_about(decisions, X, cut_off)
    wanted = decided(said, cut_off, labels_of(decisions) if labels is None else labels)
    groups = None if sensitive_features is None else read_groups(sensitive_features, len(wanted))
    model = RUGClassifier(random_state=random_state, **settings)
    held_out, n_used = _held_out(model, X, wanted, n_folds, random_state, progress or _silent)
    overall, by_class, by_group = measured_fidelity(held_out == wanted, wanted, groups, confidence)
    (progress or _silent)(n_used, n_used + 1)
    fitted: Any = model.fit(X, wanted)
    fitted.fidelity_ = Fidelity(
        overall=overall,
        by_class=by_class,
        by_group=by_group,
        on_training=float(np.mean(fitted.predict(X) == wanted)),
        always_usual=float(pd.Series(wanted).value_counts(normalize=True).iloc[0]),
        n_folds=n_used,
        confidence=confidence,
    )
    return model


def _silent(n_done: int, n_all: int) -> None:
    """The progress of somebody who does not watch."""


def _held_out(
    model: RUGClassifier,
    X: Any,
    wanted: np.ndarray,
    n_folds: int,
    random_state: int,
    progress: Callable[[int, int], object],
) -> tuple[np.ndarray, int]:
    """What rules learned from the other rows say about every row, and how many times rows were held out."""
    if len(wanted) != len(X):
        raise InputError(f"Expected a decision for every row, but X has {len(X)} rows and there are {len(wanted)}.")
    if not isinstance(n_folds, int) or n_folds < 2:
        raise InputError(f"Expected n_folds to be a whole number, 2 or more, but got {n_folds!r}.")
    counts = pd.Series(wanted).value_counts()
    if len(counts) < 2:
        raise InputError(
            f"Expected at least two different decisions, but all rows are decided {counts.index[0]!r}: there is "
            "nothing to imitate. With scores, try another cut_off."
        )
    if counts.min() < 2:
        raise InputError(
            f"Expected every decision at least twice, to hold rows out, but {counts.idxmin()!r} occurs once. Leave "
            "it out."
        )
    n_used = min(n_folds, int(counts.min()))
    frame = X if isinstance(X, pd.DataFrame) else np.asarray(X)
    answers = np.empty(len(wanted), dtype=wanted.dtype)
    codes = pd.factorize(wanted)[0]
    folds = StratifiedKFold(n_used, shuffle=True, random_state=random_state).split(codes, codes)
    for place, (learned, held) in enumerate(folds):
        progress(place, n_used + 1)
        answers[held] = clone(model).fit(_taken(frame, learned), wanted[learned]).predict(_taken(frame, held))
    return answers, n_used


def _taken(frame: Any, rows: np.ndarray) -> Any:
    return frame.iloc[rows] if isinstance(frame, pd.DataFrame) else frame[rows]
