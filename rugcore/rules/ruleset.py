"""The rules of a model, heaviest first."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

import pandas as pd

from rugcore.rules import displays, serial, words
from rugcore.rules.rule import Rule

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MOST_BARS = 30  # of a chart that can still be read


class RuleSet(Sequence[Rule]):
    """The rules of a model, heaviest first: an immutable sequence that shows itself as text, table, chart and JSON.

    In a notebook, a rule set at the end of a cell is shown as a table. `rules[0]` is a `Rule`, `rules[:5]` a smaller
    set, and `print(rules)` writes one sentence a rule.

    Parameters
    ----------
    rules : sequence of Rule
        In the order in which they are to be read.
    """

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
        return "\n".join(f"if {rule} then {words.clear(rule.label)} ({displays.reach_in_words(rule)})" for rule in self)

    def _repr_html_(self) -> str:
        """As a notebook shows it."""
        return displays.rules_table(self)

    def plot(self, most: int = MOST_BARS) -> "Figure":
        """A chart of the weights, a bar per rule and a colour per outcome; a plotly figure, to show or to save.

        Parameters
        ----------
        most : int, default=30
            How many rules are drawn, from the first on.
        """
        return displays.rules_chart(self, most)

    def to_frame(self) -> pd.DataFrame:
        """One line per rule: its words, label, weight, length, coverage and precision."""
        columns = ["rule", "label", "weight", "length", "coverage", "precision"]
        lines = [(str(r), r.label, r.weight, r.length, r.coverage, r.precision) for r in self]
        return pd.DataFrame(lines, columns=columns)

    def to_json(self) -> str:
        """The rules alone, without the model around them; `from_json` reads it back."""
        return json.dumps([serial.rule_to_dict(rule) for rule in self], ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> "RuleSet":
        """Read the `text` that `to_json` wrote; anything else is refused with a `ModelFileError`."""
        return cls(serial.rules_from_list(serial.parse(text)))

    def features(self) -> list[str]:
        """The columns that the rules look at, in order of first mention."""
        seen: dict[str, Any] = {}
        for rule in self:
            seen.update(dict.fromkeys(rule.features))
        return list(seen)
