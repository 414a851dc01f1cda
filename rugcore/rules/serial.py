"""Rules as plain JSON values and back, with every field checked on the way in."""

import json
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from rugcore.errors import ModelFileError
from rugcore.rules.conditions import Condition, Interval, IsMissing, IsSpecial, Membership
from rugcore.rules.rule import Rule
from rugcore.rules.special import SpecialCode, SpecialCodes

LARGEST = sys.float_info.max
LARGEST_WEIGHT = 1e100  # sums of such weights are still numbers


def plain(item: Any) -> Any:
    """A label or category as a JSON value; numpy scalars become Python's own."""
    return item.item() if isinstance(item, np.generic) else item


def rule_to_dict(rule: Rule) -> dict[str, Any]:
    return {
        "if": [condition_to_dict(condition) for condition in rule.conditions],
        "then": plain(rule.label),
        "weight": float(rule.weight),
        "coverage": _number_or_none(rule.coverage),
        "precision": _number_or_none(rule.precision),
        "text": str(rule),
    }


def condition_to_dict(condition: Condition) -> dict[str, Any]:
    fields: dict[str, Any] = {"kind": condition.kind, "feature": condition.feature}
    if isinstance(condition, Interval):
        fields |= {"above": _bound(condition.lower), "up_to": _bound(condition.upper)}
        if condition.specials:
            fields |= {"special": specials_to_list(condition.specials), "or_special": list(condition.or_special)}
    if isinstance(condition, IsSpecial):
        fields["special"] = specials_to_list(condition.codes)
    if isinstance(condition, Membership):
        fields |= {"values": [plain(item) for item in condition.values], "negated": condition.negated}
    if not isinstance(condition, IsMissing):
        fields["or_missing"] = condition.or_missing
    return fields


def specials_to_list(specials: SpecialCodes) -> list[dict[str, Any]]:
    return [{"number": code.number, "meaning": code.meaning} for code in specials]


def specials_from_list(items: Any) -> SpecialCodes:
    """Special codes, each number and each meaning once."""
    if not isinstance(items, list):
        raise ModelFileError(f"expected a list of special codes, but found {short(items)}.")
    codes = tuple(SpecialCode(finite(get(item, "number"), "number"), get(item, "meaning", str)) for item in items)
    if len({code.number for code in codes}) < len(codes) or len({code.meaning for code in codes}) < len(codes):
        raise ModelFileError("two special codes of a column are the same number, or mean the same.")
    return codes


