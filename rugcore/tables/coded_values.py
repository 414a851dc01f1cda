"""Codes such as A30 among categories, and names such as X_5: nobody who gets a letter knows what they stand for."""

import re
from collections.abc import Collection
from typing import Any

from rugcore.tables.name_words import words_of

CODE = re.compile(r"[A-Za-z]{1,2}\d{1,4}")
NUMBERED = re.compile(r"(?:[A-Za-z]{1,2}|attr|col|column|feature|field|var|variable)[\W_]*\d+", re.IGNORECASE)
FEWEST = 2  # a single one may be a word that everybody knows
# What is graded is known by such letters: sub_grade B2, rating A1.
GRADED = frozenset(
    ["grade", "grades", "subgrade", "rating", "ratings", "class", "band", "tier", "level", "score", "quarter"]
)


def are_codes(name: str, values: Collection[Any]) -> bool:
    """Whether all values of a column of categories are codes.

    Parameters
    ----------
    name : str
        Of the column: grades are no codes.
    values : collection
        Its values, or some of them.
    """
    texts = [value for value in values if isinstance(value, str)]
    is_coded = len(texts) == len(values) >= FEWEST and all(CODE.fullmatch(text.strip()) for text in texts)
    return is_coded and not set(words_of(name)) & GRADED


def says_nothing(name: str) -> bool:
    """Whether a column is merely numbered, as X_5 and var12 are."""
    return NUMBERED.fullmatch(name.strip()) is not None
