"""Are the reasons true? On every demo, of all reasons named to rejected people: how many move the score.

A reason is put to the test with nothing but the model's own scores: the applicant's value in that one column is
replaced by every value that occurs among the training people decided favourably, and the score must rise for one of
them, in the direction that the words say.
"""

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from benchmarks.tables import SPLIT_SEED
from rugcore import (
    FairnessWarning,
    FairRUGClassifier,
    ReasonFinder,
    RUGClassifier,
    list_demos,
    load_demo,
    reasons_table,
)
from rugcore.tables import is_blank, plain_value

DEPTH, PRICE, EPSILON = 3, 3.0, 0.025
LEAST_GAIN = 1e-9  # of the score: less is rounding


def run(data: Path | None, quick: bool) -> list[dict[str, Any]]:  # noqa: ARG001 - the demos ship with the project
    """RUG and FairRUG on every demo; all rejected test rows."""
    lines = [_line(name, kind) for name in list_demos() for kind in ("RUG", "FairRUG")[: 1 if quick else 2]]
    frame = pd.DataFrame(lines)
    print(frame.to_string(index=False), flush=True)
    named, true = frame["reasons"].sum(), frame["true"].sum()
    print(f"{true:,} of {named:,} reasons move the score as their words say")
    return lines


@dataclass(frozen=True, eq=False)
class Trained:
    """A model on the training rows of a demo, and the rows held out."""

    kind: str
    model: Any
    X_train: pd.DataFrame
    X_test: pd.DataFrame
    y_train: pd.Series
    favourable: Any
    y_test: pd.Series


def trained_on(name: str, kind: str) -> Trained:
    demo = load_demo(name)
    people = demo.X[demo.sensitive]
    X = demo.X.drop(columns=list(demo.sensitive_options))
    X_train, X_test, y_train, y_test, people, _ = train_test_split(
        X, demo.y, people, test_size=0.2, random_state=SPLIT_SEED, stratify=demo.y
    )
    model = _trained(kind, X_train, y_train, people)
    return Trained(kind, model, X_train, X_test, y_train, demo.favourable, y_test)


def _line(name: str, kind: str) -> dict[str, Any]:
    case = trained_on(name, kind)
    model, X_test = case.model, case.X_test
    rejected = X_test[model.predict(X_test) != case.favourable]
    finder = ReasonFinder(model, case.favourable)
    found = [finder.find(rejected.iloc[row]) for row in range(len(rejected))]
    started = time.perf_counter()
    reasons_table(model, X_test, case.favourable)
    seconds = time.perf_counter() - started
    told = [(row, reason) for row, own in enumerate(found) for reason in own.reasons]
    true = count_true(model, case.X_train, rejected, told, case.favourable)
    return {
        "demo": name,
        "model": kind,
        "rejected": len(rejected),
        "to a person": sum(own.status == "manual review" for own in found),
        "no column": sum(own.why.startswith("No single") for own in found),
        "reasons": len(told),
        "true": true,
        "share": f"{true / len(told):.1%}" if told else "-",
        "seconds": round(seconds, 1),
    }


def _trained(kind: str, X: pd.DataFrame, y: pd.Series, people: pd.Series) -> Any:
    settings: dict[str, Any] = {"max_depth": DEPTH, "penalty": PRICE, "solver": "highs", "random_state": SPLIT_SEED}
    if kind == "RUG":
        return RUGClassifier(**settings).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)  # how fair the model is, is another question
        return FairRUGClassifier(epsilon=EPSILON, **settings).fit(X, y, sensitive_features=people)


def count_true(
    model: Any,
    X_train: pd.DataFrame,
    people: pd.DataFrame,
    told: list[tuple[int, Any]],
    favourable: Any,
    directions: Mapping[str, int] | None = None,
) -> int:
    """How many of the reasons, each told to one of the people, are true."""
    approved = X_train[model.predict(X_train) == favourable]
    count = 0
    for column in {reason.column for _, reason in told}:
        own = [(row, reason) for row, reason in told if reason.column == column]
        values = _values(model, approved, column)
        gains = _gains(model, people.iloc[[row for row, _ in own]], column, values, favourable)
        for (row, reason), line in zip(own, gains, strict=True):
            helpful = [value for value, gain in zip(values, line, strict=True) if gain > LEAST_GAIN]
            count += is_true(reason.finding, people[column].iloc[row], helpful, (directions or {}).get(column, 0))
    return count


def is_true(finding: str, own: Any, helpful: list[Any], sign: int = 0) -> bool:
    """Whether the words fit the values that would help; where it is said what should, they point there."""
    known = [value for value in helpful if not is_blank(value)]
    if finding == "known":
        return len(helpful) > 0 and not known and not is_blank(own)
    if finding == "missing":
        return is_blank(own) and bool(known)
    if finding == "value":
        return bool(known) and not is_blank(own)
    lower, higher = any(value < own for value in known), any(value > own for value in known)
    if sign and lower and higher:
        return finding == ("low" if sign > 0 else "high")
    return (lower, higher) == {"high": (True, False), "low": (False, True), "middle": (True, True)}[finding]


def _values(model: Any, approved: pd.DataFrame, column: str) -> list[Any]:
    """The values that occur there; of neighbours that meet the same conditions the outermost, which do as all do."""
    conditions = [c for rule in model.rules_ for c in rule.conditions if c.feature == column]
    kind = model.schema_.kinds[model.schema_.names.index(column)]
    known = [plain_value(value) for value in approved[column].dropna().unique()]
    cells = sorted(map(float, known)) if kind == "number" else known
    runs = [list(own) for _, own in groupby(cells, key=lambda cell: [c.holds(cell) for c in conditions])]
    found = [value for own in runs for value in (own[0], *own[1:][-1:])]
    return [*found, None] if approved[column].isna().any() else found


def _gains(model: Any, people: pd.DataFrame, column: str, values: list[Any], favourable: Any) -> np.ndarray:
    """(people, values): how much the score of the favourable class rises over that of the class decided for."""
    labels = [plain_value(label) for label in model.classes_]
    good, before = labels.index(favourable), model.decisions(people)
    rows = np.arange(len(people))
    lead = before.scores[:, good] - before.scores[rows, before.class_code]
    gains = np.empty((len(people), len(values)))
    for place, value in enumerate(values):
        changed = people.copy()
        changed[column] = pd.Series([value] * len(people), index=people.index, dtype=people[column].dtype)
        scores = model.decisions(changed).scores
        gains[:, place] = scores[:, good] - scores[rows, before.class_code] - lead
    return gains
