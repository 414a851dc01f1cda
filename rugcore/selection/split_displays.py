"""Gaps over many splits, in words and as a table."""

import math
from typing import TYPE_CHECKING, Any

from rugcore.fairness.notions import NOTIONS
from rugcore.plotting import markup
from rugcore.rules import words

if TYPE_CHECKING:
    from rugcore.selection.over_splits import FairnessOverSplits, ModelOverSplits

HEADERS = ("model", "gap between", "on new people", "interval", "single splits", "on training rows")
FEW_SPLITS = 5  # fewer say next to nothing about each other


def in_words(found: "FairnessOverSplits") -> str:
    """What was done, a line per gap, and what it means."""
    lines = [HEADERS, *_lines(found)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(HEADERS))]
    table = ["  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([measured(found), "", *table, "", *meaning(found)])


def card(found: "FairnessOverSplits") -> str:
    """As a notebook shows it."""
    return markup.card(
        markup.line(markup.strong("Gaps between groups on people not trained on")),
        markup.table(HEADERS, _lines(found), kind="gaps", rest="; to_frame() has them all", right=(2, 3, 4, 5)),
        *(markup.line(sentence) for sentence in meaning(found)),
        markup.line(markup.faint(measured(found))),
    )


def measured(found: "FairnessOverSplits") -> str:
    """What was done, on what."""
    ended = "" if found.n_splits == found.n_asked else f" ({found.n_asked} were asked for)"
    splits = f"{counted(found.n_splits, 'random split')}{ended} of {found.n_rows:,} rows"
    return (
        f"{splits}, {found.test_size:.0%} held out each time; {NOTIONS[found.notion]}. Gaps in points, first group "
        f"minus second; {100 * found.confidence:g}% intervals."
    )


def meaning(found: "FairnessOverSplits") -> list[str]:
    """Sentences, model by model."""
    few = [] if found.n_splits >= FEW_SPLITS else [f"{counted(found.n_splits, 'split')} cannot decide anything."]
    lacking = [] if not found.not_estimable else [_not_estimable(found)]
    return [*few, *(_about(found, model) for model in found.models), *lacking]


def _not_estimable(found: "FairnessOverSplits") -> str:
    rates = [
        key.group if key.label is None else f"{key.group} ({words.value(key.label)})" for key in found.not_estimable
    ]
    return f"Not estimable, because of fewer than {found.min_cell_size} rows: {', '.join(rates)}."


def _about(found: "FairnessOverSplits", model: "ModelOverSplits") -> str:
    accuracy, lower, upper = found.accuracy(model)
    bounds = "" if math.isnan(lower) else f" ({lower:.1%} to {upper:.1%})"
    right = f"{model.name}: {accuracy:.1%} right{bounds}"
    if math.isnan(found.epsilon):
        return f"{right}."
    n_splits = counted(model.n_splits, "split")
    return (
        f"{right}. A gap of at most {100 * found.epsilon:g} points on new people: {VERDICTS[found.verdict(model)]}. "
        f"Within it on the test rows of {found.n_held(model)} of {n_splits}, on the training rows of "
        f"{found.n_held_in_training(model)}."
    )


VERDICTS = {"within": "yes", "above": "no", "cannot be told": "cannot be told"}


def _lines(found: "FairnessOverSplits") -> list[tuple[str, ...]]:
    return [_line(line) for line in found.to_frame().to_dict("records") if not line["not_estimable"]]


def _line(line: dict[Any, Any]) -> tuple[str, ...]:
    within = "" if line["class"] is None else f", {words.value(line['class'])}"
    pair = f"{line['first_group']} and {line['second_group']}{within}"
    return (
        line["model"],
        pair,
        _points(line["gap"]),
        _between(line["lower"], line["upper"]),
        _between(line["lowest"], line["highest"]),
        _points(line["training_gap"]),
    )


def _points(share: float) -> str:
    return f"{100 * share:+.1f}"


def _between(lower: float, upper: float) -> str:
    return "" if math.isnan(lower) else f"{_points(lower)} to {_points(upper)}"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
