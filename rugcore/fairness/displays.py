"""An audit as a notebook shows it."""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from rugcore.fairness import sentences
from rugcore.fairness.measures import SelectionParity
from rugcore.fairness.notions import NOTIONS
from rugcore.plotting import markup
from rugcore.plotting.markup import Markup

GROUP_COLUMNS = {"selection_rate": "predicted positive", "error": "wrong", "fnr": "FNR", "fpr": "FPR"}


def audit_card(
    gaps: pd.DataFrame, groups: pd.DataFrame, parity: SelectionParity, confidence: float, heading: Sequence[str]
) -> str:
    """What was audited, the gaps, the groups with their sizes and rates, and the screen for demographic parity."""
    screen = sentences.parity_in_words(parity, confidence)
    return markup.card(
        markup.line(markup.strong(heading[0])),
        *(markup.line(markup.faint(text)) for text in heading[1:]),
        _gap_table(gaps, confidence),
        _group_table(groups, confidence),
        *(markup.line(markup.faint(text)) for text in screen),
    )


def _gap_table(gaps: pd.DataFrame, confidence: float) -> Markup:
    headers = ("what is compared", "largest gap", f"{100 * confidence:g}% interval", "between", "")
    lines = [
        (
            str(NOTIONS[str(notion)]),
            f"{line['gap']:.3f}" if not math.isnan(line["gap"]) else "not estimable",
            interval(line["lower"], line["upper"], "{:.3f}"),
            sentences.pair_in_words(str(notion), line),
            sentences.reservations(line),
        )
        for notion, line in sentences.lines_of(gaps)
    ]
    return markup.table(headers, lines, kind="notions", right=(1, 2))


def _group_table(groups: pd.DataFrame, confidence: float) -> Markup:
    known = [name for name in GROUP_COLUMNS if groups[name].notna().any()]
    lines = [
        (group, f"{line['n']:,}", *(_rate(line, name) for name in known), line["not_estimable"])
        for group, line in sentences.lines_of(groups)
    ]
    headers = ("group", "rows", *(GROUP_COLUMNS[name] for name in known), "not estimable")
    numbers = tuple(range(1, 2 + len(known)))
    drawn = markup.table(headers, lines, kind="groups", rest="; .groups has them all", right=numbers)
    return Markup(drawn + markup.line(markup.faint(f"In brackets: {100 * confidence:g}% intervals.")))


def _rate(line: dict[str, Any], name: str) -> Markup:
    lower, upper = line[f"{name}_lower"], line[f"{name}_upper"]
    beside = "" if math.isnan(lower) else f" ({interval(lower, upper, '{:.0%}')})"
    return Markup(markup.share(line[name]) + markup.faint(beside))


def interval(lower: float, upper: float, form: str) -> str:
    """`lower to upper`, or nothing where there is none."""
    return "" if math.isnan(lower) else f"{form.format(lower)} to {form.format(upper)}"
