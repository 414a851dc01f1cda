"""The reasons of many applicants as a table, one line each, ready for a file."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from rugcore.errors import InputError
from rugcore.explanations.contributions import LEAST_SHARE
from rugcore.explanations.reasons.giving import (
    DEFAULT_WORDING,
    MANUAL_REVIEW,
    MOST_REASONS,
    WEIGHT_DIGITS,
    check,
    finding,
    said,
)
from rugcore.explanations.reasons.wording import Wording
from rugcore.explanations.rule_model import RuleModel
from rugcore.rules.rule import Rule
from rugcore.tables import validation
from rugcore.tables.table import plain_value

ROWS_AT_ONCE = 50_000  # a few numbers per row and column are held for so many
NOWHERE = np.iinfo(np.int32).max


def reasons_table(
    model: RuleModel,
    X: Any,
    positive_class: Any,
    *,
    wording: Wording = DEFAULT_WORDING,
    sensitive: Collection[str] = (),
    most: int = MOST_REASONS,
    ids: Sequence[Any] | None = None,
    only_unfavourable: bool = True,
) -> pd.DataFrame:
    """The main reasons for many decisions, in words: a table to send letters from.

    One line per applicant: applicant (its id, or else its row number), decision, status, reason 1, reason 2, ...

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    X : table
        The applicants.
    positive_class : label
        The class that serves people well; reasons are given for other decisions.
    wording : Wording
        Texts of your own.
    sensitive : collection of str
        Columns that must not be named as a reason.
    most : int, default=4
        Reasons an applicant.
    ids : sequence or None
        What applicants are called; None: their row numbers.
    only_unfavourable : bool, default=True
        False: favourable decisions are listed too, without reasons.
    """
    classes = [plain_value(label) for label in model.classes_]
    check(plain_value(positive_class), classes, most)
    if ids is not None and len(ids) != len(X):
        raise InputError(f"Expected one id a row, but got {len(ids)} ids for {len(X)} rows.")
    names_of_rows = list(range(len(X))) if ids is None else list(ids)
    coverage = model.covering_rules(X)
    decided = model.decisions_for(coverage)
    is_good = decided.class_code == classes.index(plain_value(positive_class))
    by_rules = np.flatnonzero(~(is_good | decided.is_tie | decided.is_uncovered))
    texts = np.full((len(X), most), None, dtype=object)
    many = _Many.of(model, X, wording, frozenset(sensitive))
    for rows in _parts(by_rules):
        texts[rows] = many.texts(coverage[rows].tocsc(), rows, decided.class_code[rows], most)
    is_open = ~is_good & pd.isna(texts[:, 0])
    texts[is_open, 0] = MANUAL_REVIEW  # where a reason would stand, so that a letter made from the table says it too
    texts[pd.isna(texts)] = ""
    status = np.select([is_good, is_open], ["favourable", "manual review"], "reasons")
    rows = np.flatnonzero(~is_good | (not only_unfavourable))
    columns = {
        "applicant": [names_of_rows[row] for row in rows],
        "decision": [classes[number] for number in decided.class_code[rows]],
        "status": status[rows].tolist(),
    }
    return pd.DataFrame(columns | {f"reason {n + 1}": texts[rows, n].tolist() for n in range(most)})


def _parts(rows: np.ndarray) -> Iterator[np.ndarray]:
    yield from (rows[begin : begin + ROWS_AT_ONCE] for begin in range(0, len(rows), ROWS_AT_ONCE))


@dataclass(frozen=True, eq=False)
class _Many:
    """Gives reasons for many rows at once, rule by rule instead of row by row."""

    rules: list[Rule]  # heaviest first
    numbers: list[int]  # of these rules in the model
    labels: list[int]  # numbers of the classes they vote for
    n_classes: int
    names: list[str]  # of the columns that rules look at
    columns: list[np.ndarray]
    is_sensitive: np.ndarray
    wording: Wording

    @classmethod
    def of(cls, model: RuleModel, X: Any, wording: Wording, sensitive: frozenset[str]) -> "_Many":
        table = validation.table_to_predict(model, X)
        names = list(model.rules_.features())
        numbers = sorted(range(len(model.rules_)), key=lambda number: -model.rules_[number].weight)
        rules = [model.rules_[number] for number in numbers]
        classes = [plain_value(label) for label in model.classes_]
        return cls(
            rules=rules,
            numbers=numbers,
            labels=[classes.index(plain_value(rule.label)) for rule in rules],
            n_classes=len(classes),
            names=names,
            columns=[table.column(table.names.index(name)) for name in names],
            is_sensitive=np.array([name in sensitive for name in names], dtype=bool),
            wording=wording,
        )

    def texts(self, coverage: sparse.csc_array, rows: np.ndarray, decided: np.ndarray, most: int) -> np.ndarray:
        """(rows, most): the reasons in words, None where there are no more."""
        heard = self._heard(coverage, decided)
        may_be_named = heard.is_against & ~self.is_sensitive
        ranked = heard.ranked(may_be_named)[:, :most]
        texts = np.full((len(rows), most), None, dtype=object)
        for place in range(ranked.shape[1]):
            for column in range(len(self.names)):
                own = np.flatnonzero((ranked[:, place] == column) & may_be_named[:, column])
                texts[own, place] = self._worded(column, heard.bits[own, column], rows[own])
        return texts

    def _heard(self, coverage: sparse.csc_array, decided: np.ndarray) -> "_Heard":
        shape = (len(decided), len(self.names))
        net, first = np.zeros(shape), np.full(shape, NOWHERE, dtype=np.int32)
        bits, order = np.zeros(shape, dtype=np.uint8), 0
        for number, rule, label in zip(self.numbers, self.rules, self.labels, strict=True):
            rows = coverage.indices[coverage.indptr[number] : coverage.indptr[number + 1]]
            is_for = decided[rows] == label
            amount = np.where(is_for, rule.weight, -rule.weight / (self.n_classes - 1)) / max(rule.length, 1)
            for condition in rule.conditions:
                column, order = self.names.index(condition.feature), order + 1
                net[rows, column] += amount
                first[rows[is_for], column] = np.minimum(first[rows[is_for], column], order)
                bits[rows[is_for], column] |= said([condition])
        return _Heard(net, first, bits)

    def _worded(self, column: int, bits: np.ndarray, rows: np.ndarray) -> list[str]:
        """A text for every row; made once for equal values."""
        values = self.columns[column][rows]
        is_missing = pd.isna(values)
        known: dict[Any, str] = {}
        texts = []
        for own, missing, value in zip(bits.tolist(), is_missing.tolist(), values.tolist(), strict=True):
            key = (own, None if missing else (type(value), value))
            if key not in known:
                known[key] = self.wording.text(self.names[column], finding(own, missing), value)
            texts.append(known[key])
        return texts


@dataclass(frozen=True, eq=False)
class _Heard:
    """What the rules that fired say, by row and column."""

    net: np.ndarray  # what the column adds to the decision, as in `rule_contributions`
    first: np.ndarray  # where it first stands in the rules for the decision; `NOWHERE`: it does not
    bits: np.ndarray  # what these rules say of it

    @property
    def is_against(self) -> np.ndarray:
        """Whether the column speaks for the decision on balance, by more than rounding."""
        return (self.net > LEAST_SHARE * self._largest) & (self.first != NOWHERE)

    def ranked(self, may_be_named: np.ndarray) -> np.ndarray:
        """Columns of every row, the weightiest first; of equals, the one that stands first in the rules."""
        share = np.round(self.net / self._largest, WEIGHT_DIGITS)
        return np.lexsort((self.first, np.where(may_be_named, -share, np.inf)), axis=1)

    @property
    def _largest(self) -> np.ndarray:
        largest: np.ndarray = np.abs(self.net).max(axis=1, keepdims=True, initial=0.0)
        return np.where(largest > 0, largest, 1.0)
