"""Categories that go from worst to best, as far as their words or the rows tell.

Words of praise and blame tell by themselves which end is the better one: "Bad", "Good", "Best". Bands of amounts
("< 100", "100 - 500"), words such as "low" and "high", letters of a grade, and categories that a file keeps in an order
tell only what is more and what is less: which end is the better one is for the name of the column or the rows to say.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from rugcore.dictionary.directions import CERTAIN, SURE, evidence, trend
from rugcore.dictionary.entry import value_text
from rugcore.dictionary.names import effect_by_name
from rugcore.tables.name_words import words_of

MOST_CATEGORIES = 40
FEWEST = 2
FEWEST_LETTERS = 3  # "A" and "B" may be anything
# How good a word is; "low" and "high" are praise or blame only beside other such words.
PRAISE = {
    **dict.fromkeys(("very bad", "very poor", "terrible", "critical"), -3),
    **dict.fromkeys(("bad", "poor", "weak", "insufficient", "unsatisfactory", "below average"), -2),
    **dict.fromkeys(("fair", "average", "satisfactory", "acceptable", "adequate", "sufficient", "neutral", "ok"), 0),
    **dict.fromkeys(("good", "strong", "above average"), 2),
    **dict.fromkeys(("better", "very good"), 3),
    **dict.fromkeys(("best", "excellent"), 4),
    **dict.fromkeys(("outstanding", "exceptional", "perfect"), 5),
}
BESIDE_PRAISE = {"very low": -3, "low": -2, "medium": 0, "moderate": 0}
AMOUNTS = {
    **dict.fromkeys(("none", "nothing", "zero"), 0),
    **dict.fromkeys(("very low", "very little", "very small", "lowest", "minimal"), 1),
    **dict.fromkeys(("low", "little", "small", "lower"), 2),
    **dict.fromkeys(("medium", "moderate", "average", "normal", "middle"), 3),
    **dict.fromkeys(("high", "large", "much", "higher", "quite rich"), 4),
    **dict.fromkeys(("very high", "very large", "highest", "rich"), 5),
}
NUMBER = re.compile(r"(?<![A-Za-z\d.])-?\d[\d,]*(?:\.\d+)?")
BELOW = re.compile(r"^\W*(<|≤|under|below|less than|up to|at most|fewer than)", re.IGNORECASE)
ABOVE = re.compile(r"^\W*(>|≥|over|above|more than|at least)|\+|\b(and|or) (over|more|above)\b", re.IGNORECASE)
LETTER = re.compile(r"^[A-H][1-5]?$")

Source = Literal["words", "rows", "name"]


@dataclass(frozen=True)
class FoundOrder:
    """The categories from the worst to the best, and what tells so."""

    order: tuple[str, ...]
    source: Source


def find_order(column: pd.Series, name: str, is_favourable: np.ndarray | None) -> FoundOrder | None:
    """The order of a column of categories, where words or rows leave no doubt.

    Where the rows are certain of the opposite of what words or names say, nothing is found.

    Parameters
    ----------
    column : Series
        The column.
    name : str
        What it is called.
    is_favourable : array of bool or None
        Who had the favourable outcome; None: only words and names are asked.
    """
    known = [value_text(value) for value in pd.unique(column.dropna())]
    if not FEWEST <= len(known) <= MOST_CATEGORIES:
        return None
    praised = by_praise(known)
    if praised is not None:
        return None if _in_rows(column, praised, is_favourable, CERTAIN) < 0 else FoundOrder(praised, "words")
    rising = _declared(column) or by_amount(known) or _by_letters(known, name)
    return None if rising is None else _pointed(column, name, rising, is_favourable)


def by_praise(categories: Sequence[str]) -> tuple[str, ...] | None:
    """From blame to praise; None unless every category is one or the other, each of another degree."""
    words = {value: _plain(value) for value in categories}
    degrees = {value: PRAISE.get(word, BESIDE_PRAISE.get(word)) for value, word in words.items()}
    if not any(word in PRAISE for word in words.values()) or len(degrees) < FEWEST:
        return None
    return _sorted(degrees, leaves_none_out=True)


def by_amount(categories: Sequence[str]) -> tuple[str, ...] | None:
    """From little to much, by words or bands of numbers; categories that are neither have no place."""
    by_words = _sorted({value: AMOUNTS.get(_plain(value)) for value in categories}, leaves_none_out=False)
    if by_words is not None:
        return by_words
    return _sorted({value: _band(value) for value in categories}, leaves_none_out=False)


def _pointed(
    column: pd.Series, name: str, rising: tuple[str, ...], is_favourable: np.ndarray | None
) -> FoundOrder | None:
    """The better end last, as the name says, or else the rows."""
    named = effect_by_name(name)
    if named is not None:
        order = rising if named.effect == "helps" else rising[::-1]
        return None if _in_rows(column, order, is_favourable, SURE) < 0 else FoundOrder(order, "name")
    if is_favourable is None:
        return None
    found = trend(places(column, rising), is_favourable)
    if found is None:
        return None
    return FoundOrder(rising if found.effect == "helps" else rising[::-1], "rows")


def _in_rows(column: pd.Series, order: Sequence[str], is_favourable: np.ndarray | None, enough: float) -> int:
    """1 where better ones have the favourable outcome more often, -1 where less often, 0 where the rows do not tell."""
    found = None if is_favourable is None else evidence(places(column, order), is_favourable)
    if found is None or abs(found.deviation) < enough:
        return 0
    return 1 if found.deviation > 0 else -1


def places(column: pd.Series, order: Sequence[str]) -> np.ndarray:
    """Where everybody stands in the order; NaN for a blank, and for a category without a place."""
    place = {value: float(number) for number, value in enumerate(order)}
    codes, distinct = pd.factorize(column)
    by_code = np.array([*(place.get(value_text(value), np.nan) for value in distinct), np.nan])
    return np.asarray(by_code[codes])


def _declared(column: pd.Series) -> tuple[str, ...] | None:
    """Where the file itself keeps categories in an order."""
    if not isinstance(column.dtype, pd.CategoricalDtype) or not column.dtype.ordered:
        return None
    return tuple(value_text(value) for value in column.dtype.categories)


def _by_letters(categories: Sequence[str], name: str) -> tuple[str, ...] | None:
    """Grades and ratings, whichever end is the better one."""
    if not set(words_of(name)) & {"grade", "grades", "rating", "subgrade", "score", "class"}:
        return None
    is_all = len(categories) >= FEWEST_LETTERS and all(LETTER.match(value) for value in categories)
    return tuple(sorted(categories)) if is_all else None


def _sorted(degrees: dict[str, Any], leaves_none_out: bool) -> tuple[str, ...] | None:
    """By degree; None where too few have one, or two have the same."""
    known = {value: degree for value, degree in degrees.items() if degree is not None}
    is_clear = len(set(known.values())) == len(known) >= FEWEST
    if not is_clear or (leaves_none_out and len(known) < len(degrees)):
        return None
    return tuple(sorted(known, key=known.__getitem__))


def _plain(value: str) -> str:
    return " ".join(words_of(value))


def _band(value: str) -> tuple[float, float] | None:
    """Where a band of numbers begins and ends; None for what is no band."""
    numbers = [float(text.replace(",", "")) for text in NUMBER.findall(value)]
    if not numbers:
        return None
    if BELOW.search(value):
        return -math.inf, numbers[0]
    if ABOVE.search(value):
        return numbers[0], math.inf
    if len(numbers) == 2:
        return (numbers[0], numbers[1]) if numbers[0] < numbers[1] else None
    return (numbers[0], numbers[0]) if len(numbers) == 1 else None
