"""What a data set is: a table, its outcome, and what is known about both."""

from dataclasses import dataclass

import pandas as pd

from rugcore.datasets.planted import PlantedRule


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table with everything a person would otherwise be asked about it."""

    name: str
    X: pd.DataFrame
    y: pd.Series
    target: str
    sensitive: str  # a column of X
    sensitive_options: tuple[str, ...]  # columns of X; the first is `sensitive`
    favourable: str  # the value of y that serves the applicant well
    description: str
    source: str
    licence: str
    planted: tuple[PlantedRule, ...] = ()
