"""What became of the training people, by what they have in the columns that rules look at: in counts.

A reason such as "income is low" is true of a model and still nothing that anybody signs if people who have as little
fare no worse than others. A model has to know that wherever it decides, so that it keeps, by column, how many people
had which outcome: of numbers between the cuts that rules make, of categories by value. A file can hold such counts, and
they name nobody: what fewer than five people have is not told apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rugcore.attribution.cuts import CutColumn, RuleCuts
from rugcore.attribution.people import CodedPeople
from rugcore.tables.columns import CategoryColumn

FEWEST_TO_TELL = 5  # people: what became of fewer tells nothing

Counts = np.ndarray  # by class: the weight of people who had that outcome


@dataclass(frozen=True, eq=False)
class Fared:
    """The outcomes of people, all together and by what they have."""

    all: Counts
    numbers: Mapping[str, np.ndarray]  # by column: (intervals between its cuts from low to high, classes)
    categories: Mapping[str, Mapping[Any, Counts]]  # by column and value

    @classmethod
    def of(cls, cuts: RuleCuts, people: CodedPeople, n_classes: int) -> "Fared":
        codes = people.codes_for(cuts)
        numbers, categories = {}, {}
        for column, position, own in zip(cuts.columns, cuts.positions, codes, strict=True):
            coded = people.columns[position]
            if column.is_number:
                numbers[column.name] = _counted(own, people, column.first_special, n_classes)[1:]
            elif isinstance(coded, CategoryColumn):
                counts = _counted(people.codes[position], people, 1 + len(coded.values), n_classes)[1:]
                categories[column.name] = dict(zip(coded.values, counts, strict=True))
        return cls(np.bincount(people.class_codes, people.weight, n_classes), numbers, categories)

    @classmethod
    def together(cls, parts: Sequence["Fared"]) -> "Fared":
        """All people at once, of whom each part knows some."""
        first = parts[0]
        return cls(
            np.sum([part.all for part in parts], axis=0),
            {name: np.sum([part.numbers[name] for part in parts], axis=0) for name in first.numbers},
            {
                name: {value: np.sum([part.categories[name][value] for part in parts], axis=0) for value in own}
                for name, own in first.categories.items()
            },
        )

    def told(self) -> "Fared":
        """Without categories of so few people that what became of them tells nothing, and might tell of somebody."""
        return Fared(
            self.all,
            self.numbers,
            {
                name: {value: counts for value, counts in own.items() if counts.sum() >= FEWEST_TO_TELL}
                for name, own in self.categories.items()
            },
        )


def _counted(codes: np.ndarray, people: CodedPeople, n_codes: int, n_classes: int) -> np.ndarray:
    """(codes below `n_codes`, classes): the weight of people."""
    is_counted = codes < n_codes
    place = codes[is_counted].astype(np.int64) * n_classes + people.class_codes[is_counted]
    return np.bincount(place, people.weight[is_counted], n_codes * n_classes).reshape(n_codes, n_classes)


def interval_bounds(column: CutColumn) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and the highest number of every interval between the cuts of a column of numbers."""
    starts = np.concatenate([[-np.inf], np.nextafter(column.cuts, np.inf)])
    return starts, np.concatenate([column.cuts, [np.inf]])
