"""Which settings are worth their rules? Cross-validation over depths and prices, with the same folds for all."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, check_cv

from rugcore.errors import InputError, RugError
from rugcore.estimators import FairRUGClassifier, RUGClassifier
from rugcore.fairness.metrics import error_rate_gap
from rugcore.selection.curve import SettingsCurve, SettingsPoint
from rugcore.selection.rows import WeighedRows, check_callback, seed_of, trained
from rugcore.tables.table import plain_value
from rugcore.training.settings import DEEPEST, check_real, check_whole

DEPTHS = (1, 2, 3, 4, 5)
PENALTIES = (0.3, 1, 3, 10, 30)
CHOSEN_HERE = {"max_depth": "depths", "penalty": "penalties", "callback": "callback(done, total)"}
NAN = float("nan")


def choose_settings(
    X: Any,
    y: Any,
    *,
    depths: Sequence[int] = DEPTHS,
    penalties: Sequence[float] = PENALTIES,
    cv: Any = 5,
    sensitive_features: Any = None,
    about_n_rules: float | None = None,
    sample_weight: Any = None,
    random_state: Any = 0,
    callback: Callable[[int, int], Any] | None = None,
    **settings: Any,
) -> SettingsCurve:
    """Accuracy on rows not trained on, against what there is to read, for every depth and penalty; and which to take.

    The rows are cut into folds, the same for all settings. Every setting is trained without each fold in turn and
    measured on it. Every one is a training of its own: `refit` would be up to five times quicker, but what it keeps for
    a high price can have three times the rules of a training at that price, and this curve is about just that.

    The highest of many figures is a lucky one as well: expect a little less of it on new rows.

    Parameters
    ----------
    X, y
        The rows to learn from; best without those on which the chosen model is to be judged in the end.
    depths : sequence of int, default=(1, 2, 3, 4, 5)
        The values of `max_depth` to try.
    penalties : sequence of float, default=(0.3, 1, 3, 10, 30)
        The values of `penalty` to try, with every depth.
    cv : int or splitter of scikit-learn, default=5
        How many folds, each with the same shares of the outcomes; or for example `TimeSeriesSplit()`.
    sensitive_features : column or table, one entry per row, or None
        If given, `FairRUGClassifier` is tried instead of `RUGClassifier`, and every setting has its gap on the rows not
        trained on.
    about_n_rules : float or None
        How many rules you want to read, more or less: changes what is recommended.
    sample_weight : one number per row, or None
        Weighs training and accuracy.
    random_state : int or None
        Decides the folds.
    callback : callable or None
        Called as callback(done, total) after every training; returning False ends it with the settings that were
        measured on all folds until then.
    settings
        Other parameters of the classifier by name, such as max_iter=5, or epsilon=0.05 with sensitive_features.
    """
    check_callback(callback)
    if about_n_rules is not None:
        check_real("about_n_rules", about_n_rules, 0.0)
    grid = list(product(_values("depths", depths, _check_depth), _values("penalties", penalties, _check_penalty)))
    seed = seed_of(random_state)
    kind = RUGClassifier if sensitive_features is None else FairRUGClassifier
    given = _checked_settings(kind, settings) | {"random_state": seed}
    rows = WeighedRows.read(X, y, sensitive_features, sample_weight)
    folds = [_Fold.of(rows, *parts) for parts in _cut(rows, cv, seed)]
    points = list(_points(kind, given, grid, folds, callback))
    if not points:
        raise RugError("Expected to measure at least one setting on all folds, but the callback ended it before.")
    return SettingsCurve(tuple(points), kind, given, len(grid), len(folds), rows.n_rows, about_n_rules)


def _values(name: str, values: Any, check: Callable[[Any], None]) -> list[Any]:
    if isinstance(values, str) or not np.iterable(values):
        raise InputError(
            f"Expected {name} to be several numbers, such as [1, 3], but got {values!r}. Put it in a list."
        )
    plain = [plain_value(value) for value in values]
    for value in plain:
        check(value)
    if not plain:
        raise InputError(f"Expected at least one number in {name}, but got none.")
    return sorted(set(plain))


def _check_depth(depth: Any) -> None:
    check_whole("every one of depths", depth, 1, DEEPEST)


def _check_penalty(penalty: Any) -> None:
    check_real("every one of penalties", penalty, 0.0)


def _checked_settings(kind: type, settings: dict[str, Any]) -> dict[str, Any]:
    known = sorted(set(kind().get_params()) - set(CHOSEN_HERE) - {"random_state"})
    for name in settings:
        if name in CHOSEN_HERE:
            raise InputError(f"Expected {CHOSEN_HERE[name]} instead of {name}, but got {name}. Leave it out.")
        if name not in known:
            raise InputError(f"Expected parameters of {kind.__name__} ({', '.join(known)}), but got {name!r}.")
    return dict(settings)


def _cut(rows: WeighedRows, cv: Any, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    codes = rows.target.codes
    is_splitter = not isinstance(cv, str) and (hasattr(cv, "split") or np.iterable(cv))
    if not is_splitter:
        check_whole("cv", cv, 2)
        _refuse_rare_classes(rows, cv)
        cv = StratifiedKFold(cv, shuffle=True, random_state=seed)
    try:
        yield from check_cv(cv).split(np.zeros((len(codes), 1)), codes)
    except (TypeError, ValueError) as error:
        raise InputError(f"Expected cv to cut {len(codes):,} rows into folds, but it cannot: {error}") from error


def _refuse_rare_classes(rows: WeighedRows, n_folds: int) -> None:
    counts = np.bincount(rows.target.codes)
    rarest = int(np.argmin(counts))
    if counts[rarest] < n_folds:
        name = plain_value(rows.target.classes[rarest])
        raise InputError(
            f"Expected at least {n_folds} rows of every outcome, one for each fold, but {name!r} has {counts[rarest]}. "
            "Take a smaller cv, or leave out or join rare outcomes."
        )


@dataclass(frozen=True, eq=False)
class _Fold:
    """Rows to learn from, rows to measure on, and what always saying the most common outcome is worth there."""

    train: WeighedRows
    test: WeighedRows
    baseline: float

    @classmethod
    def of(cls, rows: WeighedRows, train: np.ndarray, test: np.ndarray) -> "_Fold":
        learned, measured = rows.take(train), rows.take(test)
        most_common = np.argmax(np.bincount(learned.target.codes, learned.weight))
        return cls(learned, measured, _accuracy(measured, learned.target.classes[most_common]))


def _accuracy(rows: WeighedRows, decided: Any) -> float:
    return float(np.average(rows.labels == decided, weights=rows.weight))


def _points(
    kind: type,
    given: dict[str, Any],
    grid: list[tuple[int, float]],
    folds: list[_Fold],
    callback: Callable[[int, int], Any] | None,
) -> Iterator[SettingsPoint]:
    """A setting at a time, each as soon as it is measured on all folds."""
    total = len(grid) * len(folds)
    for number, (depth, penalty) in enumerate(grid):
        untrained = kind(max_depth=depth, penalty=penalty, **given)
        lines = []
        for done, fold in enumerate(folds, start=number * len(folds) + 1):
            model = trained(untrained, fold.train)
            lines.append(_Measured(model.predict(fold.test.X), len(model.rules_), sum(r.length for r in model.rules_)))
            is_cancelled = callback is not None and callback(done, total) is False
            if is_cancelled and len(lines) < len(folds):
                return
        yield _point(untrained, folds, lines)
        if is_cancelled:
            return


@dataclass(frozen=True, eq=False)
class _Measured:
    decided: np.ndarray
    n_rules: int
    n_conditions: int


def _point(model: Any, folds: list[_Fold], lines: list[_Measured]) -> SettingsPoint:
    return SettingsPoint(
        depth=model.max_depth,
        penalty=model.penalty,
        fold_accuracy=tuple(_accuracy(fold.test, line.decided) for fold, line in zip(folds, lines, strict=True)),
        fold_baseline=tuple(fold.baseline for fold in folds),
        n_rules=float(np.mean([line.n_rules for line in lines])),
        n_conditions=float(np.mean([line.n_conditions for line in lines])),
        test_share=float(np.mean([fold.test.n_rows / fold.train.n_rows for fold in folds])),
        gap=_gap(model, folds, lines) if isinstance(model, FairRUGClassifier) else NAN,
    )


def _gap(model: FairRUGClassifier, folds: list[_Fold], lines: list[_Measured]) -> float:
    """Between groups, over the held-out rows of all folds together: those of one are often too few."""
    groups = [fold.test.groups for fold in folds]
    assert all(groups)
    names = np.concatenate([np.array(own.names, dtype=object)[own.codes] for own in groups if own is not None])
    return error_rate_gap(
        np.concatenate([fold.test.labels for fold in folds]),
        np.concatenate([line.decided for line in lines]),
        sensitive_features=names,
        fairness=model.fairness,
        positive_class=model.positive_class,
        sample_weight=np.concatenate([fold.test.weight for fold in folds]),
        min_cell_size=model.min_cell_size,
    )
