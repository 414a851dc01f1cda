"""The rows that two models decide differently, and whom it concerns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rugcore.errors import InputError
from rugcore.fairness.groups import Groups, read_groups
from rugcore.tables.table import plain_value

ALL_ROWS = Groups(("all",), np.empty(0, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Differences:
    """Where two models decide differently."""

    rows: np.ndarray  # row numbers, ascending
    by_group: pd.DataFrame  # group, n, n_different, share; with the truth also first_right and second_right
    by_decision: pd.DataFrame  # group, first, second, n: what each of the two decided instead


def differences(first: Any, second: Any, *, sensitive_features: Any = None, y_true: Any = None) -> Differences:
    """Compare two arrays of predicted labels, such as `rug.predict(X)` and `lightgbm.predict(X)`.

    `first_right` and `second_right` count, among the rows decided differently, those where that model was right.
    """
    one, two = _labels(first), _labels(second)
    if len(one) != len(two):
        raise InputError(f"Expected decisions on the same rows, but got {len(one)} and {len(two)}.")
    is_different = one != two
    groups = _groups(sensitive_features, len(one))
    counts = _counts(groups, is_different)
    if y_true is not None:
        counts |= _counts_of_right(groups, is_different, one, two, _labels(y_true))
    return Differences(np.flatnonzero(is_different), pd.DataFrame(counts), _by_decision(groups, is_different, one, two))


def _labels(labels: Any) -> np.ndarray:
    plain = [plain_value(label) for label in np.asarray(labels, dtype=object).ravel()]
    array = np.empty(len(plain), dtype=object)
    array[:] = plain
    return array


def _groups(sensitive_features: Any, n_rows: int) -> Groups:
    if sensitive_features is None:
        return Groups(ALL_ROWS.names, np.zeros(n_rows, dtype=np.int64))
    return read_groups(sensitive_features, n_rows)


def _counts(groups: Groups, is_different: np.ndarray) -> dict[str, Any]:
    n = np.bincount(groups.codes, minlength=groups.n_groups)
    different = _count(groups, is_different)
    share = np.divide(different, n, out=np.full(len(n), np.nan), where=n > 0)
    return {"group": groups.names, "n": n, "n_different": different, "share": share}


def _counts_of_right(
    groups: Groups, is_different: np.ndarray, one: np.ndarray, two: np.ndarray, true: np.ndarray
) -> dict[str, Any]:
    if len(true) != len(one):
        raise InputError(f"Expected the truth of the same rows, but got {len(true)} labels for {len(one)} rows.")
    return {
        "first_right": _count(groups, is_different & (one == true)),
        "second_right": _count(groups, is_different & (two == true)),
    }


def _count(groups: Groups, is_hit: np.ndarray) -> np.ndarray:
    return np.bincount(groups.codes[is_hit.astype(bool)], minlength=groups.n_groups)


def _by_decision(groups: Groups, is_different: np.ndarray, one: np.ndarray, two: np.ndarray) -> pd.DataFrame:
    names = np.array(groups.names, dtype=object)[groups.codes]
    frame = pd.DataFrame({"group": names, "first": one, "second": two})[is_different.astype(bool)]
    return frame.groupby(["group", "first", "second"], as_index=False, sort=True).size().rename(columns={"size": "n"})
