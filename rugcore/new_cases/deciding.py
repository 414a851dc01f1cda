"""Decisions, chances and reasons for many new people, and what a person has to look at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from rugcore.dictionary import DataDictionary, expected_directions, never_told
from rugcore.errors import InputError
from rugcore.explanations.confidence import ConfidenceFinder
from rugcore.explanations.reasons.faring import FaringWell
from rugcore.explanations.reasons.giving import MANUAL_REVIEW, check
from rugcore.explanations.reasons.table import reasons_table
from rugcore.explanations.rule_model import RuleModel
from rugcore.new_cases.reading import ReadCases, read_cases
from rugcore.rules.decisions import Decisions
from rugcore.rules.orders import SaidDirection
from rugcore.tables.table import plain_value

NO_REASONS = (
    "No reasons can be given: the model file does not say whom to compare with. Train and save the model again, or "
    "give its training rows as background."
)
NO_CHANCES = "No chances can be given: the model file is of an earlier version. Train and save the model again."
REVIEW = "manual review"
NO_RULE, BALANCE = "no rule applies", "the rules balance"  # remarks, in which they may stand behind others
NOTHING_KNOWN = DataDictionary()


class ModelWithChances(RuleModel, Protocol):
    """A rule model that also says how likely its classes are."""

    chances_: Any

    def predict_proba(self, X: Any) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class NewCases:
    """What the model says about new people.

    Parameters
    ----------
    frame : DataFrame
        A line a person: applicant; decision (blank where something that rules look at could not be read); chance, of
        the favourable outcome, or without one of what was decided; status ("favourable", "reasons", "manual review",
        or without a favourable outcome "decided"); reason 1 to 4 where a favourable outcome is known; remarks.
    problems : tuple of str
        What could not be read or is unfamiliar, with the number of people, the most important first.
    positive_class : label or None
        The class that serves people well.
    """

    frame: pd.DataFrame
    problems: tuple[str, ...]
    positive_class: Any = None

    @property
    def counts(self) -> dict[str, int]:
        """How many people were decided how; those who need a person are counted apart."""
        is_open = self.frame["status"] == REVIEW
        decided = self.frame["decision"][~is_open].astype(str).value_counts()
        found = {str(label): int(count) for label, count in decided.items()}
        return found | ({REVIEW: int(is_open.sum())} if is_open.any() else {})


def decide_new_cases(
    model: ModelWithChances,
    frame: pd.DataFrame,
    *,
    positive_class: Any = None,
    dictionary: DataDictionary | None = None,
    background: pd.DataFrame | None = None,
    directions: Mapping[str, SaidDirection] | None = None,
    faring_well: FaringWell | None = None,
    confidence: ConfidenceFinder | None = None,
    ids: Sequence[Any] | None = None,
) -> NewCases:
    """Decide on people whom the model has not seen, and say what could not be read.

    Whoever lacks something that rules look at is not decided. Those whom no rule covers, whose rules balance, who have
    a value that the model has never seen, or of whom a reason would say the opposite of what should help or harm, need
    manual review.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    frame : DataFrame
        The people, with the columns of the training table as they are called in the file; other columns are ignored.
    positive_class : label or None
        The class that serves people well: then there are reasons for other decisions.
    dictionary : DataDictionary or None
        The one that the model was trained with: it says what columns and values are called, what is protected, and
        which numbers are possible.
    background : DataFrame or None
        The training rows, under the names that the model knows: to compare with, and to tell unseen values.
    directions : dict or None
        By column under the name that the model knows: 1 if more of it should help towards `positive_class`, -1 if it
        should harm. None: as the dictionary says, or else the names of columns.
    faring_well : dict or None
        From `who_fares_well`: categories and numbers that are named as no reason, because people who have them have
        the favourable outcome no less often than others. None: as the model knows it of its training rows.
    confidence : ConfidenceFinder or None
        Knows what became of people held out. Where those decided alike turned out otherwise, or the other of two
        outcomes is as likely, a person has to look.
    ids : sequence or None
        What the people are called; None: by their row, counting from 1.
    """
    if not len(frame):
        raise InputError("Expected at least one person to decide on, but the table has no rows.")
    if ids is not None and len(ids) != len(frame):
        raise InputError(f"Expected one id a row, but got {len(ids)} ids for {len(frame)} rows.")
    classes = [plain_value(label) for label in model.classes_]
    if positive_class is not None:
        check(plain_value(positive_class), classes)
    dictionary = dictionary or NOTHING_KNOWN
    read = read_cases(model, frame, dictionary, background)
    deciding = _Deciding(model, read, classes, plain_value(positive_class))
    lines = deciding.lines(range(1, len(frame) + 1) if ids is None else ids)
    if positive_class is not None:
        by_default = expected_directions(dictionary, model.schema_.names_of("number"))
        signs = by_default if directions is None else directions
        lines |= deciding.reasons(dictionary, background, signs, faring_well, confidence)
    lines["remarks"] = ["; ".join(own) for own in read.remarks]
    return NewCases(pd.DataFrame(lines), tuple(read.problems), positive_class)


class _Deciding:
    def __init__(self, model: ModelWithChances, read: ReadCases, classes: list[Any], favourable: Any) -> None:
        self._model = model
        self._read = read
        self._classes = classes
        self._favourable = favourable
        self._decisions: Decisions = model.decisions(read.X)
        self._note_defaults()

    @property
    def _is_open(self) -> np.ndarray:
        """Who needs a person."""
        by_default = self._decisions.is_uncovered | self._decisions.is_tie
        return by_default | self._read.is_unread | self._read.is_unfamiliar

    def _note_defaults(self) -> None:
        for rows, why in ((self._decisions.is_uncovered, NO_RULE), (self._decisions.is_tie, BALANCE)):
            for row in np.flatnonzero(rows & ~self._read.is_unread).tolist():
                self._read.remarks[row].append(why)

    def lines(self, ids: Sequence[Any]) -> dict[str, Any]:
        decided = [self._classes[code] for code in self._decisions.class_code]
        return {
            "applicant": list(ids),
            "decision": pd.Series(decided, dtype=object).where(~self._read.is_unread, None),
            "chance": np.where(self._read.is_unread, np.nan, self._chances()),
            "status": np.where(self._is_open, REVIEW, "decided").tolist(),
        }

    def _chances(self) -> np.ndarray:
        if self._model.chances_ is None:
            self._read.problems.append(NO_CHANCES)
            return np.full(self._read.n_rows, np.nan)
        chances = self._model.predict_proba(self._read.X)
        if self._favourable is not None:
            return np.asarray(chances[:, self._classes.index(self._favourable)])
        return np.asarray(chances[np.arange(len(chances)), self._decisions.class_code])

    def reasons(
        self,
        dictionary: DataDictionary,
        background: pd.DataFrame | None,
        directions: Mapping[str, SaidDirection],
        faring_well: FaringWell | None,
        confidence: ConfidenceFinder | None,
    ) -> dict[str, Any]:
        """Status and reasons; where a person has to look, the table says so where a reason would stand."""
        is_good = self._decisions.class_code == self._classes.index(self._favourable)
        if self._model.reference_ is None and background is None:
            self._read.problems.append(NO_REASONS)
            return {"status": np.where(self._is_open | ~is_good, REVIEW, "favourable").tolist()}
        found = reasons_table(
            self._model,
            self._read.X,
            self._favourable,
            background=background,
            wording=dictionary.wording(),
            sensitive=never_told(dictionary, self._model.schema_.names),
            directions=directions,
            faring_well=faring_well,
            sure=None if confidence is None else confidence.find_many(self._read.X),
            only_unfavourable=False,
        )
        self._note_reasons(found["remarks"].tolist())
        status = np.where(self._is_open, REVIEW, found["status"])
        names = [name for name in found.columns if name.startswith("reason ")]
        texts = found[names].to_numpy(dtype=object, copy=True)
        texts[status == REVIEW] = ""
        texts[status == REVIEW, 0] = MANUAL_REVIEW
        return {"status": status.tolist()} | {name: texts[:, place].tolist() for place, name in enumerate(names)}

    def _note_reasons(self, remarks: Sequence[str]) -> None:
        """Why there are no reasons, or what else speaks against somebody."""
        for row in np.flatnonzero(~self._is_open).tolist():
            self._read.remarks[row] += [remarks[row]] if remarks[row] else []
