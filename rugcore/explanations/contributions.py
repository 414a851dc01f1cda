"""What every column adds to the score of one row."""

from typing import Any

from rugcore.errors import InputError
from rugcore.explanations.explanation import Explanation

# Contributions below this share of the largest are rounding: +1/3 and -1/3 of weights that cancel.
LEAST_SHARE = 1e-9


def rule_contributions(explanation: Explanation, towards: Any = None) -> dict[str, float]:
    """What every column adds to the score of a class, by default the decided one; largest first, whatever the sign.

    A rule for the class adds its weight, one for another takes 1/(K-1) of it, as in the score itself. A rule's amount
    is split evenly over its columns, so that all contributions add up to the score.
    """
    label = explanation.decision if towards is None else towards
    if label not in explanation.score:
        known = ", ".join(map(repr, explanation.score))
        raise InputError(f"Expected one of the model's classes ({known}), but got {label!r}.")
    n_others = len(explanation.score) - 1
    total: dict[str, float] = {}
    for covering in (*explanation.rules_for, *explanation.rules_against):
        rule = covering.rule
        amount = rule.weight if rule.label == label else -rule.weight / n_others
        for name in rule.features:
            total[name] = total.get(name, 0.0) + amount / rule.length
    return dict(sorted(total.items(), key=lambda item: -abs(item[1])))
