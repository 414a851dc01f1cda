"""Which applicants to look at: row numbers, the most urgent first."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rugcore.errors import InputError
from rugcore.rules.decisions import Decisions
from rugcore.tables.table import plain_value

MOST_BORDERLINE = 100


@dataclass(frozen=True, eq=False)
class Queues:
    """Row numbers, counted from 0. A row may stand in several queues."""

    rejected: np.ndarray  # decided for another class than the favourable one; closest first, those without rules last
    borderline: np.ndarray  # decided by rules, with the smallest margins; the closest first
    uncovered: np.ndarray  # no rule covers them; in the order of the table
    ties: np.ndarray  # two classes weigh the same; in the order of the table
    disagree: np.ndarray  # another model decides otherwise; the surest decisions first


def queues(
    decisions: Decisions,
    classes: Any,
    positive_class: Any,
    *,
    other: Any = None,
    most_borderline: int = MOST_BORDERLINE,
) -> Queues:
    """Queues from `model.decisions(X)` and `model.classes_`.

    `other` are the labels that another model predicts for the same rows; without it nothing disagrees. The work grows
    with the number of rows, and with the length of a queue only by sorting it.
    """
    labels = [plain_value(label) for label in classes]
    if plain_value(positive_class) not in labels:
        known = ", ".join(map(repr, labels))
        raise InputError(f"Expected positive_class to be one of the classes {known}, but got {positive_class!r}.")
    by_rules = ~(decisions.is_uncovered | decisions.is_tie)
    distance = np.where(by_rules, decisions.margin, np.inf)  # a default is not a close decision, but none
    return Queues(
        rejected=_sorted(np.flatnonzero(decisions.class_code != labels.index(plain_value(positive_class))), distance),
        borderline=_smallest(np.flatnonzero(by_rules), decisions.margin, most_borderline),
        uncovered=np.flatnonzero(decisions.is_uncovered),
        ties=np.flatnonzero(decisions.is_tie),
        disagree=_sorted(_differing(decisions, labels, other), -decisions.margin),
    )


def _sorted(rows: np.ndarray, key: np.ndarray) -> np.ndarray:
    """Equals stay in the order of the table."""
    return rows[np.argsort(key[rows], kind="stable")]


def _smallest(rows: np.ndarray, key: np.ndarray, most: int) -> np.ndarray:
    """Without sorting the many that are not asked for; of equals, the first rows are taken."""
    if most < 1:
        raise InputError(f"Expected most_borderline to be 1 or more, but got {most}.")
    if len(rows) > most:
        last = np.partition(key[rows], most - 1)[most - 1]
        rows = rows[key[rows] <= last]
    return _sorted(rows, key)[:most]


def _differing(decisions: Decisions, labels: list[Any], other: Any) -> np.ndarray:
    if other is None:
        return np.empty(0, dtype=np.int64)
    theirs = np.asarray(other, dtype=object).ravel()
    if len(theirs) != len(decisions.class_code):
        raise InputError(
            f"Expected one other label per row, but got {len(theirs)} for {len(decisions.class_code)} rows."
        )
    own = np.empty(len(labels), dtype=object)
    own[:] = labels
    return np.flatnonzero((own[decisions.class_code] != theirs).astype(bool))
