"""Compare: the table and its stars, the worker and its end, other tables, and the case study."""

import csv
import io
import os
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import f1_score
from streamlit.testing.v1 import AppTest

from rugboard.compare import agreement, case_loans, charts, own_models, view
from rugboard.compare import report as compare_rows
from rugboard.compare import worker as compare_worker
from rugboard.compare.case_study import FEW, LEAVES, LEFT_OUT, MORE, N_LOANS, N_TROUBLED, case_task
from rugboard.compare.case_view import ahead_in_words, rules_as_table
from rugboard.compare.job import CASE, Job
from rugboard.compare.progress import headline, state_of
from rugboard.compare.report import BASELINE, KEYS, LIGHTGBM, ORDER, ModelLine, Report, ShapShares, packed, unpacked
from rugboard.runs import locks
from rugboard.runs.home import Home
from rugboard.runs.jobs import CANCELLED, FINISHED, NOTHING_YET, RUNNING, STOPPED, UNREADABLE
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugboard.session import adjustments, explainers, measures
from rugboard.session import lightgbm as peers
from rugboard.session.applicant_address import DISAGREE
from rugboard.shell import theme
from rugboard.shell.downloads import to_csv
from rugboard.shell.theme import OUTSIDE
from rugcore import load_demo
from rugcore.comparison import (
    PEERS,
    Agreement,
    Paired,
    PeerClassifier,
    RuleExplainer,
    ShapExplainer,
    default_peers,
    global_importance,
    shap_sample,
)
from tests.dashboard.conftest import APP, SECONDS, Open, TrainNow, is_calm, texts

LINES = (
    ModelLine("rug", accuracy=0.9, f1_binary=0.8, size=5.0, unit="rules", seconds=0.11),
    ModelLine("tree", accuracy=0.90001, f1_binary=0.7, size=20.0, unit="leaves", seconds=0.12),
    ModelLine("adaboost", error="=1+1 is no number"),
)


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


def line_of(report: Report | None, model: str) -> ModelLine:
    assert report is not None
    found = report.line(model)
    assert found is not None
    return found


def show_case(app: AppTest) -> AppTest:
    next(item for item in app.button_group if item.key == "compare_view").set_value("Case study: Lending Club")
    return app.run()


# -- lines, stars, files -----------------------------------------------------------------------------------


def test_every_peer_has_a_name_a_colour_and_a_sign_of_its_own() -> None:
    assert set(KEYS) == set(PEERS) == set(ORDER)
    models = ["rug", "fair", OUTSIDE, *KEYS.values()]
    for of in (theme.name_of_model, theme.colour_of_model, charts.SIGNS.__getitem__):
        assert len({of(model) for model in models}) == len(models)
    assert all(theme.name_of_model(key).lower() == kind.lower() for kind, key in KEYS.items())


def test_stars_are_for_the_best_and_all_that_are_not_clearly_worse() -> None:
    lines = [ModelLine(BASELINE, accuracy=0.5, size=0.0, unit="rules"), *LINES]
    places = view.places_of_best
    assert places("accuracy", lines, {"rug", "tree"}) == {1, 2}
    assert places("accuracy", lines, {BASELINE, "rug", "tree", "adaboost"}) == {0, 1, 2}  # one was not measured
    assert places("accuracy", lines[:3], {BASELINE, "rug", "tree"}) == set()  # a star for everybody says nothing
    assert places("size", lines, set()) == {1}  # no rules at all are not the best to read
    alike = [ModelLine("rug", rule_length=1.533), ModelLine("fair", rule_length=1.514), ModelLine("tree")]
    assert places("rule_length", alike, set()) == set()  # both read 1.5
    for noisy in ("f1", "auc", "gap", "rules_per_row", "seconds"):
        assert places(noisy, lines, {"rug"}) == set()
    assert compare_rows.smallest([2.0, 2.0]) == compare_rows.smallest([float("nan")]) == set()


