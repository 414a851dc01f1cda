"""Who watches over the model, and who may decide against it."""

from rugcore.report.blocks import Block
from rugcore.report.evidence import Evidence
from rugcore.report.sections.purpose import said


def oversight(evidence: Evidence) -> tuple[Block, ...]:
    return *said(evidence, "oversight", has_heading=False), *said(evidence, "overrides")
