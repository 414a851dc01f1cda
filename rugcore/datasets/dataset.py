"""What a data set is: a table, its outcome, and what is known about both."""

from dataclasses import dataclass

import pandas as pd

from rugcore.datasets.planted import PlantedRule


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table with everything a person would otherwise be asked about it.

    Attributes
    ----------
    name : str
        What `load_demo` calls it.
    X, y : DataFrame and Series
        One row per person, and the outcome of each.
    target : str
        What the outcome is called.
    sensitive : str
        The column of X whose groups should be treated alike.
    sensitive_options : tuple of str
        All columns of X that could be taken for it; the first is `sensitive`.
    favourable : str
        The value of y that serves the person well.
    description, source, licence : str
        What it is, where it comes from, and what may be done with it.
    planted : tuple
        The rules that made the outcome, where they are known: see `make_loans`.
    """

    name: str
    X: pd.DataFrame
    y: pd.Series
    target: str
    sensitive: str
    sensitive_options: tuple[str, ...]
    favourable: str
    description: str
    source: str
    licence: str
    planted: tuple[PlantedRule, ...] = ()
