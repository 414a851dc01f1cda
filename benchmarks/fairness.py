"""FairRUG: the paper's table, how often epsilon is reached, and what fairness costs.

The paper's table keeps the sensitive column among the features, as the paper does; everything else leaves it out, as
the dashboard does. Epsilon is set in advance and five-fold cross-validation on the training part chooses depth and
lambda by accuracy: out of fold, the gaps of all settings differ by less than their sampling error, and choosing among
them would be choosing noise.
"""

import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, train_test_split

from benchmarks import tables
from rugcore import (
    FairnessWarning,
    FairRUGClassifier,
    RUGClassifier,
    fairness_frontier,
    fairness_report,
    load_demo,
)

PAPER_SETS = ("compas", "adult", "default")
# accuracy and score in the paper's table: FairRUG, FairCG
PAPER = {
    ("adult", "dmc"): ((85.08, 89.10), (76.86, 93.22)),
    ("adult", "eop"): ((85.83, 92.39), (81.45, 64.90)),
    ("compas", "dmc"): ((68.47, 51.89), (62.36, 17.74)),
    ("compas", "eop"): ((65.62, 98.81), (66.05, 63.93)),
    ("default", "dmc"): ((82.57, 97.88), (82.08, 87.73)),
    ("default", "eop"): ((82.53, 98.69), (82.43, 89.40)),
}
STRICT = 0.0025
DEPTHS, PENALTIES = (2, 3, 4), (1.0, 10.0)
NOTIONS = ("dmc", "odm", "eop")
EPSILONS = (0.05, 0.025, 0.01)


@dataclass(frozen=True)
class People:
    """A table with its target and its groups, cut into training and test rows."""

    name: str
    X_train: pd.DataFrame
    X_test: pd.DataFrame
    y_train: np.ndarray
    y_test: np.ndarray
    groups_train: pd.Series
    groups_test: pd.Series


def run(data: Path | None, quick: bool) -> dict[str, Any]:
    warnings.simplefilter("ignore", FairnessWarning)  # every line says what was reached
    figures: dict[str, Any] = {}
    if data is not None:
        figures["paper"] = [
            _paper_line(name, notion, guarantee, data)
            for name in (PAPER_SETS[:1] if quick else PAPER_SETS)
            for notion in ("dmc", "eop")
            for guarantee in ("realised", "proxy")
        ]
    figures["reached"] = _reached(data, quick)
    figures["cost"] = _cost(data)
    return figures


def _load(name: str, data: Path | None, seed: int, keep_sensitive: bool = False) -> People:
    X, y, groups = _demo(name) if data is None or name in ("hmda", "credit_data") else _of_paper(name, data)
    X = X if keep_sensitive else X.drop(columns=groups.name)
    parts = train_test_split(X, y, groups, test_size=0.2, random_state=seed, stratify=y)
    return People(name, *parts)


def _demo(name: str) -> tuple[pd.DataFrame, np.ndarray, pd.Series]:
    demo = load_demo(name)
    return demo.X, (demo.y == demo.favourable).to_numpy().astype(int), demo.X[demo.sensitive]


def _of_paper(name: str, data: Path) -> tuple[pd.DataFrame, np.ndarray, pd.Series]:
    X, y = tables.table(name, data)
    return X, y, X[tables.catalog(data)[name]["sensitive"]]


# -- the paper's table ---------------------------------------------------------------------------------------------


def _paper_line(name: str, notion: str, guarantee: str, data: Path) -> dict[str, Any]:
    people = _load(name, data, tables.SPLIT_SEED, keep_sensitive=True)
    settings = {"fairness": notion, "guarantee": guarantee, "epsilon": STRICT, "positive_class": 1}
    chosen = max(_grid(), key=lambda grid: _accuracy_out_of_fold(people, settings | grid))
    model = FairRUGClassifier(**settings, **chosen)
    model.fit(people.X_train, people.y_train, sensitive_features=people.groups_train)
    predicted = model.predict(people.X_test)
    report = _test_report(people, predicted).loc[notion]
    figures = {
        "set": name,
        "notion": notion,
        "guarantee": guarantee,
        "accuracy": 100 * float(np.mean(predicted == people.y_test)),
        "f1": 100 * float(f1_score(people.y_test, predicted)),
        "score": 100 * float(report["score"]),
        "interval": [float(report["lower"]), float(report["upper"])],
        "train_gap": model.fairness_.realised_gap,
        "rules": len(model.rules_),
        "chosen": chosen,
    }
    paper, other = PAPER[name, notion]
    print(
        f"{name:8s} {notion} {guarantee:9s} score {figures['score']:6.2f} (paper {paper[1]:5.2f}, FairCG "
        f"{other[1]:5.2f})  accuracy {figures['accuracy']:5.2f} ({paper[0]:5.2f}, {other[0]:5.2f})  "
        f"F1 {figures['f1']:5.2f}  training gap {figures['train_gap']:.4f}  worst test gap within "
        f"[{report['lower']:+.3f}, {report['upper']:+.3f}]  {len(model.rules_)} rules  {chosen}",
        flush=True,
    )
    return figures


