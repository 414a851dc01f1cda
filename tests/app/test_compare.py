"""Compare: the table and its stars, the worker and its end, other tables, and the case study."""

import csv
import io
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from rugcore.comparison import PEERS, PeerClassifier, default_peers, global_importance
from tests.app.conftest import SECONDS, Open, TrainNow, is_calm, texts
from ui import applicant_find, compare_charts, compare_own, compare_rows, compare_show, compare_worker, look, peers
from ui.compare_case import FEW, LEAVES, MORE, case_task
from ui.compare_job import CANCELLED, CASE, FINISHED, NOTHING_YET, RUNNING, STOPPED, Job
from ui.compare_progress import headline, state_of
from ui.compare_rows import KEYS, LIGHTGBM, Line, Report, ShapShares
from ui.downloads import to_csv
from ui.runs import locks
from ui.runs.home import Home
from ui.runs.plan import Plan
from ui.runs.results import Results, open_results
from ui.runs.store import RunStore

LINES = (
    Line("rug", accuracy=0.9, f1_binary=0.8, size=5.0, unit="rules", seconds=0.11),
    Line("tree", accuracy=0.90001, f1_binary=0.7, size=20.0, unit="leaves", seconds=0.12),
    Line("adaboost", error="=1+1 is no number"),
)


@pytest.fixture
def run_id(train_now: TrainNow, mortgage_plan: Plan) -> str:
    return train_now(mortgage_plan)


@pytest.fixture
def results(run_id: str, store: RunStore) -> Results:
    return open_results(store, run_id)


@pytest.fixture
def compared(run_id: str) -> str:
    """A run whose comparison is done, in this process."""
    assert compare_worker.main(run_id) == 0
    return run_id


@pytest.fixture
def job(home: Home, run_id: str) -> Job:
    return Job(home, run_id)


