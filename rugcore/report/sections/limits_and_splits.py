"""What more or less fairness would cost, and what other splits of the rows say."""

import math
from collections.abc import Sequence
from dataclasses import replace

from rugcore.report.blocks import Block, ChartMark, Column, Grid, Paragraph, Picture
from rugcore.report.evidence import MODEL_COLOUR, OTHER_COLOUR, Evidence, FrontierLine
from rugcore.report.formats import count, counted, difference, points
from rugcore.report.sections.common import faint, known, missing, outcome
from rugcore.report.sections.group_rates import MOST_PAIRS, TEST, TRAINING

ABOUT_FRONTIER = (
    "The rules are those already found; a new training might find better ones. Every line is weighed anew, so that the "
    "one with the limit of this model need not be this model."
)
HOW_SPLITS = "Train on many splits on the page Fairness, or call fairness_over_splits, and make the report again."


# -- what another limit would cost -------------------------------------------------------------------------


def other_limits(evidence: Evidence) -> tuple[Block, ...]:
    if not evidence.is_fair_model:
        return (
            missing("Not worked out: only a model that was trained towards parity has such a curve. Train FairRUG."),
        )
    if evidence.frontier is None:
        return (missing("Not worked out. Tick “With what other limits would cost”, or give --frontier."),)
    lines = evidence.frontier
    marks = [
        ChartMark(points(own.epsilon), series, gap, height=accuracy)
        for own in lines
        for series, gap, accuracy in (
            (TRAINING, own.training_gap, own.training_accuracy),
            (TEST, own.test_gap, own.test_accuracy),
        )
        if not math.isnan(gap)
    ]
    picture = Picture(
        kind="curve",
        title="Right decisions against the largest gap",
        alt="A curve over allowed gaps: the largest gap between groups, and the share of right decisions.",
        unit="points",
        axis="largest gap, points",
        height_axis="right decisions, %",
        marks=tuple(marks),
        limit=evidence.epsilon,
        colours={TEST: MODEL_COLOUR, TRAINING: OTHER_COLOUR},
    )
    table = Grid(
        "The same rules weighed for other limits",
        (
            Column("Limit, points"),
            Column("Rules", "count"),
            Column("Gap, training", "points"),
            Column("Met there", width=0.8),
            Column("Right, training", "percent"),
            Column("Gap, test", "points"),
            Column("Right, test", "percent"),
        ),
        tuple(
            (
                limits,
                own.n_rules,
                own.training_gap,
                "yes" if own.met else "no",
                own.training_accuracy,
                known(own.test_gap),
                own.test_accuracy,
            )
            for limits, own in _limits_told_once(lines)
        ),
    )
    return picture, table, faint(ABOUT_FRONTIER)


def _limits_told_once(lines: Sequence[FrontierLine]) -> list[tuple[str, FrontierLine]]:
    """Neighbouring limits that come to the same are one line: 3.0 to 7.5."""
    told: list[list[FrontierLine]] = []
    for own in lines:
        if told and replace(own, epsilon=told[-1][0].epsilon) == told[-1][0]:
            told[-1].append(own)
        else:
            told.append([own])
    return [
        (difference(same[0].epsilon) + (f" to {difference(same[-1].epsilon)}" if same[1:] else ""), same[0])
        for same in told
    ]


# -- many splits -------------------------------------------------------------------------------------------


def splits_in_short(evidence: Evidence) -> str:
    """The largest gap over many splits, for the first page; nothing where nobody trained on any."""
    if evidence.splits is None:
        return ""
    own = next(
        (own for own in evidence.splits.summary().to_dict("records") if own["model"] == evidence.identity.kind), None
    )
    gap = None if own is None else known(own["largest_gap"])
    if own is None or gap is None:
        return ""
    limit = "" if evidence.epsilon is None else f"; held against the limit: {own['verdict']}"
    return f"{points(gap)} on the rows held out by {counted(evidence.splits.n_splits, 'split')}{limit}"


def over_splits(evidence: Evidence) -> tuple[Block, ...]:
    found = evidence.splits
    if found is None:
        return (missing(f"Not worked out; one split of a small group is a coin toss. {HOW_SPLITS}"),)
    summary = tuple(
        (
            str(own["model"]),
            (own["accuracy"], own["accuracy_lower"], own["accuracy_upper"]),
            known(own["largest_gap"]),
            str(own["verdict"]),
            f"{own['held_on_test_rows']} of {own['n_splits']}",
        )
        for own in found.summary().to_dict("records")
    )
    pairs = tuple(
        (
            str(own["model"]),
            "all" if own["class"] is None else outcome(own["class"]),
            f"{own['first_group']} minus {own['second_group']}",
            (known(own["gap"]), known(own["lower"]), known(own["upper"])),
        )
        for own in found.to_frame().to_dict("records")
    )
    shown = sorted(pairs, key=lambda line: -abs(line[3][0] or 0.0))[:MOST_PAIRS]
    return (
        Paragraph(
            f"The same training was run on {counted(found.n_splits, 'random split')}, each of which held out "
            f"{100 * found.test_size:.0f} % of the {count(found.n_rows)} rows. Gaps are those of the rows held out, "
            "over all splits together; intervals make up for the rows that splits share."
        ),
        Grid(
            "Models over all splits",
            (
                Column("Model"),
                Column("Right", "percent interval", 1.4),
                Column("Largest gap, points", "points", 0.9),
                Column("Against the limit", width=1.1),
                Column("Limit held in", width=0.9),
            ),
            summary,
        ),
        Grid(
            "Gaps over all splits, in points",
            (
                Column("Model", width=0.8),
                Column("Outcome", width=0.8),
                Column("Groups", width=2.0),
                Column("Gap", "points interval", 1.3),
            ),
            tuple(shown),
        ),
    )
