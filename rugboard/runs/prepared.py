"""A table as the engine is given it: see `rugboard.runs.prepare`, which makes it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rugcore.outside_models import OutsideDecisions


@dataclass(frozen=True, eq=False)
class Prepared:
    """The rows that have an outcome. `rows` are their positions in the table; the index of the others counts on."""

    X: pd.DataFrame
    y: pd.Series
    groups: pd.Series | None
    rows: np.ndarray
    notes: tuple[str, ...]  # what a person should know about how the table was read
    outside: OutsideDecisions | None = None  # what another model decided about these rows
