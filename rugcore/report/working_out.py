"""What a report can work out itself where nobody has yet: simple models to compare with, and what other limits cost."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rugcore.comparison import PeerClassifier, compare, unit_of
from rugcore.errors import RugError
from rugcore.estimators import EPSILONS, FairRUGClassifier, RuleClassifier, frontier_of
from rugcore.fairness import error_rate_gap
from rugcore.report.evidence import FrontierLine, OtherModel, PeopleRows

SEED = 21  # as in the dashboard
SIMPLE = {"decision tree": "Decision tree", "logistic regression": "Logistic regression"}


def other_models(
    training: PeopleRows, test: PeopleRows, favourable: Any, more: Mapping[str, RuleClassifier] | None = None
) -> tuple[OtherModel, ...]:
    """Trained models beside a decision tree and a logistic regression on the same rows; one that fails says why."""
    simple = {name: PeerClassifier(kind, random_state=SEED) for kind, name in SIMPLE.items()}  # type: ignore[arg-type]
    return tuple(
        measured_model(name, model, training, test, favourable) for name, model in {**(more or {}), **simple}.items()
    )


def measured_model(name: str, model: Any, training: PeopleRows | None, test: PeopleRows, favourable: Any) -> OtherModel:
    """One model on the test rows; a trained one needs no training rows."""
    X_train, y_train = (None, None) if training is None else (training.X, training.y)
    try:
        row = next(iter(compare({name: model}, X_train, y_train, test.X, test.y, positive_class=favourable)))
    except RugError as error:
        return OtherModel(name, np.empty(0, dtype=object), why_not=str(error))
    decided = np.asarray(row.predicted, dtype=object)
    return OtherModel(name, decided, size_in_words(row.size.count, row.size.unit), row.f1_macro, row.auc)


def size_in_words(count: float, unit: str) -> str:
    """What there is to read in a model: 1 rule, 23 leaves."""
    return f"{count:,.0f} {unit_of(unit, count)}"


def frontier_lines(
    model: FairRUGClassifier, test: PeopleRows, fairness: str, positive_class: Any, epsilons: Sequence[float] = EPSILONS
) -> tuple[FrontierLine, ...]:
    """The rules of a model with its pool, weighed for other limits and judged on the test rows."""
    return tuple(_frontier_line(point, test, fairness, positive_class) for point in frontier_of(model, epsilons))


def _frontier_line(point: Any, test: PeopleRows, fairness: str, positive_class: Any) -> FrontierLine:
    decided = point.model.predict(test.X)
    gap = error_rate_gap(
        test.y, decided, sensitive_features=test.groups, fairness=fairness, positive_class=positive_class
    )
    right = float(np.mean(decided == test.y.to_numpy(dtype=object)))
    return FrontierLine(point.epsilon, point.met, point.n_rules, point.gap, point.accuracy, gap, right)
