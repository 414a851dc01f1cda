"""The rows that training looks at."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rugcore.generation.directions import Directions
from rugcore.tables.table import Table
from rugcore.tables.validation import Target


@dataclass(frozen=True)
class TrainingRows:
    """The rows that count: those with weight."""

    table: Table
    class_codes: np.ndarray
    weight: np.ndarray
    classes: tuple[Any, ...]
    directions: Directions | None = None  # which way rules may bound the columns

    @classmethod
    def of(
        cls, table: Table, target: Target, weight: np.ndarray, directions: Directions | None = None
    ) -> "TrainingRows":
        return cls(table, target.codes, weight, tuple(target.classes.tolist()), directions)

    def take(self, is_taken: np.ndarray) -> "TrainingRows":
        return replace(
            self,
            table=self.table.take(is_taken),
            class_codes=self.class_codes[is_taken],
            weight=self.weight[is_taken],
        )
