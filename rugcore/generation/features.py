"""What the search for rules must know of the columns."""

from dataclasses import dataclass

import numpy as np

from rugcore.tables.columns import Column


@dataclass(frozen=True)
class Features:
    """The columns as arrays."""

    n_codes: np.ndarray
    is_category: np.ndarray

    @classmethod
    def of(cls, columns: tuple[Column, ...]) -> "Features":
        return cls(
            np.array([column.n_codes for column in columns], dtype=np.int64),
            np.array([column.is_category for column in columns], dtype=np.int64),
        )
