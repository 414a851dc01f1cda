"""Gaps between groups, who is decided wrongly, and the rates that an auditor asks for."""

import math
from collections import Counter
from typing import Any

import pandas as pd

from rugcore.fair_training.outcome import FairnessFit
from rugcore.fairness import FOUR_FIFTHS, Audit, clear_ratio, notion_of
from rugcore.report.blocks import Block, ChartMark, Column, Grid, Heading, Interval, Paragraph, Picture, Value
from rugcore.report.evidence import MODEL_COLOUR, OTHER_COLOUR, Evidence
from rugcore.report.formats import count, counted
from rugcore.report.sections.common import (
    FEWEST_TOLD,
    LEFT_OUT,
    PROTECTS,
    UNTOLD,
    faint,
    known,
    lines_of,
    outcome,
    people,
    rows_in_words,
    untold,
    with_larger_rate,
)

TEST, TRAINING = "test rows", "training rows"
WORSE, BETTER = "Worse rate", "Better rate"
BY_OUTCOME = ("dmc", "eop")  # notions of which an audit says how many of a group had which outcome
BETWEEN_RATES = "; "  # those that cannot be estimated, in a sentence
MOST_BARS = 40  # dots of a chart on one page
MOST_PAIRS = 200  # lines of a table by pair of groups


def not_estimable(found: Audit, name: str) -> str:
    """What an audit leaves out; how many of a handful of people had which outcome is not told."""
    handful = [str(group) for group, line in lines_of(found.groups).items() if line["n"] < FEWEST_TOLD]
    if name not in BY_OUTCOME:
        return str(lines_of(found.gaps)[name]["not_estimable"])
    others = [
        f"{group}, {outcome(label)} ({rows_in_words(int(line['n']))})"
        for (label, group), line in lines_of(found.rates).items()
        if line["rate"] != line["rate"]
        and str(group) not in handful
        and (name == "dmc" or label == found.positive_class)
    ]
    few = [f"groups of fewer than {FEWEST_TOLD} people: {', '.join(handful)}"] if handful else []
    return BETWEEN_RATES.join([*others, *few])


def handfuls(fit: FairnessFit) -> list[str]:
    """Groups of which nothing is told by outcome: somebody could know their few people."""
    size: Counter[str] = Counter()
    for own in fit.cells:
        size[own.group] += own.n_rows
    return [group for group, n in size.items() if n < FEWEST_TOLD]


def gaps(evidence: Evidence, found: Audit) -> tuple[Block, ...]:
    training = evidence.training_audit
    lines, marks = [], []
    for name, line in lines_of(found.gaps).items():
        on_training = None if training is None else known(training.gaps.loc[name, "gap"])
        own = (known(line["gap"]), known(line["lower"]), known(line["upper"]))
        title = notion_of(name).title
        lines.append((title, on_training, own, *_where(evidence, found, name, line)))
        if own[0] is not None:
            marks.append(ChartMark(title, TEST, own[0], own[1], own[2]))
        if on_training is not None:
            marks.append(ChartMark(title, TRAINING, on_training))
    table = Grid(
        "Gaps in points, and between whom",
        (
            Column("What is compared", width=1.5),
            Column("Training", "points", 0.7),
            Column("Test", "points interval", 1.3),
            Column("Outcome", width=0.9),
            Column(WORSE, width=1.2),
            Column(BETTER, width=1.2),
        ),
        tuple(lines),
    )
    picture = Picture(
        kind="intervals",
        title="The largest gap of every kind",
        alt="Dots with 95 % intervals: the largest gap between two groups of every kind, on training and on test rows.",
        unit="points",
        axis="points between the two groups that are farthest apart",
        marks=tuple(marks),
        limit=evidence.epsilon,
        colours={TEST: MODEL_COLOUR, TRAINING: OTHER_COLOUR},
    )
    note = (
        "Newcombe's interval of the worst pair, which was picked because it is the worst: the interval does not make "
        "up for that. A lower bound below 0 means that it may be the other way round. The worse rate is the one with "
        "more mistakes, or with fewer favourable decisions; a mistake may also serve a person."
    )
    if evidence.epsilon is not None:
        note += f" The limit is about “{notion_of(evidence.fairness).title}” only."
    return (*((picture,) if marks else ()), table, faint(note))


