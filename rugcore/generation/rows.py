"""Training rows that lie in this process: what is asked of them (`rugcore.generation.seam`), in compiled loops."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rugcore.generation import kernels
from rugcore.generation.candidates import Candidate
from rugcore.generation.literals import CodeLiteral
from rugcore.generation.seam import CodePatterns, MergedSplit, Patterns, Refinement, Surroundings, Vote, bits_of
from rugcore.parallel import in_parallel, slices
from rugcore.tables.columns import MISSING_CODE, N_CODES
from rugcore.tables.coverage import RULES_PER_WORD, RuleBits

# Rows whose dual is below this share of a row's weight change no histogram that matters.
NEGLIGIBLE_DUAL = 1e-9
# Handing a thread less work than this costs more than it saves.
CELLS_PER_THREAD = 200_000
ROWS_PER_THREAD = 50_000
# With more (merged row, cell) pairs than this per row, a dense table of them takes longer than sorting the rows.
DENSE_KEYS_PER_ROW = 20


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


class RowVotes(NamedTuple):
    """Where every row stands under the weights of some rules, while the rules are being changed."""

    lead: np.ndarray  # sum_j a_ij w_j
    n_speakers: np.ndarray  # rules with weight that cover the row
    decided: np.ndarray  # number of the class


class _Outcomes(NamedTuple):
    classes: np.ndarray
    weight: np.ndarray


class RowBlock:
    """Codes, class, weight and merged-row number of every row."""

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

    @classmethod
    def numbered(
        cls, codes: np.ndarray, classes: np.ndarray, weight: np.ndarray, n_classes: int, signature: np.ndarray
    ) -> "RowBlock":
        """Rows whose merged rows are known; `refine`, `split` and `renumber` may change `signature` itself."""
        block = cls.__new__(cls)
        block.codes, block.classes, block.weight, block.n_classes = codes, classes, weight, n_classes
        block.signature = signature
        return block

    @property
    def n_rows(self) -> int:
        return len(self.classes)

    @property
    def merged_row(self) -> np.ndarray:
        return self.signature

    def has_blanks(self) -> np.ndarray:
        """Of every column: whether a row has none of its values."""
        return np.array([(line == MISSING_CODE).any() for line in self.codes], dtype=bool)

    def present_codes(self) -> np.ndarray:
        """Which of the 256 codes occur in each column, as booleans."""
        return np.array([np.bincount(line, minlength=N_CODES) > 0 for line in self.codes]).reshape(-1, N_CODES)

    def class_weight(self) -> np.ndarray:
        return np.bincount(self.classes, self.weight, minlength=self.n_classes)

    def gathered_codes(self) -> np.ndarray:
        return self.codes

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

    def code_patterns(self, dual: np.ndarray) -> CodePatterns:
        """The rows with a positive dual, merged by codes and class."""
        sprout = self.sprout(dual, dual)
        lines = np.vstack([self.codes[:, sprout.rows], sprout.classes[None]])  # as wide as a class number
        return merged_by_codes(lines, sprout.duals)

    # -- making rules shorter ------------------------------------------------------------------------------

    def patterns(self, literals: Sequence[Sequence[CodeLiteral]], dual: np.ndarray) -> list[Patterns]:
        """How the rows meet and miss the literals, of one rule after the other."""
        return [self._patterns(own, dual) for own in literals]

    def _patterns(self, literals: Sequence[CodeLiteral], dual: np.ndarray) -> Patterns:
        conditions, outcomes, signature = _as_arrays(literals), self._outcomes, self.signature

        def count(part: slice) -> np.ndarray:
            found = np.zeros((2, 1 << len(literals), self.n_classes))
            kernels.add_patterns(self.codes, *conditions, outcomes, dual, signature, part.start, part.stop, *found)
            return found

        return Patterns(*np.sum(in_parallel(count, slices(self.n_rows, at_least=ROWS_PER_THREAD)), axis=0))

    def row_votes(self, lead: np.ndarray, n_speakers: np.ndarray, decided: np.ndarray) -> RowVotes:
        """Of every row, given that of every merged row."""
        return RowVotes(lead[self.signature], n_speakers[self.signature], decided[self.signature])

    def unspoken(self) -> RowVotes:
        """Of rows that no rule has spoken for."""
        return RowVotes(np.zeros(self.n_rows), np.zeros(self.n_rows, dtype=np.int64), self.classes.astype(np.int64))

    def look_around(self, literals: Sequence[CodeLiteral], row_votes: RowVotes, vote: Vote) -> Surroundings:
        """What would change if the rule that joins these literals lost one of them, or went."""
        n_places = len(literals) + 1
        conditions, outcomes = _as_arrays(literals), self._outcomes

        def look(part: slice) -> Surroundings:
            loss, opposed, alone = np.zeros(n_places), np.zeros(n_places), np.zeros(1)
            reached = np.zeros((n_places, self.n_classes))
            where = part.start, part.stop
            kernels.look_around(
                self.codes, *conditions, outcomes, row_votes, vote, *where, loss, reached, opposed, alone
            )
            return Surroundings(loss, reached, opposed, float(alone[0]))

        parts = in_parallel(look, slices(self.n_rows, at_least=ROWS_PER_THREAD))
        return Surroundings(*(sum(getattr(part, name) for part in parts) for name in Surroundings.__dataclass_fields__))

    def widen(self, literals: Sequence[CodeLiteral], dropped: int, row_votes: RowVotes, vote: Vote) -> None:
        """Let the rule speak for those, too, who miss the literal `dropped` alone."""
        kernels.move_votes(self.codes, *_as_arrays(literals), dropped, self._outcomes, row_votes, vote)

    def silence(self, literals: Sequence[CodeLiteral], row_votes: RowVotes, vote: Vote) -> None:
        """Let the rule speak for nobody."""
        kernels.move_votes(self.codes, *_as_arrays(literals), len(literals), self._outcomes, row_votes, vote)

    @property
    def _outcomes(self) -> _Outcomes:
        return _Outcomes(self.classes, self.weight)

    # -- taking in rules -----------------------------------------------------------------------------------

    def class_weights(self, rules: Sequence[Candidate]) -> np.ndarray:
        """The weight that each rule covers, by class."""
        return self._covered(rules, self.weight)

    def covered_duals(self, rules: Sequence[Candidate], dual: np.ndarray) -> np.ndarray:
        """The duals that each rule covers, by class; `dual` comes per merged row and unit of row weight."""
        return self._covered(rules, dual[self.signature] * self.weight)

    def _covered(self, rules: Sequence[Candidate], amount: np.ndarray) -> np.ndarray:
        total = np.zeros((len(rules), self.n_classes))
        for start in range(0, len(rules), RULES_PER_WORD):
            batch = [rule.allowed for rule in rules[start : start + RULES_PER_WORD]]
            distinct, cells = number_words(RuleBits(batch).words(self.codes), len(batch))
            weight = np.zeros((len(distinct), self.n_classes))
            kernels.add_node_classes(cells, self.classes, amount, weight)
            total[start : start + len(batch)] = bits_of(distinct, len(batch)).T.astype(float) @ weight
        return total

    def refine(self, rules: Sequence[Candidate], n_merged: int) -> Refinement:
        """Split the merged rows by which of the new rules cover them, and renumber every row accordingly."""
        refinement = Refinement.nothing(n_merged)
        for start in range(0, len(rules), RULES_PER_WORD):
            batch = [rule.allowed for rule in rules[start : start + RULES_PER_WORD]]
            words = RuleBits(batch).words(self.codes)
            parent, weight, word = self.split_by_words(words, len(batch), len(refinement.parent))
            refinement = refinement.refined(parent, weight, word, len(batch))
        return refinement

    def split(self, numbers: np.ndarray, n_numbers: int, n_merged: int) -> MergedSplit:
        """Tell rows apart by a further number (their group) too, and renumber every row accordingly."""
        weight, keys = self._weight_per_key(numbers.astype(np.int32), n_numbers, n_merged)
        return MergedSplit(keys // n_numbers, weight, keys % n_numbers)

    def split_by_chance(self, weight: np.ndarray, n_numbers: int, n_merged: int) -> MergedSplit:
        """Let a copy of every row stand in every group, one after the other, with these weights."""
        n_rows = self.n_rows
        self.copy_rows(n_numbers, weight)
        return self.split(np.tile(np.arange(n_numbers), n_rows), n_numbers, n_merged)

    def copy_rows(self, n_copies: int, weight: np.ndarray) -> None:
        """Let so many copies stand where every row stood, one after the other, with these weights."""
        self.codes = np.repeat(self.codes, n_copies, axis=1)
        self.classes, self.signature = np.repeat(self.classes, n_copies), np.repeat(self.signature, n_copies)
        self.weight = weight

    def renumber(self, number: np.ndarray) -> None:
        """Follow merged rows that were merged again."""
        self.signature = number.astype(np.int32)[self.signature]

    def split_by_words(
        self, words: np.ndarray, n_bits: int, n_merged: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Renumber the rows by (merged row, word) in that order; parent, weight and word of each new merged row."""
        distinct, cells = number_words(words, n_bits)
        n_distinct = max(len(distinct), 1)  # a block may be without rows
        weight, keys = self._weight_per_key(cells, n_distinct, n_merged)
        return keys // n_distinct, weight, distinct[keys % n_distinct]

    def _weight_per_key(self, cells: np.ndarray, n_cells: int, n_merged: int) -> tuple[np.ndarray, np.ndarray]:
        """Renumber the rows by (merged row, cell) in the order of that pair; the weights and pairs that occur."""
        if n_merged * n_cells > DENSE_KEYS_PER_ROW * self.n_rows:
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


def merged_by_codes(lines: np.ndarray, duals: np.ndarray) -> CodePatterns:
    """Equal columns of `lines` (codes, and in the last line the class) as one, with the sum of their duals."""
    distinct, place = np.unique(lines, axis=1, return_inverse=True)
    return CodePatterns(
        codes=distinct[:-1].astype(np.uint8),
        class_code=distinct[-1].astype(np.int64),
        dual=np.bincount(place.ravel(), duals, minlength=distinct.shape[1]),
    )


def _as_arrays(literals: Sequence[CodeLiteral]) -> tuple[np.ndarray, np.ndarray]:
    """The columns of the literals, and the codes that each lets through."""
    columns = np.array([literal.feature for literal in literals], dtype=np.int64)
    return columns, np.array([literal.allowed for literal in literals])


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
