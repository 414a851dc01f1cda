"""Columns that give away a protected column of the same table, such as a title that tells the sex."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from rugcore.dictionary.names import protected_by_name
from rugcore.fairness import stand_ins

TELLS = 0.9  # of two people, right in nine of ten cases: all but the protected column itself
SAMPLE = 5_000  # rows; a share is then known to a point
MOST_GROUPS = 10  # in a protected column; the ages of people are no groups
SEED = 0


@dataclass(frozen=True)
class GivenAway:
    """A column, and the protected one that it tells best."""

    column: str
    protected: str
    tells: float
    first: str
    second: str


def found_in(frame: pd.DataFrame, names: Sequence[str]) -> list[GivenAway]:
    """Among the columns with these names, in their order; those that are protected by their names are not repeated."""
    rows = frame if len(frame) <= SAMPLE else frame.sample(SAMPLE, random_state=SEED)
    rows = rows[list(names)]
    protected = [name for name in names if protected_by_name(name) and 2 <= rows[name].nunique() <= MOST_GROUPS]
    others = _readable(rows.drop(columns=[name for name in names if protected_by_name(name)]))
    best: dict[str, GivenAway] = {}
    for name in protected if others.shape[1] else ():
        for found in _telling(others, rows[name], name):
            if found.column not in best or best[found.column].tells < found.tells:
                best[found.column] = found
    return [best[name] for name in names if name in best]


def _telling(others: pd.DataFrame, groups: pd.Series, name: str) -> list[GivenAway]:
    is_known = groups.notna()
    told = stand_ins(others[is_known], groups[is_known].astype("str"))
    return [
        GivenAway(str(line["column"]), name, float(line["tells"]), str(line["first_group"]), str(line["second_group"]))
        for line in told[told["tells"] >= TELLS].to_dict("records")
    ]


def _readable(frame: pd.DataFrame) -> pd.DataFrame:
    """Dates as text: a value is a value."""
    dates = frame.select_dtypes(["datetime", "datetimetz"]).columns
    return frame.astype(dict.fromkeys(dates, "str"))
