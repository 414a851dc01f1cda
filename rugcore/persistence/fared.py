"""What became of the training people, as plain data, checked on the way in: counts, and nobody's values.

"all" holds how many people had each outcome, "numbers" the same for every interval between the cuts of a column, from
low to high, and "categories" pairs of a value and its counts; what fewer than five people have is not there.
"""

from typing import Any

import numpy as np

from rugcore.attribution import Fared, RuleCuts
from rugcore.errors import ModelFileError
from rugcore.persistence.reference import counts, table_of_counts
from rugcore.rules import serial

ROUNDING = 1e-9  # relative: sums of the same weights in another order


def fared_to_dict(fared: Fared) -> dict[str, Any]:
    told = fared.told()
    return {
        "all": counts(told.all),
        "numbers": {name: [counts(line) for line in own] for name, own in told.numbers.items()},
        "categories": {
            name: [[serial.plain(value), counts(line)] for value, line in own.items()]
            for name, own in told.categories.items()
        },
    }


def fared_from_dict(fields: Any, cuts: RuleCuts, n_classes: int) -> Fared:
    numbers, categories = serial.get(fields, "numbers", dict), serial.get(fields, "categories", dict)
    is_number = {column.name: column.is_number for column in cuts.columns}
    if {name for name, is_own in is_number.items() if is_own} != set(numbers) or not set(categories) <= set(is_number):
        raise ModelFileError("expected what became of people to be told for every column that rules look at.")
    fared = Fared(
        table_of_counts([serial.get(fields, "all", list)], 1, n_classes)[0],
        {
            column.name: table_of_counts(numbers[column.name], len(column.cuts) + 1, n_classes)
            for column in cuts.columns
            if column.is_number
        },
        {name: _categories(own, n_classes) for name, own in categories.items()},
    )
    by_column = [*fared.numbers.values(), *(np.array([*own.values()]) for own in fared.categories.values() if own)]
    if not fared.all.sum() or any((own.sum(axis=0) > fared.all * (1 + ROUNDING)).any() for own in by_column):
        raise ModelFileError("expected what became of people to be told of no more of them than there are.")
    return fared


def _categories(pairs: Any, n_classes: int) -> dict[Any, np.ndarray]:
    if not isinstance(pairs, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise ModelFileError("expected pairs of a value and what became of the people who have it.")
    values = [serial.scalar(value) for value, _ in pairs]
    lines = table_of_counts([line for _, line in pairs], len(pairs), n_classes)
    return dict(zip(values, lines, strict=True))
