"""From evidence to a report: one section after the other."""

from collections.abc import Callable

from rugcore.report.blocks import Block
from rugcore.report.document import ModelReport, Section
from rugcore.report.evidence import Evidence, Progress, nothing_said
from rugcore.report.sections.brief import brief
from rugcore.report.sections.changes import changes
from rugcore.report.sections.cross_reference import cross_reference
from rugcore.report.sections.data import data
from rugcore.report.sections.fairness import fairness
from rugcore.report.sections.identity import identity
from rugcore.report.sections.method import method
from rugcore.report.sections.monitoring import monitoring
from rugcore.report.sections.outside import outside
from rugcore.report.sections.oversight import oversight
from rugcore.report.sections.people import people
from rugcore.report.sections.performance import performance
from rugcore.report.sections.purpose import purpose
from rugcore.report.sections.reasons import reasons
from rugcore.report.sections.rules import rules
from rugcore.report.sections.stability import stability
from rugcore.report.sections.stand_ins import stand_in_section

Teller = Callable[[Evidence], tuple[Block, ...]]
SECTIONS: tuple[tuple[str, str, Teller], ...] = (
    ("identity", "Identity", identity),
    ("purpose", "Purpose, users and limits", purpose),
    ("data", "Data", data),
    ("method", "Method", method),
    ("rules", "Rules", rules),
    ("performance", "Performance", performance),
    ("stability", "Stability", stability),
    ("fairness", "Fairness", fairness),
    ("stand_ins", "Stand-ins", stand_in_section),
    ("outside", "Other model", outside),
    ("reasons", "Reason codes", reasons),
    ("people", "People explained", people),
    ("oversight", "Oversight", oversight),
    ("monitoring", "Monitoring", monitoring),
    ("changes", "Change log", changes),
)
IF_ANY = ("outside",)  # sections that a report has only where there is something to say
MARK_LETTERS = 16  # of a hash, enough to tell two files apart
BRIEF, GUIDANCE = ("brief", "In brief"), ("guidance", "Cross-reference to guidance")


def build_report(evidence: Evidence, progress: Progress = nothing_said) -> ModelReport:
    """The whole report; the same evidence gives the same report.

    Parameters
    ----------
    evidence : Evidence
        The model, its rows, and what was worked out before.
    progress : callable
        Called with the name of the section that is begun, and the share of them that are done.
    """
    told: list[Section] = []
    for place, (key, title, tell) in enumerate(SECTIONS):
        progress(title, place / len(SECTIONS))
        blocks = tell(evidence)
        if blocks or key not in IF_ANY:
            told.append(Section(key, title, blocks))
    keys = [BRIEF[0], *(section.key for section in told)]
    titles = [BRIEF[1], *(section.title for section in told)]
    places = {key: f"{n}. {title}" for n, (key, title) in enumerate(zip(keys, titles, strict=True), start=1)}
    first = Section(*BRIEF, brief(evidence, told))
    last = Section(*GUIDANCE, cross_reference(evidence.guidance, places))
    own = evidence.identity
    return ModelReport(
        title=f"Model report: {own.name}",
        subtitle=f"{own.kind} on {own.data_name}, deciding “{evidence.target}”",
        date=own.trained,
        mark=f"Model file {own.model_hash[:MARK_LETTERS]}",
        sections=(first, *told, last),
    )