def _grid() -> list[dict[str, Any]]:
    return [{"max_depth": depth, "penalty": penalty} for depth in DEPTHS for penalty in PENALTIES]


def _accuracy_out_of_fold(people: People, settings: dict[str, Any]) -> float:
    folds = StratifiedKFold(5, shuffle=True, random_state=tables.SPLIT_SEED)
    X, y, groups = people.X_train, people.y_train, people.groups_train
    right = []
    for inside, outside in folds.split(X, y):
        model = FairRUGClassifier(**settings)
        model.fit(X.iloc[inside], y[inside], sensitive_features=groups.iloc[inside])
        right.append(model.predict(X.iloc[outside]) == y[outside])
    return float(np.mean(np.concatenate(right)))


def _test_report(people: People, predicted: np.ndarray) -> pd.DataFrame:
    """All test cells, however small: the paper's scores leave none out."""
    return fairness_report(
        people.y_test, predicted, sensitive_features=people.groups_test, positive_class=1, min_cell_size=1
    )


# -- how often epsilon is reached ----------------------------------------------------------------------------------


def _reached(data: Path | None, quick: bool) -> list[dict[str, Any]]:
    sets = ("compas", "adult", "default", "hmda", "credit_data") if data else ("compas", "adult", "hmda", "credit_data")
    lines = [
        _reached_line(name, notion, epsilon, data)
        for name in (sets[:1] if quick else sets)
        for notion in NOTIONS
        for epsilon in EPSILONS
    ]
    n_met = sum(line["met"] for line in lines)
    loss = statistics.mean(line["plain"] - line["accuracy"] for line in lines)
    test_loss = statistics.mean(line["plain_test"] - line["test"] for line in lines)
    print(
        f"\nreached on training rows: {n_met} of {len(lines)}; accuracy lost against RUG, in points: "
        f"{100 * loss:.2f} on training rows, {100 * test_loss:.2f} on test rows\n",
        flush=True,
    )
    return lines


def _reached_line(name: str, notion: str, epsilon: float, data: Path | None) -> dict[str, Any]:
    people = _load(name, data, tables.SPLIT_SEED)
    plain = RUGClassifier().fit(people.X_train, people.y_train)
    fair = FairRUGClassifier(fairness=notion, epsilon=epsilon, positive_class=1)
    fair.fit(people.X_train, people.y_train, sensitive_features=people.groups_train)
    line = {
        "set": name,
        "notion": notion,
        "epsilon": epsilon,
        "met": fair.fairness_.met,
        "gap": fair.fairness_.realised_gap,
        "accuracy": fair.fairness_.accuracy,
        "plain": plain.score(people.X_train, people.y_train),
        "test": fair.score(people.X_test, people.y_test),
        "plain_test": plain.score(people.X_test, people.y_test),
        "rules": [len(fair.rules_), len(plain.rules_)],
    }
    print(
        f"{name:12s} {notion} epsilon {epsilon:.3f}: gap {line['gap']:.4f} {'met    ' if line['met'] else 'NOT met'}  "
        f"accuracy {line['accuracy']:.4f} (RUG {line['plain']:.4f})  test {line['test']:.4f} ({line['plain_test']:.4f})"
        f"  rules {line['rules'][0]} ({line['rules'][1]})",
        flush=True,
    )
    return line


# -- cost ----------------------------------------------------------------------------------------------------------


def _cost(data: Path | None, repeats: int = 5) -> dict[str, float]:
    """Each against the plain fit, in alternation, on adult."""
    people = _load("adult", data, tables.SPLIT_SEED)
    X, y, groups = people.X_train, people.y_train, people.groups_train
    ways: dict[str, Callable[[], Any]] = {
        "rug": lambda: RUGClassifier().fit(X, y),
        "proxy": lambda: FairRUGClassifier(guarantee="proxy").fit(X, y, sensitive_features=groups),
        "realised": lambda: FairRUGClassifier().fit(X, y, sensitive_features=groups),
        "frontier": lambda: list(fairness_frontier(X, y, sensitive_features=groups)),
    }
    for way in ways.values():  # compile and warm up
        way()
    seconds = [{name: _seconds(way) for name, way in ways.items()} for _ in range(repeats)]
    ratios = {name: statistics.median(once[name] / once["rug"] for once in seconds) for name in ways if name != "rug"}
    for name, ratio in ratios.items():
        print(f"adult, {name} / RUG fit: {ratio:.1f}", flush=True)
    return ratios


def _seconds(way: Callable[[], Any]) -> float:
    started = time.perf_counter()
    way()
    return time.perf_counter() - started