def test_what_the_stars_do_not_say() -> None:
    always = ModelLine(BASELINE, title="Always approved")
    assert view.how_sure(always, {"rug"}, 3) == ""
    assert "without any model, is not clearly worse" in view.how_sure(always, {BASELINE, "rug"}, 3)
    assert "clearly more than chance" in view.how_sure(always, {BASELINE, "rug", "fair"}, 3)


def test_cells_name_what_they_count() -> None:
    def said(line: ModelLine, name: str) -> str:
        return view._in_words(name, getattr(line, name), line)

    assert said(ModelLine("forest", rules_per_row=100.0, unit="leaves"), "rules_per_row") == "100 leaves"
    assert said(ModelLine("tree", rules_per_row=1.0, unit="leaves"), "rules_per_row") == "1 leaf"
    assert said(ModelLine("rug", rules_per_row=0.85, unit="rules"), "rules_per_row") == "0.8 rules"
    assert said(ModelLine(BASELINE, size=0.0, unit="rules"), "size") == "no rules"


def test_the_file_is_complete_and_no_spreadsheet_runs_it() -> None:
    lines = [*LINES, ModelLine("fair", gaps={"dmc": 0.25})]
    rows = list(csv.DictReader(io.StringIO(to_csv(compare_rows.file_frame(lines)).decode("utf-8-sig"))))
    assert [row["model"] for row in rows] == ["RUG", "Decision tree", "AdaBoost", "FairRUG"]
    assert rows[2]["note"] == "'=1+1 is no number"
    assert float(rows[3]["gap_dmc"]) == 0.25
    assert rows[0]["gap_dmc"] == ""


def test_a_report_comes_back_as_it_was_written() -> None:
    report = Report(5, "tree", lines=LINES[:1], shap=ShapShares({"a": 1.0}, 3, 9), classes=("x", 2))
    report = replace(report, packed={"tree": packed(np.array([0, 1, 1]))})
    again = Report.from_json(report.to_json())
    assert replace(again, lines=()) == replace(report, lines=())
    assert again.lines[0].accuracy == 0.9
    assert np.isnan(again.lines[0].auc)
    assert again.decided("tree").tolist() == ["x", 2, 2]
    assert len(again.decided("forest")) == 0


@pytest.mark.parametrize("n_classes", [2, 3, 300])
def test_decisions_on_many_rows_stay_small(n_classes: int) -> None:
    numbers = np.random.default_rng(0).integers(n_classes, size=400_000)
    text = packed(numbers)
    assert np.array_equal(unpacked(text), numbers)
    assert len(text) < 200_000 or n_classes == 300
    assert np.array_equal(unpacked(packed(numbers[:0])), numbers[:0])


def test_a_damaged_file_counts_as_none(job: Job) -> None:
    for text in ("", "{", "[]", '{"total": 5}', '{"version": 2, "lines": [{"colour": 1}], "shap": null}'):
        job.file("json").write_text(text)
        assert job.read() is None


def test_a_file_of_another_version_is_refused_with_a_sentence(open_page: Open, run_id: str, job: Job) -> None:
    job.write(replace(Report(5, is_finished=True), version=1))
    assert job.progress().status == UNREADABLE
    app = open_page("compare", run=run_id)
    assert is_calm(app)
    assert "made by another version of the dashboard" in texts(app)
    assert app.button(key="compare").label == "Compare with other models"


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
        ModelLine("rug", accuracy=0.9, size=6),
        ModelLine("tree", accuracy=0.9, size=8),
        ModelLine("forest", accuracy=0.8, size=0),
    ]
    always = ModelLine(BASELINE, accuracy=0.7, title="Always <b>approved</b>")
    alone = charts.accuracy_against_size([ModelLine("rug", accuracy=0.9, size=36)], always).layout.xaxis
    low, high = (10**end for end in alone.range)
    assert [tick for tick in alone.tickvals if low < tick < high] == [20, 50, 100]
    places = charts.name_places(close, always)
    assert places["rug"] != places["tree"]
    drawn = charts.accuracy_against_size(close, always).to_json()
    assert "Always &lt;b>approved" in drawn.replace("\\u003c", "<").replace("\\u003e", ">").replace("&gt;", ">")


