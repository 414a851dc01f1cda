"""The models of the run beside the others: measured alike, with what the visitor changed about them."""

from typing import Any

import numpy as np
import pandas as pd

from rugboard.compare.report import BASELINE, LIGHTGBM, LONGEST_OUTCOME, ModelLine, Report, ShapShares
from rugboard.runs.results import Results
from rugboard.session import adjusted_models, adjustments, group_names, measures, run_models
from rugboard.session.adjustments import Adjustment
from rugboard.session.cache import cached
from rugboard.shell.text import brief, value_in_words
from rugboard.shell.theme import OUTSIDE
from rugcore.comparison import (
    Differences,
    compare,
    differences,
    measure_decisions,
    not_clearly_worse,
    rule_importance,
)

LINES_KEPT = 64
RULES, SHAP = "mean |contribution|", "mean |SHAP|"


def own_lines(results: Results) -> list[ModelLine]:
    """RUG, and FairRUG if there is one, as this visitor has set them; and another model that the table knows."""
    return [
        _outside_line(results) if model == OUTSIDE else _line(results, model, _change(results, model))
        for model in run_models.of_run(results)
    ]


def _change(results: Results, model: str) -> Adjustment:
    return adjustments.current(results.run.id, model)


@cached(entries=LINES_KEPT)
def _line(results: Results, model: str, change: Adjustment) -> ModelLine:
    rows = compare(
        {model: adjusted_models.with_adjustment(results, model, change)},
        None,
        None,
        results.X_test,
        results.y_test,
        sensitive_features=_test_groups(results),
        positive_class=results.plan.fair_settings()["positive_class"],
    )
    return ModelLine.of(model, next(iter(rows)), seconds=results.summaries[model].seconds)


@cached(entries=LINES_KEPT)
def _outside_line(results: Results) -> ModelLine:
    """Of which there is nothing to read, and nobody knows how long it was trained."""
    said = run_models.outside_of(results).of_rows(results.is_test)
    row = measure_decisions(
        OUTSIDE,
        said.decided,
        results.y_test,
        score=said.score,
        sensitive_features=_test_groups(results),
        positive_class=results.plan.fair_settings()["positive_class"],
    )
    return ModelLine.of(OUTSIDE, row)


def _test_groups(results: Results) -> pd.Series | None:
    return None if results.data.groups is None else group_names.of_rows(results)[results.is_test]


def baseline_line(results: Results) -> ModelLine:
    """What it takes no model to reach: the most common outcome of the training rows for everybody."""
    found = measures.baseline(results)
    n_outcomes = len(pd.unique(pd.concat([results.y_train, results.y_test])))
    accuracy = found.test_accuracy
    return ModelLine(
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
    truth = results.y_test.to_numpy(dtype=object)
    own = {model: decided == truth for model, decided in adjusted_models.decided_in_test(results).items()}
    others = {model: report.decided(model) == truth for model in report.packed}
    always = truth == measures.baseline(results).label
    return not_clearly_worse({BASELINE: always, **own, **others})


# -- against another model --------------------------------------------------------------------------------------


def others_to_differ_from(results: Results, report: Report) -> tuple[str, ...]:
    """Models without rules whose decisions are known: the other model of the table, and LightGBM if it was compared."""
    own = [model for model in run_models.of_run(results) if model not in results.summaries]
    return (*own, *((LIGHTGBM,) if LIGHTGBM in report.packed else ()))


def decided_differently(results: Results, model: str, other: str, report: Report) -> Differences:
    """The test rows that a model of the run and another one decide differently."""
    return _differences(results, model, _change(results, model), other, report)


@cached(entries=LINES_KEPT)
def _differences(results: Results, model: str, change: Adjustment, other: str, report: Report) -> Differences:
    is_compared = other in report.packed
    return differences(
        adjusted_models.decided(results, model, change)[results.is_test],
        report.decided(other) if is_compared else adjusted_models.decided_now(results, other)[results.is_test],
        sensitive_features=_test_groups(results),
        y_true=results.y_test,
    )


# -- what matters ------------------------------------------------------------------------------------------


def importance(results: Results, model: str, shap: ShapShares) -> pd.DataFrame:
    """By column of the data: its share of what moves the rules, and of LightGBM's mean |SHAP|; the larger first."""
    return together(_rule_shares(results, model, _change(results, model)), shap)


@cached(entries=LINES_KEPT)
def _rule_shares(results: Results, model: str, change: Adjustment) -> pd.Series:
    found: pd.Series = rule_importance(adjusted_models.with_adjustment(results, model, change), results.X_test)
    return found


def together(rules: pd.Series, shap: ShapShares) -> pd.DataFrame:
    values: dict[str, Any] = dict(shap.importance)
    sizes = pd.Series(values, dtype=float)
    shares = sizes / sizes.sum() if sizes.sum() > 0 else sizes
    frame = pd.DataFrame({RULES: rules, SHAP: shares}).fillna(0.0)
    order = np.argsort(-frame.max(axis=1).to_numpy(), kind="stable")
    return frame.iloc[order].rename_axis("column")
