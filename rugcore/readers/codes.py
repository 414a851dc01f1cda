"""Codes such as 00123: a postcode or the number of an account, which read as a number would lose its zeros."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

CODE = r" *0\d{2,} *"  # 01 to 12 are as likely months, which have an order worth keeping
PIECE = 1 << 24  # bytes looked at together
ZERO, NINE = ord("0"), ord("9")


def may_have_codes(data: bytes, delimiter: str) -> bool:
    """Whether some field begins like a code: one look at the bytes, a small part of what reading the file takes."""
    begins_field = np.zeros(256, dtype=bool)
    begins_field[[ord(letter) for letter in f'{delimiter}\n\r" ']] = True
    letters = np.frombuffer(data, dtype=np.uint8)
    return any(_has_code(letters[start : start + PIECE + 3], begins_field) for start in range(0, len(letters), PIECE))


def _has_code(letters: np.ndarray, begins_field: np.ndarray) -> bool:
    before = np.flatnonzero(letters[1:-2] == ZERO)
    before = before[begins_field[letters[before]]]
    second, third = letters[before + 2], letters[before + 3]
    return bool(np.any((second >= ZERO) & (second <= NINE) & (third >= ZERO) & (third <= NINE)))


def columns_of_codes(portions: Iterable[pd.DataFrame]) -> list[str]:
    """Those in which some value is a code; the portions of the table hold all values as text."""
    found: dict[str, None] = {}
    for portion in portions:
        open_columns = [name for name in portion.columns if name not in found]
        found |= {name: None for name in open_columns if portion[name].str.fullmatch(CODE).any()}
    return list(found)
