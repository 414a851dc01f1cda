"""Which columns matter over all rows, as the rules have it and as SHAP has it."""

from typing import Any

import numpy as np
import pandas as pd

from rugcore.comparison.shapley import ShapSample
from rugcore.errors import InputError


def rule_importance(model: Any, X: Any = None) -> pd.Series:
    """Weight times coverage of the rules that mention a column, summed, as a share of the total over all columns.

    A rule counts in full for each of its columns: without any one of them it would be another rule. Coverage is the
    share of the training rows, or of the rows of X if given. Columns that no rule mentions have 0.
    """
    coverage = _coverage(model, X)
    weights = np.array([rule.weight for rule in model.rules_])
    total = dict.fromkeys(model.schema_.names, 0.0)
    for rule, amount in zip(model.rules_, weights * coverage, strict=True):
        for name in rule.features:
            total[name] += float(amount)
    series = pd.Series(total, name="rule weight", dtype=float).rename_axis("column")
    return _shares(series).sort_values(ascending=False, kind="stable")


def global_importance(model: Any, sample: ShapSample, X: Any = None) -> pd.DataFrame:
    """`rule weight` (see `rule_importance`) and `mean |SHAP|` by column; each adds up to 1, the larger first.

    `attrs` says whether the SHAP values are those of a sample, and of how many rows.
    """
    frame = pd.concat([rule_importance(model, X), _shares(sample.importance())], axis=1).fillna(0.0)
    frame = frame.iloc[np.argsort(-frame.max(axis=1).to_numpy(), kind="stable")].rename_axis("column")
    frame.attrs = {"is_sample": sample.is_sample, "n": sample.n, "n_total": sample.n_total}
    return frame


def _coverage(model: Any, X: Any) -> np.ndarray:
    if X is not None:
        covering = model.covering_rules(X)
        return np.asarray(covering.sum(axis=0)).ravel() / covering.shape[0]
    coverage = np.array([rule.coverage for rule in model.rules_], dtype=float)
    if np.isnan(coverage).any():
        raise InputError("Expected rules that know their coverage, but some do not. Pass X to count it.")
    return coverage


def _shares(series: pd.Series) -> pd.Series:
    total = series.sum()
    return series / total if total > 0 else series
