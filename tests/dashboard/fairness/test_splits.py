"""Many splits on the page Fairness: the worker against the engine, going on, and what the page says."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from rugboard.fairness import splits_chart, splits_view, splits_words, splits_worker
from rugboard.fairness.splits_job import N_SPLITS, SplitsJob, SplitsReport
from rugboard.runs.home import Home
from rugboard.runs.jobs import CANCELLED, FINISHED, NOTHING_YET, STOPPED, UNREADABLE
from rugboard.runs.results import Results
from rugcore import RUGClassifier, fairness_over_splits
from rugcore.selection import FairnessOverSplits
from tests.dashboard.conftest import Open, is_calm, offered_files, texts
from tests.unit.selection.splits_by_hand import over_splits


@pytest.fixture
def job(home: Home, run_id: str) -> SplitsJob:
    return SplitsJob(home, run_id)


def measured(results: Results, number: int) -> FairnessOverSplits:
    """A split of the plain model alone, which is quick; about the limit of the run."""
    return fairness_over_splits(
        RUGClassifier(max_depth=1, max_iter=1),
        results.data.X,
        results.data.y,
        sensitive_features=results.data.groups,
        n_splits=1,
        epsilon=results.plan.epsilon,
        random_state=number,
    )


def report(results: Results, n_splits: int) -> SplitsReport:
    return SplitsReport(parts=tuple(measured(results, number).to_dict() for number in range(n_splits)))


# -- the worker --------------------------------------------------------------------------------------------


def test_every_split_is_one_of_the_engine_with_both_models(
    job: SplitsJob, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(splits_worker, "N_SPLITS", 2)
    assert splits_worker.main(job.name) == 0
    assert job.progress().status == FINISHED
    found = splits_view.found(results)
    assert found is not None
    assert [model.name for model in found.models] == ["FairRUG", "RUG"]
    alone = [
        fairness_over_splits(
            results.rug,
            results.data.X,
            results.data.y,
            sensitive_features=results.data.groups,
            n_splits=1,
            epsilon=results.plan.epsilon,
            random_state=number,
        )
        for number in range(2)
    ]
    expected = FairnessOverSplits.joined(alone).to_frame()
    plain = found.to_frame().query("model == 'RUG'").reset_index(drop=True)
    pd.testing.assert_frame_equal(plain, expected)
    assert found.epsilon == results.plan.epsilon


def test_what_is_there_is_not_done_again_and_an_error_is_a_sentence(
    open_page: Open, job: SplitsJob, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = report(results, N_SPLITS - 1)
    job.write(begun)
    monkeypatch.setattr(splits_worker, "with_split", lambda *_: 1 / 0)
    assert splits_worker.main(job.name) == 1
    assert job.progress().status == STOPPED
    app = open_page("fairness", run=job.name)
    assert is_calm(app)
    assert f"Stopped after {N_SPLITS - 1} of {N_SPLITS} splits. It stopped because of an error of its own" in texts(app)
    assert app.button(key="splits").label == "Go on"
    last = measured(results, N_SPLITS - 1).to_dict()
    monkeypatch.setattr(splits_worker, "with_split", lambda old, *_: replace(old, parts=(*old.parts, last)))
    assert splits_worker.main(job.name) == 0
    again = job.read()
    assert again is not None
    assert again.parts[:-1] == begun.parts


# -- the page ----------------------------------------------------------------------------------------------


def test_before_it_nobody_is_to_decide_by_one_split(open_page: Open, job: SplitsJob) -> None:
    assert job.progress().status == NOTHING_YET
    app = open_page("fairness", run=job.name)
    assert "One split of a small group is a coin toss." in texts(app)
    assert "Over 12 splits" not in texts(app)
    job.cancel()
    job.write(SplitsReport())
    assert job.progress().status == CANCELLED
    assert "Cancelled after 0 of 12 splits." in texts(open_page("fairness", run=job.name))


def test_what_was_found_is_told_with_its_interval_and_kept(open_page: Open, job: SplitsJob, results: Results) -> None:
    job.write(replace(report(results, N_SPLITS), is_finished=True))
    app = open_page("fairness", run=job.name)
    assert is_calm(app)
    said = texts(app)
    found = splits_view.found(results)
    assert found is not None
    verdict = found.verdict(found.models[0])
    words = {"above": "RUG is more than 2.5 points apart", "within": "RUG keeps within 2.5 points"}
    assert f"**Over 12 splits {words.get(verdict, 'whether RUG keeps within 2.5 points cannot be told')}" in said
    assert f"{found.n_rows:,} rows, 30 % of them held out" in said
    assert "“African American: " in said
    assert not [item for item in app.button if item.key == "splits"]  # there is no more to do
    app.session_state["splits_in_numbers"] = True
    app.run()
    assert is_calm(app)
    assert "Splits as CSV" in offered_files(app)
    app.select_slider(key=f"fairness_epsilon_{job.name}").set_value(0.2).run()
    assert "**Over 12 splits" not in texts(app)  # they are about another limit
    assert "Models as trained, not as re-weighted here." in texts(app)


def test_files_that_are_damaged_or_about_something_else_count_as_none(
    open_page: Open, job: SplitsJob, results: Results
) -> None:
    for text in ("", "{", "[]", '{"version": 0}', '{"version": 1}', json.dumps({"version": 1, "parts": [{}]})):
        job.file("json").write_text(text)
        assert job.progress().status == UNREADABLE
    assert "cannot be read" in texts(open_page("fairness", run=job.name))
    other = measured(results, 0)
    job.write(SplitsReport(parts=(replace(other, epsilon=0.3).to_dict(),)))
    assert splits_view.found(results) is None


# -- words -------------------------------------------------------------------------------------------------


def test_words_see_a_gap_from_the_side_of_those_who_fare_worse() -> None:
    found = over_splits(rates=(0.1, 0.4), sizes=(500, 500), n_splits=12)
    said = splits_words.verdict(found, {"b": "*group* b"}, "“yes”")
    line = found.to_frame().iloc[0]
    assert line["gap"] < 0
    assert said.startswith("**On people not trained on, m is more than 5.0 points apart**")
    assert r"“\*group\* b” are decided wrongly" in said
    assert f"{-100 * line['upper']:.1f} to {-100 * line['lower']:.1f} points" in said
    single = splits_words.single_splits(found)
    assert single == (
        f"Single splits say anything from {-100 * line['highest']:.1f} to {-100 * line['lowest']:.1f} points."
    )
    assert "within the limit on the test rows of 0 of 12 splits" in splits_words.promise(found)
    assert len(splits_chart.over_splits(found, {}).data) == 3  # single splits, all splits, the limit


def test_few_splits_say_nothing_and_few_people_neither() -> None:
    few = over_splits(rates=(0.1, 0.4), sizes=(500, 500), n_splits=3)
    assert splits_words.verdict(few, {}, "“yes”") == "3 splits so far: too few to say anything."
    assert splits_words.in_short(few) == ""
    doubtful = over_splits(rates=(0.2, 0.2), sizes=(60, 60), n_splits=12)
    assert splits_words.verdict(doubtful, {}, "“yes”").startswith(
        "**Whether m keeps within 5.0 points on people not trained on"
    )
    nobody = over_splits(rates=(0.2, 0.2), sizes=(60, 12), n_splits=12)
    assert "No two groups are large enough" in splits_words.verdict(nobody, {}, "“yes”")
    assert "“b” (fewer than 30 people" in splits_words.not_estimable(nobody, {})
