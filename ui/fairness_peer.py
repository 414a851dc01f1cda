"""LightGBM on the same rows: what a model nobody can read would decide."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from pandas.api import types

from rugcore.encoding.table import plain_value
from ui.runs.results import Results

PEERS_KEPT = 8  # each holds a value a row

# Modest on purpose, so that it is there in a second or two; the seed makes it the same for everybody.
SETTINGS: dict[str, Any] = {
    "n_estimators": 100,
    "num_leaves": 15,
    "learning_rate": 0.1,
    "n_jobs": 1,  # as many trainings as cores may run beside it
    "random_state": 21,
    "deterministic": True,
    "verbose": -1,
}


def decided(run_id: str, results: Results) -> np.ndarray:
    """What LightGBM, trained on the training rows of the run, decides for all of its rows."""
    return _decided(run_id, results)


@st.cache_resource(show_spinner=False, max_entries=PEERS_KEPT)
def _decided(run_id: str, _results: Results) -> np.ndarray:  # noqa: ARG001
    return train_and_decide(_results.data.X, _results.data.y, ~_results.is_test)


def train_and_decide(table: pd.DataFrame, outcome: pd.Series, is_training: np.ndarray) -> np.ndarray:
    """Train on some rows, decide all of them."""
    from lightgbm import LGBMClassifier

    numbers, labels = pd.factorize(outcome)
    prepared = as_lightgbm_reads(table)
    model = LGBMClassifier(**SETTINGS).fit(prepared[is_training], numbers[is_training])
    known = np.empty(len(labels), dtype=object)
    known[:] = [plain_value(label) for label in labels]
    return known[np.asarray(model.predict(prepared), dtype=np.int64)]


def as_lightgbm_reads(table: pd.DataFrame) -> pd.DataFrame:
    """Numbers as they are and all else as categories, under names that cannot offend it."""
    columns = {f"column {place}": _column(table.iloc[:, place]) for place in range(table.shape[1])}
    return pd.DataFrame(columns, index=table.index)


def _column(column: pd.Series) -> pd.Series:
    if types.is_numeric_dtype(column.dtype) and not types.is_bool_dtype(column.dtype):
        return pd.Series(column.to_numpy(dtype=np.float64, na_value=np.nan), index=column.index)
    return column.astype("category")
