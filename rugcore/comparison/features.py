"""The training columns as numbers for other kinds of model, and from those numbers back to the columns.

There are two forms. `codes` has one number per column, a category being its number: for trees that can split on sets of
categories. `indicators` has a 0/1 column for every category: for everything else. Both are learned from the training
rows alone, and a value that those rows never showed is simply none of those they did.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.errors import InputError
from rugcore.tables.table import Table, plain_value

# A 0/1 column for every value of a column with thousands would fill the memory and teach little; the rest share none.
MOST_INDICATORS = 50
BLANK_CODE = 0


@dataclass(frozen=True)
class NumberFeature:
    """A column of numbers; where an indicator must be a number, a blank is the training median."""

    name: str
    position: int
    centre: float
    has_blanks: bool
    is_category = False

    @property
    def n_indicators(self) -> int:
        return 1 + self.has_blanks

    def codes(self, column: np.ndarray) -> np.ndarray:
        return column

    def indicators(self, column: np.ndarray) -> np.ndarray:
        is_blank = np.isnan(column)
        filled = np.where(is_blank, self.centre, column)
        return np.column_stack([filled, is_blank]) if self.has_blanks else filled[:, None]


@dataclass(frozen=True)
class CategoryFeature:
    """A column of text, categories or true/false: blanks are number 0, values from 1, all others one number more."""

    name: str
    position: int
    values: tuple[Any, ...]  # most frequent first
    is_category = True

    @property
    def n_indicators(self) -> int:
        return 1 + min(len(self.values), MOST_INDICATORS)

    @property
    def n_codes(self) -> int:
        return len(self.values) + 2

    def codes(self, column: np.ndarray) -> np.ndarray:
        place, distinct = pd.factorize(column)
        number = {value: code for code, value in enumerate(self.values, start=1)}
        other = len(self.values) + 1
        code_of = [number.get(plain_value(value), other) for value in distinct]
        return np.array([*code_of, BLANK_CODE], dtype=float)[place]  # a blank's place is -1: the last one

    def indicators(self, column: np.ndarray) -> np.ndarray:
        return self.codes(column)[:, None] == np.arange(self.n_indicators)


Feature = NumberFeature | CategoryFeature


@dataclass(frozen=True)
class FeatureEncoder:
    """What was learned from the training rows about every column that holds something."""

    features: tuple[Feature, ...]

    @classmethod
    def fit(cls, table: Table) -> "FeatureEncoder":
        used = [position for position, kind in enumerate(table.kinds) if kind != "blank"]
        if not used:
            raise InputError("Expected at least one column with a value to learn from, but all columns are blank.")
        return cls(tuple(_feature(table, position) for position in used))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(feature.name for feature in self.features)

    @property
    def categories(self) -> list[int]:
        """Which of the features are categories."""
        return [number for number, feature in enumerate(self.features) if feature.is_category]

    @property
    def origins(self) -> np.ndarray:
        """The number of the feature that every indicator comes from."""
        return np.repeat(np.arange(len(self.features)), [feature.n_indicators for feature in self.features])

    def codes(self, table: Table) -> np.ndarray:
        """(rows, features); numbers as they are, NaN where blank."""
        return np.column_stack([feature.codes(table.column(feature.position)) for feature in self.features])

    def codes_of_row(self, cells: Mapping[str, Any]) -> np.ndarray:
        """The same for one row given as values by column: no table is needed for it."""
        columns = [np.array([cells[f.name]], dtype=object if f.is_category else float) for f in self.features]
        return np.column_stack([f.codes(column) for f, column in zip(self.features, columns, strict=True)])

    def indicators(self, table: Table) -> np.ndarray:
        """(rows, indicators) without blanks."""
        parts = [feature.indicators(table.column(feature.position)) for feature in self.features]
        return np.hstack(parts, dtype=np.float32, casting="same_kind")


def _feature(table: Table, position: int) -> Feature:
    name, column = table.names[position], table.column(position)
    if table.kinds[position] == "number":
        return NumberFeature(name, position, float(np.nanmedian(column)), bool(np.isnan(column).any()))
    return CategoryFeature(name, position, _by_frequency(column))


def _by_frequency(column: np.ndarray) -> tuple[Any, ...]:
    """Equally frequent values in the order of their text, so that the order of rows does not matter."""
    counts = pd.Series(column, dtype=object).value_counts()
    pairs: Sequence[tuple[Any, int]] = [(plain_value(value), int(count)) for value, count in counts.items()]
    return tuple(value for value, _ in sorted(pairs, key=lambda pair: (-pair[1], str(pair[0]))))