def _where(evidence: Evidence, found: Audit, name: str, line: dict[Any, Any]) -> tuple[str, str, str]:
    if line["gap"] != line["gap"]:
        return "not estimable", not_estimable(found, name), ""
    label = "all" if line["worst_class"] is None or pd.isna(line["worst_class"]) else outcome(line["worst_class"])
    if not line["gap"]:
        return label, "nobody", "nobody"
    return label, with_larger_rate(line, evidence), str(line["better_group"])


def error_rates(evidence: Evidence, found: Audit) -> tuple[Block, ...]:
    lines, marks = [], []
    sizes, is_untold = lines_of(found.groups), _untold_rates(found)
    for (label, group), line in lines_of(found.rates).items():
        if sizes[group]["n"] < FEWEST_TOLD:
            continue
        is_told = not is_untold[label, group]
        rate: Interval = (known(line["rate"]), known(line["lower"]), known(line["upper"])) if is_told else UNTOLD
        wrong = int(line["errors"]) if is_told else None
        lines.append((outcome(label), str(group), people(int(line["n"])), wrong, rate))
        if rate[0] is not None:
            marks.append(ChartMark(f"{outcome(label)}: {group}", str(group), rate[0], rate[1], rate[2]))
    table = Grid(
        "Decided wrongly, by true outcome and group, test rows",
        (
            Column("True outcome"),
            Column("Group", width=1.6),
            Column("People", "count", 0.6),
            Column("Wrong", "count", 0.6),
            Column("Share", "percent interval", 1.4),
        ),
        tuple(lines),
    )
    picture = Picture(
        kind="intervals",
        title="Share decided wrongly",
        alt="Dots with 95 % intervals: the share of each group decided wrongly, by true outcome.",
        unit="percent",
        axis="decided wrongly, percent",
        marks=tuple(marks[:MOST_BARS]),
        colours=evidence.group_colours(),
    )
    drawn = (picture,) if marks and len(marks) <= MOST_BARS else ()
    return (
        *drawn,
        table,
        faint(f"A share of fewer than {found.min_cell_size} people is not estimable. {PROTECTS} {LEFT_OUT}"),
    )


def _untold_rates(found: Audit) -> dict[tuple[Any, Any], bool]:
    """By outcome and group; how many of an outcome are decided wrongly stands elsewhere."""
    told: dict[tuple[Any, Any], bool] = {}
    for _, table in found.rates.groupby(level=0, sort=False):
        told |= dict(zip(table.index, untold(table["n"].tolist()).tolist(), strict=True))
    return told


def rates_by_group(evidence: Evidence, found: Audit) -> tuple[Block, ...]:
    names = {
        "selection_rate": "Decided favourably",
        "tpr": "Rightly favoured (TPR)",
        "fpr": "Wrongly favoured (FPR)",
        "ppv": "Precision",
    }
    hidden = _untold_of_groups(found)
    lines: tuple[tuple[Value, ...], ...] = tuple(
        (str(group), int(line["n"]), *(UNTOLD if name in hidden[group] else _rate(line, name) for name in names))
        for group, line in lines_of(found.groups).items()
        if line["n"] >= FEWEST_TOLD
    )
    table = Grid(
        "Rates by group, test rows",
        (
            Column("Group", width=1.2),
            Column("People", "count", 0.6),
            *(Column(title, "percent interval", 1.3) for title in names.values()),
        ),
        lines,
    )
    favourable = outcome(evidence.favourable)
    note = (
        f"Favourable is “{favourable}”. Rightly favoured: decided so, of those whose true outcome it is. Wrongly "
        "favoured: decided so, of all others. Precision: of those decided so, the share whose true outcome it is."
    )
    if any(hidden.values()):
        note += f" {PROTECTS}"
    if len(lines) < len(found.groups):
        note += f" {LEFT_OUT}"
    return table, faint(note), Paragraph(four_fifths(found))


