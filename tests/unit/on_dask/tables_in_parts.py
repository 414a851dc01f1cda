"""Tables with numbers, text, blanks and weights, cut into partitions."""

from itertools import pairwise

import dask.dataframe as dd
import numpy as np
import pandas as pd


def people(n_rows: int = 400, n_classes: int = 2, seed: int = 0) -> pd.DataFrame:
    """Columns of every kind, with an outcome, weights of two kinds and a group."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "income": rng.normal(40, 12, n_rows).round(1),
            "children": rng.integers(0, 4, n_rows),
            "purpose": rng.choice(["car", "home", "trip"], n_rows),
            "owner": rng.random(n_rows) < 0.5,
        }
    )
    score = (frame["income"] > 42) * 1 + (frame["purpose"] == "home") * 1 + frame["owner"] * (frame["children"] < 2)
    noisy = np.where(rng.random(n_rows) < 0.12, rng.integers(0, 4, n_rows), score)
    frame["outcome"] = np.array(["low", "middle", "high"])[np.minimum(noisy, n_classes - 1)]
    frame.loc[rng.random(n_rows) < 0.1, "income"] = np.nan
    frame.loc[rng.random(n_rows) < 0.1, "purpose"] = None
    frame["count"] = rng.integers(0, 4, n_rows).astype(float)
    frame["share"] = rng.random(n_rows)
    frame["group"] = np.where(rng.random(n_rows) < np.where(frame["owner"], 0.7, 0.3), "A", "B")
    return frame


def in_parts(frame: pd.DataFrame, n_parts: int) -> dd.DataFrame:
    """Partitions of unequal length, the middle one of many empty."""
    edges = np.linspace(0, len(frame), n_parts + 1).astype(int)
    if n_parts > 2:
        edges[n_parts // 2] = edges[n_parts // 2 + 1]
    parts = [frame.iloc[start:stop] for start, stop in pairwise(edges.tolist())]
    return dd.from_map(lambda part: part, parts, meta=frame.iloc[:0])
