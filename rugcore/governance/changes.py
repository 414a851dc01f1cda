"""What a person wants of the rules of a model, read and checked: nothing here touches the linear program."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from rugcore.errors import InputError
from rugcore.governance.writing import written_rule
from rugcore.rules.rule import Rule
from rugcore.rules.ruleset import RuleSet
from rugcore.training.pool import WEIGHT_DIGITS, RulePool
from rugcore.training.refitting import numbers_of, pool_of

LARGEST_FLOOR = 1e6  # far above any weight that the linear program gives
EXAMPLE = "model.governed(added=[rule], X=X_train, y=y_train)"

Said = tuple[tuple[Any, ...], Any]  # conditions and label: what makes a rule the rule it is


@dataclass(frozen=True)
class RuleGovernance:
    """What people decided about the rules of a model.

    Attributes
    ----------
    vetoed : RuleSet
        Rules that the model must not use.
    locked : RuleSet
        Rules that must stay, each with the least weight that it may have.
    written : RuleSet
        Rules that a person wrote, with their present weights; 0 where the linear program has no use for one.
    """

    vetoed: RuleSet
    locked: RuleSet
    written: RuleSet


@dataclass(frozen=True)
class RuleChanges:
    """What is to change, checked: rules by their numbers in the pool, or as they were written."""

    vetoed: frozenset[int] = frozenset()
    unlocked: frozenset[int] = frozenset()
    floors: Mapping[int, float] = field(default_factory=dict)  # of rules of the pool
    added: tuple[Rule, ...] = ()
    added_floors: tuple[float, ...] = ()  # of the added rules; 0 where the linear program alone decides

    @property
    def is_any(self) -> bool:
        return bool(self.vetoed or self.unlocked or self.floors or self.added)


def governance_of(model: Any) -> RuleGovernance:
    """The rules of a `model` trained here, or with its pool loaded, that people vetoed, locked or wrote."""
    pool = pool_of(model)
    rules = pool.rules()
    locked = [_weighing(rules[j], float(pool.master.floor[j])) for j in pool.is_locked.nonzero()[0].tolist()]
    keys = [candidate.key() for candidate in pool.candidates]
    written = [rule for rule, key in zip(rules, keys, strict=True) if key in pool.written]
    return RuleGovernance(RuleSet(pool.left_out_rules()), RuleSet(locked), RuleSet(written))


def _weighing(rule: Rule, weight: float) -> Rule:
    return Rule(rule.conditions, rule.label, weight, rule.coverage, rule.precision)


# -- reading ------------------------------------------------------------------------------------------------------


def read_changes(
    model: Any,
    *,
    vetoed: Rule | Iterable[Rule] = (),
    locked: Rule | Iterable[Rule] | Mapping[Rule, float | None] = (),
    unlocked: Rule | Iterable[Rule] = (),
    added: Rule | Iterable[Rule] = (),
    replaced: Mapping[Rule, Rule] | None = None,
    protected: Iterable[str] = (),
) -> RuleChanges:
    """The changes of `RuleClassifier.governed`, refused with a sentence where they make no sense."""
    pool, replaced = pool_of(model), dict(replaced or {})
    own = [_checked(model, rule, protected) for rule in [*_listed(added), *replaced.values()]]
    _refuse_repeated(own)
    gone = [*_listed(vetoed), *replaced]
    out, free = frozenset(numbers_of(model, gone)), frozenset(numbers_of(model, unlocked))
    _refuse_locked(pool, out - free)
    _refuse_vetoed(pool, own, gone)
    places = {said(rule): place for place, rule in enumerate(own)}
    floors, added_floors = {}, [0.0] * len(own)
    for rule, weight in _locks(locked).items():
        written = _as_written(model, rule, places)
        if written is not None:
            added_floors[written] = _floor(weight, 0.0, rule)
            continue
        _refuse_vetoed(pool, [rule], [])
        (number,) = numbers_of(model, rule)
        if number in out:
            raise InputError(f"Expected a rule to be locked or vetoed, not both: '{rule}'.")
        floors[number] = _floor(weight, pool.rules()[number].weight, rule)
    return RuleChanges(out, free - set(floors), floors, tuple(own), tuple(added_floors))


def said(rule: Rule) -> Said:
    """What a rule says, whatever its weight."""
    return rule.conditions, rule.label


def _listed(rules: Rule | Iterable[Rule]) -> list[Rule]:
    return [rules] if isinstance(rules, Rule) else list(rules)


def _locks(locked: Rule | Iterable[Rule] | Mapping[Rule, float | None]) -> dict[Rule, float | None]:
    return dict(locked) if isinstance(locked, Mapping) else dict.fromkeys(_listed(locked))


def _checked(model: Any, rule: Rule, protected: Iterable[str]) -> Rule:
    return written_rule(rule, model.schema_, model.classes_.tolist(), model._directions, frozenset(protected))


def _as_written(model: Any, rule: Rule, places: Mapping[Said, int]) -> int | None:
    """The place of a rule among the added ones; None if it is not meant to be one of them."""
    if said(rule) in places:
        return places[said(rule)]
    if not places:
        return None
    try:  # as it was given, before its columns' special codes were filled in
        return places.get(said(_checked(model, rule, ())))
    except InputError:
        return None


def _refuse_repeated(rules: list[Rule]) -> None:
    seen = set()
    for rule in rules:
        if said(rule) in seen:
            raise InputError(f"Expected every rule to be added once, but '{rule}' is there twice.")
        seen.add(said(rule))


def _refuse_locked(pool: RulePool, numbers: frozenset[int]) -> None:
    for number in sorted(numbers):
        if pool.is_locked[number]:
            raise InputError(
                f"Expected rules that may go, but '{pool.rules()[number]}' is locked. Unlock it first, or in the same "
                "step: unlocked=[rule]."
            )


def _refuse_vetoed(pool: RulePool, added: list[Rule], gone: list[Rule]) -> None:
    out = {said(rule) for rule in [*pool.left_out_rules(), *gone]}
    for rule in added:
        if said(rule) in out:
            raise InputError(
                f"Expected a rule that is not vetoed, but '{rule}' is. To use it, go back to the model from before the "
                "veto."
            )


def _floor(weight: float | None, present: float, rule: Rule) -> float:
    """Rounded as weights are written: a weight that is not below the floor then reads so, too."""
    floor = present if weight is None else weight
    is_number = isinstance(floor, Real) and not isinstance(floor, bool) and math.isfinite(floor)
    if weight is None and not present > 0:
        raise InputError(
            f"Expected a weight to lock '{rule}' with, because it has none in this model: locked={{rule: 1.0}}."
        )
    if not is_number or not 0 < floor <= LARGEST_FLOOR:
        raise InputError(f"Expected the weight of a locked rule to be above 0 and at most 1e6, but got {floor!r}.")
    return float(f"{floor:.{WEIGHT_DIGITS}g}")
