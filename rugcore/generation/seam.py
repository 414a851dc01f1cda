"""The seam between the training rows and everything else: the few things that are ever asked of them.

Answers are small arrays: class histograms, and weights per merged row. So the rows can lie in this process
(`RowBlock`), or in partitions on many machines whose answers are added up (`rugcore.dask`), while the linear program
stays on one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from rugcore.generation.candidates import Candidate
from rugcore.generation.literals import CodeLiteral

# What a tree has come to, and where rows stand under some weights: only the rows that made them know what is inside.
Growing = Any
AnyRowVotes = Any


class Vote(NamedTuple):
    """What a rule adds to the lead of a row of its own class, and to that of any other."""

    class_code: int
    right: float
    wrong: float


@dataclass(frozen=True)
class Surroundings:
    """The rows around a rule: one entry per literal for those that miss only it, and a last one for the covered."""

    loss: np.ndarray  # change of their loss if the rule spoke for them; in the last place, if it no longer did
    reached: np.ndarray  # their weight by class
    opposed: np.ndarray  # the weight of those decided for another class
    alone: float  # the weight of the covered for whom no other rule speaks


@dataclass(frozen=True)
class Patterns:
    """What the rows add up to, by which literals they meet: bit b of a pattern is set where literal b holds."""

    duals: np.ndarray  # (2 ** n_literals, n_classes)
    weights: np.ndarray  # likewise


@dataclass(frozen=True)
class CodePatterns:
    """Rows that matter, merged by codes and class."""

    codes: np.ndarray  # (n_features, n_patterns)
    class_code: np.ndarray
    dual: np.ndarray

    def values(self, class_code: int, wrong_vote: float) -> np.ndarray:
        """What a rule for class `class_code` collects by covering each pattern."""
        return np.where(self.class_code == class_code, self.dual, -wrong_vote * self.dual)


@dataclass(frozen=True)
class Refinement:
    """How new rules split the merged rows: where each new merged row came from, its weight and new rules."""

    parent: np.ndarray
    weight: np.ndarray
    new_rules: np.ndarray  # (n_merged, n_new) boolean

    @classmethod
    def nothing(cls, n_merged: int) -> "Refinement":
        """Before any new rule."""
        return cls(np.arange(n_merged), np.empty(0), np.zeros((n_merged, 0), dtype=bool))

    def refined(self, parent: np.ndarray, weight: np.ndarray, word: np.ndarray, n_rules: int) -> "Refinement":
        """By so many further rules; bit b of the word of a merged row is set where rule b covers it."""
        return Refinement(self.parent[parent], weight, np.hstack([self.new_rules[parent], bits_of(word, n_rules)]))


def bits_of(words: np.ndarray, n_bits: int) -> np.ndarray:
    """One line per word and one boolean per bit."""
    return (words[:, None] >> np.arange(n_bits, dtype=np.uint64)) & np.uint64(1) == 1


@dataclass(frozen=True)
class MergedSplit:
    """How a further number splits the merged rows: where each new merged row came from, its weight and number."""

    parent: np.ndarray
    weight: np.ndarray
    number: np.ndarray


class Rows(Protocol):
    """Codes, class, weight and merged-row number of every training row, wherever they lie.

    Duals and guides come per merged row and unit of row weight.
    """

    n_classes: int

    @property
    def n_rows(self) -> int: ...

    @property
    def merged_row(self) -> np.ndarray:
        """The number of each row's merged row; of rows that lie elsewhere, one entry for every merged row."""
        ...

    def class_weight(self) -> np.ndarray: ...

    def has_blanks(self) -> np.ndarray:
        """Of every column: whether a row has none of its values."""
        ...

    def present_codes(self) -> np.ndarray:
        """Which of the 256 codes occur in each column, as booleans."""
        ...

    def gathered_codes(self) -> np.ndarray:
        """The codes of all rows in this process, one line per column; refused where they are too many for it."""
        ...

    # -- growing a tree --

    def sprout(self, dual: np.ndarray, guide: np.ndarray) -> Growing:
        """All rows with a positive guide, in the root."""
        ...

    def class_histograms(self, sprout: Growing, n_nodes: int, n_codes: int) -> np.ndarray:
        """Guide by feature, node, code and class."""
        ...

    def class_duals(self, sprout: Growing, n_nodes: int) -> np.ndarray:
        """Dual by node and class."""
        ...

    def advance(self, sprout: Growing, feature: np.ndarray, route: np.ndarray) -> None:
        """Send every row to its child; rows that came to a leaf leave the sprout."""
        ...

    def code_patterns(self, dual: np.ndarray) -> CodePatterns:
        """The rows with a positive dual, merged by codes and class."""
        ...

    # -- making rules shorter --

    def patterns(self, literals: Sequence[Sequence[CodeLiteral]], dual: np.ndarray) -> list[Patterns]:
        """How the rows meet and miss the literals, of one rule after the other."""
        ...

    def row_votes(self, lead: np.ndarray, n_speakers: np.ndarray, decided: np.ndarray) -> AnyRowVotes:
        """Of every row, given that of every merged row."""
        ...

    def unspoken(self) -> AnyRowVotes:
        """Of rows that no rule has spoken for."""
        ...

    def look_around(self, literals: Sequence[CodeLiteral], row_votes: AnyRowVotes, vote: Vote) -> Surroundings:
        """What would change if the rule that joins these literals lost one of them, or went."""
        ...

    def widen(self, literals: Sequence[CodeLiteral], dropped: int, row_votes: AnyRowVotes, vote: Vote) -> None:
        """Let the rule speak for those, too, who miss the literal `dropped` alone."""
        ...

    def silence(self, literals: Sequence[CodeLiteral], row_votes: AnyRowVotes, vote: Vote) -> None:
        """Let the rule speak for nobody."""
        ...

    # -- taking in rules --

    def class_weights(self, rules: Sequence[Candidate]) -> np.ndarray:
        """The weight that each rule covers, by class."""
        ...

    def covered_duals(self, rules: Sequence[Candidate], dual: np.ndarray) -> np.ndarray:
        """The duals that each rule covers, by class."""
        ...

    def refine(self, rules: Sequence[Candidate], n_merged: int) -> Refinement:
        """Split the merged rows by which of the new rules cover them, and renumber every row accordingly."""
        ...

    def split(self, numbers: Any, n_numbers: int, n_merged: int) -> MergedSplit:
        """Tell rows apart by a further number (their group) too, and renumber every row accordingly."""
        ...

    def split_by_chance(self, weight: Any, n_numbers: int, n_merged: int) -> MergedSplit:
        """Let every row stand in all groups, one after the other, with these weights."""
        ...

    def renumber(self, number: np.ndarray) -> None:
        """Follow merged rows that were merged again."""
        ...