def _untold_of_groups(found: Audit) -> dict[Any, set[str]]:
    """Which rates of a group would tell what `_untold_rates` keeps back, alone or two of them together."""
    hidden: dict[Any, set[str]] = {group: set() for group in found.groups.index}
    size = found.rates["n"].to_dict()
    for (label, group), is_untold in _untold_rates(found).items():
        if is_untold and size[label, group]:
            hidden[group] |= {"ppv", "tpr" if label == found.positive_class else "fpr"}
    for own in hidden.values():
        if len(own) == 2:  # how many are decided favourably, less those of the side that is told
            own.add("selection_rate")
    return hidden


def _rate(line: dict[Any, Any], name: str) -> Interval:
    return known(line[name]), known(line[f"{name}_lower"]), known(line[f"{name}_upper"])


def four_fifths(found: Audit) -> str:
    """The screen, and what it is not."""
    own = found.parity
    if own.is_below_four_fifths is None:
        return f"The four-fifths screen cannot be applied: {own.not_estimable}."
    if own.lowest_group == own.highest_group:
        return "Four-fifths screen: all groups that can be compared are decided favourably equally often."
    side = "below" if own.is_below_four_fifths else "not below"
    return (
        f"Four-fifths screen: {own.lowest_group} are decided favourably {clear_ratio(own.ratio)} times as often as "
        f"{own.highest_group} ({count(own.lowest_selected)} of {count(own.lowest_n)} against "
        f"{count(own.highest_selected)} of {count(own.highest_n)}), which is {side} {FOUR_FIFTHS}. A screen says "
        "where to look closer; it proves nothing."
    )


# -- inside the training -----------------------------------------------------------------------------------


def pairs_in_training(evidence: Evidence) -> tuple[Block, ...]:
    fit = evidence.fit
    if fit is None:
        return ()
    told = [own for own in fit.contrasts if not math.isnan(own.realised_gap)]
    shown = sorted(told, key=lambda own: -abs(own.realised_gap))[:MOST_PAIRS]
    has_losses, handful = fit.lp_gap is not None, handfuls(fit)
    pairs = Grid(
        "Every pair of groups on the training rows: first minus second",
        (
            Column("Outcome", width=0.8),
            Column("First", width=1.4),
            Column("Second", width=1.4),
            Column("Gap, points", "points", 0.8),
            *([Column("Mean loss in the program", "number", 0.9)] if has_losses else []),
        ),
        tuple(
            (
                "all" if own.label is None else outcome(own.label),
                own.first,
                own.second,
                own.realised_gap,
                *([own.lp_gap] if has_losses else []),
            )
            for own in shown
        ),
    )
    cells = Grid(
        "Padding and importance by outcome and group, training rows",
        (
            Column("Outcome", width=0.8),
            Column("Group", width=1.6),
            Column("Rows", "count", 0.6),
            Column("Wrong", "percent", 0.7),
            Column("Weight of a row", "number", 0.8),
            Column("Padding", "number", 0.7),
        ),
        tuple(
            (
                outcome(own.label),
                own.group,
                people(own.n_rows),
                known(own.error) if own.n_rows >= FEWEST_TOLD else None,
                float(own.importance),
                float(own.padding),
            )
            for own in fit.cells
            if own.group not in handful
        ),
    )
    left = len(fit.contrasts) - len(shown)
    more = (faint(f"{counted(left, 'pair')} with smaller gaps are left out."),) if left else ()
    return Heading("Inside the training"), pairs, *more, cells, faint(f"{PROTECTS} {LEFT_OUT}")
