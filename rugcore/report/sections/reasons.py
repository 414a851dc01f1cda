"""Which reasons people are given, in which words, and how often."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import pandas as pd

from rugcore.explanations.confidence import ConfidenceFinder
from rugcore.explanations.reasons import ColumnWording, ReasonFinder, Wording, reasons_table
from rugcore.explanations.reasons.faring import FaringWell, who_fares_well
from rugcore.explanations.reasons.giving import BALANCE, NO_RULE, NOTHING_TO_NAME
from rugcore.explanations.reasons.objections import LEFT_OPEN, PROTECTED_DECIDES
from rugcore.explanations.reasons.wording import VALUE
from rugcore.report.blocks import Block, Column, Grid, Paragraph, Value
from rugcore.report.evidence import Evidence
from rugcore.report.formats import count, counted, percent
from rugcore.report.sections.common import FEWEST_TOLD, faint, missing, outcome, people

MOST_TEXTS = 80
# Why people get no reasons: what stands in a remark about one of them, and what it is about all.
CAUSES = (
    (PROTECTED_DECIDES, f"{PROTECTED_DECIDES}."),
    (LEFT_OPEN, f"Much speaks against it in a column {LEFT_OPEN}: that cannot be told in a letter."),
    ("turned out so", "Most of the test people who were decided alike turned out otherwise."),
    ("the other outcome as likely", "What the rules tell together makes the other outcome as likely as the decision."),
)
ANOTHER_CAUSE = "A reason would say the opposite of what should help or of what the training rows show."
OWN_VALUE = "(own value)"
OF_NUMBERS = ("high", "low", "middle", "known")  # a category is the reason itself, an amount is a person's own


def reasons(evidence: Evidence) -> tuple[Block, ...]:
    if why := why_no_reasons(evidence):
        return (missing(why),)
    table = given_reasons(evidence)
    n = len(table)
    if not n:
        return (Paragraph("Nobody among the test people was decided unfavourably, so that no reasons were given."),)
    has_reasons = table[table["status"] == "reasons"]
    return (
        Paragraph(
            f"{count(n)} of {count(len(evidence.test))} test people were not decided “{outcome(evidence.favourable)}”. "
            f"{_who_gets_reasons(n, len(has_reasons))} A column is named only if moving it alone to a value of people "
            "who were decided favourably raises the score. Protected columns are never named."
        ),
        *(_texts(has_reasons) if len(has_reasons) else ()),
        *_left_to_people(evidence, table[table["status"] == "manual review"]),
    )


def _who_gets_reasons(n: int, n_given: int) -> str:
    given = "Up to four reasons, the weightiest first, are given to"
    if n_given == n:
        return f"{given} {'that person' if n == 1 else 'each of them'}."
    share = percent((n - n_given) / n)
    return f"{given} {count(n_given)} of them; {count(n - n_given)} ({share}) need manual review, as told below."


def _left_to_people(evidence: Evidence, table: pd.DataFrame) -> tuple[Block, ...]:
    """Why people get no reasons."""
    if not len(table):
        return ()
    found = Counter(_why(evidence, *own) for own in zip(table["applicant"], table["remarks"], strict=True))
    order = sorted(found, key=lambda why: (-found[why], why))
    lines = tuple((why, people(found[why])) for why in order)
    columns = (Column("What stands in the way of reasons", width=4.0), Column("Test people", "count", 0.9))
    return Grid("Why a person has to decide", columns, lines), *_few(lines)


def _few(lines: Sequence[tuple[Value, ...]]) -> tuple[Block, ...]:
    """What n/a is short for, where it stands in a table."""
    return (faint(f"n/a: fewer than {FEWEST_TOLD} people, who are not counted."),) if None in chain(*lines) else ()


def _why(evidence: Evidence, row: int, remark: str) -> str:
    """The table of reasons has no remark where the rules did not decide, or nothing is left to name."""
    if evidence.decisions.is_uncovered[row]:
        return NO_RULE
    if evidence.decisions.is_tie[row]:
        return BALANCE
    if not remark:
        return NOTHING_TO_NAME
    return next((cause for words, cause in CAUSES if words in remark), ANOTHER_CAUSE)


def _texts(table: pd.DataFrame) -> tuple[Block, ...]:
    columns = [name for name in table.columns if name.startswith("reason ")]
    first = Counter(table["reason 1"])
    anywhere = Counter(text for name in columns for text in table[name] if text)
    order = sorted(anywhere, key=lambda text: (-anywhere[text], text))
    lines = tuple(
        (f"R{place}", text, people(first[text]), people(anywhere[text]), _share(anywhere[text], len(table)))
        for place, text in enumerate(order[:MOST_TEXTS], start=1)
    )
    more = len(order) - len(lines)
    grid = Grid(
        "Reason codes",
        (
            Column("Code", width=0.4),
            Column("Text", width=2.6),
            Column("As first reason", "count", 0.8),
            Column("Given at all", "count", 0.8),
            Column("Of those with reasons", "percent", 0.9),
        ),
        lines,
    )
    return grid, *_few(lines), *((faint(f"{counted(more, 'text')} given less often are left out."),) if more else ())


def _share(n: int, of: int) -> float | None:
    return n / of if n >= FEWEST_TOLD else None


def why_no_reasons(evidence: Evidence) -> str:
    """A sentence if no reasons can be had, or nothing."""
    if evidence.model.reference_ is None and evidence.training is None:
        return "Not worked out: this model file does not say whom to compare with. Name its training rows (--training)."
    return ""


def finder_of(evidence: Evidence) -> ReasonFinder:
    background = None if evidence.model.reference_ is not None or evidence.training is None else evidence.training.X
    return ReasonFinder(evidence.model, evidence.favourable, background=background)


def faring_well(evidence: Evidence) -> FaringWell | None:
    """What is no reason; None where the model itself knows that, or there are no training rows to tell."""
    training, codes = evidence.training, evidence.model.schema_.special_values()
    if training is None or evidence.model.fared_ is not None:
        return None
    return who_fares_well(training.X, training.y, evidence.favourable, special_values=codes)


def given_reasons(evidence: Evidence) -> pd.DataFrame:
    """A line per test person who was not decided favourably; what a person wrote about amounts is masked."""
    background = None if evidence.model.reference_ is not None or evidence.training is None else evidence.training.X
    test = evidence.test
    finder = ConfidenceFinder(evidence.model, test.X, test.y)
    return reasons_table(
        evidence.model,
        evidence.test.X,
        evidence.favourable,
        background=background,
        wording=masked(evidence.wording),
        sensitive=evidence.protected,
        directions=evidence.directions,
        faring_well=faring_well(evidence),
        sure=finder.find_many(test.X, without=range(len(test.X))),
    )


def masked(wording: Wording) -> Wording:
    """The same texts without anybody's amounts: a report must not tell whose row it is."""
    return Wording({name: _masked(own) for name, own in wording.columns.items()})


def _masked(own: ColumnWording) -> ColumnWording:
    return replace(own, **{name: getattr(own, name).replace(VALUE, OWN_VALUE) for name in OF_NUMBERS})
