"""What the paper's tables say about a trained model on the test rows; shares in percent, as printed there."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from rugcore.comparison import BooleanRulesClassifier, PeerClassifier, TreeRulesClassifier
from rugcore.experiments.sets import DataSet, Part
from rugcore.rules.readability import reading_of

MEASURES = ("cpu_s", "f1", "acc", "score", "n_rules", "avg_rule_length", "rules_per_row", "rule_length_per_row")
NAN = float("nan")


def measured(model: Any, data: DataSet, notion: str) -> dict[str, float]:
    """All but the time; of a model without rules or leaves there is nothing to read."""
    decided = model.predict(data.test.X)
    found = {"f1": f1(data, decided), "acc": 100.0 * accuracy(data.test, decided)}
    if notion:
        found["score"], found["gap"] = (100.0 * share for share in fairness(data, data.test, decided, notion))
    return found | reading(model, data.test.X) | proof(model)


def accuracy(rows: Part, decided: np.ndarray) -> float:
    return float(np.mean(rows.y == decided))


def f1(data: DataSet, decided: np.ndarray) -> float:
    """Of the positive class; with three and more classes the mean of all, weighted by their rows."""
    from sklearn.metrics import f1_score

    truth = data.test.y
    if len(np.unique(data.training.y)) == 2 and data.positive is not None:
        return 100.0 * float(f1_score(truth == data.positive, decided == data.positive, zero_division=0.0))
    return 100.0 * float(f1_score(truth, decided, average="weighted", zero_division=0.0))


def fairness(data: DataSet, rows: Part, decided: np.ndarray, notion: str) -> tuple[float, float]:
    """The paper's score, and the gap itself: the largest difference between two groups."""
    from rugcore.fairness.audit import fairness_report

    line: Any = fairness_report(
        rows.y,
        decided,
        sensitive_features=rows.groups,
        positive_class=data.positive,
        min_cell_size=1,
        classes=np.unique(data.training.y).tolist(),
    ).loc[notion]
    return float(line["score"]), float(line["gap"])


def proof(model: Any) -> dict[str, float]:
    """The gap to the best possible objective on the training rows, in percent, where the model knows it."""
    if isinstance(model, BooleanRulesClassifier | TreeRulesClassifier):
        return {"proof_gap": 100.0 * max(model.loss_ - model.lower_bound_, 0.0) / max(model.loss_, 1.0)}
    gap = model.history_[-1].optimality_gap if getattr(model, "pricing", "") == "exact" else None
    return {} if gap is None else {"proof_gap": 100.0 * gap}


def reading(model: Any, X: Any) -> dict[str, float]:
    """How many rules or leaves there are, how long, and how many have a say in one row."""
    if isinstance(model, PeerClassifier):
        trees = list(_trees(model, X))
        depths = np.concatenate([leaf_depths for leaf_depths, _ in trees])
        per_row = float(np.mean([row_depths.mean() for _, row_depths in trees]))
        found = [float(len(depths)), float(depths.mean()), float(len(trees)), per_row]
    else:
        report = reading_of(model.rules_, model.covering_rules(X))
        names = ("n_rules", "average_rule_length", "rules_per_row", "rule_length_per_row")
        found = [report[name] for name in names]
    return dict(zip(MEASURES[4:], found, strict=True))


def _trees(model: PeerClassifier, X: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Of every tree: how deep its leaves lie, and the leaves that the rows come to."""
    matrix = model.matrix(X)
    if model.kind == "LightGBM":
        leaves = np.asarray(model.estimator_.predict(matrix, pred_leaf=True)).reshape(len(matrix), -1)
        for number, tree in enumerate(model.estimator_.booster_.dump_model()["tree_info"]):
            depth_of = dict(_leaves_below(tree["tree_structure"], 0))
            yield np.array(list(depth_of.values())), np.array([depth_of[leaf] for leaf in leaves[:, number].tolist()])
        return
    members = [model.estimator_] if model.kind == "decision tree" else model.estimator_.estimators_
    for member in members:
        depth = _depths(member.tree_)
        yield depth[member.tree_.children_left < 0], depth[member.apply(matrix)]


def _depths(tree: Any) -> np.ndarray:
    """Of every node of a tree of scikit-learn, in which children come after their parent."""
    depth = np.zeros(tree.node_count, dtype=np.int64)
    for node, (left, right) in enumerate(zip(tree.children_left.tolist(), tree.children_right.tolist(), strict=True)):
        if left >= 0:
            depth[[left, right]] = depth[node] + 1
    return depth


def _leaves_below(node: dict[str, Any], depth: int) -> Iterator[tuple[int, int]]:
    if "split_feature" not in node:
        yield int(node.get("leaf_index", 0)), depth
        return
    for side in ("left_child", "right_child"):
        yield from _leaves_below(node[side], depth + 1)
