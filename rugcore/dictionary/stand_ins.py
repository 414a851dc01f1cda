"""Columns that give away a protected column of the same table, such as a title that tells the sex."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from rugcore.dictionary.names import (
    MOST_KINDS,
    ProtectedName,
    effect_by_name,
    is_number_of_dependents,
    protected_by_name,
    protected_by_values,
)
from rugcore.fairness import stand_ins
from rugcore.tables.name_words import words_of
from rugcore.tables.table import numbers_of

NO_GROUND = "decisions about people should not rest on that."
TELLS = 0.9  # of two people, right in nine of ten cases: all but the protected column itself
SAMPLE = 5_000  # rows; a share is then known to a point
MOST_GROUPS = 10  # in a protected column; the ages of people are no groups
SEED = 0
# Ages of adults: nearly every year between the youngest and most of the others has somebody.
YOUNGEST, OLDEST, FEWEST_AGES, MOST_OF_THEM, FULL = (14, 25), (55, 110), 25, 0.9, 0.9
FEWEST_LETTERS = 4  # of a word that says something
NO_NAME = frozenset(["attr", "attribute", "column", "feature", "field", "input", "item", "variable", "value"])
# To say that more of a column helps or harms would help or harm a group if more of it means that group so often.
TELLS_IN_ORDER = 0.6
FEWEST = 100  # people of a group; of fewer, chance alone often tells as much


@dataclass(frozen=True)
class GivenAway:
    """A column, and the protected one that it tells best."""

    column: str
    protected: str
    tells: float
    first: str
    second: str


def protected_in(frame: pd.DataFrame, names: Sequence[str]) -> dict[str, str]:
    """The columns among these that are protected by their names or by their values, with what says so in a sentence."""
    found = {name: _protected(frame[name], name) for name in names}
    return {name: why for name, why in found.items() if why}


def _protected(column: pd.Series, name: str) -> str:
    by_name = protected_by_name(name)
    if by_name is not None:
        return on_name(by_name)
    if pd.api.types.is_numeric_dtype(column.dtype):
        return "" if column.dtype == bool else _by_numbers(name, numbers_of(column))
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return ""
    kinds = pd.unique(column.dropna())
    by_values = protected_by_values([str(kind) for kind in kinds]) if len(kinds) <= 2 * MOST_KINDS else None
    return "" if by_values is None else f"Its values ({by_values.word}) tell of {by_values.stands_for}: {NO_GROUND}"


def _by_numbers(name: str, numbers: np.ndarray) -> str:
    if is_number_of_dependents(name, numbers):
        return on_name(ProtectedName("dep", "family"))
    if not is_like_ages(name, numbers):
        return ""
    lowest, highest = np.nanmin(numbers), np.nanmax(numbers)
    return (
        f"Its name does not tell, and its whole numbers from {lowest:.0f} to {highest:.0f} look like ages: {NO_GROUND}"
    )


def is_like_ages(name: str, numbers: np.ndarray) -> bool:
    """Whether a column whose name says nothing, such as x4 or ag, holds whole numbers as the ages of adults are."""
    says_nothing = all(len(word) < FEWEST_LETTERS or word in NO_NAME for word in words_of(name))
    if not says_nothing or effect_by_name(name) is not None:
        return False
    known = numbers[np.isfinite(numbers)]
    distinct = np.unique(known)
    if len(distinct) < FEWEST_AGES or not (distinct == np.floor(distinct)).all():
        return False
    youngest, oldest = distinct[0], distinct[-1]
    is_range = YOUNGEST[0] <= youngest <= YOUNGEST[1] and OLDEST[0] <= oldest <= OLDEST[1]
    most = np.quantile(known, MOST_OF_THEM)  # above it, some years of age may have nobody
    return bool(is_range and (distinct <= most).sum() >= FULL * (most - youngest + 1))


def on_name(protected: ProtectedName, where: str = "name") -> str:
    meant = "" if protected.word == protected.stands_for else f", which means {protected.stands_for}"
    return f"Its {where} says {protected.word!r}{meant}: {NO_GROUND}"


@dataclass(frozen=True, eq=False)
class ProtectedGroups:
    """Who belongs to which group, by every protected column that makes some; in some of the rows."""

    rows: np.ndarray
    members: tuple[tuple[np.ndarray, ...], ...]  # of every protected column and group, whether the rows belong to it

    @classmethod
    def of(cls, frame: pd.DataFrame, protected: Sequence[str]) -> "ProtectedGroups":
        n_rows = len(frame)
        rng = np.random.default_rng(SEED)
        rows = np.arange(n_rows) if n_rows <= SAMPLE else np.sort(rng.choice(n_rows, SAMPLE, replace=False))
        return cls(rows, tuple(_members(frame[name].iloc[rows]) for name in protected))

    def are_told_by(self, numbers: np.ndarray) -> bool:
        """Whether more of something means one of two groups in at least 60 of 100 pairs of people."""
        own = numbers[self.rows]
        is_known = np.isfinite(own)
        return any(
            max(share, 1 - share) >= TELLS_IN_ORDER
            for groups in self.members
            for one, other in combinations([group & is_known for group in groups], 2)
            if min(one.sum(), other.sum()) >= FEWEST
            for share in [_share_above(own[one], own[other])]
        )


def _members(column: pd.Series) -> tuple[np.ndarray, ...]:
    codes, kinds = pd.factorize(column)
    if not 2 <= len(kinds) <= MOST_GROUPS:
        return ()
    return tuple(codes == code for code in range(len(kinds)))


def _share_above(first: np.ndarray, second: np.ndarray) -> float:
    """Of all pairs, those in which the first has more; equal ones count half (the area under the ROC curve)."""
    ranks = rankdata(np.concatenate([first, second]))[: len(first)]
    return float((ranks.sum() - len(first) * (len(first) + 1) / 2) / (len(first) * len(second)))


def found_in(frame: pd.DataFrame, names: Sequence[str]) -> list[GivenAway]:
    """Among the columns with these names, in their order; those that are protected by their names are not repeated."""
    rows = frame if len(frame) <= SAMPLE else frame.sample(SAMPLE, random_state=SEED)
    rows = rows[list(names)]
    protected = [name for name in names if protected_by_name(name) and 2 <= rows[name].nunique() <= MOST_GROUPS]
    others = _readable(rows.drop(columns=[name for name in names if protected_by_name(name)]))
    best: dict[str, GivenAway] = {}
    for name in protected if others.shape[1] else ():
        for found in _given_away(others, rows[name], name):
            if found.column not in best or best[found.column].tells < found.tells:
                best[found.column] = found
    return [best[name] for name in names if name in best]


def _given_away(others: pd.DataFrame, groups: pd.Series, name: str) -> list[GivenAway]:
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
