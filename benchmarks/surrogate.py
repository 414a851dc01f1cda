"""How true are rules to a black box? Rules that imitate LightGBM, against a tree with as many leaves as rules.

Both learn LightGBM's decisions on the training rows, and are compared on test rows that none of the three has seen.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from rugcore import PeerClassifier, list_demos, load_demo, surrogate_rules

QUICK_DEMOS = ("hmda", "compas")
PENALTIES = (1.0, 3.0)
TEST_SHARE = 0.3
FEWEST_LEAVES = 2
N_SPLITS = 5
N_FOLDS = 2  # of fidelity_, which is not what is compared here


def run(folder: Path | None, quick: bool) -> list[dict[str, Any]]:  # noqa: ARG001
    print("agreement with LightGBM on test rows, means over splits; the difference with its standard error")
    heads = f"{'demo':14} {'penalty':>7} {'rules':>6} {'RUG':>7} {'tree':>7} {'usual':>7} {'RUG - tree, points':>20}"
    print(f"{heads}   each split")
    names, n_splits = (QUICK_DEMOS, 1) if quick else (list_demos(), N_SPLITS)
    return [line for name in names for penalty in PENALTIES for line in _lines(name, penalty, n_splits)]


def _lines(name: str, penalty: float, n_splits: int) -> list[dict[str, Any]]:
    found = [_figure(name, penalty, seed) for seed in range(n_splits)]
    table = pd.DataFrame(found)
    means, better = table.mean(numeric_only=True), 100 * (table["rug"] - table["tree"])
    error = f"({better.sem():.1f})" if n_splits > 1 else ""
    each = ", ".join(f"{value:+.1f}" for value in better)
    print(
        f"{name:14} {penalty:7g} {means['n_rules']:6.1f} {means['rug']:7.1%} {means['tree']:7.1%} "
        f"{means['usual']:7.1%} {f'{better.mean():+.1f} {error}':>20}   {each}",
        flush=True,
    )
    return found


def _figure(name: str, penalty: float, seed: int) -> dict[str, Any]:
    demo = load_demo(name)
    X_train, X_test, y_train, _ = train_test_split(
        demo.X, demo.y, test_size=TEST_SHARE, random_state=seed, stratify=demo.y
    )
    black_box = PeerClassifier("LightGBM").fit(X_train, y_train)
    rules = surrogate_rules(X_train, black_box, penalty=penalty, n_folds=N_FOLDS)
    wanted, learned = black_box.predict(X_test), black_box.predict(X_train)
    leaves = {"max_depth": None, "max_leaf_nodes": max(len(rules.rules_), FEWEST_LEAVES)}
    tree = PeerClassifier("decision tree", settings=leaves).fit(X_train, learned)
    usual = rules.classes_[np.argmax(rules.class_share_)]
    return {
        "demo": name,
        "penalty": penalty,
        "split": seed,
        "n_rules": len(rules.rules_),
        "rug": float(np.mean(rules.predict(X_test) == wanted)),
        "tree": float(np.mean(tree.predict(X_test) == wanted)),
        "usual": float(np.mean(wanted == usual)),
        "fidelity": float(rules.fidelity_.overall["rate"]),
    }
