"""FairRUG beside fairlearn on the page Fairness: the worker against the engine, and what each model is called."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from rugboard.fairness import alternatives_view, alternatives_worker, frontier_chart
from rugboard.fairness.alternatives_job import AlternativesJob, AlternativesReport
from rugboard.runs.home import Home
from rugboard.runs.jobs import FINISHED, UNREADABLE
from rugboard.runs.results import Results
from rugcore import FairAlternative, fair_alternatives
from tests.dashboard.conftest import Open, is_calm, offered_files, texts

LOTTERY = FairAlternative("ExponentiatedGradient", "decision tree", 0.05, 0.04, 0.08, 0.9, 0.88, 3, 21.0, 0.12, False)
TREE = replace(LOTTERY, n_models=1, n_rules=7.0, random_share=0.0)
REGRESSION = replace(LOTTERY, learner="logistic regression", n_models=2, n_rules=float("nan"))
THRESHOLDS = FairAlternative(
    "ThresholdOptimizer", "logistic regression", float("nan"), 0.0, 0.1, 0.9, 0.87, 1, float("nan"), 0.8, True
)


@pytest.fixture
def job(home: Home, run_id: str) -> AlternativesJob:
    return AlternativesJob(home, run_id)


def unfolded(app: AppTest) -> AppTest:
    """With the drawer open that all of this is in."""
    app.session_state["beside_fairlearn"] = True
    return app.run()


def test_the_worker_writes_what_the_engine_finds_and_the_page_shows_it(
    open_page: Open, job: AlternativesJob, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = unfolded(open_page("fairness", run=job.name))
    assert app.button(key="alternatives").label == "Train fairlearn's models"
    monkeypatch.setattr(alternatives_worker, "epsilons", lambda _: [0.1])
    assert alternatives_worker.main(job.name) == 0
    assert job.progress().status == FINISHED
    groups = results.data.groups
    expected = list(
        fair_alternatives(
            results.X_train,
            results.y_train,
            results.X_test,
            results.y_test,
            sensitive_train=groups[~results.is_test],
            sensitive_test=groups[results.is_test],
            positive_class="approved",
            epsilons=[0.1],
            max_depth=results.plan.max_depth,
            random_state=results.plan.split_seed,
        )
    )
    pd.testing.assert_frame_equal(pd.DataFrame(alternatives_view.found(results)), pd.DataFrame(expected))
    app.run()
    assert is_calm(app)
    table = next(item.value for item in app.dataframe if "kind" in item.value.columns)
    assert table["model"].tolist()[:2] == ["RUG", "FairRUG"]
    assert table["kind"].tolist()[:2] == ["one readable model"] * 2
    assert len(table) == 2 + len(expected)
    assert "ThresholdOptimizer must be told the group of everybody it decides about" in texts(app)
    assert "Alternatives as CSV" in offered_files(app)


def test_what_is_missing_is_said_plainly(
    open_page: Open, run_id: str, monkeypatch: pytest.MonkeyPatch, results: Results
) -> None:
    monkeypatch.setattr(alternatives_view, "find_spec", lambda _: None)
    app = unfolded(open_page("fairness", run=run_id))
    assert is_calm(app)
    assert alternatives_view.NOT_INSTALLED in texts(app)
    assert not [button for button in app.button if button.key == "alternatives"]
    monkeypatch.undo()
    monkeypatch.setattr(alternatives_view, "outcomes", lambda _: ("a", "b", "c"))
    assert "two outcomes" in alternatives_view.refusal(results)


def test_damaged_files_count_as_none(job: AlternativesJob) -> None:
    for text in ("{", "[]", '{"version": 0}', '{"version": 1}', json.dumps({"version": 1, "points": [{}]})):
        job.file("json").write_text(text)
        assert job.progress().status == UNREADABLE
    job.write(AlternativesReport())
    assert job.read() == AlternativesReport()


def test_every_model_is_called_what_it_is() -> None:
    assert [alternatives_view.kind(item) for item in (LOTTERY, TREE, REGRESSION, THRESHOLDS)] == [
        "lottery of 3 models, for 12.0 %",
        "one readable model",
        "lottery of 2 models, for 12.0 %",
        "lottery, for 80.0 %",
    ]
    assert [alternatives_view.reading(item) for item in (LOTTERY, TREE, REGRESSION, THRESHOLDS)] == [
        "21 rules in 3 trees",
        "7 rules",
        "coefficients of 2 models",
        "coefficients",
    ]


def test_alternatives_are_lines_of_their_own_on_both_panels(results: Results) -> None:
    from rugboard.session.adjustments import AS_TRAINED
    from rugboard.session.evaluations import evaluate

    fair = evaluate(results, "fair", AS_TRAINED)
    figure = frontier_chart.frontier((fair,), (), "dmc", 0.025, (LOTTERY, replace(LOTTERY, epsilon=0.1), THRESHOLDS))
    lines = [trace for trace in figure.data if trace.name == "ExponentiatedGradient, decision tree"]
    assert [trace.xaxis for trace in lines] == ["x", "x2"]
    np.testing.assert_allclose(lines[0].x, [8, 8])  # test rows first
    np.testing.assert_allclose(lines[1].x, [4, 4])
