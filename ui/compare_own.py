"""The models of the run beside the others: measured alike, with what the visitor changed about them."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rugcore.comparison import Differences, compare, differences, rule_importance
from ui import resolved
from ui.compare_rows import Line, Report, ShapShares
from ui.fairness_standing import clear_groups
from ui.resolved import Adjustment
from ui.runs.results import Results

LINES_KEPT = 64
RULES, SHAP = "rule weight", "mean |SHAP|"


def own_lines(results: Results) -> list[Line]:
    """RUG, and FairRUG if there is one, as this visitor has set them."""
    return [_line(results.run.id, model, _change(results, model).key, results) for model in results.summaries]


def _change(results: Results, model: str) -> Adjustment:
    return resolved.adjustment(results.run.id, model)


@st.cache_resource(show_spinner=False, max_entries=LINES_KEPT)
def _line(run_id: str, model: str, key: str, _results: Results) -> Line:  # noqa: ARG001 - they name the model
    groups = _results.data.groups
    solved = resolved.now(_results, model)
    rows = compare(
        {model: solved},
        None,
        None,
        _results.X_test,
        _results.y_test,
        sensitive_features=None if groups is None else groups[_results.is_test],
        positive_class=_results.plan.fair_settings()["positive_class"],
    )
    return Line.of(model, next(iter(rows)), seconds=_results.summaries[model].seconds)


# -- against LightGBM --------------------------------------------------------------------------------------


def decided_differently(results: Results, model: str, report: Report) -> Differences:
    """The test rows that a model of the run and LightGBM decide differently."""
    name = f"{results.run.id} {model} {_change(results, model).key}"
    return _differences(name, results, model, report)


@st.cache_resource(show_spinner=False, max_entries=LINES_KEPT)
def _differences(name: str, _results: Results, _model: str, _report: Report) -> Differences:  # noqa: ARG001
    own = resolved.decided(_results, _model, _change(_results, _model))[_results.is_test]
    return differences(
        own,
        lightgbm_decisions(_report),
        sensitive_features=None if _results.data.groups is None else clear_groups(_results)[_results.is_test],
        y_true=_results.y_test,
    )


def lightgbm_decisions(report: Report) -> np.ndarray:
    classes = np.empty(len(report.classes), dtype=object)
    classes[:] = report.classes
    found: np.ndarray = classes[np.array(report.decisions, dtype=np.int64)]
    return found


# -- what matters ------------------------------------------------------------------------------------------


def importance(results: Results, model: str, shap: ShapShares) -> pd.DataFrame:
    """By column of the data: its share of the rules' weight, and of LightGBM's mean |SHAP|; the larger first."""
    return together(_rule_shares(results.run.id, model, _change(results, model).key, results), shap)


@st.cache_resource(show_spinner=False, max_entries=LINES_KEPT)
def _rule_shares(run_id: str, model: str, key: str, _results: Results) -> pd.Series:  # noqa: ARG001
    found: pd.Series = rule_importance(resolved.now(_results, model), _results.X_test)
    return found


def together(rules: pd.Series, shap: ShapShares) -> pd.DataFrame:
    values: dict[str, Any] = dict(shap.importance)
    sizes = pd.Series(values, dtype=float)
    shares = sizes / sizes.sum() if sizes.sum() > 0 else sizes
    frame = pd.DataFrame({RULES: rules, SHAP: shares}).fillna(0.0)
    order = np.argsort(-frame.max(axis=1).to_numpy(), kind="stable")
    return frame.iloc[order].rename_axis("column")
