"""Rows that the linear program cannot tell apart, counted once."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class MergedRows:
    """One line for every cell and set of covering rules that occurs, with the weight of its rows.

    A cell is what tells rows apart before there is any rule: the class, or the class and a group of people. The order
    is canonical (by cell, then by what split the rows), never that of the table: shuffling the table leaves the linear
    program, and so its vertex, as it is.
    """

    cell: np.ndarray  # cell of each merged row
    class_code: np.ndarray  # class of each merged row
    weight: np.ndarray  # total sample weight of each merged row
    coverage: sparse.csr_array  # (n_merged, n_rules), boolean

    @property
    def n_rows(self) -> int:
        return len(self.class_code)

    @classmethod
    def by_cell(cls, cell_label: np.ndarray, cell_weight: np.ndarray) -> "MergedRows":
        """Before there is any rule, rows differ by cell alone; a cell without rows has none."""
        present = np.flatnonzero(cell_weight)
        no_rules = sparse.csr_array((len(present), 0), dtype=bool)
        return cls(present, cell_label[present], cell_weight[present], no_rules)

    def refined(self, parent: np.ndarray, weight: np.ndarray, new_coverage: sparse.csr_array) -> "MergedRows":
        """Split every row into its children; `new_coverage` says which of the new rules cover each child."""
        coverage = _side_by_side(sparse.csr_array(self.coverage[parent]), new_coverage)
        return MergedRows(self.cell[parent], self.class_code[parent], weight, coverage)

    def split(self, parent: np.ndarray, weight: np.ndarray, cell: np.ndarray) -> "MergedRows":
        """Split every row into children of different cells."""
        return MergedRows(cell, self.class_code[parent], weight, sparse.csr_array(self.coverage[parent]))

    def with_rules(self, kept: np.ndarray) -> "tuple[MergedRows, np.ndarray]":
        """The rows as seen by some of the rules only, merged again; and the new number of every old row."""
        coverage = sparse.csr_array(self.coverage[:, kept])
        coverage.sort_indices()
        first, number = _distinct_rows(self.cell, coverage)
        weight = np.bincount(number, self.weight)
        return MergedRows(self.cell[first], self.class_code[first], weight, coverage[first]), number


def _side_by_side(left: sparse.csr_array, right: sparse.csr_array) -> sparse.csr_array:
    """Two boolean arrays with the same rows as one (`sparse.hstack` takes several times as long on small ones)."""
    indices = np.empty(left.nnz + right.nnz, dtype=np.int32)
    indices[np.arange(left.nnz) + np.repeat(right.indptr[:-1], np.diff(left.indptr))] = left.indices
    indices[np.arange(right.nnz) + np.repeat(left.indptr[1:], np.diff(right.indptr))] = right.indices + left.shape[1]
    shape = (left.shape[0], left.shape[1] + right.shape[1])
    return sparse.csr_array((np.ones(len(indices), dtype=bool), indices, left.indptr + right.indptr), shape=shape)


def _distinct_rows(cell: np.ndarray, coverage: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """One representative of every (cell, set of rules), and which of them each row equals.

    Sets are compared by the sum of a random 64-bit key for each rule and cell. The keys are fixed, so the order of
    the result depends on the sets alone.
    """
    n_keys = coverage.shape[1] + cell.max() + 1
    keys = np.random.default_rng(0).integers(0, 2**64 - 1, n_keys, dtype=np.uint64, endpoint=True)
    running = np.concatenate([np.zeros(1, np.uint64), np.cumsum(keys[coverage.indices], dtype=np.uint64)])
    hashes = running[coverage.indptr[1:]] - running[coverage.indptr[:-1]] + keys[coverage.shape[1] + cell]
    _, representative, number = np.unique(hashes, return_index=True, return_inverse=True)
    return representative, number
