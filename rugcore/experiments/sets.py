"""Data sets in a folder: NAME.csv.gz files with the label in the column `target`, and a catalog.json about them.

The catalog has an entry for every set: `categorical`, the columns that hold categories (read as text); `sensitive`, the
column that makes groups, or null; `positive_class`, the label that F1 and equal opportunity are about, or null. Other
entries are for people to read. An empty cell is a blank.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rugcore.errors import InputError

SPLIT_SEED = 21  # the paper's
TEST_SHARE = 0.2


@dataclass(frozen=True)
class Part:
    """Some rows of a set; the sensitive column, if there is one, stands among the features as in the paper."""

    X: pd.DataFrame
    y: np.ndarray
    groups: pd.Series | None

    def take(self, rows: np.ndarray) -> "Part":
        return Part(self.X.iloc[rows], self.y[rows], None if self.groups is None else self.groups.iloc[rows])


@dataclass(frozen=True)
class DataSet:
    """A set, cut as the paper cuts it."""

    name: str
    training: Part
    test: Part
    positive: Any


@dataclass(frozen=True)
class DataFolder:
    """A folder with data sets."""

    path: Path

    def entries(self) -> dict[str, dict[str, Any]]:
        """The catalog."""
        try:
            content = json.loads((self.path / "catalog.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(
                f"Expected a folder with a catalog.json, but {self.path} has none that can be read."
            ) from error
        if not isinstance(content, dict):
            raise InputError(f"Expected the catalog.json of {self.path} to hold an entry for every set.")
        return content

    def has(self, name: str) -> bool:
        return name in self.entries() and self._file(name).exists()

    def n_cells(self, name: str) -> int:
        """About how much there is to learn from: large sets begin first."""
        return self._file(name).stat().st_size

    def load(self, name: str) -> DataSet:
        """80 % of the rows to train on, 20 % to test on, with every class in both."""
        from sklearn.model_selection import train_test_split

        entry = self.entries()[name]
        frame = pd.read_csv(self._file(name), keep_default_na=False, na_values=[""])
        if "target" not in frame:
            raise InputError(f"Expected a column 'target' in {self._file(name)}, but there is none.")
        frame = frame.assign(**{column: frame[column].astype(str) for column in entry.get("categorical", ())})
        X, y, sensitive = frame.drop(columns="target"), frame["target"].to_numpy(), entry.get("sensitive")
        rows = Part(X, y, None if sensitive is None else X[sensitive])
        split = train_test_split(np.arange(len(y)), test_size=TEST_SHARE, random_state=SPLIT_SEED, stratify=y)
        return DataSet(name, rows.take(split[0]), rows.take(split[1]), entry.get("positive_class"))

    def _file(self, name: str) -> Path:
        return self.path / f"{name}.csv.gz"
