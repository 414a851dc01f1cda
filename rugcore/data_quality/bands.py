"""A number cut into bands that read as words, so that it can make groups."""

import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from rugcore.errors import InputError
from rugcore.rules.words import number
from rugcore.tables.table import numbers_of

ROUND_STEPS = (5.0, 2.0, 1.0)  # times a power of ten: edges that a person would choose
FINEST = 6  # powers of ten below the spread; finer than that is no longer round
LOWEST, HIGHEST = "under ", " and over"
BAND = re.compile(rf"(-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)(?: to .+|{HIGHEST})?")
ROUNDNESS = 4  # an edge may move by an eighth of a band to become round


def bands(values: pd.Series, edges: int | Sequence[float]) -> pd.Series:
    """Ordered categories such as 'under 25', '25 to 39', '40 and over'; a blank stays a blank.

    `edges` are where one band ends and the next begins (a value on an edge belongs to the upper band), or the number
    of bands, which are then of about equal size: see `band_edges`.
    """
    numbers = _numbers(values)
    chosen = band_edges(values, edges) if isinstance(edges, int) else _checked(edges)
    is_whole = _is_whole(numbers[~np.isnan(numbers)]) and _is_whole(np.array(chosen))
    labels = _labels(chosen, is_whole)
    codes = np.searchsorted(chosen, numbers, side="right")
    codes[np.isnan(numbers)] = -1
    categories = pd.Categorical.from_codes(codes, categories=pd.Index(labels), ordered=True)
    return pd.Series(categories, index=values.index, name=values.name)


def in_order_of_bands(names: Iterable[str]) -> list[str]:
    """Bands from the lowest to the highest, then what is none; as given where there are no bands."""
    found = list(names)
    has_bands = any(name.startswith(LOWEST) for name in found) and any(name.endswith(HIGHEST) for name in found)
    return sorted(found, key=_place) if has_bands else found


def _place(name: str) -> tuple[bool, float]:
    if name.startswith(LOWEST):
        return False, -math.inf
    band = BAND.fullmatch(name)
    return band is None, 0.0 if band is None else float(band[1].replace(",", ""))


def band_edges(values: pd.Series, n_bands: int) -> tuple[float, ...]:
    """Round edges that cut the values into bands of about equal size; fewer where many values are the same."""
    if isinstance(n_bands, bool) or n_bands < 2:
        raise InputError(f"Expected at least 2 bands, but got {n_bands}.")
    numbers = _numbers(values)
    known = numbers[~np.isnan(numbers)]
    if not len(known) or known.min() == known.max():
        raise InputError(f"Expected column {values.name!r} to have different numbers to cut between, but it has not.")
    return _rounded(np.sort(known), n_bands)


def _rounded(known: np.ndarray, n_bands: int) -> tuple[float, ...]:
    """The roundest edges that make as many bands as exact ones would; where most values are the least, above it."""
    exact = np.quantile(known, np.arange(1, n_bands) / n_bands)
    above_least = known[known > known[0]][:1]
    finest = _cuts(exact, known) or _cuts(above_least, known)
    for step in _round_steps(float(known[-1] - known[0]), n_bands, _is_whole(known)):
        edges = _cuts(np.round(exact / step) * step, known)
        if len(edges) >= len(finest):
            return tuple(float(f"{edge:.12g}") for edge in edges)  # 3 * 0.1 is not quite 0.3
    return finest


def _round_steps(spread: float, n_bands: int, is_whole: bool) -> list[float]:
    """From coarse to fine; whole numbers are cut at whole numbers."""
    power = math.floor(math.log10(spread))
    steps = [factor * 10.0**exponent for exponent in range(power, power - FINEST, -1) for factor in ROUND_STEPS]
    small = [step for step in steps if step <= spread / n_bands / ROUNDNESS]
    return [max(step, 1.0) for step in small] or [1.0] if is_whole else small


def _cuts(edges: np.ndarray, known: np.ndarray) -> tuple[float, ...]:
    """The edges that leave values in every band."""
    n_below = np.searchsorted(known, edges)
    return tuple(
        float(edge)
        for edge, n, n_before in zip(edges, n_below, [0, *n_below[:-1]], strict=True)
        if n_before < n < len(known)
    )


def _numbers(values: pd.Series) -> np.ndarray:
    if not pd.api.types.is_numeric_dtype(values.dtype) or pd.api.types.is_bool_dtype(values.dtype):
        raise InputError(f"Expected numbers to cut into bands, but column {values.name!r} holds {values.dtype}.")
    return numbers_of(values)


def _checked(edges: Sequence[float]) -> tuple[float, ...]:
    numbers = tuple(float(edge) for edge in edges)
    if not numbers or not np.isfinite(numbers).all() or any(low >= high for low, high in pairwise(numbers)):
        raise InputError(f"Expected finite edges of bands, each larger than the one before, but got {list(edges)}.")
    return numbers


def _is_whole(numbers: np.ndarray) -> bool:
    return bool((numbers == np.floor(numbers)).all())


def _labels(edges: Sequence[float], is_whole: bool) -> list[str]:
    between = [_between(low, high, is_whole) for low, high in pairwise(edges)]
    return [f"{LOWEST}{number(edges[0])}", *between, f"{number(edges[-1])}{HIGHEST}"]


def _between(low: float, high: float, is_whole: bool) -> str:
    """Whole numbers have a last one in the band, which reads better than where the next begins."""
    if not is_whole:
        return f"{number(low)} to under {number(high)}"
    return number(low) if high == low + 1 else f"{number(low)} to {number(high - 1)}"
