"""The rows that training looks at."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rugcore.tables.table import Table
from rugcore.tables.validation import Target


@dataclass(frozen=True)
class TrainingRows:
    """The rows that count: those with weight."""

    table: Table
    class_codes: np.ndarray
    weight: np.ndarray
    classes: tuple[Any, ...]

    @classmethod
    def of(cls, table: Table, target: Target, weight: np.ndarray) -> "TrainingRows":
        return cls(table, target.codes, weight, tuple(target.classes.tolist()))

    def take(self, is_taken: np.ndarray) -> "TrainingRows":
        return TrainingRows(self.table.take(is_taken), self.class_codes[is_taken], self.weight[is_taken], self.classes)
