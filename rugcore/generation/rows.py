"""The training rows, and the few things ever asked of them.

This is the seam between the rows and everything else. A `RowBlock` answers with small arrays only: class histograms,
and weights per merged row. Blocks of a larger table could live on different machines and their answers be added up,
while the linear program stays on one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rugcore.generation import kernels
from rugcore.generation.candidates import Candidate
from rugcore.parallel import in_parallel, slices
from rugcore.tables.coverage import RULES_PER_WORD, RuleBits

# Rows whose dual is below this share of a row's weight change no histogram that matters.
NEGLIGIBLE_DUAL = 1e-9
# Handing a thread less work than this costs more than it saves.
CELLS_PER_THREAD = 200_000
# Above this many (merged row, cell) pairs a dense table would outgrow the data.
DENSE_KEYS = 20_000_000


@dataclass
class Sprout:
    """The rows that matter to one tree while it grows: those with a positive weight, not yet in a leaf."""

    rows: np.ndarray
    duals: np.ndarray  # what a rule earns by covering the row
    guides: np.ndarray  # what guides the splits: the duals, smoothed over the rounds
    classes: np.ndarray
    nodes: np.ndarray

    def shorten(self, length: int) -> None:
        self.rows, self.duals, self.guides = self.rows[:length], self.duals[:length], self.guides[:length]
        self.classes, self.nodes = self.classes[:length], self.nodes[:length]


@dataclass(frozen=True)
class Refinement:
    """How new rules split the merged rows: where each new merged row came from, its weight and new rules."""

    parent: np.ndarray
    weight: np.ndarray
    new_rules: np.ndarray  # (n_merged, n_new) boolean


@dataclass(frozen=True)
class MergedSplit:
    """How a further number splits the merged rows: where each new merged row came from, its weight and number."""

    parent: np.ndarray
    weight: np.ndarray
    number: np.ndarray


class RowBlock:
    """Codes, class, weight and merged-row number of every training row."""

    def __init__(
        self,
        codes: np.ndarray,
        classes: np.ndarray,
        weight: np.ndarray,
        n_classes: int,
        cells: np.ndarray | None = None,
    ) -> None:
        self.codes = codes
        self.classes = classes.astype(np.int32)
        self.weight = weight
        self.n_classes = n_classes
        # The number of each row's merged row: before there is any rule, rows differ by cell (else by class) alone.
        self.signature = _ranks(self.classes if cells is None else cells)

    @property
    def n_rows(self) -> int:
        return len(self.classes)

    def class_weight(self) -> np.ndarray:
        return np.bincount(self.classes, self.weight, minlength=self.n_classes)

    # -- growing a tree ------------------------------------------------------------------------------------

    def sprout(self, dual: np.ndarray, guide: np.ndarray) -> Sprout:
        """All rows with a positive guide, in the root; both come per merged row and unit of row weight."""
        rows = np.empty(self.n_rows, dtype=np.int32)
        duals, guides = np.empty(self.n_rows), np.empty(self.n_rows)
        count = kernels.collect_rows(self.signature, dual, guide, self.weight, NEGLIGIBLE_DUAL, rows, duals, guides)
        rows = rows[:count]
        return Sprout(rows, duals[:count], guides[:count], self.classes[rows], np.zeros(count, dtype=np.int16))

    def class_histograms(self, sprout: Sprout, n_nodes: int, n_codes: int) -> np.ndarray:
        """Guide by feature, node, code and class."""
        n_features = self.codes.shape[0]
        histograms = np.zeros((n_features, n_nodes, n_codes, self.n_classes))

        def count(part: slice) -> None:
            kernels.add_class_histograms(
                self.codes[part], sprout.rows, sprout.nodes, sprout.classes, sprout.guides, histograms[part]
            )

        features_per_thread = 1 + CELLS_PER_THREAD // (1 + len(sprout.rows))
        in_parallel(count, slices(n_features, at_least=features_per_thread))
        return histograms

    def class_duals(self, sprout: Sprout, n_nodes: int) -> np.ndarray:
        """Dual by node and class."""
        total = np.zeros((n_nodes, self.n_classes))
        kernels.add_node_classes(sprout.nodes, sprout.classes, sprout.duals, total)
        return total

    def advance(self, sprout: Sprout, feature: np.ndarray, route: np.ndarray) -> None:
        """Send every row to its child; rows that came to a leaf leave the sprout."""
        left = kernels.move_to_children(
            self.codes, feature, route, sprout.rows, sprout.duals, sprout.guides, sprout.classes, sprout.nodes
        )
        sprout.shorten(left)

    # -- taking in rules -----------------------------------------------------------------------------------

    def refine(self, rules: Sequence[Candidate], n_merged: int) -> Refinement:
        """Split the merged rows by which of the new rules cover them, and renumber every row accordingly."""
        refinement = Refinement(np.arange(n_merged), np.empty(0), np.zeros((n_merged, 0), dtype=bool))
        for start in range(0, len(rules), RULES_PER_WORD):
            batch = [rule.allowed for rule in rules[start : start + RULES_PER_WORD]]
            words = RuleBits(batch).words(self.codes)
            step = self._refine_by_words(words, len(batch), len(refinement.parent))
            refinement = Refinement(
                refinement.parent[step.parent],
                step.weight,
                np.hstack([refinement.new_rules[step.parent], step.new_rules]),
            )
        return refinement

    def split(self, numbers: np.ndarray, n_numbers: int, n_merged: int) -> MergedSplit:
        """Tell rows apart by a further number (their group) too, and renumber every row accordingly."""
        weight, keys = self._weight_per_key(numbers.astype(np.int32), n_numbers, n_merged)
        return MergedSplit(keys // n_numbers, weight, keys % n_numbers)

    def renumber(self, number: np.ndarray) -> None:
        """Follow merged rows that were merged again."""
        self.signature = number.astype(np.int32)[self.signature]

    def _refine_by_words(self, words: np.ndarray, n_bits: int, n_merged: int) -> Refinement:
        distinct, cells = number_words(words, n_bits)
        key_weight, keys = self._weight_per_key(cells, len(distinct), n_merged)
        new_rules = _bits(distinct, n_bits)
        return Refinement(keys // len(distinct), key_weight, new_rules[keys % len(distinct)])

    def _weight_per_key(self, cells: np.ndarray, n_cells: int, n_merged: int) -> tuple[np.ndarray, np.ndarray]:
        """Renumber the rows by (merged row, cell) in the order of that pair; the weights and pairs that occur."""
        if n_merged * n_cells > DENSE_KEYS:
            pair = self.signature.astype(np.int64) * n_cells + cells
            keys, inverse = np.unique(pair, return_inverse=True)
            self.signature = inverse.astype(np.int32)
            return np.bincount(inverse, self.weight), keys
        total = np.zeros(n_merged * n_cells)
        kernels.add_weight_per_key(self.signature, cells, n_cells, self.weight, total)
        keys = np.flatnonzero(total)
        new_label = np.zeros(len(total), dtype=np.int32)
        new_label[keys] = np.arange(len(keys), dtype=np.int32)
        kernels.relabel(self.signature, cells, n_cells, new_label)
        return total[keys], keys


def _ranks(numbers: np.ndarray) -> np.ndarray:
    """Small whole numbers, without those that do not occur."""
    occurs = np.bincount(numbers) > 0
    return (np.cumsum(occurs) - 1).astype(np.int32)[numbers]


def number_words(words: np.ndarray, n_bits: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct words in ascending order, and for every row the position of its word among them."""
    cells = np.empty(len(words), dtype=np.int32)
    mask = np.uint64((1 << n_bits) - 1)  # the bits above the last rule mean nothing
    capacity_bits = 10
    while True:
        size = 1 << capacity_bits
        table_words = np.zeros(size, dtype=np.uint64)
        table_cells = np.full(size, -1, dtype=np.int32)
        distinct = np.zeros(size, dtype=np.uint64)
        found = kernels.number_words(words, mask, capacity_bits, table_words, table_cells, distinct, cells)
        if found >= 0:
            break
        capacity_bits += 3
    order = np.argsort(distinct[:found])
    rank = np.empty(found, dtype=np.int32)
    rank[order] = np.arange(found, dtype=np.int32)
    return distinct[:found][order], rank[cells]


def _bits(words: np.ndarray, n_bits: int) -> np.ndarray:
    return (words[:, None] >> np.arange(n_bits, dtype=np.uint64)) & np.uint64(1) == 1
