"""What the search for rules must know of the columns."""

from dataclasses import dataclass

import numpy as np

from rugcore.generation.directions import Directions
from rugcore.tables.columns import MISSING_CODE, Column


@dataclass(frozen=True)
class Features:
    """The columns as arrays."""

    n_codes: np.ndarray
    is_category: np.ndarray
    n_specials: np.ndarray  # special codes, and categories without a place, which have the last codes of their column
    directions: Directions | None = None

    @classmethod
    def of(cls, columns: tuple[Column, ...], directions: Directions | None = None) -> "Features":
        return cls(
            np.array([column.n_codes for column in columns], dtype=np.int64),
            np.array([column.is_category for column in columns], dtype=np.int64),
            np.array([column.n_specials for column in columns], dtype=np.int64),
            directions,
        )

    def kinds(self, feature: int) -> list[int]:
        """The codes of what is not a number in a column of numbers: of a blank, and of every special code."""
        last = int(self.n_codes[feature])
        return [MISSING_CODE, *range(last - int(self.n_specials[feature]), last)]
