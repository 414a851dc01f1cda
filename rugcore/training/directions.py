"""Which way every column should speak, as the user says it, checked against the table and its classes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rugcore.errors import InputError
from rugcore.fairness.notions import positive_code
from rugcore.generation.directions import FROM_ABOVE, FROM_BELOW, Directions
from rugcore.rules.conditions import Interval
from rugcore.rules.rule import Rule
from rugcore.tables.schema import Schema


def read_directions(said: Any, positive_class: Any, schema: Schema, classes: np.ndarray) -> Directions | None:
    """From {"income": 1, "arrears": -1}, or one entry a column; None where nothing is said of any column."""
    favourable = positive_code(positive_class, classes)
    if said is None:
        return None
    sign = np.array([_sign(name, item) for name, item in _by_column(said, schema).items()], dtype=np.int64)
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
        if own and kind not in ("number", "blank"):
            raise InputError(
                f"Expected monotonic_cst to name columns of numbers, but {name!r} holds other values, which are "
                "neither more nor less. Turn them into numbers first, or leave the column out of monotonic_cst."
            )
    return Directions(sign, favourable)


def bounds_of(rule: Rule, directions: Directions, names: Sequence[str]) -> list[tuple[str, int]]:
    """The columns with a direction that a rule bounds, and from which side: 1 from below, -1 from above."""
    sign = dict(zip(names, directions.sign.tolist(), strict=True))
    found = []
    for condition in rule.conditions:
        if isinstance(condition, Interval) and sign[condition.feature]:
            found += [(condition.feature, FROM_BELOW)] if np.isfinite(condition.lower) else []
            found += [(condition.feature, FROM_ABOVE)] if np.isfinite(condition.upper) else []
    return found


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
