"""From the rules that fired to reasons in words."""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from rugcore.errors import InputError
from rugcore.explanations.contributions import LEAST_SHARE, rule_contributions
from rugcore.explanations.explanation import Explanation
from rugcore.explanations.reasons.wording import Finding, Wording
from rugcore.rules.conditions import Condition, Interval
from rugcore.tables.table import is_blank, plain_value

MOST_REASONS = 4
DEFAULT_WORDING = Wording()
# Weights are sums: those that agree to so many digits of the largest are the same sum in another order.
WEIGHT_DIGITS = 9

Status = Literal["favourable", "reasons", "manual review"]
MANUAL_REVIEW = "needs manual review"

# Why somebody needs manual review.
NO_RULE = "No rule applies; the usual outcome was taken."
BALANCE = "The rules balance; the usual outcome was taken."
NOTHING_TO_NAME = "No rule decided that may be named as a reason."

# What the conditions on a column say together, without their thresholds: one bit each.
HIGH, LOW, RANGE, NAMES = 1, 2, 4, 8


@dataclass(frozen=True)
class Reason:
    """One column that speaks against the applicant on balance; its share is that of all columns that do."""

    column: str
    finding: Finding
    text: str
    weight: float
    share: float


@dataclass(frozen=True)
class Reasons:
    """Up to four reasons, the weightiest first; only a decision that rules made against the applicant has any."""

    decision: Any
    status: Status
    reasons: tuple[Reason, ...]
    why: str = ""  # it needs manual review

    def __str__(self) -> str:
        if self.status == "manual review":
            return MANUAL_REVIEW
        return "\n".join(f"- {reason.text}" for reason in self.reasons)


def reasons(
    explanation: Explanation,
    positive_class: Any,
    *,
    wording: Wording = DEFAULT_WORDING,
    sensitive: Collection[str] = (),
    most: int = MOST_REASONS,
) -> Reasons:
    """The reasons for one decision.

    Columns are ranked by what they add to the decision on balance: rules for it less rules against it, a rule's weight
    split evenly over its columns. A column that on balance speaks for the applicant is no reason. An applicant whom no
    rule covers, whose rules balance, or of whose rules nothing may be named because only sensitive columns are left,
    needs manual review.
    """
    decision = explanation.decision
    if decision == plain_value(positive_class):
        return Reasons(decision, "favourable", ())
    check(plain_value(positive_class), tuple(explanation.score), most)
    if explanation.is_uncovered or explanation.is_tie:
        return Reasons(decision, "manual review", (), NO_RULE if explanation.is_uncovered else BALANCE)
    against = _weights_against(explanation)
    total = math.fsum(against.values())
    named = [name for name in against if name not in sensitive][:most]
    found = tuple(_reason(name, explanation, wording, against[name], total) for name in named)
    return Reasons(decision, "reasons", found) if found else Reasons(decision, "manual review", (), NOTHING_TO_NAME)


def check(positive_class: Any, classes: Collection[Any], most: int) -> None:
    if positive_class not in classes:
        known = ", ".join(map(repr, classes))
        raise InputError(f"Expected positive_class to be one of the classes {known}, but got {positive_class!r}.")
    if most < 1:
        raise InputError(f"Expected room for at least one reason, but most is {most}.")


def _weights_against(explanation: Explanation) -> dict[str, float]:
    """By column, the weightiest first; of equals, the one that stands first in the rules."""
    net = rule_contributions(explanation)
    largest = max(map(abs, net.values()), default=0.0)
    fired = dict.fromkeys(name for covering in explanation.rules_for for name in covering.rule.features)
    against = [name for name in fired if net[name] > LEAST_SHARE * largest]
    return {name: net[name] for name in sorted(against, key=lambda name: -round(net[name] / largest, WEIGHT_DIGITS))}


def _reason(column: str, explanation: Explanation, wording: Wording, weight: float, total: float) -> Reason:
    fired = [covering for covering in explanation.rules_for if column in covering.values]
    value = fired[0].values[column]
    found = finding(said(c for item in fired for c in item.rule.conditions if c.feature == column), is_blank(value))
    return Reason(column, found, wording.text(column, found, value), weight, weight / total)


def said(conditions: Iterable[Condition]) -> int:
    """What conditions on one column say together, as bits."""
    bits = 0
    for condition in conditions:
        if isinstance(condition, Interval):
            bits |= RANGE | HIGH * math.isfinite(condition.lower) | LOW * math.isfinite(condition.upper)
        elif getattr(condition, "values", ()):
            bits |= NAMES
    return bits


def finding(bits: int, is_missing: bool) -> Finding:
    """Two rules that limit a column on either side find it neither high nor low."""
    if is_missing:
        return "missing"
    if bits & (HIGH | LOW):
        return "middle" if bits & HIGH and bits & LOW else "high" if bits & HIGH else "low"
    return "value" if bits & NAMES and not bits & RANGE else "known"
