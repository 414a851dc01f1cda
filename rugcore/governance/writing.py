"""A rule that a person wrote, held against the columns of a model and what was promised about them."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rugcore.errors import InputError
from rugcore.generation.directions import FREE, FROM_BELOW, Directions
from rugcore.rules.conditions import Condition, Interval, IsMissing, IsSpecial, Membership
from rugcore.rules.rule import Rule
from rugcore.rules.special import SpecialCodes
from rugcore.tables.schema import WORD_FOR_KIND, Schema
from rugcore.tables.table import plain_value
from rugcore.training.directions import bounds_of


def written_rule(
    rule: Rule,
    schema: Schema,
    classes: Sequence[Any],
    directions: Directions | None = None,
    protected: frozenset[str] = frozenset(),
) -> Rule:
    """The rule with conditions in the order of the table and the special codes of its columns; else an `InputError`.

    Protected columns and directions bind a person as they bind training.
    """
    if not isinstance(rule, Rule):
        raise InputError(f"Expected a Rule with conditions and a label, but got {rule!r}.")
    if plain_value(rule.label) not in classes:
        listed = " or ".join(repr(label) for label in classes)
        raise InputError(f"Expected a rule to vote for {listed}, but this one votes for {rule.label!r}.")
    if not rule.conditions:
        raise InputError("Expected at least one condition: a rule without any speaks about everybody.")
    _refuse_columns(rule, schema, protected)
    places = {name: place for place, name in enumerate(schema.names)}
    ordered = sorted(rule.conditions, key=lambda condition: places[condition.feature])
    conditions = tuple(_condition(condition, schema, schema.kinds[places[condition.feature]]) for condition in ordered)
    found = Rule(conditions, plain_value(rule.label))
    if directions is not None:
        _refuse_against(found, directions, schema.names, classes)
    return found


def _refuse_columns(rule: Rule, schema: Schema, protected: frozenset[str]) -> None:
    for name in rule.features:
        if name in protected:
            raise InputError(
                f"Expected a rule without protected columns, but '{rule}' looks at {name!r}. Leave that condition out."
            )
        if name not in schema.names:
            raise InputError(f"Expected columns that the model was trained with, but it has no column {name!r}.")
    if len(set(rule.features)) < rule.length:
        raise InputError(f"Expected at most one condition for each column, but '{rule}' has two for one of them.")


def _condition(condition: Condition, schema: Schema, kind: str) -> Condition:
    name, specials = condition.feature, schema.specials.get(condition.feature, ())
    if kind == "blank":
        raise InputError(f"Expected a column with values, but {name!r} is empty in the training rows.")
    if isinstance(condition, IsMissing):
        return condition
    if isinstance(condition, Membership) == (kind == "number"):
        raise InputError(
            f"Expected a condition that fits the column {name!r} ({WORD_FOR_KIND[kind]}), but got '{condition}'."  # type: ignore[index]
        )
    if isinstance(condition, Interval):
        return _interval(condition, specials)
    if isinstance(condition, IsSpecial):
        return _special(condition, specials)
    return _membership(condition)


def _interval(condition: Interval, specials: SpecialCodes) -> Interval:
    lower, upper = float(condition.lower), float(condition.upper)
    if math.isnan(lower) or math.isnan(upper) or not lower < upper:
        raise InputError(
            f"Expected the lower threshold of {condition.feature!r} to be below the upper one, but got {lower:g} and "
            f"{upper:g}: no number lies between them."
        )
    if lower == math.inf or upper == -math.inf:
        raise InputError(f"Expected finite thresholds of {condition.feature!r}, but got {lower:g} and {upper:g}.")
    _refuse_codes(condition.feature, condition.or_special, specials)
    found = replace(condition, lower=lower, upper=upper, specials=specials)
    lets_in_all = len(set(condition.or_special)) == len(specials)
    if not found.is_bounded and condition.or_missing and lets_in_all:
        raise InputError(f"Expected a condition that somebody does not meet, but everybody meets '{found}'.")
    return found


def _special(condition: IsSpecial, specials: SpecialCodes) -> IsSpecial:
    numbers = [code.number for code in condition.codes]
    if not numbers:
        raise InputError(f"Expected at least one special code of {condition.feature!r}, but got none.")
    _refuse_codes(condition.feature, tuple(numbers), specials)
    return replace(condition, codes=tuple(code for code in specials if code.number in numbers))


def _refuse_codes(name: str, numbers: tuple[float, ...], specials: SpecialCodes) -> None:
    foreign = sorted(set(numbers) - {code.number for code in specials})
    if foreign:
        known = ", ".join(f"{code.number:g}" for code in specials) or "none"
        raise InputError(
            f"Expected special codes of the column {name!r} ({known}), but got {foreign[0]:g}. Declare it in "
            "special_values, and train again."
        )


def _membership(condition: Membership) -> Membership:
    if not condition.values and (not condition.negated or condition.or_missing):
        raise InputError(f"Expected at least one value of {condition.feature!r}, but the condition lists none.")
    return replace(condition, values=tuple(dict.fromkeys(map(plain_value, condition.values))))


def _refuse_against(rule: Rule, directions: Directions, names: Sequence[str], classes: Sequence[Any]) -> None:
    own = list(classes).index(rule.label)
    for name, side in bounds_of(rule, directions, names):
        allowed = directions.bound(list(names).index(name), own)
        if allowed not in (FREE, side):
            more = "help" if directions.sign[list(names).index(name)] > 0 else "harm"
            because = "its categories have an order" if name in directions.orders else f"more of it should {more}"
            way = "from below" if allowed == FROM_BELOW else "from above"
            raise InputError(
                f"Expected a rule for {rule.label!r} to bound {name!r} only {way}, because {because} "
                f"towards {classes[directions.favourable]!r}, but this one says '{rule}'. Leave out the other bound, "
                "let the rule vote for the other outcome, or train without that direction."
            )
