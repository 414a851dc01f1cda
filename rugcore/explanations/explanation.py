"""Why this decision for this row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.rules import words
from rugcore.rules.decisions import decide
from rugcore.rules.rule import Rule


@dataclass(frozen=True)
class CoveringRule:
    """A rule that covers the row, and the row's own values in the columns that the rule looks at."""

    rule: Rule
    values: dict[str, Any]

    def __str__(self) -> str:
        own = ", ".join(f"{words.name(name)}: {_shown(value)}" for name, value in self.values.items())
        here = f"; here {own}" if own else ""
        return f"{self.rule} -> {words.clear(self.rule.label)} (weight {self.rule.weight:.3g}{here})"


@dataclass(frozen=True)
class Explanation:
    """A decision and every rule that had a say in it, heaviest first."""

    decision: Any
    score: dict[Any, float]  # by class
    margin: float  # score of the decided class minus the best other score
    rules_for: tuple[CoveringRule, ...]
    rules_against: tuple[CoveringRule, ...]
    is_uncovered: bool  # no rule covers the row; the most frequent class was taken by default
    is_tie: bool  # two classes were equally supported; the more frequent one was taken

    def __str__(self) -> str:
        lines = [f"Decision: {words.clear(self.decision)}{self._remark()}"]
        lines += [f"  for:     {covering}" for covering in self.rules_for]
        lines += [f"  against: {covering}" for covering in self.rules_against]
        return "\n".join(lines)

    def _remark(self) -> str:
        if self.is_uncovered:
            return " (by default: no rule covers this row)"
        if self.is_tie:
            return " (by default: the rules for two classes weigh the same)"
        return f" (weight for it {_weight(self.rules_for):.3g}, against it {_weight(self.rules_against):.3g})"


def explain_row(
    cells: Mapping[str, Any], covering: Sequence[Rule], classes: np.ndarray, class_share: np.ndarray
) -> Explanation:
    """Sort the covering rules of a single row into those for and those against its decision."""
    labels = classes.tolist()
    votes = np.zeros((1, len(labels)))
    for rule in covering:
        votes[0, labels.index(rule.label)] += rule.weight
    decisions = decide(votes, class_share)
    decision = labels[decisions.class_code[0]]
    rules = [CoveringRule(rule, {name: cells[name] for name in rule.features}) for rule in covering]
    rules.sort(key=lambda item: -item.rule.weight)
    return Explanation(
        decision=decision,
        score=dict(zip(labels, decisions.scores[0].tolist(), strict=True)),
        margin=float(decisions.margin[0]),
        rules_for=tuple(item for item in rules if item.rule.label == decision),
        rules_against=tuple(item for item in rules if item.rule.label != decision),
        is_uncovered=bool(decisions.is_uncovered[0]),
        is_tie=bool(decisions.is_tie[0]),
    )


def _weight(rules: Sequence[CoveringRule]) -> float:
    return sum(covering.rule.weight for covering in rules)


def _shown(value: Any) -> str:
    return "missing" if pd.isna(value) else words.clear(value)
