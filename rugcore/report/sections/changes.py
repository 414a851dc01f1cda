"""What happened to this model, in order."""

from rugcore.report.blocks import Block, Column, Grid, Paragraph
from rugcore.report.evidence import Evidence
from rugcore.report.sections.common import missing


def day(when: str) -> str:
    """2026-01-31T12:00:00Z as people write it; anything else as it is."""
    return f"{when[:10]} {when[11:16]} UTC" if when.endswith("Z") else when


def changes(evidence: Evidence) -> tuple[Block, ...]:
    if not evidence.changes:
        return (missing("No changes are recorded with this model."),)
    table = Grid(
        "Change log",
        (Column("When", width=0.9), Column("What", width=2.2), Column("Why", width=1.4)),
        tuple((day(own.when), own.what, own.why or "not stated") for own in evidence.changes),
    )
    return table, Paragraph("The dashboard has no sign-in, so that the log does not say who made a change.", "faint")
