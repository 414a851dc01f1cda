"""From columns that are true reasons to reasons in words."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from rugcore.attribution.cuts import CutColumn
from rugcore.errors import InputError
from rugcore.explanations.reasons.truth import FINDINGS, ColumnFindings, Places, column_findings
from rugcore.explanations.reasons.wording import Finding, Wording
from rugcore.explanations.rule_model import RuleModel, reference_for
from rugcore.rules.decisions import Decisions
from rugcore.rules.orders import SaidDirection, is_order, order_of
from rugcore.tables import validation
from rugcore.tables.table import plain_value

MOST_REASONS = 4
DEFAULT_WORDING = Wording()
# What a reason may not say of a column of which more should help, or harm.
WRONG: dict[int, Finding] = {1: "high", -1: "low"}
UNEXPLAINED = re.compile(r'"code -?[\d.]+"')  # as a dictionary calls a code before anybody says what it means
# Categories that sound like praise; "work life balance is Best" is no reason that anybody signs.
PRAISE = re.compile(
    r'"(very |quite )?(good|better|best|excellent|outstanding|perfect|exceptional|superior|strong|prime)"$',
    re.IGNORECASE,
)
YES_OR_NO = ({0.0, 1.0}, {1.0, 2.0})
A_FEW = 1_000  # rows that tell of most columns that they have more
# Weights are sums: those that agree to so many digits of the largest are the same sum in another order.
WEIGHT_DIGITS = 9
# A number of which lower and higher ones would both help, and nobody says which should, is nothing to tell in a letter.
# What can be told must then carry this share of what speaks against the applicant, or a person has to look.
LEAST_TOLD = 0.5
# A column that carries less than this share of the weightiest reason is true, but no main reason: among rejected people
# of the demos it would be a third or fourth one that carries one percent.
LEAST_OF_WEIGHTIEST = 0.05

Status = Literal["favourable", "reasons", "manual review"]
MANUAL_REVIEW = "needs manual review"

# Why somebody needs manual review.
NO_RULE = "No rule applies; the usual outcome was taken."
BALANCE = "The rules balance; the usual outcome was taken."
NOTHING_TO_NAME = "No single column that may be named explains the decision."
NOBODY = "The model decides nobody in the training rows favourably, so that there is nobody to compare with."


@dataclass(frozen=True)
class Reason:
    """One column that speaks against the applicant; its share is that of all columns that do."""

    column: str
    finding: Finding
    text: str
    weight: float
    share: float


@dataclass(frozen=True)
class Reasons:
    """Up to four reasons, the weightiest first; only a decision that rules made against the applicant has any."""

    decision: Any
    status: Status
    reasons: tuple[Reason, ...]
    why: str = ""  # it needs manual review
    doubtful: tuple[Reason, ...] = ()  # true of the model, and not for a letter: `why` tells
    left_out: tuple[str, ...] = ()  # columns that speak against the applicant, too, and of which nothing can be told

    def __str__(self) -> str:
        if self.status == "manual review":
            return MANUAL_REVIEW
        return "\n".join(f"- {reason.text}" for reason in self.reasons)


class ReasonFinder:
    """Finds the reasons for decisions against applicants; prepared once, then asked for one row after another.

    Reasons compare the applicant with the people whom the model decides favourably. A column is named only if moving it
    alone to a value that occurs among them raises the score.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    positive_class : label
        The class that serves people well; reasons are given for other decisions.
    background : table or None, default=None
        People to compare with: of its rows, those count that the model decides favourably. None: the training rows, as
        the model keeps them.
    """

    def __init__(self, model: RuleModel, positive_class: Any, *, background: Any = None) -> None:
        self.model = model
        self.classes = [plain_value(label) for label in model.classes_]
        check(plain_value(positive_class), self.classes)
        self.favourable = self.classes.index(plain_value(positive_class))
        self.votes = model.rule_votes_
        self.reference = reference_for(model, background)
        self.flags = frozenset() if background is None else _flags(model, background)

    @property
    def has_nobody(self) -> bool:
        """Nobody is decided favourably, so that there is nobody to compare with."""
        return not self.reference.has(self.favourable)

    def find(
        self,
        row: Any,
        *,
        wording: Wording = DEFAULT_WORDING,
        sensitive: Collection[str] = (),
        directions: Mapping[str, SaidDirection] | None = None,
        most: int = MOST_REASONS,
    ) -> Reasons:
        """The reasons for the decision about one row.

        An applicant whom no rule covers, whose rules balance, or of whom no true reason may be named, needs manual
        review. What carries less than a twentieth of the weightiest reason is left out.

        So does one of whom a reason would say the opposite of `directions`, such as that an income is too high, would
        name a code whose meaning nobody has said, or a category that sounds like praise: it is true of the model and
        nobody could sign it, and to leave out one of the main reasons would not be true either.

        Parameters
        ----------
        row : Series, dict or table of one row
            The applicant.
        wording : Wording
            Texts of your own.
        sensitive : collection of str
            Columns that must not be named as a reason.
        directions : dict or None
            By column of numbers: 1 if more of it should help towards the favourable class, -1 if it should harm; by
            column of categories: these from the worst to the best.
        most : int, default=4
            The most reasons that are given.
        """
        check_room(most)
        cells = self.model.schema_.cells(row)
        codes = self.votes.cuts.codes_of_cells([cells])
        decisions = self.votes.decisions(codes)
        decision = self.classes[decisions.class_code[0]]
        if decisions.class_code[0] == self.favourable:
            return Reasons(decision, "favourable", ())
        if why := self._why_none(decisions):
            return Reasons(decision, "manual review", (), why)
        expected = Expected.of(directions or {}, self.votes.cuts.columns)
        places = expected.places(lambda name: [cells[name]])
        found = column_findings(self.votes, self.reference, codes, decisions.class_code, self.favourable, places)
        found = pointed(found, expected.signs)
        telling = Telling.of(ranked(found, self._mute(sensitive))[0], found, 0, self._is_vague(wording, expected))
        named, left_out = telling.named[:most].tolist(), tuple(self.votes.cuts.names[n] for n in telling.left_out)
        given = [self._reason(found, number, cells, wording) for number in named]
        if not telling.is_enough:
            return Reasons(decision, "manual review", (), f"{cannot_be_told(left_out)}.", left_out=left_out)
        if not given:
            return Reasons(decision, "manual review", (), NOTHING_TO_NAME)
        doubts = [
            in_doubt(reason.text, FINDINGS[found.finding[0, n]], expected.of_column(n))
            for reason, n in zip(given, named, strict=True)
        ]
        if any(doubts):
            doubtful = tuple(reason for reason, doubt in zip(given, doubts, strict=True) if doubt)
            return Reasons(decision, "manual review", (), " ".join(f"{doubt}." for doubt in doubts if doubt), doubtful)
        return Reasons(decision, "reasons", tuple(given), left_out=left_out)

    def _is_vague(self, wording: Wording, expected: "Expected") -> np.ndarray:
        return is_vague(self.votes.cuts.names, wording, expected)

    def _why_none(self, decisions: Decisions) -> str:
        if decisions.is_uncovered[0] or decisions.is_tie[0]:
            return NO_RULE if decisions.is_uncovered[0] else BALANCE
        return NOBODY if self.has_nobody else ""

    def is_flag(self, column: str, value: Any) -> bool:
        """Whether a number is one of but two that mean yes and no, so that it is neither high nor low.

        Parameters
        ----------
        column : str
            The column that holds it.
        value : number
            What stands there.
        """
        return column in self.flags and any(value in both for both in YES_OR_NO)

    def _mute(self, sensitive: Collection[str]) -> np.ndarray:
        return np.array([name in sensitive for name in self.votes.cuts.names], dtype=bool)

    def _reason(self, found: ColumnFindings, column: int, cells: dict[str, Any], wording: Wording) -> Reason:
        name = self.votes.cuts.names[column]
        finding = said_of(self.votes.cuts.columns[column], FINDINGS[found.finding[0, column]])
        weight = float(found.weight[0, column])
        value = self.votes.cuts.columns[column].in_words(cells[name])
        text = wording.text(name, finding, value, is_flag=self.is_flag(name, cells[name]))
        return Reason(name, finding, text, weight, weight / float(found.total[0]))


def reasons(
    model: RuleModel,
    row: Any,
    positive_class: Any,
    *,
    background: Any = None,
    wording: Wording = DEFAULT_WORDING,
    sensitive: Collection[str] = (),
    directions: Mapping[str, SaidDirection] | None = None,
    most: int = MOST_REASONS,
) -> Reasons:
    """The reasons for one decision, as `ReasonFinder` finds them; for many rows keep one, or use `reasons_table`."""
    finder = ReasonFinder(model, positive_class, background=background)
    return finder.find(row, wording=wording, sensitive=sensitive, directions=directions, most=most)


def pointed(found: ColumnFindings, signs: np.ndarray) -> ColumnFindings:
    """Where lower and higher numbers would both raise the score, the words point to those that should."""
    is_middle = found.finding == FINDINGS.index("middle")
    better = np.where(signs > 0, FINDINGS.index("low"), FINDINGS.index("high"))
    return replace(found, finding=np.where(is_middle & (signs != 0), better, found.finding))


@dataclass(frozen=True, eq=False)
class Expected:
    """What should help and harm, of the columns that rules look at."""

    columns: tuple[CutColumn, ...]
    signs: np.ndarray  # 1, -1, or 0 where nothing is said; 1 where categories have an order
    orders: Mapping[int, tuple[Any, ...]]  # by number of the column: categories from worst to best

    @classmethod
    def of(cls, directions: Mapping[str, SaidDirection], columns: tuple[CutColumn, ...]) -> "Expected":
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
        return cls(columns, np.array(signs, dtype=int), orders)

    def places(self, cells: Callable[[str], Sequence[Any]]) -> dict[int, Places]:
        """Where people stand among ordered categories, given their values in a column by its name."""
        return {n: Places.of(self.columns[n], own, cells(self.columns[n].name)) for n, own in self.orders.items()}

    def of_column(self, number: int) -> "ExpectedOfColumn":
        return ExpectedOfColumn(int(self.signs[number]), number in self.orders)


class ExpectedOfColumn(NamedTuple):
    """What is said of one column."""

    sign: int
    has_order: bool


class Telling(NamedTuple):
    """Of the columns that speak against somebody, the weightiest first: which can be told, and is that enough."""

    named: np.ndarray
    left_out: np.ndarray
    is_enough: bool

    @classmethod
    def of(cls, columns: np.ndarray, found: ColumnFindings, row: int, vague: np.ndarray) -> "Telling":
        """`vague` are the columns whose numbers nobody says anything about: they cannot be told if both ways help."""
        is_untold = vague[columns] & (found.finding[row, columns] == FINDINGS.index("middle"))
        weight = found.weight[row, columns]
        told = float(weight[~is_untold].sum())
        return cls(columns[~is_untold], columns[is_untold], not is_untold.any() or told >= LEAST_TOLD * weight.sum())


def is_vague(names: Sequence[str], wording: Wording, expected: Expected) -> np.ndarray:
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


def said_of(column: CutColumn, finding: Finding) -> Finding:
    """The words for what was found: a category is named, also where better and worse ones are known."""
    return "value" if not column.is_number and finding in ("high", "low", "middle") else finding


def in_doubt(text: str, finding: Finding, expected: ExpectedOfColumn) -> str:
    """Why a reason is not for a letter; nothing if it may be sent."""
    if finding == WRONG.get(expected.sign):
        if expected.has_order:
            return f"“{text}” is true of the model, but only a worse one would help: the model may be at fault"
        more = "help" if expected.sign > 0 else "harm"
        return f"“{text}” is true of the model, but more of it is expected to {more}: the model may be at fault"
    if finding == "special" and UNEXPLAINED.search(text):
        return f"“{text}” names a code, and nobody has said what it means"
    if finding == "value" and PRAISE.search(text):
        return f"“{text}” is true of the model, but sounds like praise: the model may be at fault"
    return ""


def _flags(model: RuleModel, people: Any) -> frozenset[str]:
    """Columns of numbers that hold nothing but 0 and 1, or 1 and 2: such a number is neither high nor low."""
    cuts, table = model.rule_votes_.cuts, validation.table_to_predict(model, people)
    numbers = [
        (name, table.column(position), [code.number for code in model.schema_.specials.get(name, ())])
        for name, position, column in zip(cuts.names, cuts.positions, cuts.columns, strict=True)
        if column.is_number
    ]
    return frozenset(
        name
        for name, column, codes in numbers
        if _says_yes_or_no(column[:A_FEW], codes) and _says_yes_or_no(column, codes)
    )


def _says_yes_or_no(column: np.ndarray, codes: Collection[float]) -> bool:
    found = set(pd.unique(column[~np.isnan(column)]).tolist()) - set(codes)
    return any(found == both for both in YES_OR_NO)


def ranked(found: ColumnFindings, is_mute: np.ndarray) -> list[np.ndarray]:
    """By row, the columns to name, the weightiest first; of equals, the one that rules mention first."""
    weight = np.where(found.is_against & ~is_mute, found.weight, 0.0)
    largest = np.maximum(weight.max(axis=1, initial=0.0, keepdims=True), np.finfo(float).tiny)
    share = np.round(weight / largest, WEIGHT_DIGITS)
    may_be_named = share >= LEAST_OF_WEIGHTIEST
    order = np.argsort(np.where(may_be_named, -share, np.inf), axis=1, kind="stable")
    return [own[:count] for own, count in zip(order, may_be_named.sum(axis=1), strict=True)]


def check(positive_class: Any, classes: Collection[Any]) -> None:
    if positive_class not in classes:
        known = ", ".join(map(repr, classes))
        raise InputError(f"Expected positive_class to be one of the classes {known}, but got {positive_class!r}.")


def check_room(most: int) -> None:
    if most < 1:
        raise InputError(f"Expected room for at least one reason, but most is {most}.")
