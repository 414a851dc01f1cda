"""In how many samples of the training rows each rule of a model came back, as the tables of rules need it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class RuleComebacks:
    """By the id of a rule; without samples, nothing is known of any."""

    n_samples: int = 0
    times: Mapping[str, int] = field(default_factory=dict)

    @property
    def cache_key(self) -> str:
        return json.dumps([self.n_samples, sorted(self.times.items())])

    @property
    def are_known(self) -> bool:
        return self.n_samples > 0

    def of(self, ids: Iterable[str]) -> np.ndarray:
        """One number per rule; NaN where it is not known."""
        return np.array([self.times.get(own, np.nan) for own in ids], dtype=float)


UNKNOWN = RuleComebacks()
