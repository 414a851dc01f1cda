"""What the training rows of a run tell about its columns: which numbers and values the model has seen."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rugboard.runs.results import Results
from rugboard.session.cache import cached
from rugcore.explanations import ColumnProfile, column_profiles

KEPT = 12  # a few numbers per column


@dataclass(frozen=True)
class TrainingColumn:
    """What the training rows tell about a column."""

    profile: ColumnProfile
    lowest: float = -np.inf
    highest: float = np.inf
    has_blanks: bool = True

    @property
    def is_number(self) -> bool:
        return self.profile.kind == "number"


@cached(entries=KEPT)
def columns(results: Results) -> dict[str, TrainingColumn]:
    """Every column that the models may look at."""
    X, special = results.X_train, results.plan.dictionary.special_values()
    return {name: _column(X[name], profile, special.get(name, ())) for name, profile in column_profiles(X).items()}


def _column(values: pd.Series, profile: ColumnProfile, special: Collection[float]) -> TrainingColumn:
    has_blanks = bool(values.isna().any())
    if profile.kind != "number":
        return TrainingColumn(profile, has_blanks=has_blanks)
    numbers = values.astype("float64").dropna()
    amounts = numbers[~numbers.isin(list(special))]  # a code for "no such record" is no amount
    if amounts.empty:
        return TrainingColumn(profile, has_blanks=has_blanks)
    return TrainingColumn(profile, float(amounts.min()), float(amounts.max()), has_blanks)
