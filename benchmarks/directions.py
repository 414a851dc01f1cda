"""What directions cost: accuracy and rules with and without them, and whom a free model rewards for a worse value."""

from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.model_selection import train_test_split

from rugcore import RUGClassifier, load_demo, rewarded_against_direction

DIRECTIONS = {
    "hmda": {"payments to income ratio": -1, "housing expense to income ratio": -1, "loan to value ratio": -1},
    "credit_data": {
        "years in job": 1,
        "income": 1,
        "assets": 1,
        "debt": -1,
        "expenses": -1,
        "amount requested": -1,
    },
}
N_SPLITS, DEPTHS, PRICES = 5, (2, 3), (1.0, 3.0)


def run(data: Path | None, quick: bool) -> list[dict[str, Any]]:  # noqa: ARG001 - the demos ship with the project
    """The same splits with and without directions; all figures are means over splits, on the rows held out."""
    n_splits = 1 if quick else N_SPLITS
    lines = [
        _line(name, depth, price, is_directed, n_splits)
        for name, depth, price, is_directed in product(DIRECTIONS, DEPTHS, PRICES, (False, True))
    ]
    print(pd.DataFrame(lines).to_string(index=False), flush=True)
    return lines


def _line(name: str, depth: int, price: float, is_directed: bool, n_splits: int) -> dict[str, Any]:
    figures = [_figures(name, depth, price, is_directed, seed) for seed in range(n_splits)]
    means = pd.DataFrame(figures).mean().round(3).to_dict()
    return {"demo": name, "depth": depth, "price": price, "directions": is_directed} | means


def _figures(name: str, depth: int, price: float, is_directed: bool, seed: int) -> dict[str, float]:
    demo = load_demo(name)
    X = demo.X.drop(columns=list(demo.sensitive_options))
    X_train, X_test, y_train, y_test = train_test_split(X, demo.y, test_size=0.3, random_state=seed, stratify=demo.y)
    own = {"monotonic_cst": DIRECTIONS[name], "positive_class": demo.favourable} if is_directed else {}
    model = RUGClassifier(max_depth=depth, penalty=price, **own).fit(X_train, y_train)
    rewarded = rewarded_against_direction(model, DIRECTIONS[name], demo.favourable, X_test)
    people = rewarded.groupby("column")["people"].first().max() if len(rewarded) else 0
    return {
        "accuracy": model.score(X_test, y_test),
        "rules": len(model.rules_),
        "conditions": sum(rule.length for rule in model.rules_),
        "rewarded for a worse value": people / len(X_test),
    }
