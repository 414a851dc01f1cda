"""Which new rules would improve the master problem, given the duals of its rows.

A rule j improves it if its reduced cost lambda * c_j - sum_i a_ij beta_i is negative. A rule that covers weight W_k of
class k (weights are the duals) and votes for class l has sum_i a_ij beta_i = W_l - theta (W - W_l), where theta is what
a wrong vote counts (see `rugcore.lp.master`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rugcore.generation.candidates import Candidate, PricedCandidate
from rugcore.generation.costs import CostModel
from rugcore.generation.features import Features
from rugcore.generation.seam import Rows
from rugcore.generation.tree import Leaf, grow_leaves
from rugcore.generation.widening import Widener

# Duals are summed over the rows in whatever order these come; sums that differ by less than this share are equal.
SAME = 1e-9


@dataclass(frozen=True)
class Pricing:
    """The rules found in one round; no rule violates `bound_factor` times the guide, if that is known."""

    found: list[PricedCandidate]
    bound_factor: float | None = None


class Pricer(Protocol):
    """Finds rules, given the dual of each merged row per unit of its weight, and the same smoothed as a guide.

    The guide may steer the search; the reduced costs that come back are those of the duals themselves.
    """

    def price(self, rows: Rows, dual: np.ndarray, guide: np.ndarray) -> Pricing: ...


class TreePricer:
    """The proxy: a tree fed with the duals; every leaf is a candidate, if need be widened to a sound rule."""

    def __init__(
        self, features: Features, costs: CostModel, max_depth: int, class_weight: np.ndarray, widener: Widener
    ) -> None:
        self._features = features
        self._widener = widener
        self._costs = costs
        self._max_depth = max_depth
        # Between classes with equal duals in a leaf, the one with more training rows wins.
        self._class_order = np.argsort(-class_weight, kind="stable")

    def price(self, rows: Rows, dual: np.ndarray, guide: np.ndarray) -> Pricing:
        leaves = grow_leaves(rows, self._features, dual, guide, self._max_depth)
        if self._features.directions is not None:
            found = self._directed(leaves, rows, dual)
        else:
            found = [self._as_rule(leaf) for leaf in leaves if leaf.allowed]
        return Pricing(self._widener.sound(found, rows, dual))

    def _directed(self, leaves: list[Leaf], rows: Rows, dual: np.ndarray) -> list[PricedCandidate]:
        """Every leaf as a rule for either class, with those of its bounds that the class may have."""
        rules = [Candidate(own, c) for leaf in leaves for c, own in enumerate(leaf.by_class) if own]
        rules = list({rule.key(): rule for rule in rules}.values())
        return self._priced(rules, rows.covered_duals(rules, dual))

    def _priced(self, rules: Sequence[Candidate], class_duals: np.ndarray) -> list[PricedCandidate]:
        """Rules at the duals that each covers, by class."""
        found = []
        for rule, own in zip(rules, class_duals, strict=True):
            collected = float(self._costs.collected(own, rule.class_code))
            reduced_cost = self._costs.reduced_cost(rule.length, collected)
            found.append(PricedCandidate(rule, self._costs.cost(rule.length), reduced_cost))
        return found

    def _as_rule(self, leaf: Leaf) -> PricedCandidate:
        in_steps = np.round(leaf.class_duals / (SAME * (1.0 + leaf.class_duals.sum())))
        class_code = int(self._class_order[np.argmax(in_steps[self._class_order])])
        return self._priced([Candidate(leaf.allowed, class_code)], leaf.class_duals[None])[0]


def best_reduced_cost(found: Iterable[PricedCandidate]) -> float | None:
    return min((candidate.reduced_cost for candidate in found), default=None)