def wait_for(is_there: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_there():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def table(app: AppTest) -> pd.DataFrame:
    return app.dataframe[0].value.set_index("model")


def show_case(app: AppTest) -> AppTest:
    next(item for item in app.button_group if item.key == "compare_view").set_value("Case study: Lending Club")
    return app.run()


# -- lines, stars, files -----------------------------------------------------------------------------------


def test_every_peer_has_a_name_a_colour_and_a_sign_of_its_own() -> None:
    assert set(KEYS) == set(PEERS) == set(compare_worker.ORDER)
    models = ["rug", "fair", *KEYS.values()]
    for of in (look.name_of_model, look.colour_of_model, compare_charts.SIGNS.__getitem__):
        assert len({of(model) for model in models}) == len(models)
    assert all(look.name_of_model(key).lower() == kind.lower() for kind, key in KEYS.items())


def test_stars_follow_what_is_shown() -> None:
    frame = compare_rows.frame(LINES, None, is_binary=True)
    assert compare_show.with_stars(frame["accuracy"], ["90.0 %", "90.0 %", "failed"]) == [
        "★ 90.0 %",
        "★ 90.0 %",
        "failed",
    ]
    assert compare_show.with_stars(frame["size"], ["5 rules", "20 leaves", "n/a"])[0] == "★ 5 rules"
    assert compare_show.with_stars(pd.Series([1.0, 1.0], name="auc"), ["1", "1"]) == ["1", "1"]
    assert compare_rows.place_of_best(pd.Series([np.nan], name="auc")) is None
    assert compare_rows.place_of_best(pd.Series([1.0, 0.0], name="rules_per_row")) is None


def test_how_well_a_share_is_known() -> None:
    assert compare_show.uncertainty(LINES[:1], 400) == pytest.approx(1.96 * 0.3 / 20)


def test_the_file_is_complete_and_no_spreadsheet_runs_it() -> None:
    lines = [*LINES, Line("fair", gaps={"dmc": 0.25})]
    rows = list(csv.DictReader(io.StringIO(to_csv(compare_rows.file_frame(lines)).decode("utf-8-sig"))))
    assert [row["model"] for row in rows] == ["RUG", "Decision tree", "AdaBoost", "FairRUG"]
    assert rows[2]["note"] == "'=1+1 is no number"
    assert float(rows[3]["gap_dmc"]) == 0.25
    assert rows[0]["gap_dmc"] == ""


def test_a_report_comes_back_as_it_was_written() -> None:
    report = Report(5, "tree", lines=LINES[:1], shap=ShapShares({"a": 1.0}, 3, 9), decisions=(0, 1), classes=("x", 2))
    again = Report.from_json(report.to_json())
    assert replace(again, lines=()) == replace(report, lines=())
    assert again.lines[0].accuracy == 0.9
    assert np.isnan(again.lines[0].auc)


def test_a_damaged_file_counts_as_none(job: Job) -> None:
    for text in ("", "{", "[]", '{"total": 5}', '{"lines": [{"colour": 1}], "shap": null}'):
        job.file("json").write_text(text)
        assert job.read() is None


def test_progress_in_words() -> None:
    models = {"rug": "RUG", "tree": "Decision tree", "adaboost": "AdaBoost", "forest": "Random forest"}
    report = Report(4, "forest", lines=LINES)
    assert headline(report, models) == "Now training: Random forest (4 of 4)"
    assert "Waiting" in headline(Report(is_waiting=True), models)
    assert "could not be trained" in state_of(report, "adaboost", "AdaBoost")
    assert "90.0 %" in state_of(report, "tree", "Decision tree")
    assert "training" in state_of(report, "forest", "Random forest")


def test_names_in_the_chart_keep_clear_of_each_other() -> None:
    close = [
        Line("rug", accuracy=0.9, size=6),
        Line("tree", accuracy=0.9, size=8),
        Line("forest", accuracy=0.8, size=0),
    ]
    places = compare_charts.name_places(close)
    assert places["rug"] != places["tree"]
    compare_charts.accuracy_against_size(close).to_json()


# -- the worker --------------------------------------------------------------------------------------------


def test_the_numbers_are_those_of_the_models_themselves(compared: str, results: Results, job: Job) -> None:
    from sklearn.metrics import accuracy_score, f1_score

    report = job.read()
    assert report is not None
    assert job.progress().status == FINISHED
    for kind, model in default_peers(random_state=peers.SEED).items():
        decided = model.fit(results.X_train, results.y_train).predict(results.X_test)
        line = report.line(KEYS[kind])
        assert line is not None
        assert line.accuracy == pytest.approx(accuracy_score(results.y_test, decided))
        assert line.f1_binary == pytest.approx(f1_score(results.y_test, decided, pos_label=results.plan.favourable))
    assert compare_own.lightgbm_decisions(report).tolist() == peers.decided(results)[results.is_test].tolist()


def test_importance_is_that_of_the_engine(compared: str, results: Results, job: Job) -> None:
    report = job.read()
    assert report is not None
    assert report.shap is not None
    expected = global_importance(results.rug, peers.explainer(results).sample(results.X_test), results.X_test)
    found = compare_own.importance(results, "rug", report.shap)
    pd.testing.assert_frame_equal(found.sort_index(), expected.sort_index(), check_names=False)


def test_one_that_fails_does_not_lose_the_others_and_is_tried_again(
    open_page: Open, run_id: str, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit = PeerClassifier.fit

    def fails(self: PeerClassifier, X: Any, y: Any) -> PeerClassifier:
        if self.kind == "AdaBoost":
            raise ValueError("no *luck* today")
        return fit(self, X, y)

    monkeypatch.setattr(PeerClassifier, "fit", fails)
    assert compare_worker.main(run_id) == 0
    app = open_page("compare", run=run_id)
    assert is_calm(app)
    assert "AdaBoost could not be trained. It stopped because of an error of its own (ValueError: no *luck* today)" in (
        texts(app)
    )
    assert table(app)["accuracy"].isna().sum() == 1
    assert app.button(key="compare").label == "Train what is missing"
    before = job.read()
    assert before is not None
    monkeypatch.setattr(PeerClassifier, "fit", fit)
    assert compare_worker.main(run_id) == 0
    after = job.read()
    assert after is not None
    assert len(after.measured) == 5
    assert after.lines[:4] == before.measured  # not trained again


def test_without_shap_there_is_still_a_comparison(
    open_page: Open, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rugcore.comparison.ShapExplainer.sample", lambda *_: 1 / 0)
    assert compare_worker.main(run_id) == 0
    app = open_page("compare", run=run_id)
    assert is_calm(app)
    assert "Which columns matter" not in texts(app)
    assert "Who is decided differently" in texts(app)


def test_a_worker_that_is_killed_leaves_what_it_had(open_page: Open, run_id: str, job: Job) -> None:
    assert job.progress().status == NOTHING_YET
    with locks.exclusive(job.home.root / compare_worker.TURN):  # it waits for its turn
        assert job.start()
        assert not job.start()
        assert job.progress().status == RUNNING
        worker = job._worker()
        assert worker is not None
        os.kill(worker.pid, signal.SIGKILL)
        wait_for(lambda: not job.progress().is_under_way)
    assert job.progress().status == STOPPED
    job.write(Report(5, "tree", lines=LINES[:0]))
    app = open_page("compare", run=run_id)
    assert is_calm(app)
    assert "Stopped with 0 of 5 models trained" in texts(app)


def test_cancel_takes_effect_while_the_worker_waits_and_one_can_go_on(open_page: Open, run_id: str, job: Job) -> None:
    with locks.exclusive(job.home.root / compare_worker.TURN):
        app = open_page("compare", run=run_id)
        app.button(key="compare").click().run()
        assert is_calm(app)
        assert job.progress().status == RUNNING
        app.button(key="cancel_comparison").click().run()
        wait_for(lambda: not job.progress().is_under_way)
    assert job.progress().status == CANCELLED
    app.run()
    assert "Cancelled with 0 of 5 models trained" in texts(app)
    assert job.start()
    wait_for(lambda: not job.progress().is_under_way)
    assert job.progress().status == FINISHED


# -- the page ----------------------------------------------------------------------------------------------


def test_without_a_run_the_page_says_where_to_go(open_page: Open) -> None:
    app = open_page("compare")
    assert is_calm(app)
    assert "No model yet" in texts(app)


def test_before_the_comparison_the_own_models_stand_alone(open_page: Open, run_id: str, results: Results) -> None:
    app = open_page("compare", run=run_id)
    assert is_calm(app)
    assert list(table(app).index) == ["RUG", "FairRUG"]
    assert table(app).loc["RUG", "accuracy"] == results.summaries["rug"].test_accuracy
    assert table(app).loc["RUG", "size"] == len(results.rug.rules_)
    assert app.button(key="compare").label == "Compare with other models"


def test_the_whole_page(open_page: Open, compared: str, results: Results) -> None:
    app = open_page("compare", run=compared)
    assert is_calm(app)
    assert list(table(app).index) == ["RUG", "FairRUG", *(look.name_of_model(key) for key in KEYS.values())]
    assert not table(app)["accuracy"].isna().any()
    fair, lightgbm = results.fair.predict(results.X_test), peers.decided(results)[results.is_test]
    assert f"FairRUG and LightGBM decide **{int((fair != lightgbm).sum())} of {len(fair)}**" in texts(app)
    assert "all 476 test rows" in texts(app)
    assert not [button for button in app.button if button.key == "compare"]
    app.button(key="to_applicants").click().run()
    assert is_calm(app)
    assert app.title[0].value == "Applicants"
    assert app.selectbox(f"applicants_queue_{compared}").value == applicant_find.DISAGREE


def test_a_sample_is_called_a_sample(open_page: Open, compared: str, job: Job, store: RunStore) -> None:
    report = job.read()
    assert report is not None
    assert report.shap is not None
    job.write(replace(report, shap=replace(report.shap, n=100)))
    assert "a sample of 100 of the 476 test rows" in texts(open_page("compare", run=compared))


def test_without_groups(open_page: Open, train_now: TrainNow, mortgage_plan: Plan) -> None:
    run_id = train_now(replace(mortgage_plan, sensitive=()))
    assert compare_worker.main(run_id) == 0
    app = open_page("compare", run=run_id)
    assert is_calm(app)
    assert "gap" not in table(app)
    assert "How far the groups are apart" not in texts(app)
    assert "RUG and LightGBM decide" in texts(app)


def test_three_outcomes(open_page: Open, train_now: TrainNow, three_outcomes: pd.DataFrame, store: RunStore) -> None:
    plan = Plan(
        snapshot=store.snapshots.save(three_outcomes),
        data_name="three",
        target="outcome",
        favourable="grant",
        features=tuple(three_outcomes.columns.drop(["outcome", "verdict", "customer_id", "employed"])),
        sensitive=("employed",),
        max_iter=3,
    )
    run_id = train_now(plan)
    assert compare_worker.main(run_id) == 0
    app = open_page("compare", run=run_id)
    assert is_calm(app)
    assert table(app)["f1"].notna().all()
    assert len(table(app)) == 7


# -- the case study ----------------------------------------------------------------------------------------


def test_the_case_study_needs_no_run_and_stays(open_page: Open, home: Home) -> None:
    app = show_case(open_page("compare"))
    assert is_calm(app)
    assert app.button(key="train_case").label == "Train the case study"
    Job(home, CASE).folder.mkdir()
    assert compare_worker.main(CASE) == 0
    app = show_case(open_page("compare"))
    assert is_calm(app)
    assert "The rules of both settings" in texts(app)
    shown = {metric.label: metric for metric in app.metric[:5]}
    assert shown["Right decisions"].delta == "paper: 97.55 %"
    assert "another, larger Lending Club table" in texts(app)
    report = Job(home, CASE).read()
    assert report is not None
    few, more, leaves = (report.line(model) for model in (FEW, MORE, LEAVES))
    assert few is not None
    assert more is not None
    assert leaves is not None
    assert few.size < more.size < leaves.size == 80
    assert len(app.dataframe[0].value) == few.size


def test_the_case_study_is_balanced_and_its_note_is_true() -> None:
    task = case_task()
    assert task.y_train.value_counts(normalize=True).max() < 0.51
    assert len(task.y_test) == 311
    assert task.positive_class == "bad"
    assert LIGHTGBM not in task.models
