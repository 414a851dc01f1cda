"""Yes-or-no questions about the columns, as trees ask them, and trees of such questions as rules.

They are those of exact pricing and of the paper: is a number at most a decile, is a category this one, is it blank.
Where a column has blanks, every number question comes in two forms: blanks go with the low values, or with the high.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rugcore.generation.candidates import Candidate
from rugcore.tables.columns import MISSING_CODE, N_CODES, Column

NOWHERE = -1  # the place of what the training rows never showed: no question is answered for it


@dataclass(frozen=True, eq=False)
class Scale:
    """One column in one order: its questions are "is the place at most k?", k = 0, ..., n_questions - 1."""

    feature: int
    place: np.ndarray  # of each of the 256 codes
    n_questions: int


@dataclass(frozen=True, eq=False)
class Question:
    """Rows whose place is at most `cut` answer yes, and go left in a tree."""

    scale: Scale
    cut: int

    def is_yes(self, codes: np.ndarray) -> np.ndarray:
        """Of codes[f, s]."""
        answers: np.ndarray = self.allowed(answer=True)[codes[self.scale.feature]]
        return answers

    def allowed(self, *, answer: bool) -> np.ndarray:
        """The codes with this answer."""
        place = self.scale.place
        return (place != NOWHERE) & ((place <= self.cut) == answer)


@dataclass(frozen=True)
class Leaf:
    class_code: int


@dataclass(frozen=True)
class Split:
    question: Question
    yes: "Tree"
    no: "Tree"


Tree = Leaf | Split


def find_scales(columns: Sequence[Column], codes: np.ndarray) -> list[Scale]:
    """Every scale on which at least one question splits the rows."""
    scales = []
    for feature, (column, own) in enumerate(zip(columns, codes, strict=True)):
        present = np.bincount(own, minlength=N_CODES) > 0
        places = _of_category(present) if column.is_category else _of_number(column, present)
        scales += [Scale(feature, place, int(place[present].max())) for place in places]
    return [scale for scale in scales if scale.n_questions > 0]


def questions_of(scales: Sequence[Scale]) -> list[Question]:
    return [Question(scale, cut) for scale in scales for cut in range(scale.n_questions)]


def _of_number(column: Column, present: np.ndarray) -> Iterator[np.ndarray]:
    place = np.arange(N_CODES) - 1
    place[column.n_codes :] = column.n_codes - 2  # codes that never occur follow the last one, so that equals are equal
    if not present[MISSING_CODE]:
        place[MISSING_CODE] = NOWHERE
        yield place
        return
    yield place + 1  # blanks are the first
    if column.n_codes > 2:
        last = place.copy()
        last[MISSING_CODE] = last.max() + 1
        yield last


def _of_category(present: np.ndarray) -> Iterator[np.ndarray]:
    seen = np.flatnonzero(present)
    # The second of two values is the first one turned round.
    for code in seen if len(seen) > 2 else seen[:1]:
        place = np.ones(N_CODES, dtype=np.int64)
        place[MISSING_CODE] = 1 if present[MISSING_CODE] else NOWHERE
        place[code] = 0
        yield place


# -- trees -------------------------------------------------------------------------------------------------


def decided(tree: Tree, codes: np.ndarray) -> np.ndarray:
    """The number of the class for every column of codes[f, s]."""
    if isinstance(tree, Leaf):
        return np.full(codes.shape[1], tree.class_code)
    is_yes = tree.question.is_yes(codes)
    found = np.empty(codes.shape[1], dtype=np.int64)
    found[is_yes], found[~is_yes] = decided(tree.yes, codes[:, is_yes]), decided(tree.no, codes[:, ~is_yes])
    return found


def relabelled(tree: Tree, codes: np.ndarray, counts: np.ndarray) -> Tree:
    """The same questions with the most common class in every leaf.

    `counts` (patterns, classes) says how many rows of each class have the codes of a pattern.
    """
    if isinstance(tree, Leaf):
        return Leaf(int(np.argmax(counts.sum(axis=0)))) if len(counts) else tree
    is_yes = tree.question.is_yes(codes)
    yes = relabelled(tree.yes, codes[:, is_yes], counts[is_yes])
    return Split(tree.question, yes, relabelled(tree.no, codes[:, ~is_yes], counts[~is_yes]))


def pruned(tree: Tree, codes: np.ndarray) -> Tree:
    """The same decisions without questions that all rows of a branch answer alike, or that lead to one class."""
    if isinstance(tree, Leaf):
        return tree
    is_yes = tree.question.is_yes(codes)
    if is_yes.all() or not is_yes.any():
        return pruned(tree.yes if is_yes.all() else tree.no, codes)
    yes, no = pruned(tree.yes, codes[:, is_yes]), pruned(tree.no, codes[:, ~is_yes])
    return yes if isinstance(yes, Leaf) and yes == no else Split(tree.question, yes, no)


def rules_of(tree: Tree) -> list[Candidate]:
    """One rule for every leaf, from left to right."""
    return list(_rules_below(tree, {}))


def _rules_below(tree: Tree, allowed: dict[int, np.ndarray]) -> Iterator[Candidate]:
    if isinstance(tree, Leaf):
        yield Candidate(allowed, tree.class_code)
        return
    feature = tree.question.scale.feature
    for branch, answer in ((tree.yes, True), (tree.no, False)):
        own = tree.question.allowed(answer=answer)
        yield from _rules_below(branch, allowed | {feature: own & allowed[feature] if feature in allowed else own})
