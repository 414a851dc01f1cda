"""Are two rules of two models the same rule, but for chance?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from rugcore.rules.conditions import Condition, Interval, IsMissing, IsSpecial
from rugcore.rules.rule import Rule

# Of all people whom one of two rules speaks about, the share whom both do. At 0.8, two rules that reach equally far
# have 8 of 9 people in common: no more than a threshold moves when it falls between other neighbours. Lower, and rules
# about other people would pass for the same; higher, and every step of a threshold would make a new rule.
ALIKE = 0.8
ROUNDING = 1e-9  # weights are added up in another order on the two sides of a fraction


@dataclass(frozen=True, eq=False)
class Likeness:
    """The rules of one model (lines) against those of another (columns)."""

    overlap: np.ndarray  # share of the covered people whom both cover, whatever the conditions; 0 for another class
    is_same_kind: np.ndarray  # same class, same columns, each bounded in the same direction
    is_exact: np.ndarray  # the same conditions and class, word for word

    @property
    def is_match(self) -> np.ndarray:
        """Whether the one is the other come back."""
        return self.is_exact | (self.is_same_kind & (self.overlap >= ALIKE - ROUNDING))


def likeness(
    rules: Sequence[Rule],
    coverage: sparse.csr_array,
    others: Sequence[Rule],
    other_coverage: sparse.csr_array,
    weight: np.ndarray,
) -> Likeness:
    """Compare every rule with every other one; `coverage` has one line per row, whose people count by `weight`."""
    is_exact = _equal([_wording(rule) for rule in rules], [_wording(rule) for rule in others])
    is_one_class = _equal([rule.label for rule in rules], [rule.label for rule in others])
    overlap = np.where(is_one_class, jaccard(coverage, other_coverage, weight), 0.0)
    return Likeness(
        overlap=np.where(is_exact, 1.0, overlap),  # also where nobody is covered by either
        is_same_kind=_equal([kind_of_rule(rule) for rule in rules], [kind_of_rule(rule) for rule in others]),
        is_exact=is_exact,
    )


def jaccard(coverage: sparse.csr_array, other_coverage: sparse.csr_array, weight: np.ndarray) -> np.ndarray:
    """People whom both cover over people whom one of them covers, for every pair; 0 where there are none."""
    own, other = coverage.astype(np.float64), other_coverage.astype(np.float64)
    both = (own.T @ other.multiply(weight[:, None]).tocsr()).toarray()
    either = (own.T @ weight)[:, None] + (other.T @ weight)[None, :] - both
    return np.divide(both, either, out=np.zeros_like(both), where=either > 0)


def kind_of_rule(rule: Rule) -> tuple[Any, frozenset[tuple[str, str]]]:
    """What a rule says when its numbers and values are left out."""
    return rule.label, frozenset((condition.feature, direction(condition)) for condition in rule.conditions)


def direction(condition: Condition) -> str:
    """On which side of its thresholds a condition holds.

    Whether blanks and special codes are let in as well, and whether values are listed or excluded, is left to the
    overlap: "is car" and "is neither boat nor house" can be the same people.
    """
    if isinstance(condition, IsMissing):
        return "missing"
    if isinstance(condition, IsSpecial):
        return "special"
    if isinstance(condition, Interval):
        has_lower, has_upper = np.isfinite(condition.lower), np.isfinite(condition.upper)
        if has_lower:
            return "between" if has_upper else "above"
        return "below" if has_upper else "known"
    return "values" if condition.values else "known"


def _wording(rule: Rule) -> tuple[Any, frozenset[Condition]]:
    return rule.label, frozenset(rule.conditions)


def _equal(own: Sequence[Any], others: Sequence[Any]) -> np.ndarray:
    """Which of the one are equal to which of the others."""
    number = {item: place for place, item in enumerate(dict.fromkeys([*own, *others]))}
    one, two = (np.array([number[item] for item in items], dtype=np.int64) for items in (own, others))
    return np.asarray(one[:, None] == two[None, :])
