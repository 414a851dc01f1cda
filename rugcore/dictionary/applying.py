"""Values put into words."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from rugcore.dictionary.entry import ColumnEntry, value_text


def in_words(column: pd.Series, entry: ColumnEntry) -> pd.Series:
    """A column whose values have meanings, as categories; a value without one is its own, and a blank stays a blank.

    The categories are in the order of the dictionary, or in that of the column where it has one. Each different value
    is looked up once.
    """
    codes, distinct = _numbered(column)
    by_text, by_number = entry.meanings()
    words = [_word(value, by_text, by_number) for value in distinct.tolist()]
    is_ordered = isinstance(column.dtype, pd.CategoricalDtype) and bool(column.dtype.ordered)
    order = words if is_ordered else [*by_text.values(), *words]
    categories = list(dict.fromkeys(order))
    place = {category: number for number, category in enumerate(categories)}
    places = np.array([*(place[word] for word in words), -1], dtype=np.int64)[codes]  # a blank's code is -1: the last
    dtype = pd.CategoricalDtype(pd.Index(categories, dtype=object), ordered=is_ordered)
    return pd.Series(pd.Categorical.from_codes(places, dtype=dtype), index=column.index, name=column.name)


def _numbered(column: pd.Series) -> tuple[np.ndarray, pd.Index]:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.codes.to_numpy(dtype=np.int64), column.cat.categories
    codes, distinct = pd.factorize(column)
    return codes, pd.Index(distinct)


def _word(value: Any, by_text: Mapping[str, str], by_number: Mapping[float, str]) -> str:
    text = value_text(value)
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return by_number.get(value, text)  # type: ignore[arg-type] # 1, 1.0 and Decimal(1) are the same key
    return by_text.get(text, text)
