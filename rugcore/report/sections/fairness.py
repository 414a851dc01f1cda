"""How the groups fare: what was asked for, what was reached, how sure that is, and what more would cost."""

import math
from typing import Any

import pandas as pd

from rugcore.fair_training.expectation import SOURCES, Expectation
from rugcore.fair_training.outcome import FairnessFit
from rugcore.fairness import NOTIONS, Audit, notion_of
from rugcore.report.blocks import Block, Facts, Heading, Paragraph
from rugcore.report.evidence import Evidence
from rugcore.report.formats import percent, points
from rugcore.report.sections.common import FEWEST_TOLD, lines_of, missing, outcome, rows_in_words
from rugcore.report.sections.group_rates import (
    BETWEEN_RATES,
    TEST,
    TRAINING,
    error_rates,
    gaps,
    handfuls,
    not_estimable,
    pairs_in_training,
    rates_by_group,
)
from rugcore.report.sections.limits_and_splits import other_limits, over_splits

GUARANTEES = {
    "realised": "the gap in decisions on the training rows is bounded",
    "confident": "a test on rows kept from training must assure the bound with confidence",
    "proxy": "the losses of the linear program are bounded, as in the paper",
}
MOST_NAMED = 2  # rates that cannot be estimated; the section names all of them
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
        *gaps(evidence, found),
        Heading("Who is decided wrongly"),
        *error_rates(evidence, found),
        Heading("Rates by group"),
        *rates_by_group(evidence, found),
        *pairs_in_training(evidence),
        Heading("What another limit would cost"),
        *other_limits(evidence),
        Heading("Over many splits"),
        *over_splits(evidence),
    )


def _too_few(evidence: Evidence, found: Audit) -> tuple[Block, ...]:
    name = notion_of(evidence.fairness).name
    left_out = not_estimable(found, name) if name in found.gaps.index else ""
    return (Paragraph(f"Not estimable on the test rows, and left out: {left_out}.", "warning"),) if left_out else ()


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
