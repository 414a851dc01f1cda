"""All models on the same rows: trained where they are not yet, measured alike, one line each."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from rugcore.comparison.boolean_rules import BooleanRulesClassifier
from rugcore.comparison.peers import PeerClassifier
from rugcore.comparison.sizes import UNKNOWN_SIZE, Size, size_of
from rugcore.comparison.tree_rules import TreeRulesClassifier
from rugcore.errors import InputError
from rugcore.estimators import FairRUGClassifier, RUGClassifier, RuleClassifier
from rugcore.fairness.audit import audit
from rugcore.fairness.notions import positive_code
from rugcore.tables.table import plain_value

NAN = float("nan")


@dataclass(frozen=True)
class Step:
    """What is about to happen; a callback that returns False ends the comparison before it does."""

    name: str  # of the model
    stage: Literal["train", "measure"]
    number: int  # of the model, from 1
    total: int


@dataclass(frozen=True, eq=False)
class ModelRow:
    """One model, measured on the test rows."""

    name: str
    accuracy: float
    f1_binary: float  # of the positive class; NaN if none is known
    f1_macro: float
    f1_weighted: float
    auc: float  # with more than two classes: each against the rest, averaged
    gaps: dict[str, float]  # by notion, from the audit; empty without groups, NaN where not estimable
    size: Size  # `UNKNOWN_SIZE` if only its decisions are known
    fit_seconds: float  # NaN if nobody knows, as for a model read from a file without its history
    predicted: np.ndarray
    model: Any  # None if only its decisions are known


def compare(
    models: Mapping[str, RUGClassifier | PeerClassifier | BooleanRulesClassifier | TreeRulesClassifier],
    X_train: Any,
    y_train: Any,
    X_test: Any,
    y_test: Any,
    *,
    sensitive_features: Any = None,
    training_groups: Any = None,
    positive_class: Any = None,
    progress: Callable[[Step], Any] | None = None,
) -> Iterator[ModelRow]:
    """Several models on the same rows: accuracy, gaps, size and time, one line per model as soon as it is there.

    A trained model is measured as it is; of one that is not, a copy is trained on the training rows.

    Parameters
    ----------
    models : dict
        By name; `default_peers()` has one of every other kind.
    X_train, y_train, X_test, y_test
        What untrained models learn from, and what all are measured on.
    sensitive_features : column or table, one entry a test row, or None
        Only measured: no model trained here sees them unless they stand in X as well.
    training_groups : column or table, one entry a training row, or None
        What fair lists and trees learn from; FairRUG has to be trained already.
    positive_class : label or None
        The class that serves people well.
    progress : callable or None
        Called with every step; returning False ends the comparison. What is under way in another package is finished
        first.
    """
    if not models:
        raise InputError("Expected at least one model to compare, but got none.")
    truth = _Truth.of(y_test, sensitive_features, positive_class)
    return _rows(models, (X_train, y_train, training_groups), X_test, truth, progress or _go_on)


def _go_on(step: Step) -> bool:  # noqa: ARG001
    return True


def _rows(
    models: Mapping[str, Any],
    training: tuple[Any, Any, Any],
    X_test: Any,
    truth: "_Truth",
    progress: Callable[[Step], Any],
) -> Iterator[ModelRow]:
    for number, (name, model) in enumerate(models.items(), start=1):
        for stage in ("train", "measure") if _is_untrained(model) else ("measure",):
            if progress(Step(name, stage, number, len(models))) is False:
                return
            if stage == "train":
                model = _trained(name, model, *training)
        yield _measured(name, model, X_test, truth)


def measure_decisions(
    name: str,
    decided: Any,
    y_test: Any,
    *,
    score: Any = None,
    sensitive_features: Any = None,
    positive_class: Any = None,
) -> ModelRow:
    """A model of which only the decisions are known, measured as `compare` measures the others.

    Parameters
    ----------
    name : str
        What it is called.
    decided : labels, one a test row
        What it decides.
    y_test : labels
        What is true.
    score : numbers, one a test row, or None
        The higher, the likelier the positive class; for the area under the curve, with two classes.
    sensitive_features, positive_class
        As in `compare`.
    """
    truth = _Truth.of(y_test, sensitive_features, positive_class)
    labels = [plain_value(label) for label in decided]
    if len(labels) != len(truth.labels):
        raise InputError(f"Expected one decision a test row, but got {len(labels)} for {len(truth.labels)} rows.")
    found = _Measures.of(labels, truth, own=[])
    auc = NAN
    if score is not None and len(found.classes) == 2 and truth.positive_class in found.classes:
        chances = np.column_stack([-np.asarray(score, dtype=float), np.asarray(score, dtype=float)])
        columns = [found.classes.index(label) for label in found.classes if label != truth.positive_class]
        auc = _auc(found.true, chances, [*columns, found.classes.index(truth.positive_class)])
    return found.row(name, np.array(labels, dtype=object), truth, auc=auc, size=UNKNOWN_SIZE, seconds=NAN, model=None)


def comparison_table(rows: Iterable[ModelRow]) -> pd.DataFrame:
    """The `rows` that `compare` gives as a table: one line per model, one column per number."""
    return pd.DataFrame([_line(row) for row in rows])


def _line(row: ModelRow) -> dict[str, Any]:
    return {
        "model": row.name,
        "accuracy": row.accuracy,
        "f1_binary": row.f1_binary,
        "f1_macro": row.f1_macro,
        "f1_weighted": row.f1_weighted,
        "auc": row.auc,
        **{f"gap_{notion}": gap for notion, gap in row.gaps.items()},
        "size": row.size.count,
        "unit": row.size.unit,
        "average_rule_length": row.size.average_rule_length,
        "rules_per_row": row.size.rules_per_row,
        "fit_seconds": row.fit_seconds,
    }


def _is_untrained(model: Any) -> bool:
    try:
        check_is_fitted(model)
    except NotFittedError:
        return True
    return False


def _trained(name: str, model: Any, X_train: Any, y_train: Any, groups: Any) -> Any:
    if isinstance(model, FairRUGClassifier):
        raise InputError(f"Expected {name!r} to be trained, because FairRUG needs the groups of the training rows.")
    is_fair = isinstance(model, BooleanRulesClassifier | TreeRulesClassifier) and _is_fair(model)
    if is_fair and groups is None:
        raise InputError(f"Expected the training_groups for {name!r}, because it learns to treat groups alike.")
    return clone(model).fit(X_train, y_train, **({"sensitive_features": groups} if is_fair else {}))


def _is_fair(model: Any) -> bool:
    return getattr(model, "fairness", None) is not None


@dataclass(frozen=True, eq=False)
class _Truth:
    """What the test rows are, read once for all models."""

    labels: list[Any]
    groups: Any
    positive_class: Any

    @classmethod
    def of(cls, y_test: Any, groups: Any, positive_class: Any) -> "_Truth":
        labels = [plain_value(label) for label in np.asarray(y_test, dtype=object).ravel()]
        return cls(labels, groups, plain_value(positive_class))


@dataclass(frozen=True, eq=False)
class _Measures:
    """Decisions against what is true, both as numbers of classes."""

    classes: list[Any]
    true: np.ndarray
    found: np.ndarray

    @classmethod
    def of(cls, predicted: Sequence[Any], truth: _Truth, own: Sequence[Any]) -> "_Measures":
        """`own` are classes that a model knows, whether or not they occur."""
        classes = sorted({*own, *truth.labels, *predicted}, key=lambda label: (str(type(label)), label))
        position = {label: number for number, label in enumerate(classes)}
        return cls(classes, *(np.array([position[label] for label in items]) for items in (truth.labels, predicted)))

    def row(
        self, name: str, predicted: np.ndarray, truth: _Truth, *, auc: float, size: Size, seconds: float,
        model: Any,
    ) -> ModelRow:  # fmt: skip
        positive = positive_code(truth.positive_class, np.array(self.classes, dtype=object))
        return ModelRow(
            name=name,
            accuracy=float(np.mean(self.true == self.found)),
            f1_binary=_f1_of(self.true, self.found, positive),
            f1_macro=self._f1("macro"),
            f1_weighted=self._f1("weighted"),
            auc=auc,
            gaps=_gaps(truth, predicted, self.classes),
            size=size,
            fit_seconds=seconds,
            predicted=predicted,
            model=model,
        )

    def _f1(self, average: str) -> float:
        from sklearn.metrics import f1_score

        labels = range(len(self.classes))
        return float(f1_score(self.true, self.found, labels=labels, average=average, zero_division=0.0))


def _measured(name: str, model: Any, X_test: Any, truth: _Truth) -> ModelRow:
    predicted = model.predict(X_test)
    own = [plain_value(label) for label in model.classes_]
    found = _Measures.of([plain_value(label) for label in predicted], truth, own)
    auc = _auc(found.true, model.predict_proba(X_test), [found.classes.index(label) for label in own])
    return found.row(name, predicted, truth, auc=auc, size=size_of(model, X_test), seconds=_seconds(model), model=model)


def _f1_of(true: np.ndarray, found: np.ndarray, positive: int | None) -> float:
    """2 hits / (rows that are + rows said to be); NaN if that is nothing at all."""
    if positive is None:
        return NAN
    is_positive, is_said = true == positive, found == positive
    total = int(is_positive.sum() + is_said.sum())
    return 2.0 * float((is_positive & is_said).sum()) / total if total else NAN


def _auc(true: np.ndarray, shares: np.ndarray, columns: list[int]) -> float:
    """Each class against the rest, averaged over those of which there are rows and others; two classes are one."""
    from sklearn.metrics import roc_auc_score

    numbers = [1] if shares.shape[1] == 2 else range(shares.shape[1])
    areas = []
    for number in numbers:
        is_own = true == columns[number]
        if is_own.any() and not is_own.all():
            areas.append(float(roc_auc_score(is_own, shares[:, number])))
    return float(np.mean(areas)) if areas else NAN


def _gaps(truth: _Truth, predicted: np.ndarray, classes: list[Any]) -> dict[str, float]:
    if truth.groups is None:
        return {}
    found = audit(
        truth.labels,
        predicted,
        sensitive_features=truth.groups,
        positive_class=truth.positive_class,
        classes=classes,
    )
    return {str(notion): float(gap) for notion, gap in found.gaps["gap"].items()}


def _seconds(model: Any) -> float:
    if isinstance(model, RuleClassifier):
        return float(model.history_[-1].seconds) if model.history_ else NAN
    return float(model.fit_seconds_)
