"""Where this report speaks about the topics of common guidance. A finding aid, no statement of compliance."""

from collections.abc import Mapping

from rugcore.report.blocks import Block, Column, Grid, Heading, Paragraph
from rugcore.report.guidance import Guidance


def cross_reference(guidance: Guidance, places: Mapping[str, str]) -> tuple[Block, ...]:
    """`places` says what a section is called here, by its key."""
    blocks: list[Block] = [
        Paragraph("This is a finding aid. It is no statement that the model complies with any text.", "warning"),
        Paragraph(guidance.note),
    ]
    for text in guidance.texts:
        lines = tuple(
            (own.topic, "; ".join(places.get(key, f"not in this report: {key}") for key in own.sections))
            for own in text.topics
        )
        blocks += [
            Heading(text.name),
            Grid(
                "Topics, and where this report speaks about them",
                (Column("Topic", width=1.4), Column("Section")),
                lines,
            ),
        ]
    return tuple(blocks)
