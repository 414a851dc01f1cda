"""How people fare in the data who have a category, or as little or as much of a number as somebody: no worse?

What a rule holds against somebody may be true of the model and still be nothing that anybody signs: as a part of other
conditions, or because weights were moved, it counts against people who in the data have the favourable outcome no less
often than all.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.attribution import FEWEST_TO_TELL, CutColumn, Fared, interval_bounds
from rugcore.explanations.reasons.wording import Finding
from rugcore.explanations.rule_model import RuleModel
from rugcore.tables.table import plain_value, read_table

MOST_ASKED = 4 * FEWEST_TO_TELL
# Of 69.5 % against 70 % nobody would say that they fare worse, unless they are so many that it is no chance.
LEAST_WORSE, SURE = 0.01, 1.96  # of a share; standard deviations


@dataclass(frozen=True, eq=False)
class NumbersFaring:
    """Of a column of numbers: who has as little or as much, and how many of them had the favourable outcome.

    Numbers stand one by one, or in intervals that a model does not tell apart; special codes are none.
    """

    lowest: np.ndarray  # of every interval, rising
    highest: np.ndarray
    count: np.ndarray  # of people in each
    good: np.ndarray  # of these, with the favourable outcome
    usual: float  # share among all people

    @classmethod
    def of(cls, column: np.ndarray, is_good: np.ndarray, codes: Collection[float]) -> "NumbersFaring":
        is_amount = ~(np.isnan(column) | np.isin(column, list(codes)))
        numbers, place = np.unique(column[is_amount], return_inverse=True)
        count = np.bincount(place, minlength=len(numbers))
        good = np.bincount(place, is_good[is_amount], len(numbers))
        return cls(numbers, numbers, count, good, float(is_good.mean()))

    @classmethod
    def between_cuts(cls, column: CutColumn, fared: Fared, favourable: int) -> "NumbersFaring":
        counts = fared.numbers[column.name]
        return cls(*interval_bounds(column), counts.sum(axis=1), counts[:, favourable], _usual(fared, favourable))

    def is_well(self, finding: Finding, values: np.ndarray) -> np.ndarray:
        """Of people whose number "is high" or "is low": whether those who have as much, or as little, fare no worse.

        Where too few have, the next ones are asked too, unless that leads to people of quite another kind: of whoever
        has least of all, nobody else could tell.
        """
        count, good = (np.concatenate([[0.0], np.cumsum(own)]) for own in (self.count, self.good))
        all_people = count[-1]
        if finding == "low":
            place = np.searchsorted(self.lowest, values, side="right")
            place = _further(place, count)
            n_people, n_good = count[place], good[place]
        else:
            place = np.searchsorted(self.highest, values, side="left")
            others = all_people - count[::-1]
            place = len(self.count) - _further(len(self.count) - place, others)
            n_people, n_good = all_people - count[place], good[-1] - good[place]
        by_chance = SURE * np.sqrt(n_people * self.usual * (1 - self.usual))
        trifle = np.minimum(LEAST_WORSE * n_people, by_chance)
        well: np.ndarray = (n_good >= self.usual * n_people - trifle) & (n_people >= FEWEST_TO_TELL)
        return well


def _further(place: np.ndarray, count: np.ndarray) -> np.ndarray:
    """As far as it takes for enough people, given how many there are up to each place."""
    enough = int(np.searchsorted(count, FEWEST_TO_TELL, side="left"))
    is_near = enough < len(count) and count[enough] <= MOST_ASKED
    found: np.ndarray = np.maximum(place, enough) if is_near else place
    return found


FaringWell = Mapping[str, Collection[Any] | NumbersFaring]


def who_fares_well_by(model: RuleModel, favourable: int) -> FaringWell:
    """As `who_fares_well`, of the people a model was trained with, if it knows them; given the number of the class."""
    fared = model.fared_
    if fared is None:
        return {}
    usual = _usual(fared, favourable)
    found: dict[str, frozenset[Any] | NumbersFaring] = {
        name: frozenset(value for value, counts in own.items() if _is_well(counts[favourable], counts.sum(), usual))
        for name, own in fared.categories.items()
    }
    numbers = [column for column in model.rule_votes_.cuts.columns if column.name in fared.numbers]
    return found | {column.name: NumbersFaring.between_cuts(column, fared, favourable) for column in numbers}


def _usual(fared: Fared, favourable: int) -> float:
    return float(fared.all[favourable] / fared.all.sum())


def _is_well(n_good: float, n_people: float, usual: float) -> bool:
    return bool(n_good >= usual * n_people and n_people >= FEWEST_TO_TELL)


def who_fares_well(
    X: pd.DataFrame, y: Any, positive_class: Any, *, special_values: Mapping[str, Collection[float]] | None = None
) -> dict[str, frozenset[Any] | NumbersFaring]:
    """Who has the favourable outcome no less often than all, by what they have in a column: no reason for a letter.

    By column of categories, those whose people do; by column of numbers, what tells so of any number.

    Parameters
    ----------
    X : DataFrame
        People whose outcomes are known, such as the training rows.
    y : sequence
        Their outcomes.
    positive_class : label
        The outcome that serves people well.
    special_values : dict or None, default=None
        By column, codes that stand among its numbers and are no amounts.
    """
    is_good = np.array([plain_value(label) == plain_value(positive_class) for label in y], dtype=bool)
    table, codes = read_table(X), special_values or {}
    found: dict[str, frozenset[Any] | NumbersFaring] = {}
    for position, (name, kind) in enumerate(zip(table.names, table.kinds, strict=True)):
        if kind == "category":
            found[name] = _categories(table.column(position), is_good)
        elif kind == "number":
            found[name] = NumbersFaring.of(table.column(position), is_good, codes.get(name, ()))
    return found


def _categories(column: np.ndarray, is_good: np.ndarray) -> frozenset[Any]:
    place, distinct = pd.factorize(column)
    count = np.bincount(place[place >= 0], minlength=len(distinct))
    good = np.bincount(place[place >= 0], is_good[place >= 0], len(distinct))
    well = (good >= is_good.mean() * count) & (count >= FEWEST_TO_TELL)
    return frozenset(plain_value(distinct[number]) for number in np.flatnonzero(well))
