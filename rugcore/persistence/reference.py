"""Whom a model compares applicants with, as plain data, checked on the way in: counts, and nobody's values.

"rules" holds for every rule how many people meet which of its conditions, such as {"101": [12, 340]}: the first and the
third condition, 12 people decided for the first class and 340 for the second. "columns" holds for every column that
rules look at how many people lie between which cuts: first the blanks, then the numbers from low to high, or the values
that rules name and all others.
"""

from typing import Any

import numpy as np

from rugcore.attribution import Reference, RuleCuts
from rugcore.errors import ModelFileError
from rugcore.rules import serial

MOST_PEOPLE = 1e15  # far beyond any table


def reference_to_dict(reference: Reference, cuts: RuleCuts) -> dict[str, Any]:
    rules = zip(reference.met, reference.weight, strict=True)
    columns = zip(cuts.names, reference.occurring, strict=True)
    return {
        "rules": [
            {_written(line): counts(own) for line, own in zip(met, weight, strict=True)} for met, weight in rules
        ],
        "columns": {name: [counts(own) for own in occurring] for name, occurring in columns},
    }


def reference_from_dict(fields: Any, cuts: RuleCuts, n_classes: int) -> Reference:
    rules = serial.get(fields, "rules", list)
    columns = serial.get(fields, "columns", dict)
    if len(rules) != len(cuts.rules) or set(columns) != set(cuts.names):
        raise ModelFileError("expected the people it compares with to be told for every rule and column of its rules.")
    patterns = [_patterns(item, rule.length, n_classes) for item, rule in zip(rules, cuts.rules, strict=True)]
    occurring = [table_of_counts(columns[column.name], column.n_codes, n_classes) for column in cuts.columns]
    people = [*(weight.sum(axis=0) for _, weight in patterns), *(own.sum(axis=0) for own in occurring)]
    if not all(np.allclose(own, people[0]) for own in people):
        raise ModelFileError("expected every rule and column to tell of the same people that it compares with.")
    return Reference(tuple(met for met, _ in patterns), tuple(weight for _, weight in patterns), tuple(occurring))


def _written(met: np.ndarray) -> str:
    return "".join("1" if item else "0" for item in met.tolist())


def counts(weight: np.ndarray) -> list[float]:
    """Whole numbers as such: most people count once."""
    return [int(item) if item.is_integer() else item for item in weight.tolist()]


def _patterns(item: Any, length: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    if not isinstance(item, dict) or not all(len(text) == length and set(text) <= {"0", "1"} for text in item):
        raise ModelFileError("expected patterns of conditions, one sign each, among the people it compares with.")
    met = np.array([[sign == "1" for sign in text] for text in item], dtype=bool).reshape(len(item), length)
    return met, table_of_counts(list(item.values()), len(item), n_classes)


def table_of_counts(lines: Any, n_lines: int, n_classes: int) -> np.ndarray:
    is_table = isinstance(lines, list) and len(lines) == n_lines
    if not is_table or not all(isinstance(line, list) and len(line) == n_classes for line in lines):
        raise ModelFileError("expected one number a class for people that it tells of.")
    numbers = [serial.finite(item, "reference", 0.0, MOST_PEOPLE) for line in lines for item in line]
    return np.array(numbers, dtype=float).reshape(n_lines, n_classes)
