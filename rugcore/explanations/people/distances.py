"""How far a person is from every training person, in the columns that rules look at.

As Gower's distance, with numbers in percentiles: a column of numbers adds |F(v) - F(u)| (see `profiles`), a category 0
or 1, and so does a blank or a special code beside anything else. The distance is the mean over the columns, so that
none counts for more because of its unit.

J. C. Gower (1971), A general coefficient of similarity and some of its properties. Biometrics 27, 857-871.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.explanations.people.profiles import ColumnProfile
from rugcore.explanations.rule_model import RuleModel
from rugcore.tables import validation
from rugcore.tables.table import is_blank, plain_value

AMOUNT, BLANK, FIRST_CODE = 0, 1, 2
MOST_PEOPLE = 20_000  # of a larger table, every second, third, ... person is looked at


@dataclass(frozen=True, eq=False)
class SeenColumn:
    """One column of all people: a kind for every cell, and for amounts the percentile.

    Kinds are AMOUNT, BLANK, and then one for every special code or category.
    """

    name: str
    profile: ColumnProfile
    kind: np.ndarray
    percentile: np.ndarray
    kind_of: Mapping[Any, int]

    @classmethod
    def of(cls, name: str, column: np.ndarray, profile: ColumnProfile) -> "SeenColumn":
        is_number = profile.kind == "number"
        own = sorted(profile.special) if is_number else profile.categories
        kind_of = {value: number for number, value in enumerate(own, start=FIRST_CODE)}
        if is_number:
            kind = np.where(np.isnan(column), BLANK, AMOUNT)
            for code, number in kind_of.items():
                kind[column == code] = number
            return cls(name, profile, kind, np.asarray(profile.percentile(column)), kind_of)
        place, distinct = pd.factorize(column)
        kinds = np.array([*(kind_of[plain_value(value)] for value in distinct), BLANK])[place]  # a blank's place is -1
        return cls(name, profile, kinds, np.zeros(len(column)), kind_of)

    def kind_of_cell(self, cell: Any) -> int:
        """-1 for a category that nobody has."""
        if is_blank(cell):
            return BLANK
        return self.kind_of.get(cell, AMOUNT if self.profile.kind == "number" else -1)

    def distances(self, cell: Any) -> np.ndarray:
        """From a value to everybody's: between 0 and 1."""
        kind = self.kind_of_cell(cell)
        if kind != AMOUNT:
            return (self.kind != kind).astype(float)
        steps = np.abs(self.percentile - self.profile.percentile(cell))
        return np.where(self.kind == AMOUNT, steps, 1.0)

    def reaches(self, before: Any, after: Any) -> np.ndarray:
        """Who has what somebody would have after a change: the category, or a number at least as far that way."""
        kind = self.kind_of_cell(after)
        if kind != AMOUNT or self.kind_of_cell(before) != AMOUNT:
            return self.kind == kind  # from a blank no way is the way
        own, aim = self.profile.percentile(before), self.profile.percentile(after)
        is_as_far = self.percentile >= aim if aim >= own else self.percentile <= aim
        return (self.kind == AMOUNT) & is_as_far


@dataclass(frozen=True, eq=False)
class PeopleSeen:
    """The training people, in the columns that the rules of a model look at."""

    columns: Mapping[str, SeenColumn]
    rows: np.ndarray  # which rows of the training table they are

    @classmethod
    def of(cls, model: RuleModel, X: Any, profiles: Mapping[str, ColumnProfile]) -> "PeopleSeen":
        """Of a table like the one that the model was trained on, and what `column_profiles` found in it."""
        table = validation.table_to_predict(model, X)
        rows = np.arange(0, table.n_rows, max(1, -(-table.n_rows // MOST_PEOPLE)))
        names = model.schema_.names
        return cls(
            {
                name: SeenColumn.of(name, table.column(names.index(name))[rows], profiles[name])
                for name in model.rules_.features()
            },
            rows,
        )

    def __len__(self) -> int:
        return len(self.rows)

    def distances(self, cells: Mapping[str, Any], names: Sequence[str] | None = None) -> np.ndarray:
        """From a person, given by the values, to everybody: in these columns, or in all that rules look at."""
        chosen = list(self.columns) if names is None else names
        total = np.zeros(len(self))
        for name in chosen:
            total += self.columns[name].distances(cells[name])
        return total / max(len(chosen), 1)
