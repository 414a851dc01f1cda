"""Numbers that some program kept in single precision and then wrote with all the digits of its noise.

0.8 comes back from such a program as 0.800000011920929. Nobody meant these digits, and a rule that says "> 0.8" would
apply to whoever has exactly 0.8.
"""

import numpy as np
import pandas as pd
from pandas.api import types

from rugcore.readers.columns import listed


def without_noise(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The table with the numbers that were meant, and a note on the columns that changed."""
    meant = {name: found for name in frame.columns if (found := _meant(frame[name])) is not None}
    if not meant:
        return frame, []
    name, column = next(iter(meant.items()))
    before, after = (values.to_numpy(dtype="float64", na_value=np.nan) for values in (frame[name], column))
    place = int(np.flatnonzero(np.abs(before - after) > 0)[0])  # no blank is larger than nothing
    note = (
        f"Numbers with more digits than they were written with are read as they were meant, such as "
        f"{float(after[place])!r} for {float(before[place])!r}: {listed(map(str, meant))}."
    )
    return frame.assign(**{str(name): found for name, found in meant.items()}), [note]


def _meant(column: pd.Series) -> pd.Series | None:
    """None if the column holds anything but single precision, or nothing that needs more digits than that has."""
    if not types.is_float_dtype(column.dtype):
        return None
    numbers = column.to_numpy(dtype="float64", na_value=np.nan)
    known = numbers[np.isfinite(numbers)]
    with np.errstate(over="ignore"):
        single = known.astype("float32")
    if not len(known) or not np.array_equal(single.astype("float64"), known):
        return None
    distinct, places = np.unique(single, return_inverse=True)
    is_whole = distinct == np.floor(distinct)  # and meant so, to the last digit
    short = np.array(
        [float(number) if whole else float(str(number)) for number, whole in zip(distinct, is_whole, strict=True)]
    )
    if np.array_equal(short, distinct.astype("float64")):
        return None
    found = numbers.copy()
    found[np.isfinite(numbers)] = short[places]
    return pd.Series(found, index=column.index, name=column.name)
