"""A table of new people as the model needs it, with a remark on what was missing, unreadable or unfamiliar."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

import numpy as np
import pandas as pd
from pandas.api import types

from rugcore.dictionary import DataDictionary, value_text
from rugcore.explanations.rule_model import RuleModel
from rugcore.readers.columns import listed
from rugcore.rules.words import cell
from rugcore.tables.table import Kind, column_names, numbers_of

TRUTH = {"true": True, "false": False, "1": True, "0": False}


@dataclass(eq=False)
class ReadCases:
    """Rows with the columns of the model, and what is to be said about them."""

    X: pd.DataFrame
    n_rows: int
    problems: list[str] = field(default_factory=list)
    remarks: list[list[str]] = field(default_factory=list)  # a list a row
    is_unread: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))  # what rules look at is not known
    is_unfamiliar: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=bool))  # they never saw the like


@dataclass(frozen=True)
class ColumnFacts:
    """What is known about a column from the training rows and the dictionary."""

    categories: frozenset[str] | None = None
    seen: tuple[float, float] | None = None  # numbers among the training rows
    allowed: tuple[float | None, float | None] = (None, None)
    special: frozenset[float] = frozenset()
    had_blanks: bool | None = None  # among the training rows; None: not known


def read_cases(
    model: RuleModel, frame: pd.DataFrame, dictionary: DataDictionary, background: pd.DataFrame | None
) -> ReadCases:
    """Each column as the model was trained on it: what cannot be read becomes a blank, and that is said."""
    frame = dictionary.applied(frame)
    given = dict(zip(column_names(frame), frame.columns, strict=True))
    reader = _Reader(frame, {feature for rule in model.rules_ for feature in rule.features})
    unused = [name for name in given if name not in model.schema_.names]
    columns = {}
    for name, kind in zip(model.schema_.names, model.schema_.kinds, strict=True):
        if name in given:
            facts = _facts_of(model, name, kind, dictionary, background)
            columns[name] = reader.read(frame[given[name]], name, kind, facts)
        else:
            columns[name] = reader.absent(name, kind, unused)
    if unused:
        reader.problems.append(f"The model does not use {_columns(len(unused))} of the file: {listed(unused)}.")
    X = pd.DataFrame(columns, index=frame.index, columns=pd.Index(list(columns), dtype=object), copy=False)
    return ReadCases(X, len(frame), reader.problems, reader.remarks, reader.is_unread, reader.is_unfamiliar)


def _columns(n: int) -> str:
    return "1 column" if n == 1 else f"{n:,} columns"


def _people(n: int) -> str:
    return "1 person" if n == 1 else f"{n:,} people"


def _facts_of(
    model: RuleModel, name: str, kind: Kind, dictionary: DataDictionary, background: pd.DataFrame | None
) -> ColumnFacts:
    entry = dictionary.entry(dictionary.raw_name(name))
    training = None if background is None else background[name].dropna()
    had_blanks = None if background is None or training is None else len(training) < len(background)
    if kind == "number":
        special = {*entry.special, *(code.number for code in model.schema_.specials.get(name, ()))}
        return ColumnFacts(
            None, _range(training, special), (entry.lowest, entry.highest), frozenset(special), had_blanks
        )
    if training is not None:
        return ColumnFacts(
            frozenset(value_text(item) for item in pd.unique(training.astype(object))), had_blanks=had_blanks
        )
    meanings, _ = entry.meanings()
    return ColumnFacts(frozenset(meanings.values()) if entry.is_category else None)


def _range(training: pd.Series | None, special: set[float]) -> tuple[float, float] | None:
    """Of the amounts among the training rows."""
    numbers = np.zeros(0) if training is None else numbers_of(training)
    amounts = numbers[~np.isin(numbers, list(special))]
    return (float(amounts.min()), float(amounts.max())) if len(amounts) else None


class _Reader:
    """Reads one column after the other, and keeps what there is to say."""

    def __init__(self, frame: pd.DataFrame, used: set[str]) -> None:
        n_rows = len(frame)
        self._index = frame.index
        self._used = used
        self.problems: list[str] = []
        self.remarks: list[list[str]] = [[] for _ in range(n_rows)]
        self.is_unread = np.zeros(n_rows, dtype=bool)
        self.is_unfamiliar = np.zeros(n_rows, dtype=bool)

    def absent(self, name: str, kind: Kind, unused: Sequence[str]) -> pd.Series:
        """A column that the file does not have."""
        alike = get_close_matches(name, unused, 1)
        hint = f" Is it {alike[0]!r} there?" if alike else ""
        if name in self._used:
            self.problems.insert(0, f"The file has no column {name!r}, which the rules need: nobody is decided.{hint}")
            self._note(np.ones(len(self._index), dtype=bool), lambda _: f"{name} is not in the file")
            self.is_unread[:] = True
        else:
            self.problems.append(f"The file has no column {name!r}; no rule looks at it.{hint}")
        blank = np.nan if kind == "number" else None
        return pd.Series([blank] * len(self._index), index=self._index, dtype=float if kind == "number" else object)

    def read(self, column: pd.Series, name: str, kind: Kind, facts: ColumnFacts) -> pd.Series:
        if kind == "blank":
            return column
        read, is_bad = _converted(column, kind)
        if is_bad.any():
            self._report_unread(column, name, kind, is_bad)
        if kind == "number":
            self._check_range(numbers_of(read), name, facts)
        elif facts.categories is not None:
            self._check_values(read, name, facts.categories)
        self._check_blanks(read.isna().to_numpy() & ~is_bad, name, facts.had_blanks)
        return read

    def _check_blanks(self, is_blank: np.ndarray, name: str, had_blanks: bool | None) -> None:
        """Rules can know blanks; where the training rows had none, what a blank means was never learned."""
        if name not in self._used or not is_blank.any():
            return
        never = had_blanks is False
        seen = "; no training row has a blank there" if never else ""
        self.problems.append(f"{name!r} is blank for {_people(int(is_blank.sum()))}{seen}.")
        if never:
            self._note(is_blank, lambda _: f"{name} is blank, and no training row has a blank there")
            self.is_unfamiliar |= is_blank

    def _report_unread(self, column: pd.Series, name: str, kind: Kind, is_bad: np.ndarray) -> None:
        expected = {"number": "a number", "code": "a number", "boolean": "true or false"}.get(kind, "text")
        values = column.astype(object).to_numpy()
        example = values[int(np.flatnonzero(is_bad)[0])]
        outcome = "they are not decided" if name in self._used else "no rule looks at it"
        self.problems.append(
            f"{name!r} could not be read for {_people(int(is_bad.sum()))}: expected {expected}, but got "
            f"{value_text(example)!r}{_alike(values[is_bad])}; {outcome}."
        )
        self._note(is_bad, lambda row: f"{name} could not be read: {value_text(values[row])!r}")
        if name in self._used:
            self.is_unread |= is_bad

    def _check_range(self, numbers: np.ndarray, name: str, facts: ColumnFacts) -> None:
        is_settled = np.isin(numbers, list(facts.special))
        for limits, is_allowed in ((facts.allowed, True), (facts.seen or (None, None), False)):
            low = -np.inf if limits[0] is None else limits[0]
            high = np.inf if limits[1] is None else limits[1]
            is_outside = ((numbers < low) | (numbers > high)) & ~is_settled  # comparisons with a blank are false
            is_settled |= is_outside
            if is_outside.any():
                self._report_outside(name, numbers, is_outside, _span(low, high), is_allowed)

    def _report_outside(
        self, name: str, numbers: np.ndarray, is_outside: np.ndarray, span: str, is_allowed: bool
    ) -> None:
        where = f"outside its range ({span})" if is_allowed else f"beyond the training rows ({span})"
        example = cell(float(numbers[is_outside][0]))
        no_say = "" if name in self._used else "; no rule looks at it"
        self.problems.append(f"{name!r} is {where} for {_people(int(is_outside.sum()))}, such as {example}{no_say}.")
        if name not in self._used:
            return  # it has no say in the decision
        self._note(is_outside, lambda row: f"{name} is {where}: {cell(float(numbers[row]))}")
        if is_allowed:
            self.is_unfamiliar |= is_outside

    def _check_values(self, column: pd.Series, name: str, categories: frozenset[str]) -> None:
        values = column.astype(object).to_numpy()
        codes, distinct = pd.factorize(values)
        is_new = np.array([*(value_text(item) not in categories for item in distinct), False], dtype=bool)[codes]
        if not is_new.any():
            return
        example = value_text(values[int(np.flatnonzero(is_new)[0])])
        self.problems.append(
            f"{name!r} has values that the model has never seen, for {_people(int(is_new.sum()))}: "
            f"{example!r}{_alike(values[is_new])}."
        )
        self._note(is_new, lambda row: f"{name} has a value that the model has never seen: {value_text(values[row])!r}")
        if name in self._used:
            self.is_unfamiliar |= is_new

    def _note(self, rows: np.ndarray, sentence: Callable[[int], str]) -> None:
        for row in np.flatnonzero(rows).tolist():
            self.remarks[row].append(sentence(row))


def _alike(values: np.ndarray) -> str:
    return " and the like" if len(pd.unique(values)) > 1 else ""


def _span(low: float, high: float) -> str:
    if np.isinf(low):
        return f"up to {cell(high)}"
    return f"{cell(low)} and more" if np.isinf(high) else f"{cell(low)} to {cell(high)}"


# -- one column as the model was trained on it ---------------------------------------------------------------


def _converted(column: pd.Series, kind: Kind) -> tuple[pd.Series, np.ndarray]:
    """The column, and where it could not be read; a cell with nothing but spaces is a blank."""
    if kind in ("number", "code"):
        return _as_numbers(column)
    return _as_truth(column) if kind == "boolean" else (_as_text(column), np.zeros(len(column), dtype=bool))


def _as_numbers(column: pd.Series) -> tuple[pd.Series, np.ndarray]:
    values = column.astype(object)
    if types.is_numeric_dtype(column.dtype):
        numbers = pd.Series(numbers_of(column), index=column.index)
        is_known = ~np.isnan(numbers.to_numpy())
    else:
        numbers = pd.to_numeric(values, errors="coerce").astype("float64")
        is_known = (column.notna() & (values.astype(str).str.strip() != "")).to_numpy()
    is_bad = ~np.isfinite(numbers.to_numpy()) & is_known
    return numbers.where(~is_bad), is_bad


def _as_truth(column: pd.Series) -> tuple[pd.Series, np.ndarray]:
    if types.is_bool_dtype(column.dtype) and not column.isna().any():
        return column, np.zeros(len(column), dtype=bool)
    words = column.astype(object).map(lambda item: value_text(item).strip().lower(), na_action="ignore")
    truth = words.map(TRUTH).astype(object)
    is_bad = (truth.isna() & words.notna() & (words != "")).to_numpy()
    return truth.where(truth.notna(), None), is_bad


def _as_text(column: pd.Series) -> pd.Series:
    """What looks like a number in the file is text to the model, as it was in training."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.astype(object).map(value_text, na_action="ignore").astype(object)
    if types.is_string_dtype(column.dtype) and not types.is_object_dtype(column.dtype):
        return column
    return column.astype(object).map(value_text, na_action="ignore").astype(object)
