"""Start: the first visit, one click to a model, and the runs of the past."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.store import RunStore
from rugboard.session import measures
from rugboard.setup import sources
from tests.dashboard.conftest import Open, TrainNow, is_calm, texts


def metrics(app: AppTest) -> list[tuple[str, str]]:
    return [(metric.label, metric.value) for metric in app.metric]


def test_a_first_visit_explains_and_offers_one_click(open_page: Open) -> None:
    app = open_page()
    assert is_calm(app)
    assert app.title[0].value == "Decisions you can read"
    assert app.button("try_it").label == "Try it on consumer loans"
    assert "None yet" in texts(app)
    assert not app.metric


def test_one_click_starts_a_run_with_both_models_and_puts_it_in_the_address(open_page: Open, store: RunStore) -> None:
    app = open_page()
    app.button("try_it").click().run()
    assert is_calm(app)
    (run,) = store.runs()
    assert app.query_params["run"] == run.id
    assert run.plan.models == ("rug", "fair")
    assert run.plan.favourable == "good"


def test_no_sensitive_option_of_a_demo_is_a_feature_unless_chosen(open_page: Open, store: RunStore) -> None:
    app = open_page()
    app.button("try_it").click().run()
    assert not {"marital status", "age"} & set(store.runs()[0].plan.features)


def test_a_trained_run_shows_its_rules_its_numbers_and_one_decision(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    run_id = train_now(mortgage_plan)
    app = open_page(run=run_id)
    assert is_calm(app)
    summaries = store.summaries(run_id)
    shown = [value for label, value in metrics(app) if label == "Right decisions"]
    assert shown == [f"{100 * summary.test_accuracy:.1f} %" for summary in summaries.values()]
    rules = open_results(store, run_id).rug.rules_
    assert list(app.dataframe[0].value["rule"]) == [str(rule) for rule in rules[:5]]
    assert "One applicant, explained" in texts(app)


def test_a_failed_run_gives_its_reason(open_page: Open, store: RunStore, mortgage_plan: Plan) -> None:
    run_id = store.create(mortgage_plan)
    store.claim(run_id, 1)
    store.fail(run_id, "The *disk* is full.")
    app = open_page(run=run_id)
    assert is_calm(app)
    assert "The *disk* is full." in texts(app)


def test_a_cancelled_run_says_so(open_page: Open, store: RunStore, mortgage_plan: Plan) -> None:
    run_id = store.create(mortgage_plan)
    store.ask_to_cancel(run_id)
    assert "Cancelled, so there is no model" in texts(open_page(run=run_id))


def test_past_runs_are_opened_from_the_list(open_page: Open, train_now: TrainNow, mortgage_plan: Plan) -> None:
    first, second = train_now(mortgage_plan, "One"), train_now(mortgage_plan, "Two")
    app = open_page(run=second)
    app.button(f"open_{first}").click().run()
    assert is_calm(app)
    assert app.query_params["run"] == first
    assert "**One**" in texts(app)


@pytest.mark.parametrize("run", ["not-an-id", "../../etc/passwd", "4d5e5b07-032d-4f09-9124-83af1c070624", ""])
def test_an_unknown_run_in_the_address_is_a_kind_sentence(open_page: Open, run: str) -> None:
    for page in ("start", "train", "rules", "fairness"):
        app = open_page(page, run=run)
        assert is_calm(app)
        assert "There is no such run" in texts(app)


def test_many_runs_come_in_pages(open_page: Open, store: RunStore, mortgage_plan: Plan) -> None:
    for number in range(20):
        store.ask_to_cancel(store.create(mortgage_plan, f"Run {number}"))
    app = open_page()
    assert is_calm(app)
    said = texts(app)
    assert "Run 19" in said
    assert "Run 3" not in said


def test_the_first_demo_gains_on_the_same_answer_and_on_a_tree_of_the_same_size(
    open_page: Open, train_now: TrainNow, store: RunStore
) -> None:
    run_id = train_now(replace(sources.first_draft().to_plan(), train_fair=False))
    results = open_results(store, run_id)
    right, usual, tree = (
        results.summaries["rug"].test_accuracy,
        (results.y_test == results.y_train.mode()[0]).mean(),
        measures.tree_of_same_size(results),
    )
    assert tree is not None
    assert right > max(usual, tree) + 0.01
    said = texts(open_page(run=run_id))
    assert f"right for {100 * usual:.1f} %, and a decision tree with as many leaves as RUG has rules" in said
