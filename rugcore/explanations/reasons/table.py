"""The reasons of many applicants as a table, one line each, ready for a file."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rugcore.errors import InputError
from rugcore.explanations.confidence import Confidence, as_the_model_says
from rugcore.explanations.reasons.faring import FaringWell
from rugcore.explanations.reasons.giving import (
    BALANCE,
    DEFAULT_WORDING,
    MANUAL_REVIEW,
    MOST_REASONS,
    NO_RULE,
    NOBODY,
    NOTHING_TO_NAME,
    ReasonFinder,
    check_room,
    pointed,
    ranked,
    said_of,
)
from rugcore.explanations.reasons.objections import (
    Expected,
    Told,
    contradiction,
    is_contradicted,
    not_told,
    uncertainty,
)
from rugcore.explanations.reasons.truth import FINDINGS, ColumnFindings, column_findings
from rugcore.explanations.reasons.wording import Wording
from rugcore.explanations.rule_model import RuleModel
from rugcore.rules.decisions import Decisions
from rugcore.rules.orders import SaidDirection
from rugcore.tables import validation
from rugcore.tables.table import Table, plain_value

ROWS_AT_ONCE = 10_000  # a few numbers per row, column and value of a column are held for so many


def reasons_table(
    model: RuleModel,
    X: Any,
    positive_class: Any,
    *,
    background: Any = None,
    wording: Wording = DEFAULT_WORDING,
    sensitive: Collection[str] = (),
    directions: Mapping[str, SaidDirection] | None = None,
    faring_well: FaringWell | None = None,
    sure: Sequence[Confidence | None] | None = None,
    most: int = MOST_REASONS,
    ids: Sequence[Any] | None = None,
    only_unfavourable: bool = True,
) -> pd.DataFrame:
    """The main reasons for many decisions, in words: a table to send letters from.

    One line per applicant: applicant (its id, or else its row number), decision, status, reason 1, reason 2, ...,
    remarks: why a person has to look, or what else speaks against the applicant and cannot be told, or that the
    decision is uncertain.

    Applicants are compared with the people whom the model decides favourably. A column is named only if it speaks
    against the applicant in that comparison (`attribute`), and if moving it alone to a value that occurs among them
    raises the score; the words point in the direction of that change. What carries less than a twentieth of the
    weightiest reason is left out. Where nothing is left to name, rules did not decide, the weightiest column
    may not be named, or a reason would say what nobody could sign, the status is "manual review"; where rules did not
    decide, also of a decision that is favourable.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    X : table
        The applicants.
    positive_class : label
        The class that serves people well; reasons are given for other decisions.
    background : table or None, default=None
        People to compare with: of its rows, those count that the model decides favourably. None: the training rows, as
        the model keeps them.
    wording : Wording
        Texts of your own.
    sensitive : collection of str
        Columns that must not be named as a reason.
    directions : dict or None
        By column of numbers: 1 if more of it should help towards `positive_class`, -1 if it should harm; by column of
        categories: these from the worst to the best.
    faring_well : dict or None
        From `who_fares_well`: a category is not named whose people have the favourable outcome no less often than all,
        nor a number if those who have as much, or as little, do and nobody has said which numbers are better. None: as
        the model knows it of its training rows (`fared_`); an empty dict: of nobody.
    sure : sequence of Confidence or None
        For every row how sure its decision is (`ConfidenceFinder.find_many`): where people decided alike turned out
        otherwise, or the other of two outcomes is as likely, no letter is sent. None: as the model says, who asks
        nobody.
    most : int, default=4
        Reasons an applicant.
    ids : sequence or None
        What applicants are called; None: their row numbers.
    only_unfavourable : bool, default=True
        False: favourable decisions are listed too, without reasons.
    """
    finder = ReasonFinder(model, positive_class, background=background)
    check_room(most)
    if ids is not None and len(ids) != len(X):
        raise InputError(f"Expected one id a row, but got {len(ids)} ids for {len(X)} rows.")
    if sure is not None and len(sure) != len(X):
        raise InputError(f"Expected one confidence a row, but got {len(sure)} for {len(X)} rows.")
    names_of_rows = list(range(len(X))) if ids is None else list(ids)
    expected = finder.expected(directions, faring_well)
    many = _Many(finder, validation.table_to_predict(model, X), wording, frozenset(sensitive), expected)
    decided = many.decisions
    is_good = decided.class_code == finder.favourable
    texts = np.full((len(X), most), None, dtype=object)
    remarks = np.full(len(X), "", dtype=object)
    if not finder.has_nobody:
        for rows in _parts(np.flatnonzero(~(is_good | decided.is_tie | decided.is_uncovered))):
            texts[rows], remarks[rows] = many.texts(rows, most)
    how_sure = [own or says for own, says in zip(sure or [None] * len(X), as_the_model_says(model, X), strict=True)]
    by_default = decided.is_uncovered | decided.is_tie
    for row in np.flatnonzero(~by_default & (is_good | ~pd.isna(texts[:, 0]))).tolist():
        own = how_sure[row]
        if own is not None and is_contradicted(own) and not is_good[row]:
            texts[row], remarks[row] = None, contradiction(own)
        else:
            remarks[row] = "; ".join(filter(None, (remarks[row], uncertainty(own))))
    is_open = by_default | (~is_good & pd.isna(texts[:, 0]))
    _say_why(remarks, decided, is_open, NOBODY if finder.has_nobody else NOTHING_TO_NAME)
    texts[is_open, 0] = MANUAL_REVIEW  # where a reason would stand, so that a letter made from the table says it too
    texts[pd.isna(texts)] = ""
    status = np.select([is_open, is_good], ["manual review", "favourable"], "reasons")
    rows = np.flatnonzero(~is_good | (not only_unfavourable))
    columns = {
        "applicant": [names_of_rows[row] for row in rows],
        "decision": [finder.classes[number] for number in decided.class_code[rows]],
        "status": status[rows].tolist(),
    }
    columns |= {f"reason {n + 1}": texts[rows, n].tolist() for n in range(most)}
    return pd.DataFrame(columns | {"remarks": remarks[rows].tolist()})


def _say_why(remarks: np.ndarray, decided: Decisions, is_open: np.ndarray, otherwise: str) -> None:
    """A remark on everybody who needs a person and of whom nothing was said yet."""
    for is_so, why in ((decided.is_uncovered, NO_RULE), (decided.is_tie, BALANCE), (is_open, otherwise)):
        remarks[is_so & (remarks == "")] = why.removesuffix(".")


def _parts(rows: np.ndarray) -> Iterator[np.ndarray]:
    yield from (rows[begin : begin + ROWS_AT_ONCE] for begin in range(0, len(rows), ROWS_AT_ONCE))


class _Many:
    """Puts the reasons of many rows into words; every column of the table is read once."""

    def __init__(
        self,
        finder: ReasonFinder,
        table: Table,
        wording: Wording,
        sensitive: frozenset[str],
        expected: Expected,
    ) -> None:
        cuts = finder.votes.cuts
        self._finder = finder
        self._names = cuts.names
        self._values = [table.column(position) for position in cuts.positions]
        self._is_mute = np.array([name in sensitive for name in cuts.names], dtype=bool)
        self._expected = expected
        self._wording = wording
        self._codes = cuts.codes(table)
        self.decisions = finder.votes.decisions(self._codes)

    def texts(self, rows: np.ndarray, most: int) -> tuple[np.ndarray, list[str]]:
        """(rows, most): the reasons in words, None where there are no more; and a remark on every row.

        Where something speaks against sending them, there are none, and the remark says why.
        """
        finder, decided = self._finder, self.decisions.class_code[rows]
        codes, places = self._codes[:, rows], self._expected.places(lambda name: self._cells(name, rows))
        found = column_findings(finder.votes, finder.reference, codes, decided, finder.favourable, places)
        found = pointed(found, self._expected.signs)
        is_open = self._expected.is_open(found, self._wording, lambda name: self._cells(name, rows))
        told = [
            Told.of(columns, found.weight[row], self._is_mute, is_open[row])
            for row, columns in enumerate(ranked(found))
        ]
        named = np.full((len(rows), most), len(self._names))  # beyond all columns: nothing
        for row, own in enumerate(told):
            named[row, : len(own.named)] = own.named[:most]
        texts = np.full((len(rows), most), None, dtype=object)
        for column in range(len(self._names)):
            own_rows, place = np.nonzero(named == column)
            texts[own_rows, place] = self._worded(column, found, own_rows, rows)
        objections = [
            own.objection(self._names) or self._doubts(texts[row], named[row], found.finding[row], rows[row])
            for row, own in enumerate(told)
        ]
        texts[np.array([bool(objection) for objection in objections], dtype=bool)] = None
        left_out = [not_told([self._names[number] for number in own.left_out]) for own in told]
        return texts, [objection or besides for objection, besides in zip(objections, left_out, strict=True)]

    def _cells(self, name: str, rows: np.ndarray) -> list[Any]:
        return [plain_value(value) for value in self._values[self._names.index(name)][rows]]

    def _doubts(self, texts: np.ndarray, named: np.ndarray, findings: np.ndarray, row: int) -> str:
        given = [(text, column) for text, column in zip(texts, named.tolist(), strict=True) if text is not None]
        doubts = [
            self._expected.doubt(n, FINDINGS[findings[n]], text, plain_value(self._values[n][row])) for text, n in given
        ]
        return "; ".join(doubt for doubt in doubts if doubt)

    def _worded(self, column: int, found: ColumnFindings, of: np.ndarray, all_rows: np.ndarray) -> list[str]:
        """A text for each `of` the rows; made once for equal values."""
        rows, findings = all_rows[of], found.finding[of, column]
        relative = [found.is_relative(row, column) for row in of.tolist()]
        values = self._values[column][rows]
        known: dict[Any, str] = {}
        texts = []
        cells = zip(findings.tolist(), pd.isna(values).tolist(), values.tolist(), relative, strict=True)
        for finding, missing, value, is_relative in cells:
            key = (finding, None if missing else (type(value), value), is_relative)
            if key not in known:
                shown = self._finder.votes.cuts.columns[column].in_words(value)
                is_flag = self._finder.is_flag(self._names[column], value)
                said = said_of(self._finder.votes.cuts.columns[column], FINDINGS[finding])
                known[key] = self._wording.text(
                    self._names[column], said, shown, is_flag=is_flag, is_relative=is_relative
                )
            texts.append(known[key])
        return texts
