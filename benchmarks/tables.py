"""The tables that the benchmarks run on.

The demo data sets ship with the project. The paper's data sets do not: with `--data DIR` they are read from a folder
that holds `NAME.csv.gz` files with the label in the column `target`, and a `catalog.json` that says which columns are
categorical.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from rugcore import load_demo, make_loans

SPLIT_SEED = 21
COMPARABLE = [
    "banknote",
    "ilpd",
    "ionosphere",
    "transfusion",
    "liver",
    "tictactoe",
    "wdbc",
    "mammography",
    "diabetes",
    "oilspill",
    "phoneme",
    "mushroom",
    "bank_mkt",
    "magic",
    "skinnonskin",
    "adult",
]
LARGE = ["adult", "bank_mkt", "magic", "default", "mammography", "skinnonskin"]


@dataclass(frozen=True)
class Split:
    """One table cut into training and test rows; `encoded` is what peers need: numbers only, text one-hot."""

    name: str
    X_train: pd.DataFrame
    X_test: pd.DataFrame
    y_train: np.ndarray
    y_test: np.ndarray

    def encoded(self) -> tuple[np.ndarray, np.ndarray]:
        both = pd.get_dummies(pd.concat([self.X_train, self.X_test])).to_numpy(dtype=np.float64)
        return both[: len(self.X_train)], both[len(self.X_train) :]


def load(name: str, data: Path | None, seed: int = SPLIT_SEED) -> Split:
    """`loans:ROWS` is synthetic, `demo:NAME` ships with the project, anything else comes from the folder."""
    X, y = table(name, data)
    parts = train_test_split(X, y, test_size=0.2, random_state=seed, stratify=y)
    return Split(name, parts[0], parts[1], parts[2], parts[3])


@cache
def table(name: str, data: Path | None) -> tuple[pd.DataFrame, np.ndarray]:
    kind, _, rest = name.partition(":")
    if kind == "loans":
        loans = make_loans(int(rest), n_features=42, categorical=False, missing=0.0, random_state=0)
        return loans.X, (loans.y == loans.favourable).to_numpy().astype(int)
    if kind == "demo":
        demo = load_demo(rest)
        return demo.X, (demo.y == demo.favourable).to_numpy().astype(int)
    return _from_folder(name, data)


def _from_folder(name: str, data: Path | None) -> tuple[pd.DataFrame, np.ndarray]:
    if data is None:
        raise SystemExit(f"{name} is one of the paper's data sets: name the folder that holds them with --data DIR.")
    frame = pd.read_csv(data / f"{name}.csv.gz", keep_default_na=False, na_values=[""])
    for column in catalog(data)[name]["categorical"]:
        frame[column] = frame[column].astype(str)
    return frame.drop(columns="target"), frame["target"].to_numpy()


@cache
def catalog(data: Path) -> dict[str, dict]:
    return json.loads((data / "catalog.json").read_text())


def binary_sets(data: Path | None) -> list[str]:
    """The 16 sets on which the paper's results can be compared, or the demos if there is no folder."""
    return (
        list(COMPARABLE)
        if data
        else ["demo:hmda", "demo:credit_data", "demo:compas", "demo:lending_club", "demo:adult"]
    )


def large_sets(data: Path | None) -> list[str]:
    return list(LARGE) if data else ["demo:adult", "demo:compas", "demo:credit_data", "demo:lending_club"]
