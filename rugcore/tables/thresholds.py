"""Where to cut a column of numbers, and which number to write for the cut."""

from decimal import Context, Decimal

import numpy as np

# A double has 17 significant digits; with that many every gap between two numbers holds a number.
MOST_DIGITS = 17
# Arithmetic on the decimal numbers of each length.
OF_LENGTH = [Context(prec=max(digits, 1)) for digits in range(MOST_DIGITS + 1)]


def readable_thresholds(below: np.ndarray, above: np.ndarray) -> np.ndarray:
    """For each gap, the number with the fewest digits that separates its two ends.

    The result t satisfies below <= t < above, so `x <= t` splits the data between the two ends, and t is what
    a person reads: 42,000 rather than 41,873.5. Among equally short numbers the one nearest to the middle is
    taken, but between -1 and 0 it is -1: a column of whole numbers is not cut at -0.5.
    """
    gaps = zip(np.asarray(below, float).tolist(), np.asarray(above, float).tolist(), strict=True)
    return np.array([_shortest_between(*gap) for gap in gaps], dtype=float)


def _shortest_between(below: float, above: float) -> float:
    if below <= 0 < above:
        return 0.0
    if below == -1:
        return below
    middle = below + (above - below) / 2
    if middle >= above:  # two neighbours: no number lies between them
        middle = below
    for digits in range(1, MOST_DIGITS):
        threshold = _nearest_between(below, above, middle, digits)
        if threshold is not None:
            return threshold
    return middle


def _nearest_between(below: float, above: float, middle: float, digits: int) -> float | None:
    """The number of so many digits in the gap that is nearest to its middle, exactly as its text reads.

    The upper end does not belong to the gap, so the one nearest to the middle may lie just outside; then only the
    next lower one can lie inside.
    """
    text = f"{middle:.{digits - 1}e}"
    number = float(text)
    if number >= above:
        number = float(OF_LENGTH[digits].next_minus(Decimal(text)))
    return number if below <= number < above else None


def cuts_between_all(distinct: np.ndarray) -> np.ndarray:
    """A cut in every gap: nothing about the column is lost."""
    return readable_thresholds(distinct[:-1], distinct[1:])


def cuts_at_quantiles(distinct: np.ndarray, weight: np.ndarray, n_bins: int) -> np.ndarray:
    """At most `n_bins - 1` cuts that leave about the same weight between each two neighbours."""
    share = np.cumsum(weight) / weight.sum()
    wanted = np.arange(1, n_bins) / n_bins
    # The last distinct value at or below each quantile; the cut lies in the gap above it.
    position = np.searchsorted(share, wanted - 1e-12, side="left")
    position = np.unique(np.clip(position, 0, distinct.size - 2))
    return readable_thresholds(distinct[position], distinct[position + 1])
