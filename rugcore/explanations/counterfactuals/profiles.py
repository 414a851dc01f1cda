"""What the training rows tell about a column: how far its numbers spread and how fine they are, or its categories."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.rules.special import SpecialCodes
from rugcore.tables.special import special_codes
from rugcore.tables.table import Kind, plain_value, read_table

MOST_DECIMALS = 6
# A proposal is not finer than this share of the column's spread: nobody changes a yearly income by a cent.
FINEST_SHARE = 1e-3


@dataclass(frozen=True)
class ColumnProfile:
    """Of one column."""

    kind: Kind
    spread: float = 1.0  # standard deviation
    centre: float = 0.0  # median: a blank that becomes a number becomes one near it
    decimals: int = 0  # of a proposal: as many as the column's own numbers have, if that is not too fine
    is_whole: bool = False
    categories: tuple[Any, ...] = ()  # most frequent first


def column_profiles(X: Any, special_values: Any = None) -> dict[str, ColumnProfile]:
    """What the columns of the training rows hold, which values and how far apart: what `FlipFinder` starts from.

    Parameters
    ----------
    X : table
        The training rows.
    special_values : dict or None
        The special codes of the columns, as `RUGClassifier` has them: they are no amounts.
    """
    table = read_table(X if isinstance(X, pd.DataFrame) else np.asarray(X))
    specials = special_codes(special_values, table)
    return {
        name: _profile(table.column(position), kind, specials.get(name, ()))
        for position, (name, kind) in enumerate(zip(table.names, table.kinds, strict=True))
    }


def _profile(column: np.ndarray, kind: Kind, specials: SpecialCodes) -> ColumnProfile:
    if kind == "blank":
        return ColumnProfile(kind)
    if kind == "number":
        is_amount = ~(np.isnan(column) | np.isin(column, [code.number for code in specials]))
        if not is_amount.any():
            return ColumnProfile(kind)
        return _profile_of_numbers(np.unique(column[is_amount], return_inverse=True))
    counts = pd.Series(column, dtype=object).value_counts()
    ordered = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
    return ColumnProfile(kind, categories=tuple(plain_value(value) for value, _ in ordered))


def _profile_of_numbers(known: tuple[np.ndarray, np.ndarray]) -> ColumnProfile:
    distinct, places = known
    spread = float(distinct[places].std()) or 1.0  # a constant column has no spread
    return ColumnProfile(
        kind="number",
        spread=spread,
        centre=float(np.median(distinct[places])),
        decimals=_decimals(distinct, spread),
        is_whole=bool((distinct == np.floor(distinct)).all()),
    )


def _decimals(distinct: np.ndarray, spread: float) -> int:
    useful = min(MOST_DECIMALS, max(0, math.ceil(-math.log10(spread * FINEST_SHARE))))
    enough = (d for d in range(useful) if np.array_equal(np.round(distinct, d), distinct))
    return next(enough, useful)
