"""What more of a column should do for people: as the dictionary says, or else by its name, or else as the rows show.

What a person said always comes first, and a suggestion that was refused on the page Data does not come back here;
`rugboard.session.dictionaries` knows both.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from rugboard.runs.results import Results
from rugboard.session.cache import cached
from rugboard.session.training_columns import columns
from rugcore.dictionary import (
    ColumnEntry,
    DataDictionary,
    Effect,
    FoundOrder,
    Suggestion,
    effect_by_name,
    effect_in_rows,
    find_order,
    may_help,
    value_text,
)
from rugcore.explanations import FaringWell, who_fares_well
from rugcore.rules import SaidDirection
from rugcore.tables import numbers_of, plain_value

if TYPE_CHECKING:
    from rugcore.estimators import RuleClassifier

KEPT = 12
SIGN: dict[Effect, Literal[1, -1]] = {"helps": 1, "harms": -1}
Source = Literal["dictionary", "words", "name", "rows"]


@dataclass(frozen=True)
class ExpectedEffect:
    """What more of a column of numbers should do, or which categories are the better ones, and who says so."""

    effect: Effect
    source: Source
    order: tuple[Any, ...] = ()  # categories from worst to best, as the training rows have them; of numbers none

    @property
    def sign(self) -> Literal[1, -1]:
        return SIGN[self.effect]

    @property
    def said(self) -> SaidDirection:
        """As the engine takes it."""
        return self.order or self.sign


def expectations(results: Results, dictionary: DataDictionary, refused: frozenset[str]) -> dict[str, ExpectedEffect]:
    """By shown name; columns of which nothing can be said are not there."""
    found = {}
    for shown, in_rows in effects_in_rows(results).items():
        name = dictionary.raw_name(shown)
        expected = _expected(name, dictionary.entry(name), in_rows, refused)
        if expected is not None:
            found[shown] = expected
    for shown, by_words in orders_in_rows(results).items():
        name = dictionary.raw_name(shown)
        expected = _expected_order(name, dictionary.entry(name), by_words, refused)
        if expected is not None:
            found[shown] = _as_in_rows(expected, columns(results)[shown].profile.categories)
    return found


def in_order(categories: tuple[Any, ...], expected: ExpectedEffect | None) -> list[Any]:
    """As a list to choose from: from the worst to the best where that is known, and the others behind."""
    order = () if expected is None else expected.order
    return [*(value for value in order if value in categories), *(value for value in categories if value not in order)]


def _expected_order(
    name: str, entry: ColumnEntry, by_words: FoundOrder | None, refused: frozenset[str]
) -> ExpectedEffect | None:
    if entry.protected:
        return None
    if entry.order:
        return ExpectedEffect("helps", "dictionary", entry.shown_order())
    if by_words is None or Suggestion(name, "order", by_words.order, "").key in refused:
        return None
    return ExpectedEffect("helps", by_words.source, by_words.order)


def _as_in_rows(expected: ExpectedEffect, categories: tuple[Any, ...]) -> ExpectedEffect:
    """The dictionary writes categories as text; one that no training row has keeps its place."""
    by_text = {value_text(value): value for value in categories}
    return replace(expected, order=tuple(by_text.get(text, text) for text in expected.order))


def _expected(name: str, entry: ColumnEntry, in_rows: Effect, refused: frozenset[str]) -> ExpectedEffect | None:
    if entry.is_category or entry.protected:
        return None
    if entry.effect != "unknown":
        return ExpectedEffect(entry.effect, "dictionary")
    by_name = effect_by_name(name) or effect_by_name(entry.label)
    if by_name is not None:
        return None if _is_refused(name, by_name.effect, refused) else ExpectedEffect(by_name.effect, "name")
    is_odd = in_rows == "helps" and not may_help(name)
    if in_rows == "unknown" or is_odd or _is_refused(name, in_rows, refused):
        return None
    return ExpectedEffect(in_rows, "rows")


def _is_refused(name: str, effect: Effect, refused: frozenset[str]) -> bool:
    return Suggestion(name, "effect", effect, "").key in refused


@cached(entries=KEPT)
def effects_in_rows(results: Results) -> dict[str, Effect]:
    """Of the columns of numbers, as far as the training rows alone are certain."""
    favourable = results.plan.favourable
    is_good = np.array([plain_value(value) == favourable for value in results.y_train], dtype=bool)
    codes = results.plan.dictionary.special_values()
    numbers = [name for name, column in columns(results).items() if column.is_number]
    train = results.X_train
    return {name: effect_in_rows(_amounts(train[name], tuple(codes.get(name, ()))), is_good) for name in numbers}


def faring_well(results: Results, model: "RuleClassifier") -> FaringWell | None:
    """Whose people had the favourable outcome no less often than all; None where the model itself knows that."""
    return _faring_well(results) if model.fared_ is None else None


@cached(entries=KEPT)
def _faring_well(results: Results) -> FaringWell:
    """In the training rows, for models that do not know them: of older runs, or changed by hand since."""
    codes = results.plan.dictionary.special_values()
    return who_fares_well(results.X_train, results.y_train, results.plan.favourable, special_values=codes)


@cached(entries=KEPT)
def orders_in_rows(results: Results) -> dict[str, FoundOrder | None]:
    """Of the columns of categories, as far as words, names or the training rows are certain."""
    favourable = results.plan.favourable
    is_good = np.array([plain_value(value) == favourable for value in results.y_train], dtype=bool)
    names = [name for name, column in columns(results).items() if not column.is_number]
    return {name: find_order(results.X_train[name], name, is_good) for name in names}


def _amounts(column: pd.Series, codes: tuple[float, ...]) -> np.ndarray:
    numbers = numbers_of(column)
    return np.where(np.isin(numbers, codes), np.nan, numbers)
