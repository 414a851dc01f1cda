"""Rules as a notebook shows them: a table with bars, and a chart."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rugcore.plotting import charts, markup
from rugcore.rules import words
from rugcore.rules.rule import Rule

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def rules_table(rules: Sequence[Rule]) -> str:
    """One line per rule: its words, what it votes for, a bar for its weight, and how far and how well it reaches."""
    heading = markup.line(markup.strong(f"{len(rules):,} {'rule' if len(rules) == 1 else 'rules'}"))
    if not rules:
        return markup.card(heading)
    largest = max(rule.weight for rule in rules)
    lines = [
        (
            rule,
            words.clear(rule.label),
            markup.bar(rule.weight, largest),
            markup.share(rule.coverage),
            markup.share(rule.precision, digits=0),
        )
        for rule in rules
    ]
    headers = ("if", "then", "weight", "covers", "right")
    table = markup.table(headers, lines, kind="rules", rest="; to_frame() has them all", right=(3, 4))
    return markup.card(heading, table, *([] if _is_bare(rules) else [markup.line(markup.faint(LEGEND))]))


LEGEND = "covers: share of the training rows that meet the conditions; right: share of those with the outcome named"


def rules_chart(rules: Sequence[Rule], most: int) -> "Figure":
    """The heaviest rules as bars, a colour an outcome."""
    bars = [charts.Bar(str(rule), rule.weight, words.clear(rule.label), reach_in_words(rule)) for rule in rules[:most]]
    title = f"{len(rules):,} rules" if len(rules) <= most else f"The first {most:,} of {len(rules):,} rules"
    return charts.bars(bars, title=title, value_title="weight")


def reach_in_words(rule: Rule) -> str:
    """Weight, reach and precision in words; only the weight where nothing else is known."""
    weight = f"weight {rule.weight:.3g}"
    if rule.coverage != rule.coverage:
        return weight
    return f"{weight}; covers {rule.coverage:.1%} of the rows, {rule.precision:.0%} of them {words.clear(rule.label)}"


def _is_bare(rules: Sequence[Rule]) -> bool:
    """Rules written by hand have no coverage: it is NaN, which is not equal to itself."""
    return all(rule.coverage != rule.coverage for rule in rules)
