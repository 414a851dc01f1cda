"""Which codes of which columns are no amounts, as the user declares them, checked against the table."""

import math
from collections import Counter
from collections.abc import Mapping
from numbers import Real
from typing import Any

from rugcore.errors import InputError
from rugcore.rules import words
from rugcore.rules.special import SpecialCode, SpecialCodes
from rugcore.tables.table import Table

MOST_CODES = 32  # of a column; the numbers need room, too


def special_codes(declared: Any, table: Table) -> dict[str, SpecialCodes]:
    """By column, from {"column": {-9: "no such record"}} or {"column": [-9, -8]}; None declares nothing."""
    if declared is None:
        return {}
    if not isinstance(declared, Mapping):
        raise InputError(
            'Expected special_values to name columns, such as {"months": {-9: "no such record"}}, but got '
            f"{declared!r}."
        )
    kinds = dict(zip(table.names, table.kinds, strict=True))
    found = {}
    for name, own in declared.items():
        if name not in kinds:
            raise InputError(f"Expected special_values of columns of the table, but it has no column {name!r}.")
        if kinds[name] not in ("number", "blank"):
            raise InputError(
                f"Expected special_values of a column of numbers, but {name!r} holds other values: each of them is a "
                "kind of its own already."
            )
        codes = _codes(name, own)
        if codes and kinds[name] == "number":
            found[str(name)] = codes
    return found


def _codes(column: Any, declared: Any) -> SpecialCodes:
    """In the order in which they were declared."""
    if isinstance(declared, str | bytes) or not hasattr(declared, "__iter__"):
        raise InputError(
            f"Expected the special values of {column!r} as a list of numbers, or as numbers with their meanings, but "
            f"got {declared!r}."
        )
    pairs = list(declared.items()) if isinstance(declared, Mapping) else [(number, "") for number in declared]
    numbers = [_number(column, number) for number, _ in pairs]
    if len(set(numbers)) < len(numbers) or len(numbers) > MOST_CODES:
        raise InputError(
            f"Expected at most {MOST_CODES} different special values of {column!r}, but got {len(numbers)}, or one of "
            "them twice."
        )
    texts = [
        str(meaning or "").strip() or words.number(number) for number, (_, meaning) in zip(numbers, pairs, strict=True)
    ]
    n_times = Counter(texts)
    # A rule calls a code by its meaning: where two mean the same, the number tells them apart.
    clear = [
        f"{text} ({words.number(number)})" if n_times[text] > 1 else text
        for number, text in zip(numbers, texts, strict=True)
    ]
    if len(set(clear)) < len(clear):
        raise InputError(f"Expected every special value of {column!r} to have a meaning of its own, but got {texts}.")
    return tuple(SpecialCode(number, text) for number, text in zip(numbers, clear, strict=True))


def _number(column: Any, item: Any) -> float:
    is_number = isinstance(item, Real) and not isinstance(item, bool) and math.isfinite(item)
    if not is_number:
        raise InputError(f"Expected the special values of {column!r} to be numbers, but got {item!r}.")
    return float(item)
