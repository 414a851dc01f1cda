"""Rates of small groups that borrow strength from the larger ones, shown beside the raw rates, never in their place.

Several sensitive columns make a group of every combination, and many of these are small: of 12 people, 3 decided
wrongly may be anything between 9 % and 53 %. What is known of larger groups helps. For every combination j with n_j
people, of whom h_j are counted (r_j = h_j / n_j):

    m_j    what the columns say if they only add up: the weighted least-squares fit of r by one term per value of every
           column, the weights being n. With one column it is the rate of everybody.
    rho    how much combinations differ beyond that, by moments (Kleinman 1973): with S = sum n_j (r_j - m_j)^2 /
           (m_j (1 - m_j)) over J combinations and p fitted terms, rho = (S - (J - p)) / sum (n_j - 1), at least 0
    kappa  = 1 / rho - 1, but no more than all people together: as many imaginary people at the rate m_j join each
           combination
    estimate_j = (h_j + kappa m_j) / (n_j + kappa),  with the 95 % interval of the beta distribution of h_j + kappa m_j
           against n_j - h_j + kappa (1 - m_j)

Where combinations differ no more than chance would have it, rho is 0 and all are drawn to m; where they do, kappa is
small and everybody keeps the own rate. A large combination keeps it anyhow. Where as many terms are fitted as there are
combinations, nothing says how much they differ: then nothing is borrowed (kappa 0).

J. C. Kleinman (1973), Proportions with extraneous variance. Journal of the American Statistical Association 68, 46-54.
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import beta

from rugcore.errors import InputError
from rugcore.fairness.groups import Groups, read_columns
from rugcore.fairness.intervals import wilson
from rugcore.fairness.notions import notion_of
from rugcore.fairness.outcomes import Estimation, Outcomes, read_outcomes
from rugcore.fairness.parity import MIN_CELL_SIZE

NAN = float("nan")


def borrowed_rates(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    larger_groups: Any = None,
    fairness: str = "dmc",
    positive_class: Any = None,
    min_cell_size: int = MIN_CELL_SIZE,
    confidence: float = 0.95,
    classes: Any = None,
) -> pd.DataFrame:
    """What can be said of small combinations of several sensitive columns: raw rates, and beside them estimates.

    Parameters
    ----------
    y_true, y_pred : labels, one a row
        Text, numbers or true/false.
    sensitive_features : column or table, one entry per row
        Several columns make a group of every combination that occurs, and each column makes larger groups to borrow
        strength from.
    larger_groups : table, one entry per row, or None
        The larger groups, a column each, if they are others than the columns of `sensitive_features`. Everybody of a
        group must be in the same ones.
    fairness : {"dmc", "odm", "eop", "demographic_parity", "predictive_parity"}, default="dmc"
        Which rates; more is worse (of "demographic_parity" it is the share not selected).
    positive_class : label or None
        The class that serves people well.
    min_cell_size : int, default=30
        Groups of fewer rows are marked as small: their raw rate is no estimate.
    confidence : float, default=0.95
        Of every interval.
    classes : labels or None
        All classes, if one of them may not occur in `y_true`.

    Returns
    -------
    DataFrame
        One line per class and group. n, hits, rate, lower, upper: the raw rate with Wilson's interval. from_others:
        what the larger groups suggest (m in the formula at the head of the module). estimate, estimate_lower,
        estimate_upper: the raw rate drawn towards it. own_share: how much the group's own rows count in that. is_small:
        fewer than `min_cell_size` rows.
    """
    estimation = Estimation.checked(min_cell_size, confidence)
    outcomes = read_outcomes(y_true, y_pred, sensitive_features, positive_class, None, classes)
    larger = read_columns(sensitive_features if larger_groups is None else larger_groups)
    design = _terms(larger, outcomes.groups)
    parts = []
    for stratum in notion_of(fairness).strata(outcomes.classes, outcomes.positive):
        n, hits = _counts(outcomes, outcomes.among(stratum)), _counts(outcomes, outcomes.counted(stratum))
        parts.append(_lines(outcomes.groups, n, hits, design, estimation).assign(**{"class": stratum.label}))
    whole = pd.concat(parts, ignore_index=True)
    return whole[["class", *whole.columns.drop("class")]]


def _counts(outcomes: Outcomes, rows: np.ndarray) -> np.ndarray:
    return np.bincount(outcomes.groups.codes[rows], minlength=outcomes.groups.n_groups)


def _terms(columns: list[Groups], groups: Groups) -> np.ndarray:
    """One line per group: a constant, and with several columns which value of each it has, yes or no."""
    terms = [np.ones(groups.n_groups)]
    for column in columns if len(columns) > 1 else []:
        value = np.zeros(groups.n_groups, dtype=np.int64)
        if len(column.codes) == len(groups.codes):
            value[groups.codes] = column.codes
        if len(column.codes) != len(groups.codes) or (value[groups.codes] != column.codes).any():
            raise InputError(
                "Expected larger_groups to have one entry per row, and the same one for all rows of a group, but they "
                "differ. Pass the columns that the groups are combinations of."
            )
        terms += [value == number for number in range(1, column.n_groups)]
    return np.array(terms, dtype=float).T


def _lines(groups: Groups, n: np.ndarray, hits: np.ndarray, design: np.ndarray, estimation: Estimation) -> pd.DataFrame:
    rate = np.divide(hits, n, out=np.full(len(n), NAN), where=n > 0)
    lower, upper = wilson(rate, np.where(n > 0, n, NAN).astype(float), estimation.confidence)
    others, kappa = suggested(n, hits, design)
    estimate, bottom, top = drawn(n, hits, others, kappa, estimation.confidence)
    return pd.DataFrame(
        {
            "group": groups.names,
            "n": n,
            "hits": hits,
            "rate": rate,
            "lower": lower,
            "upper": upper,
            "from_others": others,
            "estimate": estimate,
            "estimate_lower": bottom,
            "estimate_upper": top,
            "own_share": np.divide(n, n + kappa, out=np.zeros(len(n)), where=n + kappa > 0),
            "is_small": n < estimation.min_cell_size,
        }
    )


def suggested(n: np.ndarray, hits: np.ndarray, design: np.ndarray) -> tuple[np.ndarray, float]:
    """What the larger groups suggest for every group (m), and with how many imaginary people (kappa)."""
    seen = n > 0
    total = float(n.sum())
    if not total:
        return np.full(len(n), NAN), 0.0
    rate, weight, terms = hits[seen] / n[seen], n[seen].astype(float), design[seen]
    root = np.sqrt(weight)
    coefficients, _, rank, _ = np.linalg.lstsq(terms * root[:, None], rate * root, rcond=None)
    least = 0.5 / total  # nobody, and everybody, is never quite certain
    fitted = np.clip(design @ coefficients, least, 1.0 - least)
    n_free = int(seen.sum()) - int(rank)
    if n_free < 1:
        return fitted, 0.0
    spread = float((weight * (rate - fitted[seen]) ** 2 / (fitted[seen] * (1.0 - fitted[seen]))).sum())
    rho = (spread - n_free) / max(float((weight - 1.0).sum()), 1.0)
    return fitted, total if rho <= 0 else float(np.clip(1.0 / rho - 1.0, 0.0, total))


def drawn(
    n: np.ndarray, hits: np.ndarray, others: np.ndarray, kappa: float, confidence: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The estimates with their intervals; NaN where there is neither a row nor anything to borrow."""
    size = n + kappa
    borrowed = np.zeros(len(n)) if kappa == 0 else kappa * others
    estimate = np.divide(hits + borrowed, size, out=np.full(len(n), NAN), where=size > 0)
    ends = []
    for share in ((1 - confidence) / 2, (1 + confidence) / 2):
        # Without anything borrowed a rate of 0 or 1 has no such interval: half a person on either side (Jeffreys).
        half = 0.5 if kappa == 0 else 0.0
        ends.append(beta.ppf(share, hits + borrowed + half, np.maximum(size - hits - borrowed, 0.0) + half))
    lower, upper = (np.where(size > 0, end, NAN) for end in ends)
    return estimate, lower, upper
