"""Find good settings on Train: the worker against the engine, the choice, and the way into the form."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from rugboard.runs import locks
from rugboard.runs.home import Home
from rugboard.runs.jobs import CANCELLED, FINISHED, RUNNING, STOPPED
from rugboard.runs.plan import Plan
from rugboard.runs.prepare import prepare, split
from rugboard.runs.store import RunStore
from rugboard.setup import search_job, search_view, search_words, search_worker
from rugboard.setup.search_chart import settings_curve, without_shorter_match
from rugboard.setup.search_job import GRID, KEPT, SearchJob, SearchReport
from rugcore import choose_settings
from rugcore.selection import SettingsPoint
from tests.dashboard.conftest import SECONDS, Open, is_calm, texts
from tests.dashboard.pages.test_data import draft, upload_frame, use_demo


def point(depth: int, price: float, accuracy: float, n_rules: float, *, spread: float = 0.01) -> SettingsPoint:
    folds = tuple(accuracy + spread * step for step in (-1, -1, 0, 1, 1))
    return SettingsPoint(depth, price, folds, (0.7,) * 5, n_rules, depth * n_rules, 0.25, float("nan"))


POINTS = (
    point(1, 30.0, 0.70, 0.0),
    point(1, 3.0, 0.80, 4.0),
    point(2, 3.0, 0.872, 8.0),
    point(2, 0.3, 0.875, 25.0),
    point(3, 0.3, 0.85, 60.0),
)


def measured(*points: SettingsPoint, **more: object) -> SearchReport:
    known = {"n_rows": 1_904, "most_common": "approved", "is_finished": True}
    return SearchReport(points=points, **known | more)  # type: ignore[arg-type]


def wait_for(is_there: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_there():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def on_train(open_page: Open) -> AppTest:
    return use_demo(open_page("data"), "hmda").switch_page("pages/train.py").run()


def job_of(app: AppTest, home: Home) -> SearchJob:
    return SearchJob.of(home, draft(app).to_plan())


def found_before(app: AppTest, home: Home, report: SearchReport) -> SearchJob:
    """A search that somebody has done already."""
    job = job_of(app, home)
    job.folder.mkdir(parents=True)
    job.write(report)
    return job


# -- the worker --------------------------------------------------------------------------------------------


def test_one_search_for_all_that_makes_no_difference_to_it(mortgage_plan: Plan, home: Home) -> None:
    name = SearchJob.of(home, mortgage_plan).name
    for same in (
        replace(mortgage_plan, max_depth=5, penalty=0.1, epsilon=0.1, train_fair=False, data_name="Other"),
        replace(mortgage_plan, sensitive=()),
    ):
        assert SearchJob.of(home, same).name == name
    for other in (
        replace(mortgage_plan, max_iter=9),
        replace(mortgage_plan, features=mortgage_plan.features[1:]),
        replace(mortgage_plan, split_seed=1),
    ):
        assert SearchJob.of(home, other).name != name


def test_the_points_are_those_of_the_engine_on_the_training_rows_alone(
    mortgage_plan: Plan, home: Home, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = tuple(product((1, 2), (10.0, 3.0)))
    monkeypatch.setattr(search_worker, "GRID", grid)
    plan = replace(mortgage_plan, max_iter=3)
    job = SearchJob.of(home, plan)
    monkeypatch.setattr(SearchJob, "start", lambda _: True)
    assert job.begin(plan)
    assert search_worker.main(job.name) == 0
    report = job.read()
    assert report is not None
    assert job.progress().status == FINISHED
    data = prepare(store.snapshots.load(plan.snapshot, plan.columns), plan)
    rows = split(data, plan).train
    expected = choose_settings(
        data.X.iloc[rows], data.y.iloc[rows], depths=(1, 2), penalties=(10.0, 3.0), max_iter=3, random_state=21
    )
    assert {(item.depth, item.penalty): item.fold_accuracy for item in report.points} == {
        (item.depth, item.penalty): item.fold_accuracy for item in expected.points
    }
    assert (report.n_rows, report.most_common) == (len(rows), "approved")
    for about in (None, 3.0):
        assert report.curve(about).recommended.name == replace(expected, about_n_rules=about).recommended.name

    monkeypatch.setattr(search_worker, "with_setting", lambda *_: 1 / 0)
    assert search_worker.main(job.name) == 0  # all is there: nothing is trained again


def test_a_rare_outcome_has_fewer_parts_or_a_sentence(
    open_page: Open, store: RunStore, mortgage_plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = store.snapshots.load(mortgage_plan.snapshot)
    is_denied = table[mortgage_plan.target] == "denied"
    for n_denied, n_folds in ((4, 3), (2, None)):
        few = pd.concat([table[~is_denied].head(60), table[is_denied].head(n_denied)], ignore_index=True)
        plan = replace(mortgage_plan, snapshot=store.snapshots.save(few), sensitive=(), test_share=0.3)
        if n_folds is not None:
            assert search_worker.task_of(store, plan).n_folds == n_folds
            continue
        job = SearchJob.of(store.home, plan)
        with monkeypatch.context() as patched:
            patched.setattr(SearchJob, "start", lambda _: True)
            job.begin(plan)
        assert search_worker.main(job.name) == 1
        progress = job.progress()
        assert progress.status == STOPPED
        assert "so that no part can be held out" in search_view.how_it_ended(
            progress, progress.report or SearchReport()
        )


def test_old_searches_are_removed(home: Home, mortgage_plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SearchJob, "start", lambda _: True)
    old, new = SearchJob(home, "old"), SearchJob(home, "new")
    for job in (old, new):
        job.folder.mkdir(parents=True)
    os.utime(old.folder, (time.time() - KEPT - 60,) * 2)
    SearchJob.of(home, mortgage_plan).begin(mortgage_plan)
    assert (old.folder.exists(), new.folder.exists()) == (False, True)


def test_a_report_comes_back_as_it_was_written() -> None:
    report = measured(*POINTS)
    again = SearchReport.from_json(report.to_json())
    assert [item.fold_accuracy for item in again.points] == [item.fold_accuracy for item in POINTS]
    assert again.curve(None).recommended.name == report.curve(None).recommended.name
    with pytest.raises(ValueError, match="version"):
        SearchReport.from_json(replace(report, version=0).to_json())
    assert SearchReport().share == 0
    assert measured(*POINTS, n_trained=2).share == pytest.approx((5 + 2 / 5) / 25)


# -- the page ----------------------------------------------------------------------------------------------


def test_begin_cancel_and_go_on(open_page: Open, home: Home) -> None:
    app = on_train(open_page)
    assert not [button for button in app.button if button.key == "take_settings"]
    job = job_of(app, home)
    with locks.exclusive(home.root / job.TURN):
        app.button(key="find_settings").click().run()
        assert is_calm(app)
        assert job.progress().status == RUNNING
        app.button(key="cancel_search").click().run()
        wait_for(lambda: not job.progress().is_under_way)
    assert job.progress().status == CANCELLED
    app.run()
    assert "Cancelled with 0 of 25 settings measured" in texts(app)
    with locks.exclusive(home.root / job.TURN):
        app.button(key="go_on_search").click().run()
        assert is_calm(app)
        assert job.progress().status == RUNNING
        job.cancel()
        wait_for(lambda: not job.progress().is_under_way)


def test_the_recommended_setting_goes_into_the_form(open_page: Open, home: Home) -> None:
    app = on_train(open_page)
    before = draft(app)
    found_before(app, home, measured(*POINTS))
    app.button(key="find_settings").click().run()  # shown at once: nothing is trained
    assert is_calm(app)
    assert "**Longest rule 2, price 3**: about 8 rules, 16 conditions in all. Right for 87.2 %" in texts(app)
    assert "of 1,904 training rows" in texts(app)
    assert not app.warning
    app.button(key="take_settings").click().run()
    assert is_calm(app)
    assert draft(app).settings == replace(before.settings, max_depth=2, penalty=3.0)
    assert draft(app).columns == before.columns
    assert next(item for item in app.slider if item.label.startswith("Longest rule")).value == 2
    assert not [button for button in app.button if button.key == "take_settings"]  # closed


def test_about_so_many_rules_and_a_click_change_the_choice(open_page: Open, home: Home) -> None:
    app = on_train(open_page)
    found_before(app, home, measured(*POINTS))
    app.button(key="find_settings").click().run()
    app.number_input(key="about_n_rules").set_value(24).run()
    assert "Longest rule 2, price 0.3" in texts(app)
    assert "the best with 24 rules or about as many" in texts(app)
    app.session_state[search_view._CLICKED] = (3, 0.3)  # as `take_click` does; a canvas cannot be clicked here
    app.run()
    assert "Your choice." in texts(app)
    app.button(key="take_settings").click().run()
    assert (draft(app).settings.max_depth, draft(app).settings.penalty) == (3, 0.3)


def test_rules_that_are_no_better_than_one_answer_for_all_are_warned_of(open_page: Open, home: Home) -> None:
    app = on_train(open_page)
    found_before(app, home, measured(point(1, 3.0, 0.705, 4.0, spread=0.02)))
    app.button(key="find_settings").click().run()
    assert is_calm(app)
    (warning,) = [item.value for item in app.warning]
    assert "Always answering “approved” is right for 70.0 %. These rules are not clearly better (+0.5 points" in warning


def test_a_draft_that_is_not_ready_is_sent_back_to_data(open_page: Open, three_outcomes: pd.DataFrame) -> None:
    app = upload_frame(open_page("data"), three_outcomes)
    app.switch_page("pages/train.py").run()
    app.button("find_settings").click().run()
    assert is_calm(app)
    assert "Please say on the page Data" in texts(app)


# -- words and chart ---------------------------------------------------------------------------------------


def test_reasons_in_words() -> None:
    curve = measured(*POINTS).curve(None)
    assert curve.recommended is POINTS[2]
    assert "within one standard error of the most accurate (longest rule 2, price 0.3: 87.5 %, about 25 rules)" in (
        search_words.why_this_one(curve, curve.recommended)
    )
    alone = measured(POINTS[2]).curve(None)
    assert "The most accurate" in search_words.why_this_one(alone, alone.recommended)
    assert search_words.rules_in_words(point(1, 3.0, 0.8, 4.4)) == "about 4.4 rules"
    assert search_words.warning_in_words(POINTS[2], "approved") == ""
    assert search_view.headline(SearchReport()) == "Reading the data"
    assert "5 of 25 settings measured" in search_view.headline(measured(*POINTS))


def test_the_line_goes_through_what_nothing_shorter_matches() -> None:
    front = without_shorter_match(POINTS)
    assert front == [item for item in POINTS if not any(
        other.n_rules <= item.n_rules and other.accuracy >= item.accuracy for other in POINTS if other is not item
    )]  # fmt: skip
    curve = measured(*POINTS).curve(None)
    figure = settings_curve(curve, curve.recommended, "<b>yes</b>")
    assert {tuple(item) for item in figure.data[0].customdata} == {(item.depth, item.penalty) for item in POINTS}
    assert min(figure.data[0].x) > 0  # there is no 0 on the axis
    star = next(trace for trace in figure.data if trace.name == "recommended so far")  # 5 of 25 are measured
    assert list(star.y) == [100 * curve.recommended.accuracy]
    assert "&lt;b" in figure.data[-1].name


def test_the_prices_that_are_tried_are_steps_of_the_slider() -> None:
    from rugboard.shell.sliders import PRICES

    assert {price for _, price in GRID} <= set(PRICES)
    assert len(set(GRID)) == len(search_job.DEPTHS) * len(search_job.PRICES)
