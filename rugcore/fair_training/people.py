"""Who the training rows are: groups, cells, and what is compared between them."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from rugcore.errors import InputError
from rugcore.fair_training.likely_groups import LikelyGroups
from rugcore.fair_training.settings import FairSettings
from rugcore.fairness.groups import Groups
from rugcore.fairness.parity import Cells, Parity, parity
from rugcore.lp.merging import MergedRows
from rugcore.training.rows import Trainable

MOST_LISTED = 6  # cells in a sentence


@dataclass(frozen=True)
class People:
    """Who the training rows are: their groups, the cells these make with the classes, and what is compared."""

    groups: Groups
    cells: Cells
    parity: Parity
    positive: int | None  # number of the positive class, if there is one
    expected_cells: Cells  # with every row counted by how likely it belongs to a group; or the same as `cells`
    expected: Parity  # the same rates over these
    likely: LikelyGroups | None = None

    @classmethod
    def among(cls, rows: Trainable, groups: Groups, positive: int | None, fair: FairSettings) -> "People":
        """Of the rows that training looks at."""
        return cls.of(rows.cells(groups), groups, positive, fair)

    @classmethod
    def of(cls, cells: Cells, groups: Groups, positive: int | None, fair: FairSettings) -> "People":
        found = parity(fair.notion, cells, positive, fair.min_cell_size)
        if not found.contrasts:
            raise InputError(_nothing_to_compare(found, groups, fair))
        return cls(groups, cells, found, positive, cells, found)

    def by_likelihood(self, likely: LikelyGroups, cells: Cells, fair: FairSettings) -> "People":
        """The same people, compared by likely groups, too; `cells` have the weights expected by them."""
        expected = parity(fair.notion, cells, self.positive, fair.min_cell_size)
        return replace(self, expected_cells=cells, expected=expected, likely=likely)

    @property
    def both(self) -> Parity:
        """What is expected, and beside it what is counted on the training rows."""
        return self.expected if self.likely is None else self.expected.beside(self.parity)

    def rows_seen(self, merged: MergedRows, merged_row: np.ndarray) -> MergedRows:
        """The merged rows as `both` sees them: by likely groups, and once more by the true ones."""
        if self.likely is None:
            return merged
        counted = np.bincount(merged_row, self.likely.counted, merged.n_rows)
        true = np.flatnonzero(counted)
        return MergedRows(
            np.concatenate([merged.cell, merged.cell[true] + self.cells.n_cells]),
            np.concatenate([merged.class_code, merged.class_code[true]]),
            np.concatenate([merged.weight, counted[true]]),
            sparse.csr_array(sparse.vstack([merged.coverage, merged.coverage[true]], format="csr")),
        )


def _nothing_to_compare(found: Parity, groups: Groups, fair: FairSettings) -> str:
    if groups.n_groups < 2:
        return (
            f"Expected at least two groups to compare, but every row belongs to {groups.names[0]!r}. Choose another "
            "sensitive feature, or use RUGClassifier."
        )
    rates = sorted((*found.rates, *found.not_estimable), key=lambda rate: -rate.count)
    sizes = ", ".join(
        f"{rate.count} of {rate.group}" + ("" if rate.label is None else f" in class {rate.label}")
        for rate in rates[:MOST_LISTED]
    ) + (f" and {len(rates) - MOST_LISTED} smaller ones" if len(rates) > MOST_LISTED else "")
    return (
        f"Expected two groups with at least {fair.min_cell_size} rows of the same class to compare, but there are "
        f"{sizes}. Join small groups, or lower min_cell_size."
    )
