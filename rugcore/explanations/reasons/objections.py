"""Why reasons that are true of the model are not for a letter; then a person has to look.

A letter must tell the main reasons. So none is sent where

1. the weightiest column that speaks against the applicant may not be named, because it is protected, or cannot be told,
   because lower and higher numbers would both help and nobody has said which should; or where what can be named carries
   less than half of what speaks against the applicant: the rest would not be the reason;
2. a reason would say the opposite of what should help or harm, name a code that nobody explained, or a category that
   sounds like praise or whose people fare no worse than others;
3. of the people held out and decided alike, surely more than half turned out otherwise, or of two outcomes the other
   is as likely in the model's own eyes, as where weights were moved to treat groups alike: the refusal is in doubt.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from rugcore.attribution.cuts import CutColumn
from rugcore.errors import InputError
from rugcore.explanations.confidence import EVEN, Confidence, in_percent
from rugcore.explanations.reasons.truth import FINDINGS, ColumnFindings, Places
from rugcore.explanations.reasons.wording import Finding, Wording
from rugcore.rules.orders import SaidDirection, is_order, order_of
from rugcore.tables.table import plain_value, read_table

# What a reason may not say of a column of which more should help, or harm.
WRONG: dict[int, Finding] = {1: "high", -1: "low"}
UNEXPLAINED = re.compile(r'"code -?[\d.]+"')  # as a dictionary calls a code before anybody says what it means
# Categories that sound like praise: neither "work life balance is Best" nor "credit history is paid back duly" is a
# reason that anybody signs.
PRAISE = re.compile(
    r'"(very |quite )?(good|better|best|excellent|outstanding|perfect|exceptional|superior|strong|prime|flawless)"$'
    r'|"[^"]*\b(duly|punctual(ly)?|on time|as agreed|(fully|always) paid|paid (back|off|in full))\b[^"]*"$'
    r'|"(never|no|without) (been )?(late|slow|missed|overdue|delinquen\w*|default\w*|arrears|debts?)\b[^"]*"$',
    re.IGNORECASE,
)
# What can be told must carry this share of what speaks against the applicant, or a person has to look.
LEAST_TOLD = 0.5
FEWEST_TO_TELL = 5  # people of a category: what became of fewer tells nothing
PROTECTED_DECIDES = (
    "What speaks against it most is protected and may not be named, and without it a letter would not tell the reason"
)


# --- What may be named ------------------------------------------------------------------------------------------


class Told(NamedTuple):
    """Of the columns that speak against somebody, the weightiest first: which can be told, and is that enough."""

    named: np.ndarray
    left_out: np.ndarray  # of which nothing can be told: lower and higher numbers would both help
    obstacle: Literal["", "protected", "vague"]

    @classmethod
    def of(cls, columns: np.ndarray, found: ColumnFindings, row: int, is_mute: np.ndarray, vague: np.ndarray) -> "Told":
        """`vague` are the columns whose numbers nobody says anything about: they cannot be told if both ways help."""
        weight, mute = found.weight[row, columns], is_mute[columns]
        untold = ~mute & vague[columns] & (found.finding[row, columns] == FINDINGS.index("middle"))
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


def is_vague(names: Sequence[str], wording: Wording, expected: "Expected") -> np.ndarray:
    """By column: nobody says which numbers are better, or has words for the case that lower and higher ones are."""
    has_words = [bool(wording.columns[name].middle) if name in wording.columns else False for name in names]
    vague: np.ndarray = (expected.signs == 0) & ~np.array(has_words, dtype=bool)
    return vague


def cannot_be_told(columns: Sequence[str]) -> str:
    """Why a person has to look where too much is vague."""
    listed = ", ".join(f"“{name}”" for name in columns)
    return (
        f"Much speaks against it in {listed}, where lower and higher numbers would both help, and nobody has said "
        "which should: that cannot be told in a letter"
    )


def not_told(columns: Sequence[str]) -> str:
    """What else speaks against the applicant, for whoever signs the letter; nothing if nothing does."""
    listed = ", ".join(f"“{name}”" for name in columns)
    return f"not among the reasons: {listed}, where lower and higher numbers would both help" if columns else ""


# --- What should help and harm ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Expected:
    """What should help and harm, of the columns that rules look at."""

    columns: tuple[CutColumn, ...]
    signs: np.ndarray  # 1, -1, or 0 where nothing is said; 1 where categories have an order
    orders: Mapping[int, tuple[Any, ...]]  # by number of the column: categories from worst to best
    faring_well: Mapping[str, Collection[Any]]  # by column: categories whose people fare no worse than others

    @classmethod
    def of(
        cls,
        directions: Mapping[str, SaidDirection],
        columns: tuple[CutColumn, ...],
        faring_well: Mapping[str, Collection[Any]] | None = None,
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
        if cell in self.faring_well.get(self.columns[number].name, ()):
            return f"“{text}” is true of the model, but in the data such people fare no worse than others"
        return ""


def categories_faring_well(X: pd.DataFrame, y: Any, positive_class: Any) -> dict[str, frozenset[Any]]:
    """By column of categories, those whose people have the favourable outcome no less often than all have.

    Parameters
    ----------
    X : DataFrame
        People whose outcomes are known, such as the training rows.
    y : sequence
        Their outcomes.
    positive_class : label
        The outcome that serves people well.
    """
    is_good = np.array([plain_value(label) == plain_value(positive_class) for label in y], dtype=bool)
    table = read_table(X)
    found = {}
    for position, (name, kind) in enumerate(zip(table.names, table.kinds, strict=True)):
        if kind == "category":
            place, distinct = pd.factorize(table.column(position))
            count = np.bincount(place[place >= 0], minlength=len(distinct))
            good = np.bincount(place[place >= 0], is_good[place >= 0], len(distinct))
            well = (good >= is_good.mean() * count) & (count >= FEWEST_TO_TELL)
            found[name] = frozenset(plain_value(distinct[number]) for number in np.flatnonzero(well))
    return found


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


def _is_surely_wrong(sure: Confidence) -> bool:
    return bool(sure.n) and sure.upper < EVEN
