"""The first page: the model in a few lines, and everything that this report does not know."""

from collections.abc import Sequence

from rugcore.comparison import paired
from rugcore.report.blocks import Block, Column, Facts, Grid, Heading, Paragraph
from rugcore.report.document import Section
from rugcore.report.evidence import Evidence
from rugcore.report.formats import count, counted, percent
from rugcore.report.sections.common import faint, outcome, share_of
from rugcore.report.sections.fairness import expected_in_words, verdict
from rugcore.report.sections.limits_and_splits import splits_in_short
from rugcore.report.sections.performance import baseline

LONGEST = 400  # letters of a statement on the first page


def brief(evidence: Evidence, others: Sequence[Section]) -> tuple[Block, ...]:
    n_rules = len(evidence.model.rules_)
    votes = f"{counted(n_rules, 'rule')} that vote{'s' if n_rules == 1 else ''} on “{evidence.target}”"
    return (
        Facts(
            (
                ("Model", f"{evidence.identity.kind}: {votes}"),
                ("Purpose", _in_short(evidence.statements.about("purpose")) or "not stated"),
                ("Right decisions", _accuracy(evidence)),
                ("Without a model", _without_a_model(evidence)),
                *_clearly_better(evidence),
                ("Groups", _groups(evidence)),
                *((("Expected on new people", expected_in_words(evidence.fit.expected)),) if evidence.fit else ()),
                *((("Over random splits", over_splits),) if (over_splits := splits_in_short(evidence)) else ()),
                ("No rule decides", _without_a_rule(evidence)),
            )
        ),
        *(Paragraph(sentence, "warning") for sentence in evidence.sample),
        *_alike(evidence),
        Heading("What this report does not know"),
        *_open_points(others),
    )


def _in_short(text: str) -> str:
    """A long statement stands in its own section."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST].rsplit(maxsplit=1)[0]} … (goes on in its section)"


def _clearly_better(evidence: Evidence) -> tuple[tuple[str, str], ...]:
    """What a validator asks first: is there a model that is right more often, by more than chance?"""
    outside = () if evidence.outside is None else (evidence.outside.as_other,)
    found = []
    for other in (*outside, *(evidence.others or ())):
        is_right = other.decided == evidence.truth if not other.why_not else evidence.is_right
        versus = paired(is_right, evidence.is_right)
        if versus.difference > 0 and not versus.may_be_chance:
            found.append(f"{other.name} ({percent(float(is_right.mean()))})")
    return (("Clearly more often right", ", ".join(found)),) if found else ()


def _accuracy(evidence: Evidence) -> str:
    share, lower, upper = share_of(int(evidence.is_right.sum()), len(evidence.test))
    if share is None or lower is None or upper is None:
        return "no test rows"
    bounds = f"95 % interval {100 * lower:.1f} to {100 * upper:.1f}"
    return f"{percent(share)} of {count(len(evidence.test))} test people ({bounds})"


def _without_a_model(evidence: Evidence) -> str:
    decided = baseline(evidence).decided
    is_right = decided == evidence.truth
    versus = paired(evidence.is_right, is_right)
    words = "that the model is better may be chance" if versus.may_be_chance else "the model is clearly better"
    if versus.difference <= 0:
        words = "the model is no better"
    return f"“{outcome(decided[0])}” for everybody would be right for {percent(float(is_right.mean()))}; {words}"


def _alike(evidence: Evidence) -> tuple[Block, ...]:
    """A model that decides everybody alike shows no gaps within an outcome, and is of no use."""
    if len(set(evidence.decided)) != 1:
        return ()
    label = outcome(evidence.decided[0])
    text = f"The model decides “{label}” for every test person. Gaps within an outcome are then 0 by necessity."
    return (Paragraph(text, "warning"),)


def _groups(evidence: Evidence) -> str:
    found = evidence.test_audit
    return "not told apart: no sensitive attribute was named" if found is None else verdict(evidence, found)


def _without_a_rule(evidence: Evidence) -> str:
    n = int((evidence.decisions.is_uncovered | evidence.decisions.is_tie).sum())
    if not n:
        return "none of the test people"
    default = outcome(evidence.model.classes_[int(evidence.model.class_share_.argmax())])
    who = "1 test person" if n == 1 else f"{count(n)} test people"
    get = "who gets" if n == 1 else "who get"
    return f"{who} ({percent(n / len(evidence.test))}), {get} “{default}” until somebody looks"


def _open_points(others: Sequence[Section]) -> tuple[Block, ...]:
    lines = tuple((section.title, text) for section in others for text in _missing(section))
    if not lines:
        return (Paragraph("Nothing that belongs here is missing."),)
    return (
        faint("Everything that this report lacks is listed here, and said again where it belongs."),
        Grid("Open points", (Column("Section", width=0.9), Column("What is missing", width=2.6)), lines),
    )


def _missing(section: Section) -> list[str]:
    """Each with the heading that it stands under."""
    found, heading = [], ""
    for block in section.blocks:
        if isinstance(block, Heading):
            heading = block.text
        elif isinstance(block, Paragraph) and block.tone == "missing":
            found.append(f"{heading}: {block.text}" if heading else block.text)
    return found
