"""Which rules two models share, and which only one of them has. Nothing here is shown."""

from dataclasses import dataclass

import pandas as pd

from rugboard.session.adjustments import rule_id
from rugboard.shell.formats import counted, percent
from rugboard.shell.text import value_in_words
from rugcore.rules import Rule, RuleSet

ALIKE = 1e-9  # weights that differ by a smaller share are the same number
BOTH, FIRST, SECOND = "both", "first", "second"  # the parts


@dataclass(frozen=True)
class Shared:
    """A rule that both models have, with the weight that each gives it."""

    rule: Rule
    first_weight: float
    second_weight: float


@dataclass(frozen=True)
class RuleDifferences:
    """The rules of two models, parted by who has them; each part heaviest first."""

    in_both: tuple[Shared, ...]
    only_first: tuple[Rule, ...]
    only_second: tuple[Rule, ...]

    @property
    def are_alike(self) -> bool:
        """The same rules with the same weights, but for rounding."""
        is_same = all(abs(s.first_weight - s.second_weight) <= ALIKE * max(s.first_weight, 1.0) for s in self.in_both)
        return not self.only_first and not self.only_second and is_same


def differences(first: RuleSet, second: RuleSet) -> RuleDifferences:
    of_first, of_second = ({rule_id(rule): rule for rule in rules} for rules in (first, second))
    both = [Shared(rule, rule.weight, of_second[key].weight) for key, rule in of_first.items() if key in of_second]
    return RuleDifferences(
        in_both=tuple(sorted(both, key=lambda shared: -max(shared.first_weight, shared.second_weight))),
        only_first=tuple(rule for key, rule in of_first.items() if key not in of_second),
        only_second=tuple(rule for key, rule in of_second.items() if key not in of_first),
    )


def shares_in_words(found: RuleDifferences, first: str, second: str) -> str:
    """What two models, called `first` and `second`, have in common, and how much of each that is."""
    n_both, n_first, n_second = len(found.in_both), len(found.only_first), len(found.only_second)
    sizes = f"{first} has {counted(n_both + n_first, 'rule')}, {second} {n_both + n_second:,}"
    if not n_both:
        return f"{sizes}; they share none."
    first_share = _share([s.first_weight for s in found.in_both], [rule.weight for rule in found.only_first])
    second_share = _share([s.second_weight for s in found.in_both], [rule.weight for rule in found.only_second])
    have = "rule is" if n_both == 1 else "rules are"
    return (
        f"{sizes}. {n_both:,} {have} in both, with {percent(first_share)} of the weight in {first} and "
        f"{percent(second_share)} in {second}."
    )


def _share(part: list[float], rest: list[float]) -> float:
    whole = sum(part) + sum(rest)
    return sum(part) / whole if whole else float("nan")


def part_names(found: RuleDifferences, first: str, second: str) -> dict[str, str]:
    """What the three parts are called, with their sizes."""
    return {
        BOTH: f"In both · {len(found.in_both):,}",
        FIRST: f"Only in {first} · {len(found.only_first):,}",
        SECOND: f"Only in {second} · {len(found.only_second):,}",
    }


def difference_frame(found: RuleDifferences, part: str) -> pd.DataFrame:
    """One line per rule of a part, with its weight in the models that have it."""
    if part == BOTH:
        rules = [shared.rule for shared in found.in_both]
        weights = {
            FIRST: [shared.first_weight for shared in found.in_both],
            SECOND: [shared.second_weight for shared in found.in_both],
        }
    else:
        rules = list(found.only_first if part == FIRST else found.only_second)
        weights = {part: [rule.weight for rule in rules]}
    said = {
        "rule": pd.Series([str(rule) for rule in rules], dtype="str"),
        "label": [[value_in_words(rule.label)] for rule in rules],
    }
    return pd.DataFrame(said | weights)
