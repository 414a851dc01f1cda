"""Which columns matter over all rows, as the rules have it and as SHAP has it: measured alike."""

from typing import Any

import numpy as np
import pandas as pd

from rugcore.attribution import RuleVotes, to_scores
from rugcore.comparison.peers import PeerClassifier
from rugcore.comparison.shapley import ROWS_IN_SAMPLE, ShapExplainer, ShapSample, sample_rows, take_rows
from rugcore.explanations.rule_model import codes_of

ROWS_AT_ONCE = 10_000  # a number per row, column and class is held at a time: not for all rows of a large table


def rule_importance(model: Any, X: Any) -> pd.Series:
    """How much every column moves the score of the rules from row to row, as a share of the total over all columns.

    The mean over the rows of what the column adds or takes (`attribute`), compared with all rows of X and summed over
    the classes: what mean |SHAP| is for other models. A rule that covers nearly every row moves all of them alike, and
    tells nobody apart. Of two classes one is enough, since the other has the opposite signs. Columns that no rule
    mentions have 0.
    """
    total = dict.fromkeys(model.schema_.names, 0.0)
    votes, codes = model.rule_votes_, codes_of(model, X)
    size = _mean_size(votes, codes)
    total |= dict(zip(votes.cuts.names, size.tolist(), strict=True))
    series = pd.Series(total, name="mean |contribution|", dtype=float).rename_axis("column")
    return _shares(series).sort_values(ascending=False, kind="stable")


def shap_sample(model: PeerClassifier, X: Any) -> ShapSample:
    """SHAP values of LightGBM on up to a thousand rows, compared with each other: as `rule_importance` does it."""
    rows = take_rows(X, sample_rows(len(X), ROWS_IN_SAMPLE, random_state=0))
    return ShapExplainer(model, rows).sample(X)


def global_importance(model: Any, sample: ShapSample, X: Any) -> pd.DataFrame:
    """`mean |contribution|` (see `rule_importance`) and `mean |SHAP|` by column; each adds up to 1, the larger first.

    `attrs` says whether the SHAP values are those of a sample, and of how many rows.
    """
    frame = pd.concat([rule_importance(model, X), _shares(sample.importance())], axis=1).fillna(0.0)
    frame = frame.iloc[np.argsort(-frame.max(axis=1).to_numpy(), kind="stable")].rename_axis("column")
    frame.attrs = {"is_sample": sample.is_sample, "n": sample.n, "n_total": sample.n_total}
    return frame


def _mean_size(votes: RuleVotes, codes: np.ndarray) -> np.ndarray:
    """By column that rules look at, in portions of the rows."""
    background, n_rows = votes.background(codes), codes.shape[1]
    total = np.zeros(len(codes))
    for begin in range(0, n_rows, ROWS_AT_ONCE):
        scores = to_scores(votes.values(background, codes[:, begin : begin + ROWS_AT_ONCE]))
        total += np.abs(scores[:, :, 1:] if votes.n_classes == 2 else scores).sum(axis=(0, 2))
    return total / n_rows


def _shares(series: pd.Series) -> pd.Series:
    total = series.sum()
    return series / total if total > 0 else series
