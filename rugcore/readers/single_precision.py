"""Numbers that were kept in single precision, as the decimals that they stand for: 0.800000011920929 is 0.8."""

import numpy as np
import pandas as pd
from pandas.api import types


def with_short_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with such columns written short; the order of their numbers stays, and all others are as they were."""
    changed = {name: short for name in frame.columns if (short := _short(frame[name])) is not None}
    return frame.assign(**changed) if changed else frame


def _short(column: pd.Series) -> pd.Series | None:
    """None unless all numbers are of single precision, and some have more digits than that tells apart."""
    if not types.is_float_dtype(column.dtype):
        return None
    numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
    is_fraction = np.isfinite(numbers) & (numbers != np.round(numbers))
    with np.errstate(over="ignore"):
        single = numbers.astype(np.float32)
    if not is_fraction.any() or not np.array_equal(single.astype(np.float64), numbers, equal_nan=True):
        return None
    values, place = np.unique(single[is_fraction], return_inverse=True)
    short = values.astype(str).astype(np.float64)[place]  # the fewest digits that tell it from its neighbours
    if np.array_equal(short, numbers[is_fraction]):
        return None
    written = numbers.copy()
    written[is_fraction] = short
    return pd.Series(written, index=column.index, name=column.name)
