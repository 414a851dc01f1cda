"""Rules that made the labels of synthetic data: the truth against which learned rules can be held."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from rugcore.errors import InputError

Flags = npt.NDArray[np.bool_]

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le,
    ">": operator.gt,
    "is": operator.eq,
    "is not": operator.ne,
}


@dataclass(frozen=True)
class PlantedRule:
    """A rule that made the labels: the truth against which a learned rule can be held."""

    conditions: tuple[tuple[str, str, object], ...]  # column, operator, value
    label: str

    def __post_init__(self) -> None:
        for _, sign, _ in self.conditions:
            if sign not in _COMPARE:
                raise InputError(f"The operator of a condition must be one of {list(_COMPARE)}, but it is '{sign}'.")

    def matches(self, X: pd.DataFrame) -> Flags:
        """Rows that meet every condition; a missing value meets none."""
        is_match = np.ones(len(X), dtype=np.bool_)
        for column, sign, value in self.conditions:
            is_match &= _COMPARE[sign](X[column], value).to_numpy(dtype=np.bool_, na_value=False)
            is_match &= X[column].notna().to_numpy()
        return is_match

    def __str__(self) -> str:
        conditions = " and ".join(f"{column} {sign} {in_words(value)}" for column, sign, value in self.conditions)
        return f"if {conditions} then {self.label}"


def in_words(value: object) -> str:
    return f"{value:,}" if isinstance(value, (int, float)) else str(value)
