"""Another model's decisions, which a table holds in a column: decisions as they are, or a score with a cut-off.

Everything that the dashboard and its report say about that model rests on `read_outside`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.dictionary import DataDictionary, value_text
from rugcore.errors import InputError
from rugcore.tables.plain_numbers import as_numbers
from rugcore.tables.table import plain_value

MOST_NAMED = 4  # values in a sentence


@dataclass(frozen=True)
class OutsideModel:
    """Which column holds what another model says, and how it is read."""

    column: str
    cut_off: float | None = None  # of a score; None: the column holds decisions
    high_is_good: bool = True  # of a score: whether people at or above the cut-off are decided favourably
    skip_blanks: bool = False  # people without a decision are left out of the run

    @property
    def is_score(self) -> bool:
        return self.cut_off is not None

    @classmethod
    def read(cls, content: Any) -> "OutsideModel":
        """From what a plan or a draft keeps; refused if it is something else."""
        try:
            model = cls(**content)
        except TypeError as error:
            raise InputError("The plan of this run is damaged: it does not say what the other model is.") from error
        is_number = isinstance(model.cut_off, int | float) and not isinstance(model.cut_off, bool)
        is_cut_off = model.cut_off is None or (is_number and np.isfinite(model.cut_off))
        are_flags = isinstance(model.high_is_good, bool) and isinstance(model.skip_blanks, bool)
        if not (isinstance(model.column, str) and model.column and is_cut_off and are_flags):
            raise InputError("The plan of this run is damaged: what it says of the other model makes no sense.")
        return model


@dataclass(frozen=True, eq=False)
class OutsideDecisions:
    """What the other model says, row by row."""

    decided: np.ndarray  # as the outcome is called
    score: np.ndarray | None = None  # the higher, the better for the person; None: only decisions are known

    def of_rows(self, rows: np.ndarray) -> "OutsideDecisions":
        return OutsideDecisions(self.decided[rows], None if self.score is None else self.score[rows])


def outcomes_in_words(frame: pd.DataFrame, target: str, dictionary: DataDictionary) -> pd.Series:
    """The outcomes as the dictionary calls them."""
    raw, outcomes = frame[target], dictionary.applied(frame[[target]]).iloc[:, 0]
    return outcomes if outcomes.dtype == raw.dtype else outcomes.astype("str")  # in words: categories


def is_undecided(column: pd.Series, dictionary: DataDictionary) -> np.ndarray:
    """Whether the other model says nothing about a person: a blank, or a code that is no number."""
    special = list(dictionary.entry(str(column.name)).special)
    found: np.ndarray = (column.isna() | column.isin(special)).to_numpy(dtype=bool)
    return found


def read_outside(
    frame: pd.DataFrame, model: OutsideModel, target: str, favourable: Any, dictionary: DataDictionary
) -> OutsideDecisions:
    """What the other model says about the people of a table, all of whom have an outcome.

    Refused with an `InputError` where that cannot be known, or is no other model at all.
    """
    column = frame[model.column]
    _refuse_blanks(column, is_undecided(column, dictionary))
    outcomes = outcomes_in_words(frame, target, dictionary)
    labels = _labels(frame[target], outcomes)
    if model.cut_off is None:
        found = OutsideDecisions(_decisions(frame, model, target, labels, dictionary))
    else:
        found = _by_score(column, model, target, labels, favourable)
    _refuse_the_outcome(found, outcomes, model, target)
    return found


def _labels(raw: pd.Series, outcomes: pd.Series) -> dict[str, Any]:
    """The outcomes by what a file or a dictionary may call them, words first."""
    pairs = pd.DataFrame({"raw": raw.astype(object), "word": outcomes.astype(object)}).drop_duplicates()
    words = {value_text(word): plain_value(word) for word in pairs["word"]}
    own = {value_text(item): plain_value(word) for item, word in zip(pairs["raw"], pairs["word"], strict=True)}
    return own | words


# -- decisions ---------------------------------------------------------------------------------------------


def _decisions(
    frame: pd.DataFrame, model: OutsideModel, target: str, labels: Mapping[str, Any], dictionary: DataDictionary
) -> np.ndarray:
    """Values that are called as the outcomes are, in the file or in the dictionary."""
    said = dictionary.applied(frame[[model.column]]).iloc[:, 0]
    codes, values = pd.factorize(said)
    texts = [value_text(value).strip() for value in values]
    others = [text for text in texts if text not in labels]
    if others:
        n_rows = int(np.isin(codes, [place for place, text in enumerate(texts) if text in others]).sum())
        raise InputError(
            f"Expected {model.column!r} to hold decisions that are called as the outcomes of {target!r} are "
            f"({_listed(list(dict.fromkeys(map(value_text, labels.values()))))}), but {n_rows:,} of {len(said):,} rows "
            f"have {_listed(others)}. Say in the dictionary, as meanings of the values of {model.column!r}, which "
            "outcome each stands for; or say that it is a score; or choose another column."
        )
    named = np.empty(len(texts), dtype=object)
    named[:] = [labels[text] for text in texts]
    found: np.ndarray = named[codes]
    return found


# -- scores ------------------------------------------------------------------------------------------------


def _by_score(
    column: pd.Series, model: OutsideModel, target: str, labels: Mapping[str, Any], favourable: Any
) -> OutsideDecisions:
    good = labels[value_text(favourable)]
    others = list(dict.fromkeys(label for label in labels.values() if label != good))
    if len(others) != 1:
        raise InputError(
            f"Expected two outcomes in {target!r}, because a cut-off parts two, but there are {len(others) + 1}. "
            "Choose a column that holds decisions."
        )
    score = read_score(column)
    is_good = (score >= model.cut_off) == model.high_is_good
    named = np.empty(2, dtype=object)
    named[:] = [others[0], good]
    return OutsideDecisions(named[is_good.astype(int)], score if model.high_is_good else -score)


def read_score(column: pd.Series) -> np.ndarray:
    """The numbers of a column that is to be a score: finite, and more than one."""
    score = as_numbers(column).to_numpy(dtype="float64")
    name = str(column.name)
    if not np.isfinite(score).all():
        n_others = int((~np.isfinite(score)).sum())
        raise InputError(
            f"Expected a number as the score of every person, but {n_others:,} of {len(score):,} rows of {name!r} have "
            "an infinite one. Load a file with numbers there, or choose another column."
        )
    if len(score) and score.min() == score.max():
        raise InputError(
            f"Expected a score that differs between people, but {name!r} is {value_text(float(score[0]))} in all "
            f"{len(score):,} rows: no cut-off parts anybody. Choose another column."
        )
    return score


# -- what cannot be used -----------------------------------------------------------------------------------


def _refuse_blanks(column: pd.Series, is_blank: np.ndarray) -> None:
    n_blank = int(is_blank.sum())
    if n_blank == len(column):
        raise InputError(
            f"Expected what another model says in {str(column.name)!r}, but it is blank in every row. Choose another "
            "column."
        )
    if n_blank:
        raise InputError(
            f"Expected a decision or score for every person, but {n_blank:,} of {len(column):,} rows of "
            f"{str(column.name)!r} are blank. Leave these rows out of the run, or load a file without blanks there."
        )


def _refuse_the_outcome(found: OutsideDecisions, outcomes: pd.Series, model: OutsideModel, target: str) -> None:
    if (found.decided == outcomes.to_numpy(dtype=object)).all():
        raise InputError(
            f"Expected decisions of another model, but those of {model.column!r} equal {target!r} in all "
            f"{len(outcomes):,} rows: it is the outcome itself, or made from it. Choose another column."
        )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:MOST_NAMED])
    return f"{shown} and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else shown
