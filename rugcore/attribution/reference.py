"""Whom an applicant is compared with: what has to be known of them, and no more.

An explanation compares with the people whom the model decides favourably. Of them it needs, for every rule, how many
meet which of its conditions (`shapley_values`), and for every column, which of its values occur, as far as rules tell
them apart. Both are counts: a model file can hold them, and names nobody.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rugcore.attribution.conjunctions import Conjunction, Patterns, shapley_values
from rugcore.attribution.cuts import RuleCuts


@dataclass(frozen=True, eq=False)
class Background:
    """People that are compared with, as conjunctions see them."""

    met: tuple[np.ndarray, ...]  # by conjunction: (patterns, conditions) that occur
    share: tuple[np.ndarray, ...]  # by conjunction: the share of people with each pattern

    @classmethod
    def of(cls, conjunctions: Sequence[Conjunction], codes: np.ndarray) -> "Background":
        """Of rows that all count alike."""
        found = [Patterns.of(conjunction.met(codes)) for conjunction in conjunctions]
        shares = [np.bincount(own.of_row, minlength=len(own.met)) / len(own.of_row) for own in found]
        return cls(tuple(own.met for own in found), tuple(shares))

    def base(self, amounts: np.ndarray) -> np.ndarray:
        """The mean output, of conjunctions that add `amounts` (conjunctions, outputs)."""
        covered = [share[met.all(axis=1)].sum() for met, share in zip(self.met, self.share, strict=True)]
        return np.asarray(covered, dtype=float) @ amounts

    def values(self, conjunctions: Sequence[Conjunction], amounts: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """(rows, columns, outputs): what every column adds to every output, against these people."""
        values = np.zeros((codes.shape[1], len(codes), amounts.shape[1]))
        for number, conjunction in enumerate(conjunctions):
            own = Patterns.of(conjunction.met(codes))
            shares = shapley_values(own.met, self.met[number], self.share[number])
            outputs = np.flatnonzero(amounts[number])
            for place, column in enumerate(conjunction.columns):
                by_row = shares[own.of_row, place]
                for output in outputs:
                    values[:, column, output] += amounts[number, output] * by_row
        return values


@dataclass(frozen=True, eq=False)
class Reference:
    """The training people by what the model decides about them, with their sample weights."""

    met: tuple[np.ndarray, ...]  # by rule: (patterns, conditions) that occur
    weight: tuple[np.ndarray, ...]  # by rule: (patterns, classes)
    occurring: tuple[np.ndarray, ...]  # by column that rules look at: (codes, classes), the weight of people there

    @classmethod
    def of(
        cls, cuts: RuleCuts, codes: np.ndarray, decided: np.ndarray, weight: np.ndarray, n_classes: int
    ) -> "Reference":
        """Of people of whom it is known what was `decided` about each, as the number of a class."""
        by_class = np.where(decided[:, None] == np.arange(n_classes), weight[:, None], 0.0)
        found = [Patterns.of(conjunction.met(codes)) for conjunction in cuts.conjunctions]
        return cls(
            met=tuple(own.met for own in found),
            weight=tuple(own.totals(by_class) for own in found),
            occurring=tuple(
                np.column_stack([np.bincount(own, line, column.n_codes) for line in by_class.T])
                for own, column in zip(codes, cuts.columns, strict=True)
            ),
        )

    @classmethod
    def together(cls, parts: Sequence["Reference"]) -> "Reference":
        """All people at once, of whom each part knows some."""
        rules = range(len(parts[0].met))
        found = [Patterns.of(np.vstack([part.met[rule] for part in parts])) for rule in rules]
        weight = [np.vstack([part.weight[rule] for part in parts]) for rule in rules]
        return cls(
            met=tuple(own.met for own in found),
            weight=tuple(own.totals(each) for own, each in zip(found, weight, strict=True)),
            occurring=tuple(np.sum(own, axis=0) for own in zip(*(part.occurring for part in parts), strict=True)),
        )

    def has(self, class_code: int) -> bool:
        """Whether the model decides so about anybody; a model without rules tells nobody apart."""
        return any(own[:, class_code].any() for own in self.weight)

    def background(self, class_code: int) -> Background:
        """The people decided so."""
        shares = [own[:, class_code] / own[:, class_code].sum() for own in self.weight]
        return Background(self.met, tuple(shares))

    def occurs(self, class_code: int) -> tuple[np.ndarray, ...]:
        """By column: which codes occur among the people decided so."""
        return tuple(own[:, class_code] > 0 for own in self.occurring)
