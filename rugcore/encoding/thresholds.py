"""Where to cut a column of numbers, and which number to write for the cut."""

import numpy as np

# A double has 17 significant digits; with that many every gap between two numbers holds a number.
MOST_DIGITS = 17


def readable_thresholds(below: np.ndarray, above: np.ndarray) -> np.ndarray:
    """For each gap, the number with the fewest digits that separates its two ends.

    The result t satisfies below <= t < above, so `x <= t` splits the data between the two ends, and t is what
    a person reads: 42,000 rather than 41,873.5. Among equally short numbers the one nearest to the middle is
    taken.
    """
    below, above = np.asarray(below, dtype=float), np.asarray(above, dtype=float)
    thresholds = np.where((below <= 0) & (above > 0), 0.0, below)
    pending = np.flatnonzero(~((below <= 0) & (above > 0)))
    for digits in range(1, MOST_DIGITS + 1):
        if not pending.size:
            break
        shortest = _rounded_middle(below[pending], above[pending], digits)
        fits = (below[pending] <= shortest) & (shortest < above[pending])
        thresholds[pending[fits]] = shortest[fits]
        pending = pending[~fits]
    return thresholds


def _rounded_middle(below: np.ndarray, above: np.ndarray, digits: int) -> np.ndarray:
    """The middle of each gap at `digits` digits, exactly as its decimal text reads.

    The middle may round to `above` when both ends are that short; the lower end is then the number wanted.
    """
    middle = below + (above - below) / 2
    rounded = _round(middle, digits)
    lower = _round(below, digits)
    return np.where((rounded >= above) & (lower == below), below, rounded)


def _round(numbers: np.ndarray, digits: int) -> np.ndarray:
    return np.array([float(f"{number:.{digits - 1}e}") for number in numbers.tolist()])


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
