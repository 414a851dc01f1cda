"""Why this decision for this row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rugcore.plotting import charts, markup
from rugcore.rules import words
from rugcore.rules.decisions import decide
from rugcore.rules.rule import Rule, special_meaning

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


@dataclass(frozen=True)
class CoveringRule:
    """A rule that covers the row, and the row's own values in the columns that the rule looks at."""

    rule: Rule
    values: dict[str, Any]

    @property
    def own_values(self) -> str:
        """The row's own values in words, such as `income: 41,000, job: missing`."""
        return ", ".join(f"{words.name(name)}: {self._shown(name)}" for name in self.values)

    def meaning(self, name: str) -> str | None:
        """What the row's own value in a column stands for, if it is a special code and no amount."""
        return special_meaning(self.rule, name, self.values[name])

    def _shown(self, name: str) -> str:
        """A blank as such, a special code as what it stands for."""
        value, meaning = self.values[name], self.meaning(name)
        if meaning is not None:
            return words.quoted(meaning)
        return "missing" if pd.isna(value) else words.cell(value)

    def __str__(self) -> str:
        here = f"; here {self.own_values}" if self.values else ""
        return f"{self.rule} -> {words.clear(self.rule.label)} (weight {self.rule.weight:.3g}{here})"


@dataclass(frozen=True)
class Explanation:
    """Why one row is decided as it is: the decision, and every rule that had a say in it.

    `model.explain(row)` makes it. In a notebook it is shown as a table; `print` writes it as text.

    Attributes
    ----------
    decision : label
        The class that was decided.
    score : dict
        The score of every class; the decision has the highest.
    margin : float
        Score of the decided class minus the best other score; 0 where a default decided.
    rules_for, rules_against : tuples of CoveringRule
        The rules that cover the row, for the decision and for other classes, heaviest first; each with the row's own
        values in the columns that the rule looks at.
    is_uncovered : bool
        No rule covers the row; the most frequent class was taken by default.
    is_tie : bool
        Two classes were equally supported; the more frequent one was taken.
    """

    decision: Any
    score: dict[Any, float]
    margin: float
    rules_for: tuple[CoveringRule, ...]
    rules_against: tuple[CoveringRule, ...]
    is_uncovered: bool
    is_tie: bool

    def __str__(self) -> str:
        lines = [f"Decision: {words.clear(self.decision)}{self._remark()}"]
        lines += [f"  for:     {covering}" for covering in self.rules_for]
        lines += [f"  against: {covering}" for covering in self.rules_against]
        return "\n".join(lines)

    def to_frame(self) -> pd.DataFrame:
        """One line per rule that covers the row, those for the decision first.

        side: "for" or "against". rule: its words. label: the class that it votes for. weight. values: the row's own
        values in the columns of the rule, as a dict.
        """
        lines = [
            (side, str(item.rule), item.rule.label, item.rule.weight, item.values)  # noqa: PD011 (a dict of our own)
            for side, item in self._sides()
        ]
        return pd.DataFrame(lines, columns=["side", "rule", "label", "weight", "values"])

    def plot(self) -> "Figure":
        """A chart of the rules that cover the row: to the right those for the decision, to the left those against it.

        A plotly figure, to show or to save.
        """
        bars = [
            charts.Bar(
                name=str(item.rule),
                value=item.rule.weight if side == "for" else -item.rule.weight,
                series=f"{side}: {words.clear(item.rule.label)}",
                details=f"weight {item.rule.weight:.3g}{f'; here {item.own_values}' if item.own_values else ''}",
            )
            for side, item in self._sides()
        ]
        title = f"Decision: {words.clear(self.decision)}{self._remark()}"
        return charts.bars(bars, title=title, value_title="weight for and against the decision")

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        heading = markup.line("Decision: ", markup.strong(words.clear(self.decision)), markup.faint(self._remark()))
        sides = self._sides()
        if not sides:
            return markup.card(heading)
        largest = max(item.rule.weight for _, item in sides)
        lines = [
            (side, item.rule, words.clear(item.rule.label), item.own_values, markup.bar(item.rule.weight, largest))
            for side, item in sides
        ]
        headers = ("", "if", "then", "here", "weight")
        return markup.card(heading, markup.table(headers, lines, kind="rules", rest="; to_frame() has them all"))

    def _sides(self) -> list[tuple[str, CoveringRule]]:
        return [*(("for", item) for item in self.rules_for), *(("against", item) for item in self.rules_against)]

    def _remark(self) -> str:
        if self.is_uncovered:
            return " (by default: no rule covers this row)"
        if self.is_tie:
            return " (by default: the rules for two classes weigh the same)"
        return f" (weight for it {_weight(self.rules_for):.3g}, against it {_weight(self.rules_against):.3g})"


def explain_row(
    cells: Mapping[str, Any],
    covering: Sequence[Rule],
    classes: np.ndarray,
    class_share: np.ndarray,
    default: int | None = None,
) -> Explanation:
    """Sort the covering rules of a single row into those for and those against its decision."""
    labels = classes.tolist()
    votes = np.zeros((1, len(labels)))
    for rule in covering:
        votes[0, labels.index(rule.label)] += rule.weight
    decisions = decide(votes, class_share, default)
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
