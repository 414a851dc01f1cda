"""Which reasons people are given, in which words, and how often."""

from collections import Counter
from dataclasses import replace

import pandas as pd

from rugcore.explanations.confidence import ConfidenceFinder
from rugcore.explanations.reasons import ColumnWording, ReasonFinder, Wording, reasons_table
from rugcore.explanations.reasons.faring import FaringWell, who_fares_well
from rugcore.explanations.reasons.wording import VALUE
from rugcore.report.blocks import Block, Column, Grid, Paragraph
from rugcore.report.evidence import Evidence
from rugcore.report.formats import count, counted, percent
from rugcore.report.sections.common import faint, missing, outcome

MOST_TEXTS = 80
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
    )


def _who_gets_reasons(n: int, n_given: int) -> str:
    given = "Up to four reasons, the weightiest first, are given to"
    if n_given == n:
        return f"{given} {'that person' if n == 1 else 'each of them'}."
    share = percent((n - n_given) / n)
    return (
        f"{given} {count(n_given)} of them; {count(n - n_given)} ({share}) need manual review: no rule decided, no "
        "single column that may be named explains it, or a reason would say the opposite of what should help."
    )


def _texts(table: pd.DataFrame) -> tuple[Block, ...]:
    columns = [name for name in table.columns if name.startswith("reason ")]
    first = Counter(table["reason 1"])
    anywhere = Counter(text for name in columns for text in table[name] if text)
    order = sorted(anywhere, key=lambda text: (-anywhere[text], text))
    lines = tuple(
        (f"R{place}", text, first[text], anywhere[text], anywhere[text] / len(table))
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
    return grid, *((faint(f"{counted(more, 'text')} given less often are left out."),) if more else ())


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
