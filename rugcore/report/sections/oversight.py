"""Who watches over the model, and from which values on somebody acts."""

import math

from rugcore.fairness import notion_of
from rugcore.report.blocks import Block, Column, Grid, Heading
from rugcore.report.evidence import Evidence
from rugcore.report.formats import percent, points
from rugcore.report.sections.common import faint, lines_of, share_of
from rugcore.report.sections.purpose import said

Line = tuple[str, str, str, str]
PROPOSED, ENTERED = "proposed", "entered"


def oversight(evidence: Evidence) -> tuple[Block, ...]:
    return (
        *(block for topic in ("oversight", "overrides", "monitoring") for block in said(evidence, topic)),
        Heading("Values to watch"),
        Grid(
            "What the model did on the test rows, and when somebody should look",
            (
                Column("Measure", width=1.6),
                Column("Test rows", width=1.3),
                Column("Act"),
                Column("Who says so", width=0.7),
            ),
            tuple(_lines(evidence)),
        ),
        faint(
            "Proposed values are the bounds of the 95 % intervals on the test rows, or the limit that was asked for. "
            "Those that a person entered stand in their place."
        ),
    )


def _lines(evidence: Evidence) -> list[Line]:
    n = len(evidence.test)
    right = share_of(int(evidence.is_right.sum()), n)
    uncovered = share_of(int((evidence.decisions.is_uncovered | evidence.decisions.is_tie).sum()), n)
    favoured = share_of(int((evidence.decided == evidence.favourable).sum()), n)
    lines = [
        _line(evidence, "accuracy", "Right decisions", right[0], "below", right[1]),
        _line(evidence, "uncovered", "No rule decides (manual review)", uncovered[0], "above", uncovered[2]),
        _line(evidence, "favourable_lowest", "Favourable decisions", favoured[0], "below", favoured[1]),
        _line(evidence, "favourable_highest", "Favourable decisions", favoured[0], "above", favoured[2]),
    ]
    return [*lines, *_gap_line(evidence)]


def _gap_line(evidence: Evidence) -> list[Line]:
    found, name = evidence.test_audit, notion_of(evidence.fairness).name
    line = None if found is None else lines_of(found.gaps).get(name)
    if line is None:
        return []
    gap, upper = float(line["gap"]), float(line["upper"])
    now = "not estimable" if math.isnan(gap) else points(gap)
    entered = evidence.statements.thresholds.get("gap")
    limit = evidence.epsilon if evidence.epsilon is not None else upper
    act = entered if entered is not None else limit
    words = "no proposal" if math.isnan(act) else f"above {points(act)}"
    return [("Largest gap between groups", now, words, PROPOSED if entered is None else ENTERED)]


def _line(evidence: Evidence, key: str, name: str, now: float | None, side: str, proposed: float | None) -> Line:
    entered = evidence.statements.thresholds.get(key)
    act = entered if entered is not None else proposed
    words = "no proposal" if act is None else f"{side} {percent(act)}"
    return name, "nobody" if now is None else percent(now), words, PROPOSED if entered is None else ENTERED
