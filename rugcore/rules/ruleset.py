"""The rules of a model, heaviest first."""

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any, overload

import pandas as pd

from rugcore.rules import serial, words
from rugcore.rules.rule import Rule


class RuleSet(Sequence[Rule]):
    """An immutable sequence of rules that can show itself as a table and as JSON."""

    def __init__(self, rules: Sequence[Rule] = ()) -> None:
        self._rules = tuple(rules)

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> "RuleSet": ...
    def __getitem__(self, index: int | slice) -> "Rule | RuleSet":
        if isinstance(index, slice):
            return RuleSet(self._rules[index])
        return self._rules[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RuleSet) and self._rules == other._rules

    def __hash__(self) -> int:
        return hash(self._rules)

    def __repr__(self) -> str:
        return f"RuleSet of {len(self)} rules"

    def __str__(self) -> str:
        return "\n".join(f"if {rule} then {words.clear(rule.label)} ({_facts(rule)})" for rule in self)

    def to_frame(self) -> pd.DataFrame:
        """One line a rule: its words, label, weight, length, coverage and precision."""
        columns = ["rule", "label", "weight", "length", "coverage", "precision"]
        lines = [(str(r), r.label, r.weight, r.length, r.coverage, r.precision) for r in self]
        return pd.DataFrame(lines, columns=columns)

    def to_json(self) -> str:
        """The rules alone, without the model around them; `from_json` reads it back."""
        return json.dumps([serial.rule_to_dict(rule) for rule in self], ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> "RuleSet":
        """Read what `to_json` wrote; anything else is refused with a `ModelFileError`."""
        return cls(serial.rules_from_list(serial.parse(text)))

    def features(self) -> list[str]:
        """The columns that the rules look at, in order of first mention."""
        seen: dict[str, Any] = {}
        for rule in self:
            seen.update(dict.fromkeys(rule.features))
        return list(seen)


def _facts(rule: Rule) -> str:
    weight = f"weight {rule.weight:.3g}"
    if math.isnan(rule.coverage):
        return weight
    return f"{weight}; covers {rule.coverage:.1%} of the rows, {rule.precision:.0%} of them {words.clear(rule.label)}"
