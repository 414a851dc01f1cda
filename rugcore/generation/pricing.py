"""Which new rules would improve the master problem, given the duals of its rows.

A rule j improves it if its reduced cost lambda * c_j - sum_i a_ij beta_i is negative. A rule that covers weight W_k of
class k (weights are the duals) and votes for class l has sum_i a_ij beta_i = W_l - (W - W_l) / (K - 1).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rugcore.generation.candidates import Candidate, PricedCandidate
from rugcore.generation.rows import RowBlock
from rugcore.generation.tree import Features, Leaf, grow_leaves


@dataclass(frozen=True)
class CostModel:
    """What a rule costs: its length as a share of the longest allowed, or the same for all; times lambda."""

    penalty: float
    max_depth: int
    by_length: bool

    def cost(self, length: int) -> float:
        return length / self.max_depth if self.by_length else 1.0

    def reduced_cost(self, length: int, votes: float) -> float:
        return self.penalty * self.cost(length) - votes


@dataclass(frozen=True)
class Pricing:
    """The rules found in one round; `bound_factor` times the dual objective is a lower bound, if known."""

    found: list[PricedCandidate]
    bound_factor: float | None = None


class Pricer(Protocol):
    """Finds rules, given the dual of each merged row per unit of its weight, and the same smoothed as a guide.

    The guide may steer the search; the reduced costs that come back are those of the duals themselves.
    """

    follows_guide: bool

    def price(self, rows: RowBlock, dual: np.ndarray, guide: np.ndarray) -> Pricing: ...


class TreePricer:
    """The proxy: a tree fed with the duals; every leaf is a candidate."""

    follows_guide = True

    def __init__(self, features: Features, costs: CostModel, max_depth: int, class_weight: np.ndarray) -> None:
        self._features = features
        self._costs = costs
        self._max_depth = max_depth
        # Between classes with equal duals in a leaf, the one with more training rows wins.
        self._class_order = np.argsort(-class_weight, kind="stable")

    def price(self, rows: RowBlock, dual: np.ndarray, guide: np.ndarray) -> Pricing:
        leaves = grow_leaves(rows, self._features, dual, guide, self._max_depth)
        return Pricing([self._as_rule(leaf) for leaf in leaves if leaf.allowed])

    def _as_rule(self, leaf: Leaf) -> PricedCandidate:
        class_code = int(self._class_order[np.argmax(leaf.class_duals[self._class_order])])
        rule = Candidate(leaf.allowed, class_code)
        votes = net_votes(leaf.class_duals, class_code)
        return PricedCandidate(rule, self._costs.cost(rule.length), self._costs.reduced_cost(rule.length, votes))


def net_votes(class_weight: np.ndarray, class_code: int) -> float:
    """sum_i a_ij beta_i of a rule that covers these class weights."""
    right = class_weight[class_code]
    wrong = class_weight.sum() - right
    return float(right - wrong / (len(class_weight) - 1))


def best_reduced_cost(found: Iterable[PricedCandidate]) -> float | None:
    return min((candidate.reduced_cost for candidate in found), default=None)
