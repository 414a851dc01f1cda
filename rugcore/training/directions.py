"""Which way every column should speak, as the user says it, checked against the table and its classes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rugcore.errors import InputError
from rugcore.fairness.notions import positive_code
from rugcore.generation.directions import FROM_ABOVE, FROM_BELOW, Directions
from rugcore.rules.conditions import Condition, Interval, Membership
from rugcore.rules.orders import is_order, order_of, sides_bounded
from rugcore.rules.rule import Rule
from rugcore.tables.schema import Schema
from rugcore.tables.table import Kind


def read_directions(said: Any, positive_class: Any, schema: Schema, classes: np.ndarray) -> Directions | None:
    """From {"income": 1, "arrears": -1, "rating": ("poor", "good")}, or one entry a column; None: nothing is said."""
    favourable = positive_code(positive_class, classes)
    if said is None:
        return None
    by_column = _by_column(said, schema)
    orders = {name: order_of(item, f"of {name!r}") for name, item in by_column.items() if is_order(item)}
    sign = np.array([1 if name in orders else _sign(name, item) for name, item in by_column.items()], dtype=np.int64)
    if not sign.any():
        return None
    if len(classes) != 2:
        raise InputError(
            f"Expected monotonic_cst with two classes only, but there are {len(classes)}: with more of them, to help "
            "one class does not say which other one is harmed."
        )
    if favourable is None:
        listed = " or ".join(repr(item) for item in classes.tolist())
        raise InputError(f"Expected positive_class, the class that directions speak of, to be given: {listed}.")
    for name, kind, own in zip(schema.names, schema.kinds, sign.tolist(), strict=True):
        if own:
            _refuse_other_kind(name, kind, name in orders)
    return Directions(sign, favourable, orders)


def _refuse_other_kind(name: str, kind: Kind, has_order: bool) -> None:
    if kind not in ("number", "blank") and not has_order:
        raise InputError(
            f"Expected monotonic_cst to name columns of numbers, but {name!r} holds other values, which are neither "
            "more nor less. List them from the worst to the best, or leave the column out of monotonic_cst."
        )
    if kind == "number" and has_order:
        raise InputError(
            f"Expected the direction of {name!r} to be 1, -1 or 0, because it holds numbers, but got a list of values. "
            "Make the column one of categories if they are no amounts."
        )


def bounds_of(rule: Rule, directions: Directions, names: Sequence[str]) -> list[tuple[str, int]]:
    """The columns with a direction that a rule bounds, and from which side: 1 from below, -1 from above."""
    sign = dict(zip(names, directions.sign.tolist(), strict=True))
    found = []
    for condition in rule.conditions:
        if sign[condition.feature]:
            below, above = _sides(condition, directions)
            found += [(condition.feature, FROM_BELOW)] if below else []
            found += [(condition.feature, FROM_ABOVE)] if above else []
    return found


def _sides(condition: Condition, directions: Directions) -> tuple[bool, bool]:
    """Whether a condition bounds its column from below, and from above."""
    if isinstance(condition, Interval):
        return bool(np.isfinite(condition.lower)), bool(np.isfinite(condition.upper))
    order = directions.orders.get(condition.feature)
    return sides_bounded(condition, order) if order and isinstance(condition, Membership) else (False, False)


def effect_signs(
    rules: Sequence[Rule], directions: Directions | None, names: Sequence[str], classes: Sequence[Any]
) -> np.ndarray | None:
    """What the rules may add to the chance of the second class: 1 no less than nothing, -1 no more, 0 either.

    A rule that bounds a column with a direction may speak only for its own class. None where no rule does.
    """
    if directions is None:
        return None
    own = [(1 if rule.label == classes[1] else -1) if bounds_of(rule, directions, names) else 0 for rule in rules]
    return np.array(own, dtype=np.int64) if any(own) else None


def _by_column(said: Any, schema: Schema) -> dict[str, Any]:
    """What is said of every column, in the order of the table."""
    if isinstance(said, Mapping):
        unknown = [name for name in said if name not in schema.names]
        if unknown:
            raise InputError(f"Expected monotonic_cst to name columns of the table, but it has no {unknown[0]!r}.")
        return {name: said.get(name, 0) for name in schema.names}
    if isinstance(said, str) or not hasattr(said, "__len__") or len(said) != len(schema.names):
        raise InputError(
            'Expected monotonic_cst to be like {"income": 1, "arrears": -1}, or to have one entry for each of the '
            f"{len(schema.names)} columns, but got {said!r}."
        )
    return dict(zip(schema.names, said, strict=True))


def _sign(name: str, item: Any) -> int:
    if isinstance(item, bool) or item not in (-1, 0, 1):
        raise InputError(f"Expected the direction of {name!r} to be 1, -1 or 0, but got {item!r}.")
    return int(item)
