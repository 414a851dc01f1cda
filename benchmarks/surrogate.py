"""How true are rules to a black box? Rules that imitate LightGBM, against a tree with as many leaves as rules.

Both learn LightGBM's decisions on the training rows, and are compared on test rows that none of the three has seen.
"""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from rugcore import PeerClassifier, list_demos, load_demo, surrogate_rules

QUICK_DEMOS = ("hmda", "compas")
PENALTIES = (1.0, 3.0)
TEST_SHARE = 0.3
FEWEST_LEAVES = 2


def run(folder: Path | None, quick: bool) -> list[dict[str, Any]]:  # noqa: ARG001
    print("agreement with LightGBM on test rows; in brackets the cross-validated fidelity_ with its interval")
    print(f"{'demo':14} {'penalty':>7} {'rules':>6} {'RUG':>7} {'tree':>7} {'usual':>7}   fidelity_")
    names = QUICK_DEMOS if quick else list_demos()
    return [_figure(name, penalty) for name in names for penalty in PENALTIES]


def _figure(name: str, penalty: float) -> dict[str, Any]:
    demo = load_demo(name)
    X_train, X_test, y_train, _ = train_test_split(
        demo.X, demo.y, test_size=TEST_SHARE, random_state=0, stratify=demo.y
    )
    black_box = PeerClassifier("LightGBM").fit(X_train, y_train)
    rules = surrogate_rules(X_train, black_box, penalty=penalty)
    wanted, learned = black_box.predict(X_test), black_box.predict(X_train)
    leaves = {"max_depth": None, "max_leaf_nodes": max(len(rules.rules_), FEWEST_LEAVES)}
    tree = PeerClassifier("decision tree", settings=leaves).fit(X_train, learned)
    usual = rules.classes_[np.argmax(rules.class_share_)]
    found = rules.fidelity_.overall
    figure = {
        "demo": name,
        "penalty": penalty,
        "n_rules": len(rules.rules_),
        "rug": float(np.mean(rules.predict(X_test) == wanted)),
        "tree": float(np.mean(tree.predict(X_test) == wanted)),
        "usual": float(np.mean(wanted == usual)),
        "fidelity": [float(found[key]) for key in ("rate", "lower", "upper")],
    }
    rate, lower, upper = figure["fidelity"]
    print(
        f"{name:14} {penalty:7g} {figure['n_rules']:6} {figure['rug']:7.1%} {figure['tree']:7.1%} "
        f"{figure['usual']:7.1%}   [{rate:.1%}, {lower:.1%} to {upper:.1%}]",
        flush=True,
    )
    return figure
