"""Which rules would still be there had other people applied."""

from rugcore.report.blocks import Block, Column, Grid, Paragraph
from rugcore.report.evidence import Evidence
from rugcore.report.formats import counted, percent
from rugcore.report.sections.common import missing, outcome

HOW = "On the page Rules press “See how sure the rules are”, or run the command “stability”, and make the report again."


def stability(evidence: Evidence) -> tuple[Block, ...]:
    found = evidence.stability
    if found is None or not found.n_samples:
        return (missing(f"Not worked out. {HOW}"),)
    usual = sum(2 * n > found.n_samples for n in found.n_back)
    lines = tuple(
        (str(place), f"if {rule}", outcome(rule.label), n)
        for place, (rule, n) in enumerate(zip(evidence.model.rules_, found.n_back, strict=True), start=1)
    )
    return (
        Paragraph(
            f"The same training was run on {counted(found.n_samples, 'sample')} of the training rows, drawn with "
            f"replacement. {usual} of {counted(len(found.n_back), 'rule')} came back in more than half of them. The "
            f"{'model of the sample decides' if found.n_samples == 1 else 'models of the samples decide'} "
            f"{percent(found.agreement)} of the training rows as this model does"
            f"{'' if found.n_samples == 1 else ', on average'}. "
            "A rule "
            "came back if a rule for the same outcome asks about the same columns in the same direction and covers "
            "almost the same people."
        ),
        Grid(
            f"How often rules came back in {counted(found.n_samples, 'sample')}",
            (
                Column("No.", width=0.3),
                Column("Rule", width=3.0),
                Column("Votes for"),
                Column("Came back", "count", 0.7),
            ),
            lines,
        ),
    )
