"""What is asked of one partition, as functions: the same arguments always give the same answer, and none is changed."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from rugcore.generation.candidates import Candidate
from rugcore.generation.literals import CodeLiteral
from rugcore.generation.rows import RowBlock, RowVotes, merged_by_codes
from rugcore.generation.seam import CodePatterns, Patterns, Surroundings, Vote
from rugcore.parallel import on_one_core
from rugcore.tables.coverage import RuleBits


@dataclass(frozen=True)
class Part:
    """The rows of a partition that have weight; they never change."""

    codes: np.ndarray  # (n_features, n_rows)
    classes: np.ndarray
    weight: np.ndarray
    groups: np.ndarray | None = None

    @property
    def n_rows(self) -> int:
        return len(self.classes)

    def block(self, signature: np.ndarray, n_classes: int) -> RowBlock:
        return RowBlock.numbered(self.codes, self.classes, self.weight, n_classes, signature)


# -- growing a tree --------------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """One level of a tree: the feature that every node splits on, and where its codes lead."""

    feature: np.ndarray
    route: np.ndarray


@dataclass(frozen=True)
class Growth:
    """A tree so far. Partitions walk their rows down from the root each time: that is quick, and nothing is kept."""

    dual: np.ndarray
    guide: np.ndarray
    steps: tuple[Step, ...]
    n_nodes: int
    n_classes: int
    n_codes: int | None  # None where only duals are asked for


@on_one_core
def grow(part: Part, signature: np.ndarray, growth: Growth) -> tuple[np.ndarray, ...]:
    """Duals by node and class and, unless the tree is at its end, the histograms."""
    block = part.block(signature, growth.n_classes)
    sprout = block.sprout(growth.dual, growth.guide)
    for step in growth.steps:
        block.advance(sprout, step.feature, step.route)
    duals = block.class_duals(sprout, growth.n_nodes)
    if growth.n_codes is None:
        return (duals,)
    return duals, block.class_histograms(sprout, growth.n_nodes, growth.n_codes)


class DualsOf(NamedTuple):
    """The dual of every merged row, for rows of so many classes."""

    dual: np.ndarray
    n_classes: int


@on_one_core
def code_patterns(part: Part, signature: np.ndarray, question: DualsOf) -> CodePatterns:
    return part.block(signature, question.n_classes).code_patterns(question.dual)


def add_code_patterns(found: list[CodePatterns]) -> CodePatterns:
    lines = [np.vstack([own.codes, own.class_code[None]]) for own in found]
    return merged_by_codes(np.hstack(lines), np.concatenate([own.dual for own in found]))


# -- making rules shorter --------------------------------------------------------------------------------------------


@on_one_core
def patterns(
    part: Part, signature: np.ndarray, question: tuple[Sequence[Sequence[CodeLiteral]], DualsOf]
) -> tuple[np.ndarray, ...]:
    literals, duals = question
    found = part.block(signature, duals.n_classes).patterns(literals, duals.dual)
    return tuple(array for own in found for array in (own.duals, own.weights))


def as_patterns(arrays: Sequence[np.ndarray]) -> list[Patterns]:
    return [Patterns(*arrays[place : place + 2]) for place in range(0, len(arrays), 2)]


@on_one_core
def row_votes(part: Part, signature: np.ndarray, by_merged_row: RowVotes) -> RowVotes:  # noqa: ARG001
    return RowVotes(*(array[signature] for array in by_merged_row))


@on_one_core
def unspoken(part: Part, _: None) -> RowVotes:
    return part.block(part.classes, 1).unspoken()


class Move(NamedTuple):
    """A rule speaks for those, too, who miss the literal `dropped` alone; or for nobody, where that is None."""

    literals: Sequence[CodeLiteral]
    dropped: int | None
    vote: Vote


@on_one_core
def moved(part: Part, before: RowVotes, move: Move) -> RowVotes:
    after = RowVotes(before.lead.copy(), before.n_speakers.copy(), before.decided)
    block = part.block(part.classes, 1)
    if move.dropped is None:
        block.silence(move.literals, after, move.vote)
    else:
        block.widen(move.literals, move.dropped, after, move.vote)
    return after


@on_one_core
def look_around(
    part: Part, row_votes: RowVotes, question: tuple[Sequence[CodeLiteral], Vote, int]
) -> tuple[np.ndarray | float, ...]:
    literals, vote, n_classes = question
    found = part.block(part.classes, n_classes).look_around(literals, row_votes, vote)
    return tuple(getattr(found, field.name) for field in fields(Surroundings))


# -- taking in rules -------------------------------------------------------------------------------------------------


@on_one_core
def class_weights(part: Part, question: tuple[Sequence[Candidate], int]) -> tuple[np.ndarray]:
    rules, n_classes = question
    return (part.block(part.classes, n_classes).class_weights(rules),)


@on_one_core
def covered_duals(
    part: Part, signature: np.ndarray, question: tuple[Sequence[Candidate], DualsOf]
) -> tuple[np.ndarray]:
    rules, duals = question
    return (part.block(signature, duals.n_classes).covered_duals(rules, duals.dual),)


class Pairs(NamedTuple):
    """The merged rows that occur, split by a word (which of the new rules hold) or a number (the group), in order."""

    parent: np.ndarray
    word: np.ndarray
    weight: np.ndarray


class Split(NamedTuple):
    """A partition split by itself: the pairs it has, and the place among them of every row."""

    pairs: Pairs
    place: np.ndarray


class Batch(NamedTuple):
    """Up to 64 new rules, by what each allows, and how many merged rows there are."""

    allowed: Sequence[Any]
    n_merged: int


@on_one_core
def split_by_rules(part: Part, signature: np.ndarray, batch: Batch) -> Split:
    block = part.block(signature.copy(), 1)
    words = RuleBits(batch.allowed).words(part.codes)
    parent, weight, word = block.split_by_words(words, len(batch.allowed), batch.n_merged)
    return Split(Pairs(parent, word, weight), block.signature)


@on_one_core
def split_by_group(part: Part, signature: np.ndarray, question: tuple[int, int]) -> Split:
    n_groups, n_merged = question
    assert part.groups is not None
    block = part.block(signature.copy(), 1)
    found = block.split(part.groups, n_groups, n_merged)
    return Split(Pairs(found.parent, found.number.astype(np.uint64), found.weight), block.signature)


def pairs_of(split: Split) -> Pairs:
    return split.pairs


def add_pairs(found: list[Pairs]) -> Pairs:
    """The union, with the weights of equal pairs added up in the order of the partitions."""
    parent, word, weight = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    order = np.lexsort((word, parent))
    parent, word, weight = parent[order], word[order], weight[order]
    is_first = np.ones(len(parent), dtype=bool)
    is_first[1:] = (parent[1:] != parent[:-1]) | (word[1:] != word[:-1])
    start = np.flatnonzero(is_first)
    return Pairs(parent[start], word[start], np.add.reduceat(weight, start) if len(start) else weight)


@on_one_core
def numbered(split: Split, union: Pairs) -> np.ndarray:
    """The place of every row's pair in the union over all partitions: its new merged row."""
    words = np.unique(union.word)
    keys = union.parent * len(words) + np.searchsorted(words, union.word)
    own = split.pairs.parent * len(words) + np.searchsorted(words, split.pairs.word)
    place: np.ndarray = np.searchsorted(keys, own).astype(np.int32)[split.place]
    return place


