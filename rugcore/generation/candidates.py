"""A rule while it is being found: sets of allowed codes, not yet words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rugcore.rules.conditions import Condition
from rugcore.tables.columns import Column

RuleKey = tuple[int, tuple[tuple[int, bytes], ...]]


@dataclass(frozen=True)
class Candidate:
    """If every listed feature has an allowed code, vote for the class number `class_code`.

    `allowed` maps a feature to a boolean for each of its 256 possible codes.
    """

    allowed: Mapping[int, np.ndarray]
    class_code: int

    @property
    def length(self) -> int:
        return len(self.allowed)

    def key(self) -> RuleKey:
        """Equal for equal rules, however they were found."""
        return self._key

    @cached_property
    def _key(self) -> RuleKey:
        return self.class_code, tuple(sorted((f, np.packbits(codes).tobytes()) for f, codes in self.allowed.items()))

    @classmethod
    def of_key(cls, key: RuleKey) -> "Candidate":
        """The rule that has this key."""
        class_code, conditions = key
        bits = {feature: np.frombuffer(packed, dtype=np.uint8) for feature, packed in conditions}
        return cls({feature: np.unpackbits(codes).astype(bool) for feature, codes in bits.items()}, class_code)

    def conditions(self, columns: Sequence[Column]) -> tuple[Condition, ...]:
        """The rule in the user's terms, columns in the order of the table."""
        return tuple(columns[feature].condition(self.allowed[feature]) for feature in sorted(self.allowed))


@dataclass(frozen=True)
class PricedCandidate:
    """A candidate with its reduced cost; it improves the master problem if that is negative."""

    rule: Candidate
    cost: float
    reduced_cost: float
