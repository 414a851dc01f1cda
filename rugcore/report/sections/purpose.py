"""What the model is for, in the words of the people who answer for it."""

from rugcore.report.blocks import Block, Heading, Paragraph
from rugcore.report.evidence import Evidence
from rugcore.report.sections.common import missing
from rugcore.report.statements import TOPICS

NATURE = (
    "Limits of the method itself: the rules describe past decisions in the table, not what should have been decided, "
    "and not causes. Numbers in this report hold for people like those in the table."
)


def purpose(evidence: Evidence) -> tuple[Block, ...]:
    blocks = [block for topic in ("purpose", "users", "limits") for block in said(evidence, topic)]
    return (*blocks, Paragraph(NATURE))


def said(evidence: Evidence, topic: str, *, has_heading: bool = True) -> tuple[Block, ...]:
    """What was written, under a heading of its own; or that nobody wrote anything, and what belongs there."""
    text = evidence.statements.about(topic)
    heading = (Heading(TOPICS[topic].title),) if has_heading else ()
    if not text:
        return *heading, missing(f"Nobody has written this yet. {TOPICS[topic].question}")
    return *heading, *(Paragraph(part.strip()) for part in text.split("\n\n") if part.strip())
