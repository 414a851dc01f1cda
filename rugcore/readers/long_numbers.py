"""Whole numbers with more digits than a number can hold: they name something, such as an account, and stay text."""

from collections.abc import Callable, Collection

import pandas as pd
from pandas.api import types

from rugcore.readers.columns import listed

LARGEST_EXACT = 2.0**53  # whole numbers below are exact as floating point
WHOLE = r" *[+-]?[0-9]+ *"

# The columns of those names as they stand in the file, so many rows of them.
AsText = Callable[[list[str], int], pd.DataFrame]


def with_long_numbers(
    frame: pd.DataFrame, text_columns: Collection[str], as_text: AsText
) -> tuple[pd.DataFrame, list[str]]:
    """The frame with text where digits were lost, or no number could hold them."""
    large = [name for name in frame.columns if name not in text_columns and _is_large(frame[name])]
    if not large:
        return frame, []
    written = as_text(large, len(frame))
    long = [name for name in large if written[name].dropna().str.fullmatch(WHOLE).all()]
    for name in long:
        frame[name] = written[name].str.strip(" ")
    return frame, _note(written, long)


def _is_large(column: pd.Series) -> bool:
    if types.is_float_dtype(column.dtype):  # blanks have made fractions of whole numbers
        return bool((column.abs() >= LARGEST_EXACT).any())
    return types.infer_dtype(column, skipna=True) == "integer" and types.is_object_dtype(column.dtype)


def _note(written: pd.DataFrame, names: list[str]) -> list[str]:
    if not names:
        return []
    example = max(written[names[0]].dropna(), key=len)
    return [f"Numbers such as {example!r} are too long to be exact and were kept as text: {listed(names)}."]
