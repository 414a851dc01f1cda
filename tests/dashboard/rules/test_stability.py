"""How sure the rules are: the worker against the engine, going on, cancelling, and what the page says."""

import json
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from rugboard.rules import stability_view, stability_worker
from rugboard.rules.comebacks import UNKNOWN, RuleComebacks
from rugboard.rules.stability_job import N_SAMPLES, StabilityJob, StabilityReport
from rugboard.runs import locks
from rugboard.runs.home import Home
from rugboard.runs.jobs import CANCELLED, FINISHED, NOTHING_YET, RUNNING, STOPPED, UNREADABLE
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugboard.session import adjustments
from rugcore import rule_stability
from tests.dashboard.conftest import SECONDS, Open, is_calm, texts


@pytest.fixture
def job(home: Home, run_id: str) -> StabilityJob:
    return StabilityJob.of(home, run_id, "rug")


def wait_for(is_there: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_there():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def report_of(job: StabilityJob) -> StabilityReport:
    report = job.read()
    assert report is not None
    return report


def finished(results: Results, *times: int) -> StabilityReport:
    """A report about as many rules as the model has, each of which came back so often."""
    n_rules = len(results.rug.rules_)
    n_back = (times * n_rules)[:n_rules]
    return StabilityReport(n_back=n_back, agreement=(0.95,) * N_SAMPLES, is_finished=True)


# -- the worker --------------------------------------------------------------------------------------------


def test_every_sample_is_one_of_the_engine(
    job: StabilityJob, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stability_worker, "N_SAMPLES", 3)
    assert stability_worker.main(job.name) == 0
    frames = [
        rule_stability(results.rug, results.X_train, results.y_train, n_samples=1, random_state=number)
        for number in range(3)
    ]
    report = report_of(job)
    assert job.progress().status == FINISHED
    assert list(report.n_back) == sum(frame["recurs"].to_numpy() for frame in frames).tolist()
    assert report.agreement == tuple(frame.attrs["agreement_with_model"] for frame in frames)
    # Who draws other samples gets other rules: the numbers are not those of one sample three times over.
    assert len({tuple(frame["best_overlap"]) for frame in frames}) > 1


def test_a_fair_model_is_trained_with_its_groups_and_what_is_there_is_not_done_again(
    home: Home, run_id: str, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = StabilityJob.of(home, run_id, "fair")
    n_rules = len(results.fair.rules_)
    job.write(StabilityReport(n_back=(N_SAMPLES - 1,) * n_rules, agreement=(0.5,) * (N_SAMPLES - 1)))
    assert stability_worker.main(job.name) == 0
    report = report_of(job)
    assert report.n_samples == N_SAMPLES
    assert set(report.n_back) <= {N_SAMPLES - 1, N_SAMPLES}
    assert report.agreement[:-1] == (0.5,) * (N_SAMPLES - 1)


def test_an_error_is_a_sentence_and_a_deleted_run_leaves_nothing(
    open_page: Open, job: StabilityJob, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stability_worker, "with_sample", lambda *_: 1 / 0)
    assert stability_worker.main(job.name) == 1
    assert job.progress().status == STOPPED
    app = open_page("rules", run=job.run_id)
    assert is_calm(app)
    assert "Stopped after 0 of 10 samples. It stopped because of an error of its own (ZeroDivisionError" in texts(app)

    def deletes(*_: object) -> StabilityReport:
        store.delete(job.run_id)
        job.folder.mkdir()  # as if a file had been written meanwhile
        return StabilityReport()

    monkeypatch.setattr(stability_worker, "with_sample", deletes)
    assert stability_worker.main(job.name) == 0
    assert not job.folder.exists()


def test_files_that_are_damaged_or_of_other_rules_count_as_none(
    open_page: Open, job: StabilityJob, results: Results
) -> None:
    for text in ("", "{", "[]", '{"version": 0}', '{"version": 1}', json.dumps({"version": 1, "n_back": 3})):
        job.file("json").write_text(text)
        assert job.read() is None
        assert job.progress().status == UNREADABLE
    assert "cannot be read" in texts(open_page("rules", run=job.run_id))
    job.write(StabilityReport(n_back=(1,) * (len(results.rug.rules_) + 1), agreement=(1.0,)))
    assert stability_view.found(results, "rug") == StabilityReport()
    assert stability_view.comebacks(results, "rug") == UNKNOWN


# -- the page ----------------------------------------------------------------------------------------------


def test_begin_cancel_and_go_on(open_page: Open, job: StabilityJob, results: Results) -> None:
    assert job.progress().status == NOTHING_YET
    app = open_page("rules", run=job.run_id)
    with locks.exclusive(job.home.root / job.TURN):  # it waits for its turn
        app.button(key="stability").click().run()
        assert is_calm(app)
        assert job.progress().status == RUNNING
        wait_for(lambda: report_of(job).is_waiting)
        app.run()
        assert "Waiting for its turn" in texts(app)
        app.button(key="cancel_stability").click().run()
        wait_for(lambda: not job.progress().is_under_way)
    assert job.progress().status == CANCELLED
    app.run()
    assert "Cancelled after 0 of 10 samples" in texts(app)
    job.write(replace(finished(results, 5), agreement=(0.9,) * (N_SAMPLES - 2), is_finished=False))
    app.run()
    assert app.button(key="stability").label == "Go on"
    app.button(key="stability").click().run()  # in a process of its own, to the end
    wait_for(lambda: not job.progress().is_under_way)
    assert job.progress().status == FINISHED
    app.run()
    assert is_calm(app)
    assert "came back in more than half of 10 samples" in texts(app)
    assert not [button for button in app.button if button.key == "stability"]


def test_the_table_says_how_often_and_few_comebacks_are_warned_of(
    open_page: Open, job: StabilityJob, results: Results
) -> None:
    n_rules = len(results.rug.rules_)
    job.write(finished(results, 4, 2, 5))
    app = open_page("rules", run=job.run_id)
    assert is_calm(app)
    by_weight = app.dataframe[0].value
    expected = dict(zip(map(str, results.rug.rules_), finished(results, 4, 2, 5).n_back, strict=True))
    assert dict(zip(by_weight["rule"], by_weight["came_back"], strict=True)) == expected
    (warning,) = [item.value for item in app.warning if "came back" in item.value]
    assert warning.startswith(f"None of {n_rules} rules came back in more than half of 10 samples.")
    assert "95.0 % of the 1,904 training rows are decided alike" in warning
    app.selectbox(key=f"rules_order_{job.run_id}").select("came_back").run()
    assert app.dataframe[0].value["came_back"].is_monotonic_decreasing

    job.write(finished(results, 9))
    app.run()
    assert is_calm(app)
    assert not [item for item in app.warning if "came back" in item.value]
    assert f"{n_rules} of {n_rules} rules came back" in texts(app)


def test_rules_that_only_re_weighting_brought_in_are_unknown(
    open_page: Open, job: StabilityJob, results: Results
) -> None:
    job.write(finished(results, 9))
    change = adjustments.Adjustment(penalty=0.1)
    app = open_page("rules", run=job.run_id)
    app.session_state["_adjustments"] = {(job.run_id, "rug"): change}
    app.run()
    assert is_calm(app)
    assert "About the model as trained" in texts(app)
    shown = app.dataframe[0].value
    trained = {str(rule) for rule in results.rug.rules_}
    assert {rule for rule, times in zip(shown["rule"], shown["came_back"], strict=True) if times == 9} <= trained
    assert shown["came_back"].isna().sum() == (~shown["rule"].isin(trained)).sum()


# -- words -------------------------------------------------------------------------------------------------


def test_what_is_said_follows_rules_and_decisions() -> None:
    report = StabilityReport(n_back=(6, 5, 0), agreement=(0.8,) * 10)
    assert (report.n_usual, report.is_shaky) == (1, True)
    said = stability_view.in_words(report, 50, "RUG")
    assert said.startswith("Only 1 of 3 rules came back in more than half of 10 samples.")
    assert "Decisions change too: 80.0 % of the 50 training rows" in said
    steady = replace(report, n_back=(6, 6, 0), agreement=(0.99,) * 10)
    assert not steady.is_shaky
    assert stability_view.in_words(steady, 50, "RUG").startswith("2 of 3 rules came back")
    assert "Decisions change less" in stability_view.in_words(replace(report, agreement=(0.99,) * 10), 50, "RUG")
    assert np.isnan(StabilityReport().mean_agreement)


def test_comebacks_by_rule() -> None:
    found = RuleComebacks(10, {"a": 3})
    assert found.of(["b", "a"]).tolist()[1] == 3
    assert np.isnan(found.of(["b"])[0])
    assert found.cache_key != replace(found, n_samples=9).cache_key