def test_models_at_one_point_share_their_names() -> None:
    always = ModelLine(BASELINE, accuracy=0.5)
    alike = [ModelLine("gosdt", accuracy=0.9, size=8), ModelLine("streed", accuracy=0.9, size=8)]
    lines = [ModelLine("rug", accuracy=0.8, size=8), *alike]
    drawn = charts.accuracy_against_size(lines, always)
    named = [trace.text[0] for trace in drawn.data if trace.text is not None]
    assert named == [lines[0].name, f"{alike[0].name}<br>{alike[1].name}"]
    in_legend = [trace.name for trace in drawn.data if trace.showlegend is not False]
    assert in_legend == [line.name for line in lines]  # which a phone shows in place of the names


def test_the_limit_stands_only_where_it_was_asked_for_and_beside_all_words() -> None:
    lines = [
        ModelLine("rug", gaps={"dmc": 0.009, "odm": 0.2, "eop": float("nan")}),
        ModelLine("tree", gaps={"dmc": float("nan"), "odm": 0.1, "eop": 0.1}),
    ]
    figure = charts.gaps(lines, "dmc", 0.01)
    assert [(shape.x0, shape.xref) for shape in figure.layout.shapes] == [(1.0, "x")]
    assert "equal mistakes for every outcome" in figure.data[-1].name
    words = next(trace for trace in figure.data if trace.mode == "text" and trace.xaxis == "x")
    assert list(words.x) == [1.0, 1.0]  # they begin at the limit, not before it
    assert "not estimable" in words.text[1]
    assert not charts.gaps(lines, "dmc", None).layout.shapes
    assert charts.beside(12.0, "12.0", 1.0, 0.2) == 12.0
    heights = [figure.layout[axis].domain for axis in ("yaxis", "yaxis2", "yaxis3")]
    assert all(above[0] > below[1] for above, below in pairwise(heights)), "side by side they overlap on a phone"


# -- the worker --------------------------------------------------------------------------------------------


def test_the_numbers_are_those_of_the_models_themselves(compared: str, results: Results, job: Job) -> None:
    from sklearn.metrics import accuracy_score

    report = job.read()
    assert report is not None
    assert job.progress().status == FINISHED
    for kind, model in default_peers(random_state=peers.SEED).items():
        decided = model.fit(results.X_train, results.y_train).predict(results.X_test)
        line = report.line(KEYS[kind])
        assert line is not None
        assert line.accuracy == pytest.approx(accuracy_score(results.y_test, decided))
        assert line.f1_binary == pytest.approx(f1_score(results.y_test, decided, pos_label=results.plan.favourable))
        assert report.decided(KEYS[kind]).tolist() == decided.tolist()
    assert report.decided(LIGHTGBM).tolist() == peers.decided(results)[results.is_test].tolist()


def test_stars_on_the_page_are_those_of_the_paired_test(compared: str, results: Results, job: Job) -> None:
    from scipy.stats import binomtest

    report = job.read()
    assert report is not None
    truth = results.y_test.to_numpy(dtype=object)
    decided = {
        BASELINE: np.full(len(truth), measures.baseline(results).label, dtype=object),
        "rug": results.rug.predict(results.X_test),
        "fair": results.fair.predict(results.X_test),
        **{model: report.decided(model) for model in KEYS.values()},
    }
    right = {model: own == truth for model, own in decided.items()}
    best = max(right, key=lambda model: right[model].sum())
    expected = set()
    for model, own in right.items():
        alone, other = int((right[best] & ~own).sum()), int((own & ~right[best]).sum())
        if alone + other == 0 or binomtest(alone, alone + other).pvalue >= 0.05:
            expected.add(model)
    assert own_models.best_models(results, report) == expected