def parse(text: str) -> Any:
    """JSON text as values, or a `ModelFileError` that says where it stopped being JSON."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_each_once)
    except ModelFileError:
        raise
    except json.JSONDecodeError as error:
        raise ModelFileError(f"Expected JSON, but the text stops being JSON at line {error.lineno}.") from error
    except (RecursionError, ValueError) as error:
        raise ModelFileError("Expected the JSON of a model, but it holds absurdly deep or long values.") from error


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of a name that stands twice Python takes the last value, and other readers the first."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ModelFileError(f"Expected every name once, but {short(twice)} stands twice in one object.")
    return found


def _refuse_constant(name: str) -> None:
    """Python reads NaN and Infinity in JSON, which knows neither."""
    raise ModelFileError(f"Expected JSON with finite numbers, but it holds {name}.")


def rules_from_list(items: Any) -> list[Rule]:
    if not isinstance(items, list):
        raise ModelFileError(f"expected a list of rules, but found {type(items).__name__}.")
    return [_at(f"rule {position}", rule_from_dict, item) for position, item in enumerate(items, start=1)]


def rule_from_dict(fields: Any) -> Rule:
    conditions = tuple(condition_from_dict(item) for item in get(fields, "if", list))
    features = [condition.feature for condition in conditions]
    if len(set(features)) < len(features):
        raise ModelFileError("two conditions stand on one column.")
    return Rule(
        conditions=conditions,
        label=scalar(get(fields, "then")),
        weight=finite(get(fields, "weight", (int, float)), "weight", 0.0, LARGEST_WEIGHT),
        coverage=_share(get(fields, "coverage"), "coverage"),
        precision=_share(get(fields, "precision"), "precision"),
    )


def condition_from_dict(fields: Any) -> Condition:
    readers: dict[str, Callable[[Any], Condition]] = {
        Interval.kind: _interval,
        Membership.kind: _membership,
        IsMissing.kind: lambda item: IsMissing(get(item, "feature", str)),
        IsSpecial.kind: _is_special,
    }
    kind = get(fields, "kind", str)
    if kind not in readers:
        raise ModelFileError(f"a condition has the unknown kind {kind!r}.")
    return readers[kind](fields)


def _interval(fields: Any) -> Interval:
    lower = -math.inf if get(fields, "above") is None else finite(fields["above"], "above")
    upper = math.inf if get(fields, "up_to") is None else finite(fields["up_to"], "up_to")
    if not lower < upper:
        raise ModelFileError(f"an interval runs from {lower} to {upper}, so no number lies in it.")
    specials = specials_from_list(fields.get("special", []))  # there were none in the files of earlier versions
    or_special = tuple(finite(item, "or_special") for item in get(fields, "or_special", list)) if specials else ()
    if not set(or_special) <= {code.number for code in specials}:
        raise ModelFileError("an interval lets in a special code that its column does not have.")
    return Interval(get(fields, "feature", str), lower, upper, get(fields, "or_missing", bool), specials, or_special)


def _is_special(fields: Any) -> IsSpecial:
    codes = specials_from_list(get(fields, "special"))
    if not codes:
        raise ModelFileError("a condition lists no special code, so nothing can satisfy it.")
    return IsSpecial(get(fields, "feature", str), codes, get(fields, "or_missing", bool))


def _membership(fields: Any) -> Membership:
    values = tuple(scalar(item) for item in get(fields, "values", list))
    negated = get(fields, "negated", bool)
    if not values and not negated:
        raise ModelFileError("a condition lists no value, so nothing can satisfy it.")
    return Membership(get(fields, "feature", str), values, negated, get(fields, "or_missing", bool))


def _at(place: str, reader: Callable[[Any], Rule], item: Any) -> Rule:
    try:
        return reader(item)
    except ModelFileError as error:
        raise ModelFileError(f"at {place}, {error}") from error


def get(fields: Any, name: str, expected: type | tuple[type, ...] = object) -> Any:
    """A field that must be there, of an expected type."""
    if not isinstance(fields, dict) or name not in fields:
        raise ModelFileError(f"the field {name!r} is missing.")
    found = fields[name]
    is_flag_for_number = isinstance(found, bool) and expected == (int, float)
    if not isinstance(found, expected) or is_flag_for_number:
        raise ModelFileError(f"the field {name!r} has the wrong type {type(found).__name__}.")
    return found


def scalar(item: Any) -> Any:
    """A label or a category."""
    if isinstance(item, str | bool):
        return item
    if not isinstance(item, int | float) or not abs(item) <= LARGEST:
        raise ModelFileError(f"expected text, a number or true/false, but found {short(item)}.")
    return item


def finite(item: Any, name: str, at_least: float = -LARGEST, at_most: float = LARGEST) -> float:
    """A number that can be computed with; whole numbers in JSON may be longer than any float."""
    is_number = isinstance(item, int | float) and not isinstance(item, bool)
    if not is_number or not at_least <= item <= at_most:
        raise ModelFileError(f"the field {name!r} holds {short(item)}, which is not a usable number.")
    return float(item)


def short(item: Any) -> str:
    """A value in a message, however long it is."""
    text = repr(item)
    return text if len(text) <= 40 else f"{text[:40]}..."


def _share(item: Any, name: str) -> float:
    if item is None:
        return math.nan
    share = finite(item, name, at_least=0.0)
    if share > 1 + 1e-9:
        raise ModelFileError(f"the field {name!r} holds {share}, but a share lies between 0 and 1.")
    return share


def _bound(bound: float) -> float | None:
    return float(bound) if math.isfinite(bound) else None


def _number_or_none(number: float) -> float | None:
    return None if math.isnan(number) else float(number)
