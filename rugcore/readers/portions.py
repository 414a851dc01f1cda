"""A long table read in portions, and what comes out is as if it had been read at once.

pandas keeps the text of every field until the last one is read, which takes more memory than the table. A portion is
read like a small table; but a column may then be whole numbers here, fractions or blanks there, and text elsewhere.
Numbers go into one array that has room for all rows, so that they are not in memory twice, where that changes none of
them. Other values are put together in the end. Whatever else differs is read again as a whole.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

LARGEST_EXACT = 2**53  # up to here every whole number is also a fraction
WHOLE, FRACTION = np.dtype("int64"), np.dtype("float64")


def read_in_portions(read: Callable[..., Any], n_rows_at_once: int, n_rows: int) -> pd.DataFrame:
    """`read` is `pandas.read_csv` without `chunksize` and `usecols`; `n_rows` are expected."""
    growing: dict[Any, _Growing] = {}
    with read(chunksize=n_rows_at_once) as portions:
        for portion in portions:
            for name in portion.columns:
                growing.setdefault(name, _Growing(n_rows)).take(portion[name])
    unlike = [name for name, column in growing.items() if column.is_unlike]
    whole = read(usecols=unlike) if unlike else pd.DataFrame()
    joined = {name: whole[name] if name in unlike else growing.pop(name).joined() for name in list(growing)}
    return pd.DataFrame(joined, copy=False)


class _Growing:
    """A column while its portions come in: numbers in one array, anything else in pieces."""

    def __init__(self, n_rows: int) -> None:
        self.is_unlike = False  # as a whole it would have been read otherwise
        self._room = n_rows
        self._numbers: np.ndarray | None = None
        self._n_read = 0
        self._pieces: list[pd.Series] = []

    def take(self, piece: pd.Series) -> None:
        if self.is_unlike:
            return
        if piece.dtype in (WHOLE, FRACTION) and not self._pieces:
            self._take_numbers(piece.to_numpy())
        elif self._numbers is None and (not self._pieces or piece.dtype == self._pieces[0].dtype):
            self._pieces.append(piece.copy())  # or it would hold on to the whole portion
            self.is_unlike = _has_no_kind(piece)
        else:
            self.is_unlike = True
        if self.is_unlike:
            self._numbers, self._pieces = None, []

    def _take_numbers(self, piece: np.ndarray) -> None:
        if self._numbers is None:
            self._numbers = np.empty(self._room, dtype=piece.dtype)
        if self._numbers.dtype != piece.dtype:
            wholes = piece if piece.dtype == WHOLE else self._numbers[: self._n_read]
            if not _are_exact(wholes):
                self.is_unlike = True
                return
            self._numbers = self._numbers.astype(FRACTION, copy=False)
        end = self._n_read + len(piece)
        if end > len(self._numbers):  # more rows than expected: whoever reads the file says so
            self._numbers = np.resize(self._numbers, end)
        self._numbers[self._n_read : end] = piece
        self._n_read = end

    def joined(self) -> pd.Series:
        if self._numbers is None:
            return pd.concat(self._pieces, ignore_index=True)
        return pd.Series(self._numbers[: self._n_read], copy=False)


def _are_exact(wholes: np.ndarray) -> bool:
    return not len(wholes) or -LARGEST_EXACT <= int(wholes.min()) <= int(wholes.max()) <= LARGEST_EXACT


def _has_no_kind(piece: pd.Series) -> bool:
    """Whether pandas has no kind for it, true and false aside: beside others it may be read otherwise."""
    return piece.dtype == object and pd.api.types.infer_dtype(piece, skipna=True) != "boolean"


def with_blanks(frame: pd.DataFrame) -> pd.DataFrame:
    """Beside a whole number that is too long for it pandas leaves blanks as text without a letter."""
    for name in frame.columns:
        column = frame[name]
        is_blank = None if pd.api.types.is_numeric_dtype(column.dtype) else column == ""
        if is_blank is not None and is_blank.any():
            frame[name] = column.mask(is_blank)
    return frame
