"""The rows that training looks at."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from sklearn.utils import check_random_state

from rugcore.attribution import CodedPeople
from rugcore.fairness.groups import Groups
from rugcore.fairness.parity import Cells, cell_numbers
from rugcore.generation.directions import Directions, orders_of
from rugcore.generation.rows import RowBlock
from rugcore.generation.seam import Rows
from rugcore.lp.merging import MergedRows
from rugcore.tables.columns import Column
from rugcore.tables.encoder import encode
from rugcore.tables.table import Table
from rugcore.tables.validation import Target
from rugcore.training.settings import Settings


@dataclass(frozen=True)
class EncodedRows:
    """Rows in the codes of their columns, and how they are merged before there is any rule."""

    columns: tuple[Column, ...]
    rows: Rows
    merged: MergedRows


class Trainable(Protocol):
    """Rows to train on, wherever they lie."""

    @property
    def classes(self) -> tuple[Any, ...]: ...

    @property
    def directions(self) -> Directions | None: ...

    def encoded(self, settings: Settings, groups: Groups | None = None) -> EncodedRows:
        """With `groups`, rows of different groups are told apart from the start."""
        ...

    def in_memory(self, most: int) -> "TrainingRows | None":
        """The rows themselves, if they are at most so many."""
        ...

    def cells(self, groups: Groups) -> Cells:
        """How many rows, and how much weight, every class has in every group."""
        ...

    def outcomes(self, groups: Groups) -> "Outcomes":
        """Class, group and weight of every row; refused where the rows are too many for one process."""
        ...

    def people(self, columns: Sequence[Column]) -> CodedPeople | None:
        """The rows in the codes of these columns, to be kept with a model; None where they are too many."""
        ...


@dataclass(frozen=True)
class Outcomes:
    """Class, group and weight of every row."""

    class_codes: np.ndarray
    groups: Groups
    weight: np.ndarray


@dataclass(frozen=True)
class TrainingRows:
    """The rows that count, those with weight, in this process."""

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

    def encoded(self, settings: Settings, groups: Groups | None = None) -> EncodedRows:
        random_state, orders = check_random_state(settings.random_state), orders_of(self.directions)
        encoded = encode(self.table, self.weight, random_state, settings.max_bins, orders)
        cells = None if groups is None else cell_numbers(self.class_codes, groups)
        block = RowBlock(encoded.codes, self.class_codes, self.weight, len(self.classes), cells)
        n_groups = 1 if groups is None else groups.n_groups
        weight = np.bincount(self.class_codes if cells is None else cells, self.weight, len(self.classes) * n_groups)
        return EncodedRows(encoded.columns, block, merged_by_cell(weight, n_groups))

    def in_memory(self, most: int) -> "TrainingRows | None":
        return self if len(self.weight) <= most else None

    def cells(self, groups: Groups) -> Cells:
        return Cells.of(self.classes, self.class_codes, groups, self.weight)

    def outcomes(self, groups: Groups) -> Outcomes:
        return Outcomes(self.class_codes, groups, self.weight)

    def people(self, columns: Sequence[Column]) -> CodedPeople:
        return CodedPeople.of(self.table, columns, self.class_codes, self.weight)


def merged_by_cell(cell_weight: np.ndarray, n_groups: int) -> MergedRows:
    """Before there is any rule: one merged row for every class, or for every group of every class."""
    return MergedRows.by_cell(np.arange(len(cell_weight)) // n_groups, cell_weight)
