"""Train: settings, the run while it trains, and the scorecard."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.store import RunStore
from rugboard.setup.changes import changes_since
from rugboard.setup.drafts import draft_of
from rugcore.dictionary import ColumnEntry, DataDictionary
from rugcore.explanations import ColumnWording
from tests.dashboard.conftest import Open, TrainNow, is_calm, texts
from tests.dashboard.pages.test_data import choose, draft, upload_frame, use_demo


def test_without_data_the_page_says_what_to_do(open_page: Open) -> None:
    app = open_page("train")
    assert is_calm(app)
    assert "no data to train on yet" in texts(app)
    assert "Nothing trained yet" in texts(app)


def test_a_draft_that_is_not_ready_is_sent_back_to_data(open_page: Open, three_outcomes: pd.DataFrame) -> None:
    app = upload_frame(open_page("data"), three_outcomes)
    app.switch_page("pages/train.py").run()
    assert "please say which column is the outcome" in texts(app)
    app.button("train").click().run()
    assert is_calm(app)
    assert "Please say on the page Data" in texts(app)


def test_training_starts_a_run_with_the_chosen_settings(open_page: Open, store: RunStore) -> None:
    app = use_demo(open_page("data"), "hmda")
    app.switch_page("pages/train.py").run()
    for kind, name, value in (
        ("slider", "max_depth", 4),
        ("select_slider", "penalty", 3.0),
        ("select_slider", "epsilon", 0.05),
        ("selectbox", "fairness", "eop"),
        ("radio", "guarantee", "proxy"),
        ("number_input", "max_iter", 7),
        ("selectbox", "rule_cost", "unit"),
        ("number_input", "min_support", 12.0),
        ("selectbox", "solver", "highs"),
        ("number_input", "time_limit", 30.0),
        ("select_slider", "test_share", 0.3),
        ("number_input", "split_seed", 5),
    ):
        app = choose(app, kind, name, value)
    app.button("train").click().run()
    assert is_calm(app)
    (run,) = store.runs()
    plan = run.plan
    assert (plan.max_depth, plan.penalty, plan.epsilon, plan.fairness) == (4, 3.0, 0.05, "eop")
    assert (plan.guarantee, plan.max_iter, plan.rule_cost, plan.solver) == ("proxy", 7, "unit", "highs")
    assert (plan.time_limit, plan.test_share, plan.split_seed) == (30.0, 0.3, 5)
    assert plan.rug_settings()["min_support"] == plan.min_support == 12.0
    assert app.query_params["run"] == run.id


def test_settings_survive_a_visit_to_another_page(open_page: Open) -> None:
    app = use_demo(open_page("data"), "hmda")
    app.switch_page("pages/train.py").run()
    app = choose(app, "slider", "max_depth", 5)
    app = choose(app, "selectbox", "pricing", "exact")
    app.switch_page("pages/data.py").run()
    app.switch_page("pages/train.py").run()
    assert (draft(app).settings.max_depth, draft(app).settings.pricing) == (5, "exact")


def test_without_a_sensitive_attribute_only_rug_is_trained(open_page: Open, store: RunStore) -> None:
    app = use_demo(open_page("data"), "hmda")
    app = choose(app, "multiselect", "sensitive", [])
    app.switch_page("pages/train.py").run()
    assert "Only RUG is trained" in texts(app)
    app.button("train").click().run()
    assert is_calm(app)
    assert store.runs()[0].plan.models == ("rug",)


def test_the_scorecard_shows_what_the_models_are_worth(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    run_id = train_now(mortgage_plan)
    app = open_page("train", run=run_id)
    assert is_calm(app)
    results = open_results(store, run_id)
    decided = results.rug.predict(results.X_test)
    accuracy = np.mean(decided == results.y_test.to_numpy(dtype=object))
    shown = [(metric.label, metric.value) for metric in app.metric]
    assert shown[0] == ("Right decisions", f"{100 * accuracy:.1f} %")
    assert shown[2] == ("Rules", str(len(results.rug.rules_)))
    assert len(shown) == 3 * len(mortgage_plan.models)


def test_the_gap_is_that_of_the_error_rates(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    """Worked out here from the decisions alone: over all outcomes together (ODM), two groups."""
    run_id = train_now(replace(mortgage_plan, fairness="odm"))
    app = open_page("train", run=run_id)
    results = open_results(store, run_id)
    assert results.data.groups is not None
    is_wrong = pd.Series(results.rug.predict(results.X_test) != results.y_test.to_numpy(dtype=object))
    rates = is_wrong.groupby(results.data.groups[results.is_test].to_numpy()).mean()
    gap = next(metric.value for metric in app.metric if metric.label == "Largest gap")
    assert gap == f"{100 * (rates.max() - rates.min()):.1f} points"


def test_a_multi_class_table_with_many_groups_trains(
    open_page: Open, train_now: TrainNow, three_outcomes: pd.DataFrame, store: RunStore
) -> None:
    app = upload_frame(open_page("data"), three_outcomes)
    app = choose(app, "selectbox", "target", "outcome")
    app = choose(app, "radio", "favourable", "grant")
    app = choose(app, "multiselect", "sensitive", ["region", "employed"])
    plan = replace(draft(app).to_plan(), max_iter=3)
    app = open_page("train", run=train_now(plan))
    assert is_calm(app)
    assert len(app.metric) == 6


@pytest.mark.parametrize("status", ["queued", "running"])
def test_a_run_that_is_not_over_can_be_cancelled(
    open_page: Open, store: RunStore, mortgage_plan: Plan, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rugboard.runs.runner.Runner.sweep", lambda _: None)  # nobody takes the run up
    run_id = store.create(mortgage_plan)
    if status == "running":
        store.claim(run_id, 1)
    app = open_page("train", run=run_id)
    assert is_calm(app)
    app.button("cancel").click().run()
    run = store.get(run_id)
    assert run.status == "cancelled" or run.cancel_asked is not None


def test_waiting_runs_say_how_many_are_before_them(
    open_page: Open, store: RunStore, mortgage_plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rugboard.runs.runner.Runner.sweep", lambda _: None)
    store.create(mortgage_plan)
    app = open_page("train", run=store.create(mortgage_plan))
    assert "Waiting for a free core, behind 1 other run" in texts(app)


def test_a_link_to_a_run_brings_its_settings(open_page: Open, train_now: TrainNow, mortgage_plan: Plan) -> None:
    run_id = train_now(replace(mortgage_plan, max_depth=1, penalty=10.0))
    app = open_page("train", run=run_id)
    assert draft(app).settings.penalty == 10.0
    assert draft(app).columns.features == mortgage_plan.features


def test_notes_of_the_worker_are_shown(open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store) -> None:
    table = store.snapshots.load(mortgage_plan.snapshot)
    table.loc[:9, mortgage_plan.target] = None
    run_id = train_now(replace(mortgage_plan, snapshot=store.snapshots.save(table)))
    assert "10 of 2,380 rows have no value" in texts(open_page("train", run=run_id))


def test_a_scorecard_of_before_is_said_to_be_one(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    app = open_page("train", run=train_now(mortgage_plan))
    assert "From before" not in texts(app)
    app = choose(app, "slider", "max_depth", 4)
    assert "From before you changed the settings. Press Train" in texts(app)
    app = choose(app, "slider", "max_depth", mortgage_plan.max_depth)
    assert "From before" not in texts(app)
    app = use_demo(app.switch_page("pages/data.py").run(), "credit_data")
    app.switch_page("pages/train.py").run()
    assert "From before you changed the data." in texts(app)


def test_what_changes_no_rule_does_not_make_a_scorecard_old(mortgage_plan: Plan) -> None:
    (first, *_, last) = mortgage_plan.features

    def since(**entry: Any) -> tuple[str, ...]:
        said = DataDictionary({last: ColumnEntry(**entry)})
        return changes_since(mortgage_plan, replace(draft_of(mortgage_plan), dictionary=said))

    assert since(description="long", change="never", wording=ColumnWording(high="Too high.")) == ()
    assert since(label="another name") == ("what columns mean",)
    assert since(special={-9: "not told"}) == ("what columns mean",)
    assert since(protected=True) == ("the columns",)
    other = draft_of(replace(mortgage_plan, features=(first,), sensitive=(), penalty=1.0))
    assert changes_since(mortgage_plan, other) == ("the groups", "the columns", "the settings")


def test_a_training_that_a_limit_ended_says_so(open_page: Open, train_now: TrainNow, mortgage_plan: Plan) -> None:
    app = open_page("train", run=train_now(replace(mortgage_plan, max_iter=1, guarantee="proxy", penalty=0.1)))
    assert "Not trained to the end: RUG at the limit of 1 round and FairRUG at the limit of 1 round." in texts(app)
    app = open_page("train", run=train_now(replace(mortgage_plan, max_depth=1, penalty=30.0, train_fair=False)))
    assert "Not trained to the end" not in texts(app)
