"""From the rules that fired to reasons in words."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rugcore.encoding.table import is_blank, plain_value
from rugcore.errors import InputError
from rugcore.explain import Explanation
from rugcore.reasons.wording import Finding, Wording
from rugcore.rules.conditions import Condition, Interval
from rugcore.rules.rule import Rule

MOST_REASONS = 4
DEFAULT_WORDING = Wording()

Status = Literal["favourable", "reasons", "manual review"]
MANUAL_REVIEW = "needs manual review"


@dataclass(frozen=True)
class Reason:
    """One column that speaks against the applicant; its share is that of all weight against."""

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

    def __str__(self) -> str:
        if self.status == "manual review":
            return MANUAL_REVIEW
        return "\n".join(f"- {reason.text}" for reason in self.reasons)


def reasons(
    explanation: Explanation,
    favourable: Any,
    *,
    wording: Wording = DEFAULT_WORDING,
    sensitive: Collection[str] = (),
    most: int = MOST_REASONS,
) -> Reasons:
    """The reasons for one decision.

    A rule's weight is split evenly over its columns, and a column's shares are added up. An applicant whom no rule
    covers, or of whose rules nothing may be named because only sensitive columns stand in them, needs manual review.
    """
    if explanation.decision == plain_value(favourable):
        return Reasons(explanation.decision, "favourable", ())
    check(plain_value(favourable), tuple(explanation.score), most)
    values = {name: value for covering in explanation.rules_for for name, value in covering.values.items()}
    fired = [covering.rule for covering in explanation.rules_for]
    return given(explanation.decision, fired, values, wording, frozenset(sensitive), most)


def check(favourable: Any, classes: Collection[Any], most: int) -> None:
    if favourable not in classes:
        known = ", ".join(map(repr, classes))
        raise InputError(f"Expected favourable to be one of the classes {known}, but got {favourable!r}.")
    if most < 1:
        raise InputError(f"Expected room for at least one reason, but most is {most}.")


def given(
    decision: Any,
    fired: Sequence[Rule],
    values: Mapping[str, Any],
    wording: Wording,
    sensitive: frozenset[str],
    most: int,
) -> Reasons:
    """From the rules that fired for the decision, and the values in their columns."""
    weights = _weight_by_column(fired)
    total = math.fsum(weights.values())
    ranked = sorted((name for name in weights if name not in sensitive), key=lambda name: -weights[name])
    found = []
    for name in ranked[:most]:
        finding = _finding([c for rule in fired for c in rule.conditions if c.feature == name], values[name])
        text = wording.text(name, finding, values[name])
        found.append(Reason(name, finding, text, weights[name], weights[name] / total))
    return Reasons(decision, "reasons" if found else "manual review", tuple(found))


def _weight_by_column(fired: Iterable[Rule]) -> dict[str, float]:
    total: dict[str, float] = {}
    for rule in fired:
        for name in rule.features:
            total[name] = total.get(name, 0.0) + rule.weight / rule.length
    return {name: weight for name, weight in total.items() if weight > 0}


def _finding(conditions: Sequence[Condition], value: Any) -> Finding:
    """What the rules say of a column together: two that limit it on either side find it neither high nor low."""
    if is_blank(value):
        return "missing"
    intervals = [condition for condition in conditions if isinstance(condition, Interval)]
    is_high = any(math.isfinite(interval.lower) for interval in intervals)
    is_low = any(math.isfinite(interval.upper) for interval in intervals)
    if is_high or is_low:
        return "middle" if is_high and is_low else "high" if is_high else "low"
    return "known" if intervals or not any(getattr(c, "values", ()) for c in conditions) else "value"
