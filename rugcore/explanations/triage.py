"""Which applicants to look at: row numbers, the least sure decisions first."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rugcore.errors import InputError
from rugcore.rules.decisions import Decisions
from rugcore.tables.table import plain_value

MOST_BORDERLINE = 100


@dataclass(frozen=True, eq=False)
class Queues:
    """Row numbers, counted from 0, all in one order: the least sure decisions first. A row may stand in several."""

    rejected: np.ndarray  # decided for another class than the favourable one
    borderline: np.ndarray  # the least sure of those that rules decided
    uncovered: np.ndarray  # no rule covers them
    ties: np.ndarray  # two classes weigh the same
    disagree: np.ndarray  # another model decides otherwise
    everyone: np.ndarray


def queues(
    decisions: Decisions,
    classes: Any,
    positive_class: Any,
    *,
    chance: np.ndarray | None = None,
    other: Any = None,
    most_borderline: int = MOST_BORDERLINE,
) -> Queues:
    """Queues from `model.decisions(X)` and `model.classes_`, the least sure decisions first.

    `chance` is that of the decided class of every row, from `model.predict_proba(X)`; without it the margin of the
    scores says how sure a decision is. `other` are the labels that another model predicts for the same rows; without it
    nothing disagrees. Equally sure rows stay in the order of the table.
    """
    labels = [plain_value(label) for label in classes]
    if plain_value(positive_class) not in labels:
        known = ", ".join(map(repr, labels))
        raise InputError(f"Expected positive_class to be one of the classes {known}, but got {positive_class!r}.")
    if most_borderline < 1:
        raise InputError(f"Expected most_borderline to be 1 or more, but got {most_borderline}.")
    sure = decisions.margin if chance is None else chance
    if len(sure) != len(decisions.class_code):
        raise InputError(f"Expected one chance per row, but got {len(sure)} for {len(decisions.class_code)} rows.")
    everyone = np.argsort(sure, kind="stable")
    by_rules = ~(decisions.is_uncovered | decisions.is_tie)
    is_rejected = decisions.class_code != labels.index(plain_value(positive_class))
    return Queues(
        rejected=everyone[is_rejected[everyone]],
        borderline=everyone[by_rules[everyone]][:most_borderline],
        uncovered=everyone[decisions.is_uncovered[everyone]],
        ties=everyone[decisions.is_tie[everyone]],
        disagree=everyone[_is_differing(decisions, labels, other)[everyone]],
        everyone=everyone,
    )


def _is_differing(decisions: Decisions, labels: list[Any], other: Any) -> np.ndarray:
    if other is None:
        return np.zeros(len(decisions.class_code), dtype=bool)
    theirs = np.asarray(other, dtype=object).ravel()
    if len(theirs) != len(decisions.class_code):
        raise InputError(
            f"Expected one other label per row, but got {len(theirs)} for {len(decisions.class_code)} rows."
        )
    own = np.empty(len(labels), dtype=object)
    own[:] = labels
    differs: np.ndarray = (own[decisions.class_code] != theirs).astype(bool)
    return differs
