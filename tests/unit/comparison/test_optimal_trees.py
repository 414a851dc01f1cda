"""Optimal trees of other packages against brute force, with and without a bound on the gap between two groups."""

import builtins
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rugcore.comparison import BinOCTClassifier, GOSDTClassifier, STreeDClassifier, gosdt_process, optimal_trees
from rugcore.comparison.tree_rules import TreeRulesClassifier
from rugcore.errors import InputError, MissingPackageError
from tests.unit.comparison.test_binoct import every_answer, fewest_mistakes, tiny

EPSILON = 0.1


def made(kind: Any, *arguments: Any, **settings: Any) -> TreeRulesClassifier:
    """Both packages are extras."""
    pytest.importorskip("gosdt" if kind is GOSDTClassifier else "pystreed")
    model: TreeRulesClassifier = kind(*arguments, **settings)
    return model


STREED, GOSDT = (STreeDClassifier, {}), (GOSDTClassifier, {"leaf_cost": 0.01})


@pytest.mark.parametrize(
    ("kind", "settings", "depth", "n_classes", "has_blanks"),
    [
        *[(*STREED, depth, n_classes, blanks) for depth in (1, 2) for n_classes in (2, 3) for blanks in (False, True)],
        (*GOSDT, 1, 2, True),  # a process each
        (*GOSDT, 2, 3, False),
    ],
)
def test_the_tree_is_the_best_of_all(
    kind: Any, settings: dict[str, Any], depth: int, n_classes: int, has_blanks: bool
) -> None:
    X, y = tiny(depth + 3 * n_classes, n_classes=n_classes, has_blanks=has_blanks)
    model = made(kind, depth, **settings).fit(X, y)
    best = fewest_mistakes(X, y, depth)
    assert (model.stop_reason_, model.loss_, model.lower_bound_) == ("optimal", best, best)
    assert (model.predict(X) != y).sum() == best
    assert all(rule.length <= depth for rule in model.rules_)


def test_every_leaf_has_its_price() -> None:
    X, y = tiny(4)
    model = made(GOSDTClassifier, 2, leaf_cost=2.0).fit(X, y)
    cheapest = min(
        (len(y) - max(np.bincount(y)) + 2.0),
        min(fewest_mistakes(X[yes], y[yes], 0) + fewest_mistakes(X[~yes], y[~yes], 0) + 4.0 for yes in every_answer(X)),
    )  # of trees with one and two leaves
    assert model.loss_ + 2.0 * len(model.rules_) <= cheapest + 1e-6
    assert model.lower_bound_ <= fewest_mistakes(X, y, 2) <= model.loss_
    dear = made(GOSDTClassifier, 2, leaf_cost=len(y)).fit(X, y)
    assert [str(rule) for rule in dear.rules_] == ["always"]


def test_where_gosdt_is_ended_there_is_a_greedy_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = tiny(1, n_rows=40)
    model = made(GOSDTClassifier, 2)
    monkeypatch.setattr(gosdt_process, "GRACE", 0.0)
    model.set_params(time_limit=0.01).fit(X, y)
    assert (model.stop_reason_, model.lower_bound_ <= fewest_mistakes(X, y, 2) <= model.loss_) == ("too large", True)


def fair_trees(X: pd.DataFrame, depth: int) -> list[np.ndarray]:
    """What every tree of the depth decides for all rows."""
    if depth == 0:
        return [np.zeros(len(X), dtype=int), np.ones(len(X), dtype=int)]
    found = {}
    for is_yes in every_answer(X):
        for yes in fair_trees(X, depth - 1):
            for no in fair_trees(X, depth - 1):
                decided = np.where(is_yes, yes, no)
                found[decided.tobytes()] = decided
    return list(found.values())


@pytest.mark.parametrize("notion", ["eop", "demographic_parity"])
def test_a_fair_tree_is_the_best_within_its_gap(notion: str) -> None:
    X, y = tiny(4)
    groups = np.where((X["a"] > 2) ^ (np.arange(len(y)) % 5 == 0), "old", "young")

    def gap(decided: np.ndarray) -> float:
        among = y == 1 if notion == "eop" else np.ones(len(y), dtype=bool)
        return float(abs(np.subtract(*[decided[among & (groups == name)].mean() for name in ("old", "young")])))

    trees = fair_trees(X, 2)
    best = min(int((decided != y).sum()) for decided in trees if gap(decided) <= EPSILON + 1e-9)
    unbounded = min(int((decided != y).sum()) for decided in trees)
    assert best > unbounded  # or the test would say nothing
    model = made(STreeDClassifier, 2, fairness=notion, epsilon=EPSILON, positive_class=1)
    model.fit(X, y, sensitive_features=groups)
    assert gap(model.predict(X)) <= EPSILON + 1e-9
    assert (model.loss_, model.lower_bound_, model.stop_reason_) == (best, best, "optimal")
    turned = made(STreeDClassifier, 2, fairness=notion, epsilon=EPSILON, positive_class=0)
    turned.fit(X, 1 - y, sensitive_features=groups)
    assert turned.loss_ == best
    with pytest.raises(InputError, match="two groups"):
        model.fit(X, y, sensitive_features=np.arange(len(y)) % 3)
    with pytest.raises(InputError, match="two classes"):
        model.fit(X, np.arange(len(y)) % 3, sensitive_features=groups)


def test_the_integer_program_agrees() -> None:
    X, y = tiny(11, n_rows=20)
    assert BinOCTClassifier(2).fit(X, y).loss_ == made(STreeDClassifier, 2).fit(X, y).loss_


@pytest.mark.parametrize(("model", "package"), [(GOSDTClassifier(), "gosdt"), (STreeDClassifier(), "pystreed")])
def test_a_missing_package_is_named(model: TreeRulesClassifier, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuses(name: str, *arguments: Any, **settings: Any) -> Any:
        if name == package:
            raise ImportError(name)
        return real(name, *arguments, **settings)

    monkeypatch.delitem(sys.modules, package, raising=False)
    monkeypatch.setattr(optimal_trees, "find_spec", lambda _: None)
    monkeypatch.setattr(builtins, "__import__", refuses)
    with pytest.raises(MissingPackageError, match=r"rug-dashboard\[trees\]"):
        model.fit(*tiny(0))
