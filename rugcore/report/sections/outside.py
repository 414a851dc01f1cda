"""Another model whose decisions are known: what it does to the same people, and how far rules can imitate it."""

import numpy as np

from rugcore.fairness import NOTIONS, Audit
from rugcore.outside_models import Fidelity
from rugcore.report.blocks import Block, Column, Facts, Grid, Heading, Interval, Paragraph, Value
from rugcore.report.evidence import Evidence, OutsideFound
from rugcore.report.formats import count, percent
from rugcore.report.sections.common import (
    FEWEST_TOLD,
    PROTECTS,
    faint,
    known,
    lines_of,
    missing,
    outcome,
    share_of,
    untold,
    with_larger_rate,
)

HOW = (
    "No rules were learned that imitate it. Press “Learn rules that imitate it” on the page Compare, or call "
    "surrogate_rules, and make the report again."
)
NOT_OURS = (
    "This model was not trained here. Its decisions were taken from the table; whether it has seen the test people "
    "before is not known."
)
READING = (
    "The rules are a reading of the other model, not that model. They were learned from everybody; agreement is that "
    "of rules learned the same way without the people it is counted on, each held out once."
)


def outside(evidence: Evidence) -> tuple[Block, ...]:
    """Nothing where no other model is known."""
    found = evidence.outside
    if found is None:
        return ()
    return (
        Facts((*found.definition, *_in_brief(evidence, found))),
        faint(NOT_OURS),
        Heading("Gaps of the other model"),
        *_gaps(evidence, found),
        Heading("Who is decided differently"),
        *_differences(evidence, found),
        Heading("Rules that imitate it"),
        *_imitation(found),
    )


def _in_brief(evidence: Evidence, found: OutsideFound) -> tuple[tuple[str, str], ...]:
    n, good = len(evidence.test), outcome(evidence.favourable)
    return (
        (f"Decides “{good}”", _share(int((found.decided == evidence.favourable).sum()), n)),
        ("Right decisions", _share(int((found.decided == evidence.truth).sum()), n)),
        ("Decides as this model does", _share(int((found.decided == evidence.decided).sum()), n)),
    )


def _share(n_hits: int, n: int) -> str:
    own, lower, upper = share_of(n_hits, n)
    if own is None or lower is None or upper is None:
        return "no test people"
    return f"{percent(own)} of {count(n)} test people (95 % interval {100 * lower:.1f} to {100 * upper:.1f})"


# -- groups ------------------------------------------------------------------------------------------------


def _gaps(evidence: Evidence, found: OutsideFound) -> tuple[Block, ...]:
    theirs, ours = evidence.audit_of(found.decided), evidence.test_audit
    if theirs is None or ours is None:
        return (missing("No sensitive attribute was named, so that groups cannot be compared."),)
    lines = tuple(_gap_line(name, evidence, theirs, ours) for name in theirs.gaps.index)
    columns = (
        Column("What is compared", width=1.6),
        Column("Other model", "points interval", 1.3),
        Column("This model", "points interval", 1.3),
        Column("Worse rate, other model", width=1.2),
    )
    table = Grid("Largest gaps between two groups on the test rows, in points", columns, lines)
    return table, _selection(theirs, ours), faint("By the same definitions as in the section “Fairness”.")


def _gap_line(name: str, evidence: Evidence, theirs: Audit, ours: Audit) -> tuple[Value, ...]:
    title = NOTIONS[name].title if name in NOTIONS else str(name)
    line = lines_of(theirs.gaps)[name]
    worse = with_larger_rate(line, evidence) if line["gap"] else "nobody"
    return title, _interval(theirs, name), _interval(ours, name), worse


def _interval(found: Audit, name: str) -> Interval:
    line = lines_of(found.gaps)[name]
    return known(line["gap"]), known(line["lower"]), known(line["upper"])


def _selection(theirs: Audit, ours: Audit) -> Grid:
    other, own = lines_of(theirs.groups), lines_of(ours.groups)
    return Grid(
        "Share decided favourably, by group",
        (
            Column("Group", width=1.6),
            Column("People", "count", 0.7),
            Column("Other model", "percent"),
            Column("This model", "percent"),
        ),
        tuple(
            (str(name), int(line["n"]), known(line["selection_rate"]), known(own[name]["selection_rate"]))
            for name, line in other.items()
        ),
    )


