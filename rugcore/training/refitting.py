"""What a trained model is refitted from, and which of its rules are meant."""

from collections.abc import Iterable
from typing import Any

from rugcore.errors import InputError
from rugcore.rules.rule import Rule
from rugcore.training.pool import RulePool


def pool_of(model: Any) -> RulePool:
    """The pool of a trained model; a model read from a file has only its rules."""
    pool = getattr(model, "pool_", None)
    if pool is None:
        raise InputError("Expected a model trained here, but this one was loaded from a file. Train it again to refit.")
    return pool


def numbers_of(model: Any, rules: Rule | Iterable[Rule]) -> list[int]:
    """Where rules of the model stand in its pool."""
    rules = [rules] if isinstance(rules, Rule) else list(rules)
    if not all(isinstance(rule, Rule) for rule in rules):
        raise InputError("Expected rules as they stand in rules_, such as [model.rules_[0]].")
    if not rules:
        return []
    place = {(rule.conditions, rule.label): number for number, rule in enumerate(pool_of(model).rules())}
    unknown = [rule for rule in rules if (rule.conditions, rule.label) not in place]
    if unknown:
        raise InputError(f"Expected rules of this model, but it has no rule '{unknown[0]}'.")
    return [place[rule.conditions, rule.label] for rule in rules]


def numbers_to_leave_out(model: Any, rules: Rule | Iterable[Rule]) -> list[int]:
    """As `numbers_of`; a locked rule is refused."""
    numbers = numbers_of(model, rules)
    locked = [number for number in numbers if pool_of(model).is_locked[number]]
    if locked:
        rule = pool_of(model).rules()[locked[0]]
        raise InputError(
            f"Expected rules that may go, but '{rule}' is locked. Unlock it first: governed(unlocked=[rule])."
        )
    return numbers
