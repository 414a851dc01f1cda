"""How much there is to read in a model: every leaf of a tree is a rule, whichever model the tree belongs to."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rugcore.comparison.peers import PeerClassifier
from rugcore.comparison.tree_rules import TreeRulesClassifier
from rugcore.rules.readability import reading_of

NAN = float("nan")
OF_RULES = ("average_rule_length", "rules_per_row", "uncovered_share")

# Of one tree: for every leaf, a bit for each column of the user's table that its path asks about.
Paths = list[int]


@dataclass(frozen=True)
class Size:
    """What a person would have to read, and how much of it has a say in one row.

    Lengths count columns, as they do for RUG: two conditions on one column are read as one.
    """

    unit: Literal["rules", "leaves", "coefficients", ""]
    count: float  # NaN where nobody can read it
    average_rule_length: float  # NaN for coefficients, which are no rules
    rules_per_row: float  # a row lies in one leaf of every tree
    uncovered_share: float = 0.0  # rows on which nothing has a say, which only rules know


UNKNOWN_SIZE = Size("", NAN, NAN, NAN, NAN)  # of a model of which only the decisions are known


def unit_of(unit: str, number: float) -> str:
    """In the singular where needed: 1 rule, 1 leaf."""
    return unit if number != 1 else {"leaves": "leaf"}.get(unit, unit.removesuffix("s"))


def size_of(model: Any, X_test: Any) -> Size:
    """The size of a trained model; `X_test` is looked at for RUG, whose rules cover some rows and not others."""
    if not isinstance(model, PeerClassifier):
        found = reading_of(model.rules_, model.covering_rules(X_test))
        is_tree = isinstance(model, TreeRulesClassifier)
        return Size("leaves" if is_tree else "rules", len(model.rules_), *(found[name] for name in OF_RULES))
    if model.kind == "logistic regression":
        return Size("coefficients", int(model.estimator_[-1].coef_.size), NAN, NAN)
    trees = list(_trees(model))
    lengths = [columns.bit_count() for paths in trees for columns in paths]
    return Size("leaves", len(lengths), float(np.mean(lengths)), float(len(trees)))


def _trees(model: PeerClassifier) -> Iterator[Paths]:
    if model.kind == "LightGBM":
        for tree in model.estimator_.booster_.dump_model()["tree_info"]:
            yield _paths_below(tree["tree_structure"])
        return
    columns = [1 << int(origin) for origin in model.encoder_.origins]
    members = [model.estimator_] if model.kind == "decision tree" else model.estimator_.estimators_
    for member in members:
        yield _paths_of(member.tree_, columns)


def _paths_below(root: dict[str, Any]) -> Paths:
    """Of a tree as LightGBM tells it."""
    waiting: list[tuple[dict[str, Any], int]] = [(root, 0)]
    paths = []
    while waiting:
        node, columns = waiting.pop()
        if "split_feature" not in node:
            paths.append(columns)
            continue
        columns |= 1 << int(node["split_feature"])
        waiting += [(node["left_child"], columns), (node["right_child"], columns)]
    return paths


def _paths_of(tree: Any, columns: list[int]) -> Paths:
    """Of a tree of scikit-learn."""
    left, right, split = tree.children_left.tolist(), tree.children_right.tolist(), tree.feature.tolist()
    waiting = [(0, 0)]
    paths = []
    while waiting:
        node, path = waiting.pop()
        if left[node] < 0:
            paths.append(path)
            continue
        path |= columns[split[node]]
        waiting += [(left[node], path), (right[node], path)]
    return paths
