"""Why reasons that are true of the model are not for a letter; then a person has to look.

A letter must tell the main reasons. So none is sent where

1. the weightiest column that speaks against the applicant may not be named, because it is protected, or cannot be told,
   because nobody has said which of its numbers are better, and lower and higher ones would both help, or people with
   such numbers fare no worse than others in the data; or where what can be named carries less than half of what speaks
   against the applicant: the rest would not be the reason;
2. a reason would say the opposite of what should help or harm, name a code that nobody explained, or a category that
   sounds like praise or whose people fare no worse than others;
3. of the people held out and decided alike, surely more than half turned out otherwise, or of two outcomes the other
   is as likely in the model's own eyes, as where weights were moved to treat groups alike: the refusal is in doubt.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from rugcore.attribution.cuts import CutColumn
from rugcore.errors import InputError
from rugcore.explanations.confidence import EVEN, LIKELY_CHANCE, Confidence, in_percent
from rugcore.explanations.reasons.faring import FaringWell, NumbersFaring
from rugcore.explanations.reasons.truth import FINDINGS, ColumnFindings, Places
from rugcore.explanations.reasons.wording import ColumnWording, Finding, Wording
from rugcore.rules.orders import SaidDirection, is_order, order_of
from rugcore.tables.coded_values import CODE, are_codes
from rugcore.tables.table import is_blank

# What a reason may not say of a column of which more should help, or harm.
WRONG: dict[int, Finding] = {1: "high", -1: "low"}
AMOUNTS: tuple[Finding, ...] = ("high", "low")
UNEXPLAINED = re.compile(r'"code -?[\d.]+"')  # as a dictionary calls a code before anybody says what it means
CODED = re.compile(rf'"{CODE.pattern}"$')  # unless somebody has other words for it
# Categories that sound like praise: neither "work life balance is Best" nor "credit history is paid back duly" is a
# reason that anybody signs.
PRAISE = re.compile(
    r'"(very |quite )?(good|better|best|excellent|outstanding|perfect|exceptional|superior|strong|prime|flawless)"$'
    r'|"(?!not\b)[^"]*\b(verified|qualified|skilled)\b[^"]*"$'
    r'|"[^"]*\b(duly|punctual(ly)?|on time|as agreed|(fully|always) paid|paid (back|off|in full))\b[^"]*"$'
    r'|"(never|no|without) (been )?(late|slow|missed|overdue|delinquen\w*|default\w*|arrears|debts?)\b[^"]*"$',
    re.IGNORECASE,
)
# What can be told must carry this share of what speaks against the applicant, or a person has to look.
LEAST_TOLD = 0.5
# Why a number cannot be told.
LEFT_OPEN = "where nobody has said which numbers are better or only a code would be, and model and data leave it open"
PROTECTED_DECIDES = (
    "What speaks against it most is protected and may not be named, and without it a letter would not tell the reason"
)


# --- What may be named ------------------------------------------------------------------------------------------


class Told(NamedTuple):
    """Of the columns that speak against somebody, the weightiest first: which can be told, and is that enough."""

    named: np.ndarray
    left_out: np.ndarray  # of which nothing can be told: see `cannot_be_told`
    obstacle: Literal["", "protected", "vague"]

    @classmethod
    def of(cls, columns: np.ndarray, weights: np.ndarray, is_mute: np.ndarray, is_open: np.ndarray) -> "Told":
        """By column of the model: what it weighs, whether it may not be named, and whether it cannot be told."""
        weight, mute = weights[columns], is_mute[columns]
        untold = ~mute & is_open[columns]
        told = ~mute & ~untold
        has_weightiest = bool(np.isclose(weight[told].max(initial=0.0), weight.max(initial=0.0)))
        if has_weightiest and weight[told].sum() >= LEAST_TOLD * weight.sum():
            return cls(columns[told], columns[untold], "")
        hides = weight[mute].sum() >= weight[untold].sum()
        return cls(columns[told], columns[untold], "protected" if hides else "vague")

    def objection(self, names: Sequence[str]) -> str:
        """Why a person has to look, given what columns are called; nothing where enough can be told."""
        if self.obstacle == "protected":
            return PROTECTED_DECIDES
        return cannot_be_told([names[number] for number in self.left_out]) if self.obstacle else ""


def cannot_be_told(columns: Sequence[str]) -> str:
    """Why a person has to look where too much is vague."""
    listed = ", ".join(f"“{name}”" for name in columns)
    return f"Much speaks against it in {listed}, {LEFT_OPEN}: that cannot be told in a letter"


def not_told(columns: Sequence[str]) -> str:
    """What else speaks against the applicant, for whoever signs the letter; nothing if nothing does."""
    listed = ", ".join(f"“{name}”" for name in columns)
    return f"not among the reasons: {listed}, {LEFT_OPEN}" if columns else ""


# --- What should help and harm ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Expected:
    """What should help and harm, of the columns that rules look at."""

    columns: tuple[CutColumn, ...]
    signs: np.ndarray  # 1, -1, or 0 where nothing is said; 1 where categories have an order
    orders: Mapping[int, tuple[Any, ...]]  # by number of the column: categories from worst to best
    faring_well: FaringWell  # by column: whose people fare no worse than others

    @classmethod
    def of(
        cls,
        directions: Mapping[str, SaidDirection],
        columns: tuple[CutColumn, ...],
        faring_well: FaringWell | None = None,
    ) -> "Expected":
        for name, said in directions.items():
            if not is_order(said) and said not in (1, -1, 0):
                raise InputError(
                    f"Expected the direction of {name!r} to be 1, -1 or 0, or its categories from the worst to the "
                    f"best, but got {said!r}."
                )
        by_column = [directions.get(column.name, 0) for column in columns]
        orders = {
            number: order_of(own, f"of {columns[number].name!r}")
            for number, own in enumerate(by_column)
            if not isinstance(own, int) and not columns[number].is_number
        }
        signs = [1 if n in orders else own if isinstance(own, int) else 0 for n, own in enumerate(by_column)]
        return cls(columns, np.array(signs, dtype=int), orders, faring_well or {})

    def places(self, cells: Callable[[str], Sequence[Any]]) -> dict[int, Places]:
        """Where people stand among ordered categories, given their values in a column by its name."""
        return {n: Places.of(self.columns[n], own, cells(self.columns[n].name)) for n, own in self.orders.items()}

    def is_open(self, found: ColumnFindings, wording: Wording, cells: Callable[[str], Sequence[Any]]) -> np.ndarray:
        """(rows, columns): numbers that cannot be told, given people's values in a column by its name.

        Whoever has words for a finding, or says which numbers are better, has settled it. Where that is said and only a
        special code would help, there is nothing to tell: 'burden is "61"' names what is not said to be too high.
        """
        open_ones = np.zeros(found.weight.shape, dtype=bool)
        for number in np.flatnonzero(self.signs).tolist():
            column = self.columns[number]
            if column.is_number and not wording.columns.get(column.name, ColumnWording()).value:
                open_ones[:, number] = found.finding[:, number] == FINDINGS.index("value")
        for number in np.flatnonzero(self.signs == 0).tolist():
            name = self.columns[number].name
            own_words, faring = wording.columns.get(name, ColumnWording()), self.faring_well.get(name)
            if not own_words.middle:
                open_ones[:, number] = found.finding[:, number] == FINDINGS.index("middle")
            if isinstance(faring, NumbersFaring):
                values = np.array([np.nan if is_blank(cell) else cell for cell in cells(name)], dtype=float)
                for finding in AMOUNTS:
                    is_said = (found.finding[:, number] == FINDINGS.index(finding)) & (not getattr(own_words, finding))
                    open_ones[is_said, number] = faring.is_well(finding, values[is_said])
        return open_ones

    def doubt(self, number: int, finding: Finding, text: str, cell: Any) -> str:
        """Why a reason is not for a letter, given its words and the value it speaks of; nothing if it may be sent."""
        sign, has_order = int(self.signs[number]), number in self.orders
        if finding == WRONG.get(sign):
            if has_order:
                return f"“{text}” is true of the model, but only a worse one would help: the model may be at fault"
            more = "help" if sign > 0 else "harm"
            return f"“{text}” is true of the model, but more of it is expected to {more}: the model may be at fault"
        if finding == "special" and UNEXPLAINED.search(text):
            return f"“{text}” names a code, and nobody has said what it means"
        if finding != "value":
            return ""
        if PRAISE.search(text):
            return f"“{text}” is true of the model, but sounds like praise: the model may be at fault"
        column = self.columns[number]
        if CODED.search(text) and are_codes(column.name, {cell, *column.values}):
            return f"“{text}” names a code, and nobody has said what it means"
        well = self.faring_well.get(column.name, ())
        if not isinstance(well, NumbersFaring) and cell in well:
            return f"“{text}” is true of the model, but in the data such people fare no worse than others"
        return ""


# --- How sure the decision is -----------------------------------------------------------------------------------


def is_contradicted(sure: Confidence | None) -> bool:
    """Whether people held out and decided alike were surely wronged more often than not, or the model says as much."""
    return sure is not None and (sure.is_even or _is_surely_wrong(sure))


def contradiction(sure: Confidence) -> str:
    """That in words."""
    if not _is_surely_wrong(sure):
        return "The votes of the rules decide so, but what the same rules tell makes the other outcome as likely"
    return (
        f"Of {sure.n:,} test people decided alike only {sure.n_right:,} turned out so ({in_percent(sure.share)}): the "
        "model is wrong about most of them"
    )


def uncertainty(sure: Confidence | None) -> str:
    """What whoever signs has to know of a decision that is called uncertain, for or against somebody; else nothing.

    Where nobody was held out, the model alone says so.
    """
    if sure is None or sure.grade != "uncertain" or not (sure.n or sure.chance < LIKELY_CHANCE):
        return ""
    said = f"uncertain: the model is {'at best ' if sure.is_even else ''}{in_percent(sure.chance)} sure"
    if not sure.n:
        return said
    return f"{said}; of {sure.n:,} test people decided alike, {sure.n_right:,} turned out so ({in_percent(sure.share)})"


def _is_surely_wrong(sure: Confidence) -> bool:
    return bool(sure.n) and sure.upper < EVEN
