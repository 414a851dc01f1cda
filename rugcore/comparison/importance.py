"""Which columns matter over all rows, as the rules have it and as SHAP has it: measured alike."""

from typing import Any

import numpy as np
import pandas as pd

from rugcore.comparison.shapley import ShapSample

ROWS_AT_ONCE = 10_000  # a number per row, column and class is held at a time: not for all rows of a large table


def rule_importance(model: Any, X: Any) -> pd.Series:
    """How much every column moves the score of the rules from row to row, as a share of the total over all columns.

    To the score of class k for row i, column f adds

        c_ikf = sum of s_rk / l_r over the rules r that cover the row and ask about the column,

    where s_rk is the weight of the rule if it votes for k and -1/(K-1) of it otherwise, and l_r is the number of its
    columns: what `rule_contributions` tells of one row. The importance of the column is

        sum over k of the mean over i of | c_ikf - mean over i of c_ikf |.

    That is what mean |SHAP| is for other models, whose values are centred as well: a rule that covers nearly every row
    moves all of them alike, and tells nobody apart. Of two classes one is enough, since the other has the opposite
    signs. Columns that no rule mentions have 0.
    """
    total = dict.fromkeys(model.schema_.names, 0.0)
    names, amounts = _amounts(model)
    if names:
        deviation = _mean_deviation(model.covering_rules(X), amounts)
        by_class_and_column = deviation.reshape(-1, len(names))
        total |= dict(zip(names, by_class_and_column.sum(axis=0).tolist(), strict=True))
    series = pd.Series(total, name="mean |contribution|", dtype=float).rename_axis("column")
    return _shares(series).sort_values(ascending=False, kind="stable")


def global_importance(model: Any, sample: ShapSample, X: Any) -> pd.DataFrame:
    """`mean |contribution|` (see `rule_importance`) and `mean |SHAP|` by column; each adds up to 1, the larger first.

    `attrs` says whether the SHAP values are those of a sample, and of how many rows.
    """
    frame = pd.concat([rule_importance(model, X), _shares(sample.importance())], axis=1).fillna(0.0)
    frame = frame.iloc[np.argsort(-frame.max(axis=1).to_numpy(), kind="stable")].rename_axis("column")
    frame.attrs = {"is_sample": sample.is_sample, "n": sample.n, "n_total": sample.n_total}
    return frame


def _amounts(model: Any) -> tuple[list[str], np.ndarray]:
    """The columns that rules ask about, and (rules, classes * columns): what a rule adds where it covers a row."""
    names = list(dict.fromkeys(name for rule in model.rules_ for name in rule.features))
    place = {name: number for number, name in enumerate(names)}
    labels = list(model.classes_)
    chosen = labels[1:] if len(labels) == 2 else labels
    amounts = np.zeros((len(model.rules_), len(chosen), len(names)))
    for number, rule in enumerate(model.rules_):
        push = [rule.weight if rule.label == label else -rule.weight / (len(labels) - 1) for label in chosen]
        for name in rule.features:
            amounts[number, :, place[name]] = np.divide(push, len(rule.features))
    return names, amounts.reshape(len(model.rules_), len(chosen) * len(names))


def _mean_deviation(covering: Any, amounts: np.ndarray) -> np.ndarray:
    """The mean absolute deviation from the mean of every column of `covering @ amounts`, in portions of the rows."""
    n_rows = covering.shape[0]
    centre = np.asarray(covering.sum(axis=0)).ravel() / n_rows @ amounts
    total = np.zeros(amounts.shape[1])
    for begin in range(0, n_rows, ROWS_AT_ONCE):
        total += np.abs(covering[begin : begin + ROWS_AT_ONCE] @ amounts - centre).sum(axis=0)
    return total / n_rows


def _shares(series: pd.Series) -> pd.Series:
    total = series.sum()
    return series / total if total > 0 else series
