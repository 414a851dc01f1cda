"""A rule model as a sum of conjunctions: the votes for every class."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rugcore.attribution.cuts import RuleCuts
from rugcore.attribution.reference import Background, Reference
from rugcore.rules.decisions import Decisions, decide
from rugcore.rules.rule import Rule
from rugcore.tables.schema import Schema
from rugcore.tables.table import plain_value


@dataclass(frozen=True, eq=False)
class RuleVotes:
    """The rules of a model, where they cut the columns, and for which classes they vote."""

    cuts: RuleCuts
    rule_classes: tuple[int, ...]
    class_share: np.ndarray
    default: int | None = None  # number of the class of rows that no rule covers; None: the most common one

    @classmethod
    def of(
        cls,
        rules: Sequence[Rule],
        schema: Schema,
        classes: Any,
        class_share: np.ndarray,
        default: int | None = None,
    ) -> "RuleVotes":
        labels = [plain_value(label) for label in classes]
        own = tuple(labels.index(plain_value(rule.label)) for rule in rules)
        return cls(RuleCuts.of(rules, schema), own, class_share, default)

    @property
    def n_classes(self) -> int:
        return len(self.class_share)

    @cached_property
    def amounts(self) -> np.ndarray:
        """(rules, classes): what a rule adds to the votes for every class where it covers."""
        amounts = np.zeros((len(self.cuts.rules), self.n_classes))
        amounts[np.arange(len(self.cuts.rules)), self.rule_classes] = [rule.weight for rule in self.cuts.rules]
        return amounts

    def votes(self, codes: np.ndarray) -> np.ndarray:
        """(rows, classes): what the rules give to every class, of rows given by their codes."""
        votes = np.zeros((codes.shape[1], self.n_classes))
        for amount, conjunction in zip(self.amounts, self.cuts.conjunctions, strict=True):
            votes[conjunction.met(codes).all(axis=1)] += amount
        return votes

    def decisions(self, codes: np.ndarray) -> Decisions:
        """About rows given by their codes."""
        return decide(self.votes(codes), self.class_share, self.default)

    def reference(self, codes: np.ndarray, weight: np.ndarray | None = None) -> Reference:
        """These people, by what the rules decide about them; without weights everybody counts once."""
        weight = np.ones(codes.shape[1]) if weight is None else weight
        return Reference.of(self.cuts, codes, self.decisions(codes).class_code, weight, self.n_classes)

    def background(self, codes: np.ndarray) -> Background:
        """All of these people, whatever is decided about them."""
        return Background.of(self.cuts.conjunctions, codes)

    def values(self, background: Background, codes: np.ndarray) -> np.ndarray:
        """(rows, columns that rules look at, classes): what every column adds to the votes for every class."""
        return background.values(self.cuts.conjunctions, self.amounts, codes)

    def base(self, background: Background) -> np.ndarray:
        """The mean votes for every class."""
        return background.base(self.amounts)


def to_scores(votes: np.ndarray) -> np.ndarray:
    """From votes by class, along the last axis, to scores: those for other classes are taken off in equal parts."""
    others = votes.sum(axis=-1, keepdims=True) - votes
    scores: np.ndarray = votes - others / (votes.shape[-1] - 1)
    return scores
