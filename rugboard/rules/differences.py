"""Which rules two models share, and which only one of them has. Nothing here is shown."""

from dataclasses import dataclass

from rugboard.runs.plan import FAIR, RUG
from rugboard.session.adjustments import rule_id
from rugboard.shell.formats import counted, percent, points
from rugboard.shell.theme import name_of_model
from rugcore.rules import Rule, RuleSet

ALIKE = 1e-9  # weights that differ by a smaller share are the same number


@dataclass(frozen=True)
class Shared:
    """A rule that both models have, with the weight that each gives it."""

    rule: Rule
    rug_weight: float
    fair_weight: float


@dataclass(frozen=True)
class RuleDifferences:
    """The rules of RUG and FairRUG, parted by who has them; each part heaviest first."""

    in_both: tuple[Shared, ...]
    only_rug: tuple[Rule, ...]
    only_fair: tuple[Rule, ...]

    @property
    def are_alike(self) -> bool:
        """The same rules with the same weights, but for rounding."""
        is_same = all(abs(s.rug_weight - s.fair_weight) <= ALIKE * max(s.rug_weight, 1.0) for s in self.in_both)
        return not self.only_rug and not self.only_fair and is_same


def differences(rug: RuleSet, fair: RuleSet) -> RuleDifferences:
    of_rug, of_fair = ({rule_id(rule): rule for rule in rules} for rules in (rug, fair))
    both = [Shared(rule, rule.weight, of_fair[key].weight) for key, rule in of_rug.items() if key in of_fair]
    return RuleDifferences(
        in_both=tuple(sorted(both, key=lambda shared: -max(shared.rug_weight, shared.fair_weight))),
        only_rug=tuple(rule for key, rule in of_rug.items() if key not in of_fair),
        only_fair=tuple(rule for key, rule in of_fair.items() if key not in of_rug),
    )


def in_a_sentence(found: RuleDifferences, limit: float) -> str:
    """What the two models have in common, and how much that is; `limit` is the gap that FairRUG was allowed."""
    if found.are_alike:
        return (
            "Both models have the same rules with the same weights: with a limit of "
            f"{points(limit)} on the training rows nothing had to change."
        )
    n_both, n_rug, n_fair = len(found.in_both), len(found.only_rug), len(found.only_fair)
    sizes = f"RUG has {counted(n_both + n_rug, 'rule')}, FairRUG {n_both + n_fair:,}"
    if not n_both:
        return f"{sizes}; they share none."
    rug_share = _share([s.rug_weight for s in found.in_both], [rule.weight for rule in found.only_rug])
    fair_share = _share([s.fair_weight for s in found.in_both], [rule.weight for rule in found.only_fair])
    have = "rule is" if n_both == 1 else "rules are"
    return (
        f"{sizes}. {n_both:,} {have} in both, with {percent(rug_share)} of the weight in RUG and "
        f"{percent(fair_share)} in FairRUG."
    )


def _share(part: list[float], rest: list[float]) -> float:
    whole = sum(part) + sum(rest)
    return sum(part) / whole if whole else float("nan")


def part_names(found: RuleDifferences) -> dict[str, str]:
    """What the three parts are called, with their sizes."""
    return {
        "both": f"In both · {len(found.in_both):,}",
        RUG: f"Only in {name_of_model(RUG)} · {len(found.only_rug):,}",
        FAIR: f"Only in {name_of_model(FAIR)} · {len(found.only_fair):,}",
    }
