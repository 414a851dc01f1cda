"""How the groups fare: what was asked for, what was reached, how sure that is, and what more would cost."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from rugcore.fair_training.expectation import SOURCES, Expectation
from rugcore.fair_training.outcome import FairnessFit
from rugcore.fairness import FOUR_FIFTHS, NOTIONS, Audit, clear_ratio, notion_of
from rugcore.report.blocks import Block, ChartMark, Column, Facts, Grid, Heading, Interval, Paragraph, Picture, Value
from rugcore.report.evidence import MODEL_COLOUR, OTHER_COLOUR, Evidence, FrontierLine
from rugcore.report.formats import count, counted, difference, percent, points
from rugcore.report.sections.common import (
    FEWEST_TOLD,
    LEFT_OUT,
    PROTECTS,
    UNTOLD,
    faint,
    known,
    lines_of,
    missing,
    outcome,
    people,
    rows_in_words,
    untold,
    with_larger_rate,
)

GUARANTEES = {
    "realised": "the gap in decisions on the training rows is bounded",
    "confident": "a test on rows kept from training must assure the bound with confidence",
    "proxy": "the losses of the linear program are bounded, as in the paper",
}
TEST, TRAINING = "test rows", "training rows"
WORSE, BETTER = "Worse rate", "Better rate"
BY_OUTCOME = ("dmc", "eop")  # notions of which an audit says how many of a group had which outcome
BETWEEN_RATES, MOST_NAMED = "; ", 2  # rates that cannot be estimated, in a sentence; the section names all of them
MOST_BARS = 40  # dots of a chart on one page
MOST_PAIRS = 200  # lines of a table by pair of groups
ABOUT_FRONTIER = (
    "The rules are those already found; a new training might find better ones. Every line is weighed anew, so that the "
    "one with the limit of this model need not be this model."
)
HOW_SPLITS = "Train on many splits on the page Fairness, or call fairness_over_splits, and make the report again."
NO_GROUPS = (
    "No sensitive attribute was named, so that nobody can say whether groups are treated alike. Choose one and train "
    "again."
)


def fairness(evidence: Evidence) -> tuple[Block, ...]:
    found = evidence.test_audit
    if found is None:
        return (missing(NO_GROUPS),)
    return (
        Paragraph(verdict(evidence, found)),
        *_too_few(evidence, found),
        Heading("What is compared"),
        Facts(tuple((notion.title, notion.explanation) for notion in NOTIONS.values())),
        Heading("Asked and reached"),
        *_asked(evidence, found),
        Heading("Gaps between groups"),
        *_gaps(evidence, found),
        Heading("Who is decided wrongly"),
        *_error_rates(evidence, found),
        Heading("Rates by group"),
        *_rates(evidence, found),
        *_pairs(evidence),
        Heading("What another limit would cost"),
        *_frontier(evidence),
        Heading("Over many splits"),
        *_splits(evidence),
    )


def _too_few(evidence: Evidence, found: Audit) -> tuple[Block, ...]:
    name = notion_of(evidence.fairness).name
    left_out = not_estimable(found, name) if name in found.gaps.index else ""
    return (Paragraph(f"Not estimable on the test rows, and left out: {left_out}.", "warning"),) if left_out else ()


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


def verdict(evidence: Evidence, found: Audit) -> str:
    """The section in two sentences."""
    notion = notion_of(evidence.fairness)
    line = lines_of(found.gaps).get(notion.name)
    if line is None or math.isnan(line["gap"]):
        return (
            f"{notion.title}: the gap on the test rows cannot be estimated, because too few people are in the groups."
        )
    bounds = f"{100 * float(line['lower']):.1f} to {100 * float(line['upper']):.1f}"
    if line["gap"]:
        larger = _no_larger(not_estimable(found, notion.name))
        found_gap = f"{_apart(evidence, line)} (95 % interval of this pair {bounds}). {larger}"
    else:
        found_gap = f"no two groups that can be compared differ (0.0 points; 95 % interval of one pair {bounds})."
    text = f"{notion.title}: on the test rows {found_gap}"
    if evidence.epsilon is None:
        return f"{text} No limit was set."
    reached = "within" if bool(line["met"]) else "above"
    ends = float(line["lower"]), float(line["upper"])
    farthest, nearest = max(map(abs, ends)), max(ends[0], -ends[1], 0.0)  # a gap may also be the other way round
    is_sure = farthest <= evidence.epsilon if bool(line["met"]) else nearest > evidence.epsilon
    doubt = "" if is_sure else " The interval reaches across the limit, so that it could be otherwise on other people."
    return f"{text} The gap found is {reached} the limit of {points(evidence.epsilon)}.{doubt}"


def _no_larger(left_out: str) -> str:
    """A gap that nobody could estimate may be larger."""
    if not left_out:
        return "No gap of this kind is larger."
    parts = left_out.split(BETWEEN_RATES)
    which = f"not estimable: {left_out}" if len(parts) <= MOST_NAMED else f"{len(parts)} rates rest on too few people"
    return f"No other gap that can be estimated is larger; {which}."


def _apart(evidence: Evidence, line: dict[Any, Any]) -> str:
    """What the largest gap is. Nobody is said to fare worse: who is wrongly decided favourably gains by a mistake."""
    label = line["worst_class"]
    of_outcome = "" if label is None or pd.isna(label) else f" whose true outcome is “{outcome(label)}”"
    positive = evidence.favourable if evidence.positive_class is None else evidence.positive_class
    return notion_of(evidence.fairness).more_often(
        f"“{line['worse_group']}”{of_outcome}",
        f"“{line['better_group']}”",
        points(float(line["gap"])),
        None,
        f"“{outcome(positive)}”",
    )


# -- asked and reached -------------------------------------------------------------------------------------


def _asked(evidence: Evidence, found: Audit) -> tuple[Block, ...]:
    fit = evidence.fit
    if fit is None:
        return (
            Paragraph(
                "This model was not trained towards parity: nothing was asked for. The gaps below are what came out."
            ),
        )
    facts = [
        ("Asked for", f"{notion_of(fit.notion).title}, a gap of at most {points(fit.epsilon)}"),
        ("How", GUARANTEES.get(fit.guarantee, fit.guarantee)),
        (f"Reached on the {TRAINING}", f"{points(fit.realised_gap)}, {_met(fit.met_on_training_rows)}"),
        (f"Reached on the {TEST}", _on_test_rows(found, fit)),
        ("Expected on new people", expected_in_words(fit.expected)),
        *_assured(fit),
        ("Right decisions on the training rows", percent(fit.accuracy)),
        *_in_program(fit),
    ]
    return (Facts(tuple(facts)), *_left_out(fit))


def _in_program(fit: FairnessFit) -> list[tuple[str, str]]:
    """Nothing of a notion that is not about losses."""
    if fit.lp_gap is None:
        return []
    return [
        ("In the linear program", f"a gap of {fit.lp_gap:.3f} between mean losses, padding included"),
        (
            "Padding",
            f"{fit.padding:,.1f} units on top of a loss of {fit.loss:,.1f}: loss that the program counts although no "
            "person suffers it",
        ),
    ]


def _met(is_met: bool) -> str:
    return "met" if is_met else "NOT met"


def _on_test_rows(found: Audit, fit: FairnessFit) -> str:
    line = lines_of(found.gaps)[notion_of(fit.notion).name]
    if math.isnan(line["gap"]):
        return f"not estimable: {not_estimable(found, notion_of(fit.notion).name)}"
    is_met = float(line["gap"]) <= fit.epsilon
    return f"{points(float(line['gap']))}, {_met(is_met)} there"


def expected_in_words(expected: Expectation | None) -> str:
    if expected is None:
        return "not recorded with this model"
    if expected.gap is None:
        return f"cannot be told ({expected.too_few})"
    bounds = f"95 % interval of this pair {100 * (expected.lower or 0):.1f} to {100 * (expected.upper or 0):.1f}"
    return f"{points(expected.gap)} ({bounds}; {SOURCES[expected.source]})"


def _assured(fit: FairnessFit) -> list[tuple[str, str]]:
    own = fit.assurance
    if own is None:
        return []
    sure = f"with {100 * own.confidence:.0f} % confidence no gap on new people is above {points(own.smallest_epsilon)}"
    is_assured = "assured" if fit.assured else "NOT assured"
    return [("Assured by a test", f"{sure}; the limit of {points(fit.epsilon)} is {is_assured}")]


def _left_out(fit: FairnessFit) -> tuple[Block, ...]:
    if not fit.not_estimable:
        return ()
    handful = handfuls(fit)
    names = [
        f"{own.group}{'' if own.label is None else f', {outcome(own.label)}'} ({rows_in_words(own.n_rows)})"
        for own in fit.not_estimable
        if own.group not in handful
    ]
    names += [f"groups of fewer than {FEWEST_TOLD} people: {', '.join(handful)}"] if handful else []
    text = f"Left out of the bound, because too few training rows stand behind them: {'; '.join(names)}."
    return (Paragraph(text, "warning"),)


def handfuls(fit: FairnessFit) -> list[str]:
    """Groups of which nothing is told by outcome: somebody could know their few people."""
    size: Counter[str] = Counter()
    for own in fit.cells:
        size[own.group] += own.n_rows
    return [group for group, n in size.items() if n < FEWEST_TOLD]


# -- gaps --------------------------------------------------------------------------------------------------


def _gaps(evidence: Evidence, found: Audit) -> tuple[Block, ...]:
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


def _error_rates(evidence: Evidence, found: Audit) -> tuple[Block, ...]:
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


def _rates(evidence: Evidence, found: Audit) -> tuple[Block, ...]:
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


def _pairs(evidence: Evidence) -> tuple[Block, ...]:
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


# -- what another limit would cost -------------------------------------------------------------------------


def _frontier(evidence: Evidence) -> tuple[Block, ...]:
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


def _splits(evidence: Evidence) -> tuple[Block, ...]:
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
