"""Rows that the linear program cannot tell apart, counted once."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class MergedRows:
    """One line for every class and set of covering rules that occurs, with the weight of its rows.

    The order is canonical (by class, then by what split the rows), never that of the table: shuffling the table
    leaves the linear program, and so its vertex, as it is.
    """

    label: np.ndarray  # class of each merged row
    weight: np.ndarray  # total sample weight of each merged row
    coverage: sparse.csr_array  # (n_merged, n_rules), boolean

    @property
    def n_rows(self) -> int:
        return len(self.label)

    @classmethod
    def by_class(cls, class_weight: np.ndarray) -> "MergedRows":
        """Before there is any rule, rows differ by class alone; a class without rows has none."""
        present = np.flatnonzero(class_weight)
        return cls(present, class_weight[present], sparse.csr_array((len(present), 0), dtype=bool))

    def refined(
        self, parent: np.ndarray, weight: np.ndarray, new_coverage: sparse.csr_array
    ) -> "MergedRows":
        """Split every row into its children; `new_coverage` says which of the new rules cover each child."""
        coverage = sparse.hstack([self.coverage[parent], new_coverage], format="csr", dtype=bool)
        return MergedRows(self.label[parent], weight, sparse.csr_array(coverage))
