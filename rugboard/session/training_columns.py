"""What the training rows of a run, and its dictionary, tell about its columns: which values the model has seen."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from rugboard.runs.results import Results
from rugboard.session.cache import cached
from rugcore.dictionary import ColumnEntry
from rugcore.explanations import ColumnProfile, column_profiles

KEPT = 12  # a few numbers per column


@dataclass(frozen=True, eq=False)
class TrainingColumn:
    """What is known about a column."""

    profile: ColumnProfile
    has_blanks: bool
    lowest: float = -np.inf  # amounts in the training rows
    highest: float = np.inf
    entry: ColumnEntry = field(default_factory=ColumnEntry)

    @property
    def is_number(self) -> bool:
        return self.profile.kind == "number"

    @property
    def possible(self) -> tuple[float, float]:
        """The lowest and the highest number there can be: as the dictionary says, else of the training rows."""
        return (
            self.lowest if self.entry.lowest is None else self.entry.lowest,
            self.highest if self.entry.highest is None else self.entry.highest,
        )

    @property
    def meanings(self) -> Mapping[float, str]:
        """Of special codes among numbers."""
        return self.entry.special if self.is_number else {}


@cached(entries=KEPT)
def columns(results: Results) -> dict[str, TrainingColumn]:
    """Every column that the models may look at."""
    X, dictionary = results.X_train, results.run.plan.dictionary
    declared = dictionary.special_values()
    codes = {name: own for name, own in declared.items() if name in X and is_numeric_dtype(X[name])}
    return {
        name: _column(X[name], profile, dictionary.entry(dictionary.raw_name(name)))
        for name, profile in column_profiles(X, codes).items()
    }


def _column(values: pd.Series, profile: ColumnProfile, entry: ColumnEntry) -> TrainingColumn:
    has_blanks = bool(values.isna().any())
    if not len(profile.numbers):
        return TrainingColumn(profile, has_blanks, entry=entry)
    return TrainingColumn(profile, has_blanks, float(profile.numbers[0]), float(profile.numbers[-1]), entry)
