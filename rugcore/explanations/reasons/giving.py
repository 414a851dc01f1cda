"""From columns that are true reasons to reasons in words."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from rugcore.attribution.cuts import CutColumn
from rugcore.errors import InputError
from rugcore.explanations.confidence import Confidence, as_the_model_says
from rugcore.explanations.reasons.faring import FaringWell, who_fares_well_by
from rugcore.explanations.reasons.objections import Expected, Told, contradiction, is_contradicted
from rugcore.explanations.reasons.truth import FINDINGS, ColumnFindings, column_findings
from rugcore.explanations.reasons.wording import Finding, Wording
from rugcore.explanations.rule_model import RuleModel, reference_for, table_of_cells
from rugcore.rules.decisions import Decisions
from rugcore.rules.orders import SaidDirection
from rugcore.tables import validation
from rugcore.tables.table import plain_value

MOST_REASONS = 4
DEFAULT_WORDING = Wording()
YES_OR_NO = ({0.0, 1.0}, {1.0, 2.0})
NEARLY_ALL = 0.98  # of the numbers: among answers, some wrote a code that nobody declared, such as 666
A_FEW = 1_000  # rows that tell of most columns that they have more
# Weights are sums: those that agree to so many digits of the largest are the same sum in another order.
WEIGHT_DIGITS = 9
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
    """Up to four reasons, the weightiest first; only a decision that rules made against the applicant has any.

    What no rule decided needs manual review, whatever was taken by default.
    """

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
        self._faring_well = who_fares_well_by(model, self.favourable)

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
        faring_well: FaringWell | None = None,
        sure: Confidence | None = None,
        most: int = MOST_REASONS,
    ) -> Reasons:
        """The reasons for the decision about one row.

        An applicant whom no rule covers, whose rules balance, or of whom no true reason may be named, needs manual
        review. What carries less than a twentieth of the weightiest reason is left out.

        So does one of whom the weightiest reason may not be named, or about whom a reason would say what nobody could
        sign, such as that an income is too high: to leave out one of the main reasons would not be true either.

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
        faring_well : dict or None
            From `who_fares_well`: a category is not named whose people have the favourable outcome no less often than
            all, nor a number if those who have as much, or as little, do and nobody has said which numbers are better.
            None: as the model knows it of its training rows (`fared_`); an empty dict: of nobody.
        sure : Confidence or None
            How sure the decision is, from `ConfidenceFinder`: where people decided alike turned out otherwise, or the
            other of two outcomes is as likely, no letter is sent. None: as the model says, who asks nobody.
        most : int, default=4
            The most reasons that are given.
        """
        check_room(most)
        cells = self.model.schema_.cells(row)
        codes = self.votes.cuts.codes_of_cells([cells])
        decisions = self.votes.decisions(codes)
        decision = self.classes[decisions.class_code[0]]
        is_good = decisions.class_code[0] == self.favourable
        if is_good and not _by_default(decisions):
            return Reasons(decision, "favourable", ())
        if why := self._why_none(decisions):
            return Reasons(decision, "manual review", (), why)
        expected = self.expected(directions, faring_well)
        places = expected.places(lambda name: [cells[name]])
        found = column_findings(self.votes, self.reference, codes, decisions.class_code, self.favourable, places)
        found = pointed(found, expected.signs)
        is_open = expected.is_open(found, wording, lambda name: [cells[name]])
        told = Told.of(ranked(found)[0], found.weight[0], self._mute(sensitive), is_open[0])
        named, left_out = told.named[:most].tolist(), tuple(self.votes.cuts.names[n] for n in told.left_out)
        if not len(named) and not told.obstacle:
            return Reasons(decision, "manual review", (), NOTHING_TO_NAME)
        if why := told.objection(self.votes.cuts.names):
            return Reasons(decision, "manual review", (), f"{why}.", left_out=left_out)
        given = [self._reason(found, number, cells, wording) for number in named]
        doubts = [
            expected.doubt(n, FINDINGS[found.finding[0, n]], reason.text, cells[reason.column])
            for reason, n in zip(given, named, strict=True)
        ]
        if any(doubts):
            doubtful = tuple(reason for reason, doubt in zip(given, doubts, strict=True) if doubt)
            return Reasons(decision, "manual review", (), " ".join(f"{doubt}." for doubt in doubts if doubt), doubtful)
        sure = sure or as_the_model_says(self.model, table_of_cells(self.model, [cells]))[0]
        if sure is not None and is_contradicted(sure):
            return Reasons(decision, "manual review", (), f"{contradiction(sure)}.", tuple(given))
        return Reasons(decision, "reasons", tuple(given), left_out=left_out)

    def expected(self, directions: Mapping[str, SaidDirection] | None, faring_well: FaringWell | None) -> Expected:
        """What should help and harm, and who fares well: as the model knows it, where nothing is said.

        Parameters
        ----------
        directions, faring_well
            As in `find`.
        """
        well = self._faring_well if faring_well is None else faring_well
        return Expected.of(directions or {}, self.votes.cuts.columns, well)

    def _why_none(self, decisions: Decisions) -> str:
        return _by_default(decisions) or (NOBODY if self.has_nobody else "")

    def is_flag(self, column: str, value: Any) -> bool:
        """Whether a number is one of but two that mean yes and no, so that it is neither high nor low.

        So is 0 where that is the only limit of the rules: "guideline met is 0", not "is low"; that needs no rows.

        Parameters
        ----------
        column : str
            The column that holds it.
        value : number
            What stands there.
        """
        if column in self.flags and any(value in both for both in YES_OR_NO):
            return True
        cuts = self.votes.cuts.columns[self.votes.cuts.names.index(column)].cuts
        return cuts.tolist() == [0.0] and value == 0

    def _mute(self, sensitive: Collection[str]) -> np.ndarray:
        return np.array([name in sensitive for name in self.votes.cuts.names], dtype=bool)

    def _reason(self, found: ColumnFindings, column: int, cells: dict[str, Any], wording: Wording) -> Reason:
        name = self.votes.cuts.names[column]
        finding = said_of(self.votes.cuts.columns[column], FINDINGS[found.finding[0, column]])
        weight = float(found.weight[0, column])
        value = self.votes.cuts.columns[column].in_words(cells[name])
        is_relative = found.is_relative(0, column)
        text = wording.text(name, finding, value, is_flag=self.is_flag(name, cells[name]), is_relative=is_relative)
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
    faring_well: FaringWell | None = None,
    sure: Confidence | None = None,
    most: int = MOST_REASONS,
) -> Reasons:
    """The reasons for one decision, as `ReasonFinder` finds them; for many rows keep one, or use `reasons_table`."""
    finder = ReasonFinder(model, positive_class, background=background)
    return finder.find(
        row,
        wording=wording,
        sensitive=sensitive,
        directions=directions,
        faring_well=faring_well,
        sure=sure,
        most=most,
    )


def _by_default(decisions: Decisions) -> str:
    """That no rule decided about a single row; nothing where rules did."""
    if decisions.is_uncovered[0]:
        return NO_RULE
    return BALANCE if decisions.is_tie[0] else ""


def pointed(found: ColumnFindings, signs: np.ndarray) -> ColumnFindings:
    """Where lower and higher numbers would both raise the score, the words point to those that should."""
    is_middle = found.finding == FINDINGS.index("middle")
    better = np.where(signs > 0, FINDINGS.index("low"), FINDINGS.index("high"))
    return replace(found, finding=np.where(is_middle & (signs != 0), better, found.finding))


def said_of(column: CutColumn, finding: Finding) -> Finding:
    """The words for what was found: a category is named, also where better and worse ones are known."""
    return "value" if not column.is_number and finding in ("high", "low", "middle") else finding


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
    numbers = column[~(np.isnan(column) | np.isin(column, list(codes)))]
    found = set(pd.unique(numbers).tolist())
    return any(both <= found and np.isin(numbers, list(both)).mean() >= NEARLY_ALL for both in YES_OR_NO)


def ranked(found: ColumnFindings) -> list[np.ndarray]:
    """By row, the columns that speak against it, the weightiest first; of equals, the one that rules mention first."""
    weight = np.where(found.is_against, found.weight, 0.0)
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
