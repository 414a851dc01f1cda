"""A long table read in portions, and what comes out is as if it had been read at once.

pandas keeps the text of every field until the last one is read, which takes more memory than the table. A portion is
read like a small table; but a column may then be whole numbers here, fractions or blanks there, and text elsewhere.
Numbers are put together where that changes none of them. Whatever else differs is read again as a whole.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

LARGEST_EXACT = 2**53  # up to here every whole number is also a fraction


def read_in_portions(read: Callable[..., Any], n_rows_at_once: int) -> pd.DataFrame:
    """`read` is `pandas.read_csv` without `chunksize` and `usecols`."""
    pieces: dict[Any, list[pd.Series]] = {}
    names: list[Any] = []
    with read(chunksize=n_rows_at_once) as portions:
        for portion in portions:
            names = list(portion.columns)
            for name in names:
                pieces.setdefault(name, []).append(portion[name].copy())  # or it would hold on to the whole portion
    unlike = [name for name in names if not _can_be_joined(pieces[name])]
    for name in unlike:
        del pieces[name]
    whole = read(usecols=unlike) if unlike else pd.DataFrame()
    joined = {name: whole[name] if name in unlike else _joined(pieces.pop(name)) for name in names}
    return pd.DataFrame(joined, copy=False)


def _can_be_joined(pieces: list[pd.Series]) -> bool:
    kinds = {piece.dtype for piece in pieces}
    if len(kinds) == 1:
        return not any(_has_blank_text(piece) for piece in pieces)
    if kinds != {np.dtype("int64"), np.dtype("float64")}:
        return False
    return all(piece.abs().max() <= LARGEST_EXACT for piece in pieces if piece.dtype == np.dtype("int64"))


def _has_blank_text(piece: pd.Series) -> bool:
    """Beside a whole number that is too long pandas leaves blanks as text; beside words they are blanks again."""
    return not pd.api.types.is_numeric_dtype(piece.dtype) and bool((piece == "").any())


def _joined(pieces: list[pd.Series]) -> pd.Series:
    return pd.concat(pieces, ignore_index=True)