def test_importance_is_that_of_the_engine(compared: str, results: Results, job: Job) -> None:
    report = job.read()
    assert report is not None
    assert report.shap is not None
    expected = global_importance(results.rug, shap_sample(peers.lightgbm(results), results.X_test), results.X_test)
    found = own_models.importance(results, "rug", report.shap)
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
    with locks.exclusive(job.home.root / job.TURN):  # it waits for its turn
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
    with locks.exclusive(job.home.root / job.TURN):
        app = open_page("compare", run=run_id)
        app.button(key="compare").click().run()
        assert is_calm(app)
        assert job.progress().status == RUNNING
        places = [texts(app).index(f"{theme.name_of_model(KEYS[kind])}  \nwaiting") for kind in ORDER]
        assert places == sorted(places)  # as they will be trained
        app.button(key="cancel_comparison").click().run()
        wait_for(lambda: not job.progress().is_under_way)
    assert job.progress().status == CANCELLED
    app.run()
    assert "Cancelled with 0 of 5 models trained" in texts(app)
    assert job.start()
    wait_for(lambda: not job.progress().is_under_way)
    assert job.progress().status == FINISHED


def test_a_run_deleted_while_it_is_compared_is_dropped_quietly(
    open_page: Open, run_id: str, job: Job, store: RunStore
) -> None:
    app = open_page("compare", run=run_id)
    with locks.exclusive(job.home.root / job.TURN):  # it waits for its turn
        app.button(key="compare").click().run()
        assert job.progress().status == RUNNING
        worker = job._worker()
        assert worker is not None
        store.delete(run_id)
    wait_for(lambda: not worker.is_alive())
    assert not job.folder.exists()
    app.run()
    assert is_calm(app)
    assert "There is no such run; perhaps it was deleted." in texts(app)


