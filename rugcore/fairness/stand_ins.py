"""Which columns stand in for the sensitive attribute: how well each of them alone tells the groups apart."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from rugcore.fairness.groups import Groups, read_groups
from rugcore.fairness.pair_shares import by_learned_values, by_order
from rugcore.fairness.parity import MIN_CELL_SIZE
from rugcore.tables.table import Table, read_table

N_FOLDS = 5
N_BANDS = 20  # of a column of numbers
MOST_GROUPS = 10  # the largest ones: every two are compared
SEED = 0
NAN = float("nan")


def stand_ins(X: Any, sensitive_features: Any, *, min_cell_size: int = MIN_CELL_SIZE) -> pd.DataFrame:
    """Which columns stand in for the sensitive attribute? A line per column, the most telling first.

    Leaving an attribute out of the rules helps little if another column gives it away. Two people are drawn, one of
    each of two groups, and somebody who sees nothing but this column guesses who is who.

    Parameters
    ----------
    X : DataFrame
        The columns that rules may use.
    sensitive_features : column or table, one entry per row
        Who belongs to which group.
    min_cell_size : int, default=30
        Groups of fewer rows are left out; of many groups, the ten largest are compared.

    Returns
    -------
    DataFrame
        column. tells: the share of such pairs in which the guess is right, a coin deciding where the column does not
        (the area under the ROC curve; 0.5 is a coin, 1 is certainty). first_group, second_group: of all pairs of
        groups, the two that it tells apart best. by: "order" if more of a number means one of the groups, "values" if
        single values or bands do, learned on other rows than they are tried on. NaN and None where no two groups are
        large enough.
    """
    table = read_table(X if isinstance(X, pd.DataFrame) else pd.DataFrame(X))
    groups = read_groups(sensitive_features, table.n_rows)
    compared = _Compared.of(groups, min_cell_size)
    lines = [{"column": name} | compared.told_by(table, place) for place, name in enumerate(table.names)]
    frame = pd.DataFrame(lines, columns=["column", "tells", "first_group", "second_group", "by"])
    return frame.sort_values("tells", ascending=False, kind="stable", na_position="last", ignore_index=True)


@dataclass(frozen=True, eq=False)
class _Compared:
    """The groups that are large enough, and the fold of every row."""

    groups: Groups
    pairs: tuple[tuple[int, int], ...]
    fold: np.ndarray

    @classmethod
    def of(cls, groups: Groups, min_cell_size: int) -> "_Compared":
        size = np.bincount(groups.codes, minlength=groups.n_groups)
        largest = [
            int(place) for place in np.argsort(-size, kind="stable")[:MOST_GROUPS] if size[place] >= min_cell_size
        ]
        fold = np.random.default_rng(SEED).permutation(len(groups.codes)) % N_FOLDS
        return cls(groups, tuple(combinations(sorted(largest), 2)), fold)

    def told_by(self, table: Table, place: int) -> dict[str, Any]:
        """The pair of groups that a column tells apart best."""
        unknown = {"tells": NAN, "first_group": None, "second_group": None, "by": None}
        if not self.pairs or table.kinds[place] == "blank":
            return unknown
        column, is_number = table.column(place), table.kinds[place] == "number"
        values = self._counts(_bands(column) if is_number else _kinds(column), self.fold, N_FOLDS)
        has_order = is_number and not np.isnan(column).any()
        ordered = (
            self._counts(np.unique(column, return_inverse=True)[1], np.zeros_like(self.fold), 1) if has_order else None
        )
        found = [self._told(pair, values, ordered) for pair in self.pairs]
        known = [line for line in found if line["tells"] == line["tells"]]
        return max(known, key=lambda line: line["tells"]) if known else unknown

    def _counts(self, kinds: np.ndarray, fold: np.ndarray, n_folds: int) -> np.ndarray:
        """People by group, fold and value."""
        shape = (self.groups.n_groups, n_folds, int(kinds.max()) + 1)
        return np.bincount((self.groups.codes * n_folds + fold) * shape[2] + kinds, minlength=np.prod(shape)).reshape(
            shape
        )

    def _told(self, pair: tuple[int, int], values: np.ndarray, ordered: np.ndarray | None) -> dict[str, Any]:
        first, second = pair
        by_values = by_learned_values(values[first], values[second])
        in_order = NAN if ordered is None else by_order(ordered[first, 0], ordered[second, 0])
        is_order = in_order == in_order and not by_values > in_order
        names = {"first_group": self.groups.names[first], "second_group": self.groups.names[second]}
        return {"tells": in_order if is_order else by_values, **names, "by": "order" if is_order else "values"}


def _kinds(column: np.ndarray) -> np.ndarray:
    """The number of every value; a blank is a value too."""
    return np.asarray(pd.factorize(column, use_na_sentinel=True)[0] + 1)


def _bands(column: np.ndarray) -> np.ndarray:
    """Numbers cut where equally many lie in each band; blanks are a band of their own."""
    is_blank = np.isnan(column)
    edges = np.unique(np.quantile(column[~is_blank], np.arange(1, N_BANDS) / N_BANDS))
    return np.where(is_blank, 0, 1 + np.searchsorted(edges, column, side="left"))
