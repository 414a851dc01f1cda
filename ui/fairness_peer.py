"""LightGBM on the same rows: what a model nobody can read would decide."""

import numpy as np
import pandas as pd

from ui import peers
from ui.runs.results import Results


def decided(run_id: str, results: Results) -> np.ndarray:  # noqa: ARG001
    """What LightGBM, trained on the training rows of the run, decides for all of its rows."""
    return peers.decided(results)


def train_and_decide(table: pd.DataFrame, outcome: pd.Series, is_training: np.ndarray) -> np.ndarray:
    """Train on some rows, decide all of them."""
    return peers.decisions_of(peers.trained(table[is_training], outcome[is_training]), table)
