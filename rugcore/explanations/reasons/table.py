"""The reasons of many applicants as a table, one line each, ready for a file."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rugcore.errors import InputError
from rugcore.explanations.reasons.giving import (
    DEFAULT_WORDING,
    MANUAL_REVIEW,
    MOST_REASONS,
    Expected,
    ReasonFinder,
    Telling,
    cannot_be_told,
    check_room,
    in_doubt,
    is_vague,
    pointed,
    ranked,
    said_of,
)
from rugcore.explanations.reasons.truth import FINDINGS, column_findings
from rugcore.explanations.reasons.wording import Wording
from rugcore.explanations.rule_model import RuleModel
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
    most: int = MOST_REASONS,
    ids: Sequence[Any] | None = None,
    only_unfavourable: bool = True,
) -> pd.DataFrame:
    """The main reasons for many decisions, in words: a table to send letters from.

    One line per applicant: applicant (its id, or else its row number), decision, status, reason 1, reason 2, ...

    Applicants are compared with the people whom the model decides favourably. A column is named only if it speaks
    against the applicant in that comparison (`attribute`), and if moving it alone to a value that occurs among them
    raises the score; the words point in the direction of that change. What carries less than a twentieth of the
    weightiest reason is left out. Where nothing is left to name, where rules did not
    decide, or where a reason would say the opposite of `directions`, the status is "manual review".

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
    most : int, default=4
        Reasons an applicant.
    ids : sequence or None
        What applicants are called; None: their row numbers.
    only_unfavourable : bool, default=True
        False: favourable decisions are listed too, without reasons.
    """
    return reasons_and_doubts(
        model,
        X,
        positive_class,
        background=background,
        wording=wording,
        sensitive=sensitive,
        directions=directions,
        most=most,
        ids=ids,
        only_unfavourable=only_unfavourable,
    )[0]


def reasons_and_doubts(
    model: RuleModel,
    X: Any,
    positive_class: Any,
    *,
    background: Any = None,
    wording: Wording = DEFAULT_WORDING,
    sensitive: Collection[str] = (),
    directions: Mapping[str, SaidDirection] | None = None,
    most: int = MOST_REASONS,
    ids: Sequence[Any] | None = None,
    only_unfavourable: bool = True,
) -> tuple[pd.DataFrame, list[str]]:
    """As `reasons_table`; and for every line, why its reasons are not for a letter: nothing where they are."""
    finder = ReasonFinder(model, positive_class, background=background)
    check_room(most)
    if ids is not None and len(ids) != len(X):
        raise InputError(f"Expected one id a row, but got {len(ids)} ids for {len(X)} rows.")
    names_of_rows = list(range(len(X))) if ids is None else list(ids)
    many = _Many(finder, validation.table_to_predict(model, X), wording, frozenset(sensitive), directions or {})
    decided = many.decisions
    is_good = decided.class_code == finder.favourable
    texts = np.full((len(X), most), None, dtype=object)
    doubts = np.full(len(X), "", dtype=object)
    if not finder.has_nobody:
        for rows in _parts(np.flatnonzero(~(is_good | decided.is_tie | decided.is_uncovered))):
            texts[rows], doubts[rows] = many.texts(rows, most)
    is_open = ~is_good & pd.isna(texts[:, 0])
    texts[is_open, 0] = MANUAL_REVIEW  # where a reason would stand, so that a letter made from the table says it too
    texts[pd.isna(texts)] = ""
    status = np.select([is_good, is_open], ["favourable", "manual review"], "reasons")
    rows = np.flatnonzero(~is_good | (not only_unfavourable))
    columns = {
        "applicant": [names_of_rows[row] for row in rows],
        "decision": [finder.classes[number] for number in decided.class_code[rows]],
        "status": status[rows].tolist(),
    }
    frame = pd.DataFrame(columns | {f"reason {n + 1}": texts[rows, n].tolist() for n in range(most)})
    return frame, doubts[rows].tolist()


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
        directions: Mapping[str, SaidDirection],
    ) -> None:
        cuts = finder.votes.cuts
        self._finder = finder
        self._names = cuts.names
        self._values = [table.column(position) for position in cuts.positions]
        self._is_mute = np.array([name in sensitive for name in cuts.names], dtype=bool)
        self._expected = Expected.of(directions, cuts.columns)
        self._wording = wording
        self._codes = cuts.codes(table)
        self.decisions = finder.votes.decisions(self._codes)

    def texts(self, rows: np.ndarray, most: int) -> tuple[np.ndarray, list[str]]:
        """(rows, most): the reasons in words, None where there are no more; and why they are not for a letter.

        Where something speaks against sending them, there are none.
        """
        finder, decided = self._finder, self.decisions.class_code[rows]
        codes, places = self._codes[:, rows], self._expected.places(lambda name: self._cells(name, rows))
        found = column_findings(finder.votes, finder.reference, codes, decided, finder.favourable, places)
        found = pointed(found, self._expected.signs)
        named = np.full((len(rows), most), len(self._names))  # beyond all columns: nothing
        vague, unclear = is_vague(self._names, self._wording, self._expected), {}
        for row, columns in enumerate(ranked(found, self._is_mute)):
            telling = Telling.of(columns, found, row, vague)
            if telling.is_enough:
                named[row, : len(telling.named)] = telling.named[:most]
            else:
                unclear[row] = cannot_be_told([self._names[number] for number in telling.left_out])
        texts = np.full((len(rows), most), None, dtype=object)
        for column in range(len(self._names)):
            own, place = np.nonzero(named == column)
            texts[own, place] = self._worded(column, found.finding[own, column], rows[own])
        doubts = [self._doubts(*line, found.finding[row]) for row, line in enumerate(zip(texts, named, strict=True))]
        texts[np.array([bool(doubt) for doubt in doubts], dtype=bool)] = None
        doubts = [unclear.get(row, doubt) for row, doubt in enumerate(doubts)]
        return texts, doubts

    def _cells(self, name: str, rows: np.ndarray) -> list[Any]:
        return [plain_value(value) for value in self._values[self._names.index(name)][rows]]

    def _doubts(self, texts: np.ndarray, named: np.ndarray, findings: np.ndarray) -> str:
        given = [(text, column) for text, column in zip(texts, named, strict=True) if text is not None]
        doubts = [
            in_doubt(text, FINDINGS[findings[column]], self._expected.of_column(column)) for text, column in given
        ]
        return "; ".join(doubt for doubt in doubts if doubt)

    def _worded(self, column: int, findings: np.ndarray, rows: np.ndarray) -> list[str]:
        """A text for every row; made once for equal values."""
        values = self._values[column][rows]
        known: dict[Any, str] = {}
        texts = []
        for finding, missing, value in zip(findings.tolist(), pd.isna(values).tolist(), values.tolist(), strict=True):
            key = (finding, None if missing else (type(value), value))
            if key not in known:
                shown = self._finder.votes.cuts.columns[column].in_words(value)
                is_flag = self._finder.is_flag(self._names[column], value)
                said = said_of(self._finder.votes.cuts.columns[column], FINDINGS[finding])
                known[key] = self._wording.text(self._names[column], said, shown, is_flag=is_flag)
            texts.append(known[key])
        return texts
