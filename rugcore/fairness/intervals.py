"""Confidence intervals for rates.

Wilson's score interval for one rate, and Newcombe's hybrid score interval (his method 10) for the difference of two.
Both keep their promise for small samples and for rates near 0 and 1, where the usual plus-minus does not. Katz's log
interval for the ratio of two; it needs a hit in both samples. Clopper and Pearson's exact interval for one rate, which
is never too narrow, where a promise rests on it. With sample weights the number of rows is replaced by
Kish's effective sample size.

E. B. Wilson (1927), Probable inference, the law of succession, and statistical inference. JASA 22, 209-212.
R. G. Newcombe (1998), Interval estimation for the difference between independent proportions. Stat. Med. 17, 873-890.
D. Katz et al. (1978), Obtaining confidence intervals for the risk ratio in cohort studies. Biometrics 34, 469-474.
C. J. Clopper, E. S. Pearson (1934), The use of confidence or fiducial limits. Biometrika 26, 404-413.
L. Kish (1965), Survey Sampling. Wiley.
"""

from statistics import NormalDist

import numpy as np
from scipy.stats import beta


def wilson(rate: np.ndarray, size: np.ndarray, confidence: float) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper bound of each rate, which was seen in a sample of that size; the size need not be whole."""
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    centre = (rate + z * z / (2 * size)) / (1 + z * z / size)
    half = z * np.sqrt(rate * (1 - rate) / size + z * z / (4 * size * size)) / (1 + z * z / size)
    # An interval holds its rate; at 0 and 1 rounding could leave it just outside.
    return np.clip(centre - half, 0.0, rate), np.clip(centre + half, rate, 1.0)


def clopper_pearson(hits: np.ndarray, size: np.ndarray, confidence: float) -> tuple[np.ndarray, np.ndarray]:
    """Exact bounds of each rate: either is passed with probability at most (1 - confidence) / 2, whatever the rate.

    Where there are no rows, 0 and 1: nothing is known.
    """
    each = (1.0 - confidence) / 2
    with np.errstate(invalid="ignore"):
        lower = np.where(hits > 0, beta.ppf(each, hits, size - hits + 1), 0.0)
        upper = np.where(hits < size, beta.ppf(1.0 - each, hits + 1, size - hits), 1.0)
    return np.where(size > 0, lower, 0.0), np.where(size > 0, upper, 1.0)


def newcombe(rates: tuple[float, float], sizes: tuple[float, float], confidence: float) -> tuple[float, float]:
    """Lower and upper bound of the first rate minus the second, of two independent samples."""
    rate = np.array(rates)
    lower, upper = wilson(rate, np.array(sizes), confidence)
    below, above = rate - lower, upper - rate
    difference = rate[0] - rate[1]
    return float(difference - np.hypot(below[0], above[1])), float(difference + np.hypot(above[0], below[1]))


def katz(rates: tuple[float, float], sizes: tuple[float, float], confidence: float) -> tuple[float, float]:
    """Lower and upper bound of the first rate over the second; NaN where one is 0 or both are 1: then it says nothing.

    At two rates of 1 its width would be 0, however few the rows.
    """
    if min(rates) <= 0 or min(rates) >= 1:
        return float("nan"), float("nan")
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    rate, size = np.array(rates), np.array(sizes)
    factor = np.exp(z * np.sqrt(((1 - rate) / (rate * size)).sum()))
    ratio = rates[0] / rates[1]
    return float(ratio / factor), float(ratio * factor)


def effective_size(total: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """Kish: how many rows of equal weight say as much. From the sums of the weights and of their squares."""
    return np.divide(total * total, squares, out=np.zeros(np.shape(squares)), where=squares > 0)
