"""How far away the favourable decision is for the rejected of each group.

Two groups may be rejected equally often, and yet one be rejected narrowly and the other beyond help. For a sample of
the rejected of each group the nearest change within the limits is searched; its cost is the share of training people
that the steps lead past, summed over the columns, and 1 for another category. Whoever has no way there is further away
than everybody who has one, so the median is one of the whole group: infinite where more than half have no way.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

from rugcore.errors import InputError
from rugcore.explanations.confidence import ConfidenceFinder
from rugcore.explanations.counterfactuals import FlipFinder, Limit
from rugcore.explanations.people import column_profiles
from rugcore.explanations.rule_model import RuleModel
from rugcore.fairness.groups import read_groups
from rugcore.fairness.intervals import wilson
from rugcore.tables.table import plain_value

MOST_ROWS = 300  # of a group that are looked at: a search takes hundredths of a second
COLUMNS = [
    "group",
    "n_rejected",
    "n",
    "no_way",
    "no_way_lower",
    "no_way_upper",
    "median_cost",
    "median_cost_lower",
    "median_cost_upper",
    "mean_changes",
]


def burden_by_group(
    model: RuleModel,
    X: Any,
    sensitive_features: Any,
    *,
    positive_class: Any,
    X_train: Any,
    limits: Mapping[str, Limit] | None = None,
    special_values: Mapping[str, Any] | None = None,
    people: ConfidenceFinder | None = None,
    confidence: float = 0.95,
    most_rows: int = MOST_ROWS,
) -> pd.DataFrame:
    """How far the rejected of each group are from the favourable decision: one line per group.

    n_rejected; n: how many of them were looked at; no_way: the share of those for whom nothing that can change leads
    there by rules and surely enough, with its interval (Wilson); median_cost: of the nearest change, where whoever has
    no way counts as infinitely far, with its interval (from the order statistics; unknown for fewer than six people);
    mean_changes: columns that change, of those who have a way. A cost of 0.1 leads past a tenth of the training people;
    another category costs 1.

    Parameters
    ----------
    model : RUGClassifier or FairRUGClassifier
        A trained model.
    X : table
        The people to look at, best those held out.
    sensitive_features : array, Series or DataFrame
        The groups, as `audit` takes them.
    positive_class : label
        The class that serves people well.
    X_train : table
        The training rows: which values and combinations people have.
    limits : dict of Limit or None
        By column, what a person can do about it; columns that are not there are free. How much effort a change takes
        does not count: distances are shares of people.
    special_values : dict or None
        By column, codes that are no amounts.
    people : ConfidenceFinder or None, default=None
        What became of the same people as in `X`. With it, nothing counts as a way after which the decision would be
        called uncertain because of them; nobody is asked about themselves.
    confidence : float, default=0.95
        Of the intervals.
    most_rows : int, default=300
        The most people of a group that are looked at: evenly from all of its rejected, in the order of the table.
    """
    labels = [plain_value(label) for label in model.classes_]
    if plain_value(positive_class) not in labels:
        known = ", ".join(map(repr, labels))
        raise InputError(f"Expected positive_class to be one of the classes {known}, but got {positive_class!r}.")
    if most_rows < 1:
        raise InputError(f"Expected most_rows to be 1 or more, but got {most_rows}.")
    groups = read_groups(sensitive_features, len(X))
    is_rejected = np.array([plain_value(label) != plain_value(positive_class) for label in model.predict(X)])
    finder = FlipFinder(model, column_profiles(X_train, special_values), X_train, confidence=people)
    plain = {name: replace(limit, effort=1.0) for name, limit in (limits or {}).items()}
    lines = []
    for code, name in enumerate(groups.names):
        rows = np.flatnonzero(is_rejected & (groups.codes == code))
        looked_at = evenly(rows, most_rows)
        nearest = [
            finder.find(
                _row(X, row), positive_class, limits=plain, by_default=False, most_alternatives=1, without=row
            ).found
            for row in looked_at.tolist()
        ]
        costs = np.array([found[0].cost if found else np.inf for found in nearest])
        changes = [len(found[0].changes) for found in nearest if found]
        mean_changes = float(np.mean(changes)) if changes else np.nan
        lines.append((name, len(rows), len(looked_at), *summary(costs, confidence), mean_changes))
    return pd.DataFrame(lines, columns=COLUMNS)


def evenly(rows: np.ndarray, most: int) -> np.ndarray:
    """At most so many of the rows, at equal distances."""
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).round().astype(int)]


def summary(costs: np.ndarray, confidence: float) -> tuple[float, ...]:
    """The share that is infinite and the median, each with its interval; unknown where there are too few people."""
    size = len(costs)
    if not size:
        return (np.nan,) * 6
    share = np.array([np.mean(np.isinf(costs))])
    lower, upper = wilson(share, np.array([size]), confidence)
    return (float(share[0]), float(lower[0]), float(upper[0]), *median(np.sort(costs), confidence))


def median(ordered: np.ndarray, confidence: float) -> tuple[float, float, float]:
    """With its interval: from the l-th smallest to the l-th largest number.

    The l-th smallest of n lies above the median if fewer than l of n fair coins show heads, so l is the largest number
    for which that is rare enough. Of an even number of costs the lower middle one is the median: between a cost and no
    way at all there is nothing.
    """
    size = len(ordered)
    rank = int(binom.ppf((1 - confidence) / 2, size, 0.5))
    ends = (ordered[rank - 1], ordered[-rank]) if rank else (np.nan, np.nan)
    return float(ordered[(size - 1) // 2]), float(ends[0]), float(ends[1])


def _row(X: Any, row: int) -> Any:
    return X.iloc[row] if isinstance(X, pd.DataFrame) else np.asarray(X, dtype=object)[row]
