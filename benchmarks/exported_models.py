"""The models whose exports are run: every demo with RUG and FairRUG, and one model of every kind that there is besides.

Three classes; directions; special codes; re-weighted, as Rules keeps it; governed by people; rules that imitate.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from benchmarks.directions import DIRECTIONS
from rugcore import (
    FairnessWarning,
    FairRUGClassifier,
    PeerClassifier,
    RUGClassifier,
    Rule,
    list_demos,
    load_demo,
    surrogate_rules,
)
from rugcore.rules import Interval

PRICE = 3.0
DEARER = 10.0
QUICK_DEMOS = ("hmda", "compas")
KINDS_OF = "credit_data"  # numbers, categories and blanks, and 28 rules or so
CODES = {"hmda": {"payments to income ratio": {0: "not stated"}}, KINDS_OF: {"years in job": {0: "new"}}}


@dataclass(frozen=True)
class Trained:
    """A model and the rows that it is about."""

    name: str
    model: Any
    X: pd.DataFrame


def models(quick: bool) -> Iterator[Trained]:
    for name in QUICK_DEMOS if quick else list_demos():
        yield from _of_demo(name)
    if not quick:
        yield from _three_classes()
    for name in CODES:
        yield from _other_kinds(name)


def _of_demo(name: str) -> Iterator[Trained]:
    demo = load_demo(name)
    X = demo.X.drop(columns=demo.sensitive)
    yield Trained(f"{name}, RUG", RUGClassifier(penalty=PRICE).fit(X, demo.y), X)
    yield Trained(f"{name}, FairRUG", _fair(X, demo.y, demo.X[demo.sensitive]), X)


def _fair(X: pd.DataFrame, y: pd.Series, who: pd.Series, **settings: Any) -> FairRUGClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        return FairRUGClassifier(penalty=PRICE, **settings).fit(X, y, sensitive_features=who)


def _three_classes() -> Iterator[Trained]:
    demo = load_demo(KINDS_OF)
    bands = pd.qcut(demo.X["amount requested"], 3, labels=["small", "middle", "large"]).astype(str)
    X = demo.X.drop(columns=["amount requested", demo.sensitive])
    free = RUGClassifier(penalty=PRICE).fit(X, bands)
    yield Trained(f"{KINDS_OF} in three classes, RUG", free, X)
    yield Trained(f"{KINDS_OF} in three classes, re-weighted", free.refit(penalty=DEARER), X)
    yield Trained(f"{KINDS_OF} in three classes, governed", governed(free, X, bands), X)
    fair = _fair(X, bands, demo.X[demo.sensitive], fairness="odm")
    yield Trained(f"{KINDS_OF} in three classes, FairRUG", fair, X)


def _other_kinds(name: str) -> Iterator[Trained]:
    demo = load_demo(name)
    X, y, who = demo.X.drop(columns=demo.sensitive), demo.y, demo.X[demo.sensitive]
    directions: dict[str, Any] = {"monotonic_cst": DIRECTIONS[name], "positive_class": demo.favourable}
    directed = RUGClassifier(penalty=PRICE, **directions).fit(X, y)
    yield Trained(f"{name}, with directions", directed, X)
    yield Trained(f"{name}, with special codes", _with_codes(name, X, y), X)
    free = RUGClassifier(penalty=PRICE).fit(X, y)
    again = free.refit(penalty=DEARER, without=[free.rules_[0]])
    yield Trained(f"{name}, re-weighted without a rule", again, X)
    yield Trained(f"{name}, governed", governed(free, X, y), X)
    fair = _fair(X, y, who, positive_class=demo.favourable)
    yield Trained(f"{name}, FairRUG governed", governed(fair, X, y, sensitive_features=who), X)
    black_box = PeerClassifier("LightGBM").fit(X, y)
    yield Trained(f"{name}, imitating LightGBM", surrogate_rules(X, black_box, n_folds=2, penalty=PRICE), X)


def _with_codes(name: str, X: pd.DataFrame, y: pd.Series) -> RUGClassifier:
    """With a code also in most rows of its column, so that rules speak of it."""
    return RUGClassifier(penalty=1.0, special_values=CODES[name]).fit(X, y)


def governed(model: Any, X: pd.DataFrame, y: pd.Series, **rows: Any) -> Any:
    """One rule vetoed, one locked at twice its weight, one edited, one written by hand."""
    vetoed, locked, edited = model.rules_[:3]
    label = model.classes_.tolist()[int(model.class_share_.argmin())]
    number = next(name for name, kind in zip(model.schema_.names, model.schema_.kinds, strict=True) if kind == "number")
    middle = float(X[number].median())
    mine = Rule((Interval(number, lower=middle, upper=float(X[number].max())),), label)
    shorter = replace(edited, conditions=edited.conditions[:1], label=edited.label)
    changes: dict[str, Any] = {
        "vetoed": vetoed,
        "locked": {locked: 2 * locked.weight, mine: 0.123456789012},
        "added": mine,
    }
    if edited.length > 1:
        changes["replaced"] = {edited: shorter}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        return model.governed(**changes, X=X, y=y, **rows)
