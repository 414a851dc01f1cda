"""What a rule costs, and what it collects at the duals."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class CostModel:
    """What a rule costs: its length as a share of the longest allowed, or the same for all; times lambda.

    A covered row of the rule's own class brings its dual, one of another class takes `wrong_vote` times its dual.
    """

    penalty: float
    max_depth: int
    by_length: bool
    wrong_vote: float = 1.0

    def cost(self, length: int) -> float:
        return length / self.max_depth if self.by_length else 1.0

    def costs(self, lengths: np.ndarray) -> np.ndarray:
        return lengths / self.max_depth if self.by_length else np.ones(len(lengths))

    def reduced_cost(self, length: int, collected: float) -> float:
        return self.penalty * self.cost(length) - collected

    def collected(self, class_duals: np.ndarray, class_code: int) -> np.ndarray:
        """sum_i a_ij beta_i of rules for one class, from the duals that each covers by class (the last axis)."""
        right = class_duals[..., class_code]
        return right - self.wrong_vote * (class_duals.sum(axis=-1) - right)
