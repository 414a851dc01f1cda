"""The models of the run beside the others: measured alike, with what the visitor changed about them."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.compare.report import BASELINE, LIGHTGBM, Line, Report, ShapShares
from rugboard.runs.results import Results
from rugboard.session import adjusted_models, measures
from rugboard.session.adjusted_models import Adjustment
from rugboard.session.evaluations import clear_groups
from rugboard.shell.text import brief, value_in_words
from rugcore.comparison import Differences, compare, differences, not_clearly_worse, rule_importance

LINES_KEPT = 64
RULES, SHAP = "mean |contribution|", "mean |SHAP|"
LONGEST_OUTCOME = 30  # letters in a table


def own_lines(results: Results) -> list[Line]:
    """RUG, and FairRUG if there is one, as this visitor has set them."""
    return [_line(results.run.id, model, _change(results, model).key, results) for model in results.summaries]


def _change(results: Results, model: str) -> Adjustment:
    return adjusted_models.adjustment(results.run.id, model)


@st.cache_resource(show_spinner=False, max_entries=LINES_KEPT)
def _line(run_id: str, model: str, key: str, _results: Results) -> Line:  # noqa: ARG001 - they name the model
    groups = _results.data.groups
    solved = adjusted_models.now(_results, model)
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


def baseline_line(results: Results) -> Line:
    """What it takes no model to reach: the most common outcome of the training rows for everybody."""
    found = measures.baseline(results)
    n_outcomes = len(pd.unique(pd.concat([results.y_train, results.y_test])))
    accuracy = found.test_accuracy
    return Line(
        BASELINE,
        accuracy=accuracy,
        f1_macro=2 * accuracy / (1 + accuracy) / n_outcomes,  # recall 1, precision the share; all other outcomes have 0
        size=0.0,
        unit="rules",
        title=f"Always {brief(value_in_words(found.label), LONGEST_OUTCOME)}",
    )


# -- who is right ------------------------------------------------------------------------------------------


def best_models(results: Results, report: Report) -> set[str]:
    """Those that are right most often, and all whose difference from that may be chance: a paired test."""
    own = {model: _is_right(results.run.id, model, _change(results, model).key, results) for model in results.summaries}
    others = {
        model: _is_right_of(results.run.id, model, text, results, report) for model, text in report.packed.items()
    }
    always = results.y_test.to_numpy(dtype=object) == measures.baseline(results).label
    return not_clearly_worse({BASELINE: always, **own, **others})


@st.cache_resource(show_spinner=False, max_entries=LINES_KEPT)
def _is_right(run_id: str, model: str, key: str, _results: Results) -> np.ndarray:  # noqa: ARG001
    decided = adjusted_models.decided(_results, model, _change(_results, model))[_results.is_test]
    found: np.ndarray = decided == _results.y_test.to_numpy(dtype=object)
    return found


@st.cache_resource(show_spinner=False, max_entries=LINES_KEPT)
def _is_right_of(run_id: str, model: str, text: str, _results: Results, _report: Report) -> np.ndarray:  # noqa: ARG001
    found: np.ndarray = _report.decided(model) == _results.y_test.to_numpy(dtype=object)
    return found


# -- against LightGBM --------------------------------------------------------------------------------------


def decided_differently(results: Results, model: str, report: Report) -> Differences:
    """The test rows that a model of the run and LightGBM decide differently."""
    name = f"{results.run.id} {model} {_change(results, model).key}"
    return _differences(name, results, model, report)


@st.cache_resource(show_spinner=False, max_entries=LINES_KEPT)
def _differences(name: str, _results: Results, _model: str, _report: Report) -> Differences:  # noqa: ARG001
    own = adjusted_models.decided(_results, _model, _change(_results, _model))[_results.is_test]
    return differences(
        own,
        _report.decided(LIGHTGBM),
        sensitive_features=None if _results.data.groups is None else clear_groups(_results)[_results.is_test],
        y_true=_results.y_test,
    )


# -- what matters ------------------------------------------------------------------------------------------


def importance(results: Results, model: str, shap: ShapShares) -> pd.DataFrame:
    """By column of the data: its share of what moves the rules, and of LightGBM's mean |SHAP|; the larger first."""
    return together(_rule_shares(results.run.id, model, _change(results, model).key, results), shap)


@st.cache_resource(show_spinner=False, max_entries=LINES_KEPT)
def _rule_shares(run_id: str, model: str, key: str, _results: Results) -> pd.Series:  # noqa: ARG001
    found: pd.Series = rule_importance(adjusted_models.now(_results, model), _results.X_test)
    return found


def together(rules: pd.Series, shap: ShapShares) -> pd.DataFrame:
    values: dict[str, Any] = dict(shap.importance)
    sizes = pd.Series(values, dtype=float)
    shares = sizes / sizes.sum() if sizes.sum() > 0 else sizes
    frame = pd.DataFrame({RULES: rules, SHAP: shares}).fillna(0.0)
    order = np.argsort(-frame.max(axis=1).to_numpy(), kind="stable")
    return frame.iloc[order].rename_axis("column")
