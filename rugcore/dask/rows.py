"""Training rows that lie in partitions on a cluster: every question is put to all of them, and the answers added up.

A partition is two results of tasks: its codes, classes and weights, which never change, and the merged row of each of
its rows (`signature`), which follows from the codes and the rules so far. Only the newest numbering is held; Dask knows
how it came about, and makes it again if a worker is lost. To number merged rows takes two steps: partitions report the
pairs of merged row and new rules that they have, the union over all is numbered here, and partitions take that over.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from distributed import Future

from rugcore.dask import partitions
from rugcore.dask.cluster import Cluster
from rugcore.dask.partitions import Batch, DualsOf, Growth, Move, Pairs, Step
from rugcore.errors import InputError
from rugcore.generation.candidates import Candidate
from rugcore.generation.literals import CodeLiteral
from rugcore.generation.rows import RowVotes
from rugcore.generation.seam import CodePatterns, MergedSplit, Patterns, Refinement, Surroundings, Vote
from rugcore.tables.columns import MISSING_CODE
from rugcore.tables.coverage import RULES_PER_WORD

# What a few questions need on one machine, such as who is likely to belong to a small group.
MOST_ROWS_HERE = 1_000_000


class PartitionedSprout:
    """A tree so far, as partitions are told of it; and the duals of its nodes, once they came with the histograms."""

    def __init__(self, dual: np.ndarray, guide: np.ndarray) -> None:
        self.dual = dual
        self.guide = guide
        self.steps: tuple[Step, ...] = ()
        self.class_duals: np.ndarray | None = None


class PartitionedRowVotes:
    """Where the rows of every partition stand now."""

    def __init__(self, parts: list[Future]) -> None:
        self.parts = parts


class PartitionedRows:
    """Codes, class, weight and merged-row number of rows that lie on a cluster."""

    def __init__(self, cluster: Cluster, parts: Sequence[Future], cell_weight: np.ndarray, n_rows: int, n_groups: int):
        """`cell_weight` is the weight of every class, or of every group of every class where `n_groups` is not 1."""
        self.n_classes = len(cell_weight) // n_groups
        self.n_rows = self._n_given = n_rows
        self._cluster = cluster
        self._parts = list(parts)
        self._class_weight = cell_weight.reshape(self.n_classes, n_groups).sum(axis=1)
        occurs = cell_weight > 0
        self._n_merged = int(occurs.sum())
        number = (np.cumsum(occurs) - 1).astype(np.int32)
        self._signature = self._submitted(partitions.first_numbers, (number, n_groups))

    def _submitted(self, task: Callable[..., Any], message: Any, *state: list[Future]) -> list[Future]:
        """One task for every partition, with what it is to know of the state of its rows."""
        shared = self._cluster.share(message)
        found = [self._cluster.submit(task, *own, shared) for own in zip(self._parts, *state, strict=True)]
        self._cluster.release([shared])
        return found

    def _sum(self, task: Callable[..., Any], message: Any, *state: list[Future]) -> tuple[Any, ...]:
        found: tuple[Any, ...] = self._cluster.added(self._submitted(task, message, *state), partitions.add)
        return found

    @property
    def merged_row(self) -> np.ndarray:
        """Many rows stay where they are: to a pool, each of its merged rows then is one row."""
        if self._n_given > MOST_ROWS_HERE:
            return np.arange(self._n_merged, dtype=np.int32)
        copies = [self._cluster.submit(partitions.as_array, own) for own in self._signature]
        return np.concatenate(self._cluster.gathered(copies))

    def class_weight(self) -> np.ndarray:
        return self._class_weight

    def present_codes(self) -> np.ndarray:
        present: np.ndarray = self._sum(partitions.present_codes, None)[0]
        return present

    def has_blanks(self) -> np.ndarray:
        return self.present_codes()[:, MISSING_CODE]

    def gathered_codes(self) -> np.ndarray:
        if self._n_given > MOST_ROWS_HERE:
            raise InputError(
                f"Expected at most {MOST_ROWS_HERE:,} rows where a group that is compared is small: who is likely to "
                f"belong to it is learned on one machine. There are {self.n_rows:,} rows. Raise min_cell_size, so that "
                "small groups are left out, or join them."
            )
        return np.hstack(self._cluster.gathered(self._submitted(partitions.codes_of, None)))

    # -- growing a tree ------------------------------------------------------------------------------------

    def sprout(self, dual: np.ndarray, guide: np.ndarray) -> PartitionedSprout:
        return PartitionedSprout(dual, guide)

    def class_histograms(self, sprout: PartitionedSprout, n_nodes: int, n_codes: int) -> np.ndarray:
        """The duals of the nodes come along: one question less."""
        sprout.class_duals, histograms = self._grown(sprout, n_nodes, n_codes)
        return histograms

    def class_duals(self, sprout: PartitionedSprout, n_nodes: int) -> np.ndarray:
        if sprout.class_duals is None:
            (sprout.class_duals,) = self._grown(sprout, n_nodes, None)
        return sprout.class_duals

    def _grown(self, sprout: PartitionedSprout, n_nodes: int, n_codes: int | None) -> tuple[Any, ...]:
        growth = Growth(sprout.dual, sprout.guide, sprout.steps, n_nodes, self.n_classes, n_codes)
        return self._sum(partitions.grow, growth, self._signature)

    def advance(self, sprout: PartitionedSprout, feature: np.ndarray, route: np.ndarray) -> None:
        sprout.steps = (*sprout.steps, Step(feature, route))
        sprout.class_duals = None

    def code_patterns(self, dual: np.ndarray) -> CodePatterns:
        futures = self._submitted(partitions.code_patterns, DualsOf(dual, self.n_classes), self._signature)
        found: CodePatterns = self._cluster.added(futures, partitions.add_code_patterns)
        return found

    # -- making rules shorter ------------------------------------------------------------------------------

    def patterns(self, literals: Sequence[Sequence[CodeLiteral]], dual: np.ndarray) -> list[Patterns]:
        question = literals, DualsOf(dual, self.n_classes)
        return partitions.as_patterns(self._sum(partitions.patterns, question, self._signature))

    def row_votes(self, lead: np.ndarray, n_speakers: np.ndarray, decided: np.ndarray) -> PartitionedRowVotes:
        by_merged_row = RowVotes(lead, n_speakers.astype(np.int64), decided.astype(np.int64))
        return PartitionedRowVotes(self._submitted(partitions.row_votes, by_merged_row, self._signature))

    def unspoken(self) -> PartitionedRowVotes:
        return PartitionedRowVotes(self._submitted(partitions.unspoken, None))

    def look_around(self, literals: Sequence[CodeLiteral], row_votes: PartitionedRowVotes, vote: Vote) -> Surroundings:
        return Surroundings(*self._sum(partitions.look_around, (literals, vote, self.n_classes), row_votes.parts))

    def widen(self, literals: Sequence[CodeLiteral], dropped: int, row_votes: PartitionedRowVotes, vote: Vote) -> None:
        self._move(Move(literals, dropped, vote), row_votes)

    def silence(self, literals: Sequence[CodeLiteral], row_votes: PartitionedRowVotes, vote: Vote) -> None:
        self._move(Move(literals, None, vote), row_votes)

    def _move(self, move: Move, row_votes: PartitionedRowVotes) -> None:
        before, row_votes.parts = row_votes.parts, self._submitted(partitions.moved, move, row_votes.parts)
        self._cluster.release(before)

    # -- taking in rules -----------------------------------------------------------------------------------

    def class_weights(self, rules: Sequence[Candidate]) -> np.ndarray:
        if not rules:
            return np.zeros((0, self.n_classes))
        weights: np.ndarray = self._sum(partitions.class_weights, (rules, self.n_classes))[0]
        return weights

    def covered_duals(self, rules: Sequence[Candidate], dual: np.ndarray) -> np.ndarray:
        question = rules, DualsOf(dual, self.n_classes)
        duals: np.ndarray = self._sum(partitions.covered_duals, question, self._signature)[0]
        return duals

    def refine(self, rules: Sequence[Candidate], n_merged: int) -> Refinement:
        refinement = Refinement.nothing(n_merged)
        for start in range(0, len(rules), RULES_PER_WORD):
            batch = [rule.allowed for rule in rules[start : start + RULES_PER_WORD]]
            union = self._split(partitions.split_by_rules, Batch(batch, len(refinement.parent)))
            refinement = refinement.refined(union.parent, union.weight, union.word, len(batch))
        return refinement

    def split(self, numbers: Any, n_numbers: int, n_merged: int) -> MergedSplit:  # noqa: ARG002
        """By group: partitions know those of their rows."""
        union = self._split(partitions.split_by_group, (n_numbers, n_merged))
        return MergedSplit(union.parent, union.weight, union.word.astype(np.int64))

    def split_by_chance(self, weight: np.ndarray, n_numbers: int, n_merged: int) -> MergedSplit:
        n_rows = self._cluster.gathered(self._submitted(partitions.n_rows_of, None))
        edges = n_numbers * np.concatenate([[0], np.cumsum(n_rows)])
        own = [self._cluster.share(weight[start:stop]) for start, stop in pairwise(edges.tolist())]
        parts = self._submitted(partitions.in_all_groups, n_numbers, own)
        signature = self._submitted(partitions.repeated, n_numbers, self._signature)
        self._cluster.release([*own, *self._signature])  # others may still want the parts
        self._parts, self._signature = parts, signature
        self.n_rows *= n_numbers
        return self.split(None, n_numbers, n_merged)

    def _split(self, task: Callable[..., Any], message: Any) -> Pairs:
        """Both steps: the pairs of all partitions, numbered, and every partition renumbered."""
        splits = self._submitted(task, message, self._signature)
        pairs = [self._cluster.submit(partitions.pairs_of, split) for split in splits]
        union: Pairs = self._cluster.added(pairs, partitions.add_pairs)
        self._renumber_with(partitions.numbered, union, splits)
        self._cluster.release(splits)
        self._n_merged = len(union.parent)
        return union

    def renumber(self, number: np.ndarray) -> None:
        self._renumber_with(partitions.renumbered, number, self._signature)
        self._n_merged = int(number.max(initial=-1)) + 1

    def _renumber_with(self, task: Callable[..., Any], message: Any, state: list[Future]) -> None:
        shared = self._cluster.share(message)
        before, self._signature = self._signature, [self._cluster.submit(task, own, shared) for own in state]
        self._cluster.release([shared, *before])