@on_one_core
def renumbered(signature: np.ndarray, number: np.ndarray) -> np.ndarray:
    place: np.ndarray = number.astype(np.int32)[signature]
    return place


# -- sums ------------------------------------------------------------------------------------------------------------


@on_one_core
def present_codes(part: Part, _: None) -> tuple[np.ndarray]:
    return (part.block(part.classes, 1).present_codes(),)


@on_one_core
def cell_sums(part: Part, question: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """How many rows every cell has (class by class, group by group), and how much weight."""
    n_classes, n_groups = question
    cell, n_cells = _cells(part, n_groups), n_classes * n_groups
    return np.bincount(cell, minlength=n_cells), np.bincount(cell, part.weight, n_cells)


@on_one_core
def first_numbers(part: Part, question: tuple[np.ndarray, int]) -> np.ndarray:
    """The merged row of every row before there is any rule, from the number of every cell that occurs."""
    number_of_cell, n_groups = question
    number: np.ndarray = number_of_cell[_cells(part, n_groups)]
    return number


def _cells(part: Part, n_groups: int) -> np.ndarray:
    """With one group, the classes alone."""
    if n_groups == 1:
        return part.classes
    assert part.groups is not None
    cell: np.ndarray = part.classes.astype(np.int64) * n_groups + part.groups
    return cell


def add(found: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """Sums, place by place; of booleans, whether any is true."""
    total = list(found[0])
    for own in found[1:]:
        total = [before + more for before, more in zip(total, own, strict=True)]
    return tuple(total)


# -- rows that stand in all groups -----------------------------------------------------------------------------------


def codes_of(part: Part, _: None) -> np.ndarray:
    return part.codes


def n_rows_of(part: Part, _: None) -> int:
    return part.n_rows


@on_one_core
def in_all_groups(part: Part, weight: np.ndarray, n_groups: int) -> Part:
    """A copy of every row in every group, one after the other, with these weights."""
    return Part(
        np.repeat(part.codes, n_groups, axis=1),
        np.repeat(part.classes, n_groups),
        weight,
        np.tile(np.arange(n_groups, dtype=np.int32), part.n_rows),
    )


@on_one_core
def repeated(part: Part, signature: np.ndarray, n_groups: int) -> np.ndarray:  # noqa: ARG001
    return np.repeat(signature, n_groups)


def as_array(signature: np.ndarray) -> np.ndarray:
    return signature