# -- decided differently -----------------------------------------------------------------------------------


def _differences(evidence: Evidence, found: OutsideFound) -> tuple[Block, ...]:
    is_same = found.decided == evidence.decided
    if evidence.test.groups is None:
        return (Paragraph(_difference_in_words(is_same)),)
    groups = evidence.test.groups.to_numpy(dtype=object)
    names = sorted(set(groups))
    counts = [int((groups == name).sum()) for name in names]
    lines = []
    for name, n, is_untold in zip(names, counts, untold(counts), strict=True):
        alike = None if is_untold else share_of(int((is_same & (groups == name)).sum()), n)
        lines.append((str(name), n, alike))
    columns = (Column("Group", width=1.6), Column("People", "count", 0.7), Column("Alike", "percent interval", 1.5))
    return (
        Paragraph(_difference_in_words(is_same)),
        Grid("Decided alike by both models, by group", columns, tuple(lines)),
        faint(PROTECTS),
    )


def _difference_in_words(is_same: np.ndarray) -> str:
    n = int((~is_same).sum())
    return f"{count(n)} of {count(len(is_same))} test people are decided differently by this model and the other one."


# -- imitation ---------------------------------------------------------------------------------------------


def _imitation(found: OutsideFound) -> tuple[Block, ...]:
    if found.fidelity is None or found.rules is None:
        return (missing(HOW),)
    fidelity, overall = found.fidelity, found.fidelity.overall
    is_little = float(overall["lower"]) <= fidelity.always_usual
    little = " That is not clearly more: the rules say little about it." if is_little else ""
    return (
        Paragraph(
            f"{_learned(len(found.rules))} decide as the other model does for {percent(float(overall['rate']))} "
            f"of {count(float(overall['n']))} people whom they were not learned from; its most common decision for "
            f"everybody would agree for {percent(fidelity.always_usual)}.{little}{_least(fidelity)}",
            "warning" if is_little else "plain",
        ),
        _agreement(fidelity),
        Grid(
            "Rules that imitate the other model, heaviest first",
            (Column("No.", width=0.3), Column("Rule", width=3.2), Column("Votes for"), Column("Weight", "number", 0.6)),
            tuple(
                (str(place), f"if {rule}", outcome(rule.label), float(rule.weight))
                for place, rule in enumerate(found.rules, start=1)
            ),
        ),
        faint(READING),
    )


def _learned(n: int) -> str:
    """Those below are learned from everybody; what is measured are others, each learned without some of the people."""
    return f"Rules learned like the {'one' if n == 1 else f'{n:,}'} below"


def _least(fidelity: Fidelity) -> str:
    """Where the rules are least to be trusted: among one decision, and among one group."""
    frame = fidelity.to_frame()
    told = frame[(frame["what"] != "overall") & (frame["n"] >= FEWEST_TOLD)]
    worst = told.sort_values("rate", kind="stable").groupby("what", sort=True).head(1).sort_values("what")
    named = [
        f"people {_whom(str(line['what']), line['name'])} ({percent(float(line['rate']))})"
        for line in worst.to_dict("records")
    ]
    return f" They agree least about {' and '.join(named)}." if named else ""


def _whom(what: str, name: object) -> str:
    return f"decided “{outcome(name)}”" if what == "class" else f"of “{name}”"


def _agreement(fidelity: Fidelity) -> Grid:
    lines: list[tuple[Value, ...]] = []
    for line in fidelity.to_frame().to_dict("records"):
        name = f"decided {outcome(line['name'])}" if line["what"] == "class" else str(line["name"])
        interval = float(line["rate"]), float(line["lower"]), float(line["upper"])
        lines.append((name, int(line["n"]), interval if int(line["n"]) >= FEWEST_TOLD else None))
    columns = (Column("Whom", width=1.6), Column("People", "count", 0.7), Column("Alike", "percent interval", 1.5))
    return Grid("How often the rules and the other model agree", columns, tuple(lines))
