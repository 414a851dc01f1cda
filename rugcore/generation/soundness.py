"""Which rules may be said at all, whatever they are worth to the linear program.

A rule that rests on three people is an anecdote. And a rule for "denied" that is right for one in eight, where one in
five is denied, says the opposite of what it shows: the linear program may use it to take back what broader rules give
to everybody, but no one could sign it as a reason.
"""

from dataclasses import dataclass, replace

import numpy as np

# Weights are sums: a rule that covers exactly as much as is asked for must not fail by its last digits.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Soundness:
    """A rule covers at least `min_support`, and is right more often than its class is common."""

    class_share: np.ndarray
    min_support: float  # in training weight

    @classmethod
    def of_anything(cls, n_classes: int) -> "Soundness":
        """Every rule that is right for somebody."""
        return cls(np.zeros(n_classes), 0.0)

    def without_lift(self) -> "Soundness":
        """Right for somebody is enough."""
        return replace(self, class_share=np.zeros(len(self.class_share)))

    def holds(self, class_weights: np.ndarray, class_code: int) -> np.ndarray:
        """For rules for one class, from the weight that each covers by class (the last axis)."""
        support = class_weights.sum(axis=-1)
        needed = self.class_share[class_code] * support * (1.0 + ROUNDING)
        is_broad = support >= self.min_support * (1.0 - ROUNDING)
        is_sound: np.ndarray = is_broad & (class_weights[..., class_code] > needed)
        return is_sound