def test_a_run_deleted_in_the_middle_leaves_nothing_behind(
    run_id: str, job: Job, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit = PeerClassifier.fit

    def deletes(self: PeerClassifier, X: Any, y: Any) -> PeerClassifier:
        store.delete(run_id)
        job.folder.mkdir()  # as if a file had been written while the others were removed
        return fit(self, X, y)

    monkeypatch.setattr(PeerClassifier, "fit", deletes)
    assert compare_worker.main(run_id) == 0
    assert not job.folder.exists()


# -- the page ----------------------------------------------------------------------------------------------


def test_without_a_run_the_page_says_where_to_go(open_page: Open) -> None:
    app = open_page("compare")
    assert is_calm(app)
    assert "No model yet" in texts(app)


def test_before_the_comparison_the_own_models_stand_alone(open_page: Open, run_id: str, results: Results) -> None:
    app = open_page("compare", run=run_id)
    assert is_calm(app)
    assert list(table(app).index) == ["Always approved", "RUG", "FairRUG"]
    assert table(app).loc["Always approved", "accuracy"] == (results.y_test == "approved").mean()
    assert table(app).loc["RUG", "accuracy"] == results.summaries["rug"].test_accuracy
    assert table(app).loc["RUG", "size"] == len(results.rug.rules_)
    assert app.button(key="compare").label == "Compare with other models"


def test_the_whole_page(open_page: Open, compared: str, results: Results) -> None:
    app = open_page("compare", run=compared)
    assert is_calm(app)
    names = ["Always approved", "RUG", "FairRUG", *(theme.name_of_model(key) for key in KEYS.values())]
    assert list(table(app).index) == names
    assert not table(app)["accuracy"].isna().any()
    fair, lightgbm = results.fair.predict(results.X_test), peers.decided(results)[results.is_test]
    assert f"FairRUG and LightGBM decide **{int((fair != lightgbm).sum())} of {len(fair)}**" in texts(app)
    assert "all 476 test rows" in texts(app)
    assert not [button for button in app.button if button.key == "compare"]
    app.button(key="to_applicants").click().run()
    assert is_calm(app)
    assert app.title[0].value == "Applicants"
    assert app.selectbox(f"applicants_queue_{compared}").value == DISAGREE


def test_the_own_models_follow_what_the_visitor_set(open_page: Open, compared: str, results: Results) -> None:
    app = open_page("compare", run=compared)
    change = adjustments.Adjustment(without=tuple(results.rug.rules_[:2]))
    app.session_state["_adjustments"] = {(compared, "rug"): change}
    app.run()
    assert is_calm(app)
    solved = results.rug.refit(without=list(results.rug.rules_[:2]))
    assert table(app).loc["RUG", "accuracy"] == solved.score(results.X_test, results.y_test)
    assert table(app).loc["RUG", "size"] == len(solved.rules_)
    assert "2 rules left out" in texts(app)


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
    assert len(table(app)) == 8
    found = open_results(store, run_id)
    decided, kinds = found.rug.predict(found.X_test), sorted(found.data.y.unique())
    assert table(app).loc["RUG", "f1"] == f1_score(found.y_test, decided, average="macro", labels=kinds)
    usual = [measures.baseline(found).label] * len(decided)
    expected = f1_score(found.y_test, usual, average="macro", labels=kinds, zero_division=0.0)
    assert table(app).iloc[0]["f1"] == pytest.approx(expected)


# -- the case study ----------------------------------------------------------------------------------------


def trained_case(home: Home) -> Report:
    job = Job(home, CASE)
    job.folder.mkdir(parents=True, exist_ok=True)
    assert compare_worker.main(CASE) == 0
    report = job.read()
    assert report is not None
    return report


def by_address() -> AppTest:
    app = AppTest.from_file(APP, default_timeout=SECONDS)
    app.query_params["view"] = "case"
    app.run()
    return app.switch_page("pages/compare.py").run()


def test_the_case_study_has_an_address_and_needs_no_run(open_page: Open) -> None:
    app = by_address()
    assert is_calm(app)
    assert app.button(key="train_case").label == "Train the case study"
    assert "No model yet" not in texts(app)
    next(item for item in app.button_group if item.key == "compare_view").set_value("Your model")
    app.run()
    assert "view" not in app.query_params
    assert "No model yet" in texts(app)
    assert show_case(open_page("compare")).query_params["view"] == "case"


def test_the_case_study_says_what_it_shows_and_what_not(home: Home) -> None:
    report = trained_case(home)
    app = by_address()
    assert is_calm(app)
    said = texts(app)
    shown = {metric.label: metric for metric in app.metric[:6]}
    assert shown["Right decisions"].delta == "paper: 97.55 %"
    assert "larger and of another kind" in said
    assert "the pattern" not in said
    few, more, leaves = (line_of(report, model) for model in (FEW, MORE, LEAVES))
    assert few.size < more.size < leaves.size == 80
    assert f"{few.size:.0f} rules or {more.size:.0f} rules in plain words, against 80 leaves" in said
    n_uncovered = round(few.uncovered * 311)
    every = "Every test loan is covered by at least one of the few rules."
    assert (f"**{n_uncovered} of 311 test loans" if n_uncovered else every) in said
    assert len(app.dataframe[-2].value) == few.size
    rules = case_loans.trained_case().models
    assert all(name not in rule.features for model in (FEW, MORE) for rule in rules[model].rules_ for name in LEFT_OUT)
    for model in (FEW, MORE, LEAVES):  # what explains the loans is what was measured
        assert rules[model].predict(case_loans.trained_case().task.X_test).tolist() == report.decided(model).tolist()


def test_who_is_ahead_by_chance() -> None:
    assert "2.0 points ahead of the few rules" in ahead_in_words(LEAVES, FEW, Paired(300, 10, 4))
    assert "may be chance" in ahead_in_words(LEAVES, FEW, Paired(300, 10, 4))
    assert "more than chance" in ahead_in_words(LEAVES, FEW, Paired(300, 30, 4))


def test_loans_of_every_kind_are_explained_both_ways(home: Home) -> None:
    trained_case(home)
    app = by_address()
    for kind in case_loans.typical():
        next(item for item in app.button_group if item.key == "case_loan").set_value(kind)
        app.run()
        assert is_calm(app)
        assert "**LightGBM: “" in texts(app)
        assert "What became of the loan" in texts(app)
        assert ("by default.** No rule applies" in texts(app)) == (kind == case_loans.BY_DEFAULT)
    found = case_loans.trained_case()
    rows = case_loans.typical()
    assert {case_loans.BOTH_BAD, case_loans.BOTH_GOOD} <= set(rows)
    assert (case_loans.BY_DEFAULT in rows) == bool(found.is_uncovered.any())
    explained = {kind: found.models[FEW].explain(found.task.X_test.iloc[row]) for kind, row in rows.items()}
    assert all(own.is_uncovered == (kind == case_loans.BY_DEFAULT) for kind, own in explained.items())
    assert explained[case_loans.BOTH_BAD].decision == "bad"
    assert explained[case_loans.BOTH_GOOD].decision == "good"


def test_the_rules_of_the_case_study_as_a_file() -> None:
    models = case_loans.trained_case().models
    frame = rules_as_table({model: models[model].rules_ for model in (FEW, MORE)})
    assert len(frame) == sum(len(models[model].rules_) for model in (FEW, MORE))
    assert set(frame["setting"]) == {"RUG, few rules", "RUG, more rounds"}


def test_the_case_study_is_balanced_and_its_notes_are_true() -> None:
    task, demo = case_task(), load_demo("lending_club")
    assert task.y_train.value_counts(normalize=True).max() < 0.51
    assert len(task.y_test) == 311
    assert task.positive_class == "bad"
    assert LIGHTGBM not in task.models
    assert (len(demo.y), int((demo.y == "bad").sum())) == (N_LOANS, N_TROUBLED)
    assert set(LEFT_OUT) == set(demo.X) - set(task.X_train)


# -- do both name the same columns -------------------------------------------------------------------------


def both_of(results: Results, model: str) -> tuple[RuleExplainer, ShapExplainer]:
    change = adjustments.AS_TRAINED
    return explainers.of_rules(results, model, change), explainers.of_lightgbm(results, model, change)


def open_agreement(open_page: Open, run_id: str) -> AppTest:
    app = open_page("compare", run=run_id)
    app.session_state["agreement_over_sample"] = True
    return app.run()


def test_the_agreement_over_a_sample_is_told(open_page: Open, compared: str, results: Results) -> None:
    app = open_agreement(open_page, compared)
    assert is_calm(app)
    found = agreement.agreement_over(*both_of(results, "fair"), results.X_test)
    assert agreement.in_a_sentence(found, "FairRUG", "people who were decided approved") in texts(app)
    assert "Both compare with people who were decided approved." in texts(app)
    assert "a sample of 200 of the 476 test rows" in texts(app)
    listed = next(item.value for item in app.dataframe if "same_way" in item.value)
    assert 0 < len(listed) <= agreement.MOST_DIFFERENT
    rows = np.flatnonzero(results.is_test)[agreement.most_different(found)["row"]]
    assert listed["number"].tolist() == (rows + 1).tolist()


def test_the_agreement_in_bars_and_words(results: Results) -> None:
    found = agreement.agreement_over(*both_of(results, "rug"), results.X_test, n=60)
    bars = agreement.distribution(found, "rug").data[0]
    assert sum(bars.y) == sum(bool(item.by_rules) for item in found.agreements)
    assert list(bars.x) == [str(number) for number in range(found.k + 1)]
    lines = agreement.most_different(found)
    shares = [int(words.split()[0]) / int(words.split()[2]) for words in lines["shared"]]
    assert shares == sorted(shares)
    assert set(lines["decision"]) <= {"the same", "different"}


def test_a_click_on_somebody_leads_to_their_page(open_page: Open, compared: str) -> None:
    app = open_agreement(open_page, compared)
    listed = next(item.value for item in app.dataframe if "same_way" in item.value)
    app.session_state["_differing_applicant"] = int(listed["number"].iloc[1]) - 1  # what the click leaves behind
    app.run()
    assert is_calm(app)
    assert app.title[0].value == "Applicants"
    assert app.query_params["applicant"] == str(listed["number"].iloc[1])


def test_without_rules_there_is_nothing_to_hold_against_lightgbm(
    open_page: Open, compared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = agreement.AgreementSample(np.array([0]), (Agreement(5, (), ("a",), (), (), True),), 5, 1)
    monkeypatch.setattr(agreement, "sample_of", lambda *_: empty)
    assert "nothing to hold against LightGBM" in texts(open_agreement(open_page, compared))
