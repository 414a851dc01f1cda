"""A rule: if all conditions hold, vote for one class with a weight."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rugcore.rules.conditions import Condition, Interval, IsSpecial
from rugcore.rules.special import meaning_of


@dataclass(frozen=True, slots=True)
class Rule:
    """If all `conditions` hold, vote for `label` with `weight`; `str(rule)` says the conditions in words.

    Conditions stand on different columns: two conditions on one column are merged into one before a rule is
    made, so `length` counts what a person has to check. `coverage` is the share of training rows covered and
    `precision` the share of those that belong to `label`, both by sample weight.
    """

    conditions: tuple[Condition, ...]
    label: Any
    weight: float = 0.0
    coverage: float = float("nan")
    precision: float = float("nan")

    @property
    def length(self) -> int:
        """How many conditions a person has to check."""
        return len(self.conditions)

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that the conditions look at."""
        return tuple(condition.feature for condition in self.conditions)

    def holds(self, cells: Mapping[str, Any]) -> bool:
        """Whether one row satisfies every condition; `cells` are its values by column."""
        return all(condition.holds(cells[condition.feature]) for condition in self.conditions)

    def __str__(self) -> str:
        if len(self.conditions) == 1:
            return str(self.conditions[0])
        return " and ".join(_in_brackets_if_needed(condition) for condition in self.conditions) or "always"


def special_meaning(rule: Rule, column: str, value: Any) -> str | None:
    """What a value stands for, if it is a special code that a condition of the rule knows of."""
    specials = [c.specials for c in rule.conditions if c.feature == column and isinstance(c, Interval | IsSpecial)]
    return meaning_of(value, specials[0]) if specials else None


def _in_brackets_if_needed(condition: Condition) -> str:
    """`a or missing and b` could be read two ways."""
    text = str(condition)
    return f"({text})" if condition.has_alternatives else text
