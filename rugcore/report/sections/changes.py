"""What happened to this model, in order, and what changes of rules by hand did to it."""

from rugcore.report.blocks import Block, Column, Grid, Paragraph
from rugcore.report.evidence import Evidence
from rugcore.report.sections.common import missing
from rugcore.report.statements import RuleChangeEffect

WHO = "A name is what somebody typed; where people sign in, it is that of their account."


def day(when: str) -> str:
    """2026-01-31T12:00:00Z as people write it; anything else as it is."""
    return f"{when[:10]} {when[11:16]} UTC" if when.endswith("Z") else when


def changes(evidence: Evidence) -> tuple[Block, ...]:
    if not evidence.changes:
        return (missing("No changes are recorded with this model."),)
    table = Grid(
        "Change log",
        (Column("When", width=0.9), Column("Who", width=0.8), Column("What", width=2.2), Column("Why", width=1.4)),
        tuple(
            (day(own.when), own.who or "not recorded", own.what, own.why or "not stated") for own in evidence.changes
        ),
    )
    effects = (_effects(evidence.rule_changes),) if evidence.rule_changes else ()
    return table, *effects, Paragraph(WHO, "faint")


def _effects(found: tuple[RuleChangeEffect, ...]) -> Grid:
    """Before and after every change of rules, on the test rows."""
    titles = ("Right, before", "Right, after")
    gaps = ("Gap, before", "Gap, after")
    return Grid(
        "What changes of rules did, on the test rows",
        (
            Column("When", width=1.4),
            Column("Model"),
            *(Column(title, "percent") for title in titles),
            *(Column(title, "points") for title in gaps),
            Column("Rules, before", "count"),
            Column("Rules, after", "count"),
            Column("Decided otherwise", "count"),
        ),
        tuple(
            (day(own.when), own.model, *own.accuracy, *own.gap, *own.rules, own.n_decided_otherwise) for own in found
        ),
    )
