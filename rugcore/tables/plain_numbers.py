"""A column of text read as the numbers that it is."""

import numpy as np
import pandas as pd
from pandas.api import types

from rugcore.errors import InputError


def as_numbers(column: pd.Series) -> pd.Series:
    """Text as the numbers that it is; refused with an `InputError` if some of it is none."""
    if types.is_numeric_dtype(column.dtype) and not types.is_bool_dtype(column.dtype):
        return column
    values = column.astype(object)
    numbers = pd.to_numeric(values, errors="coerce").astype("float64")
    others = values[~np.isfinite(numbers) & column.notna()]
    if len(others):
        raise _no_numbers(str(column.name), others, len(column))
    return numbers


def _no_numbers(name: str, others: pd.Series, n_rows: int) -> InputError:
    alike = " and the like" if others.nunique() > 1 else ""
    where = f"all {n_rows:,} rows" if len(others) == n_rows else f"{len(others):,} of {n_rows:,} rows"
    return InputError(
        f"Column {name!r} cannot be read as numbers because of {others.iloc[0]!r}{alike} in {where}. Read it as it is, "
        "leave it out, or load a file with numbers or empty cells there."
    )
