"""Runs: a re-weighted model kept under a name, the list of all models, and two of them side by side."""

from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from rugboard.past_runs import view
from rugboard.past_runs.comparison import PastModel, SideBySide
from rugboard.runs.keeping import keep_models
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugcore import load_demo
from tests.dashboard.conftest import Open, TrainNow, is_calm, texts


def keep(store: RunStore, results: Results, name: str = "stricter") -> str:
    models = {"rug": results.rug.refit(penalty=30.0), "fair": results.fair}
    return keep_models(store, results, models, {"rug": ("price of a rule 30 instead of 3",), "fair": ()}, name)


def choose(app: AppTest, first: str, second: str) -> AppTest:
    app.selectbox("runs_first").set_value(first)
    app.selectbox("runs_second").set_value(second)
    return app.run()


def test_a_re_weighted_model_can_be_kept_and_the_question_says_what_is_kept(open_page: Open, run_id: str) -> None:
    """AppTest knows no second click inside a dialog: tests/browser/test_new_cases.py goes on."""
    app = open_page("rules", run=run_id)
    assert app.button("keep_rug").disabled
    app.select_slider(f"rules_penalty_rug_{run_id}").set_value(30.0).run()
    app.button("keep_rug").click().run()
    assert is_calm(app)
    assert "price of a rule 30 instead of 3" in texts(app)
    assert app.text_input("kept_name").value == "Mortgages in Boston, re-weighted"


def test_a_kept_run_is_shown_as_kept(open_page: Open, results: Results, store: RunStore) -> None:
    kept_id = keep(store, results, "stricter *rules*")
    app = open_page("rules", run=kept_id)
    assert is_calm(app)
    assert "kept from “Mortgages in Boston”" in texts(app)
    expected = results.rug.refit(penalty=30.0)
    assert list(app.dataframe[0].value["rule"]) == [str(rule) for rule in expected.rules_]
    slider = app.select_slider(f"rules_penalty_rug_{kept_id}")
    assert slider.value == 30.0
    assert "30 · as kept" in slider.options
    assert app.button("keep_rug").disabled


def test_the_list_on_start_tells_rules_accuracy_and_gap(open_page: Open, run_id: str, store: RunStore) -> None:
    said = texts(open_page("start", run=run_id))
    for summary in store.summaries(run_id).values():
        assert f"{summary.rules} rules, {100 * summary.test_accuracy:.1f} % right" in said
        assert f"gap {100 * summary.test_gap:.1f} points" in said


def test_runs_that_share_their_test_rows_are_compared_person_by_person(
    open_page: Open, run_id: str, results: Results, store: RunStore
) -> None:
    kept_id = keep(store, results)
    app = choose(open_page("runs", run=kept_id), f"{run_id}:rug", f"{kept_id}:rug")
    assert is_calm(app)
    kept = open_results(store, kept_id)
    one, two = results.rug.predict(results.X_test), kept.rug.predict(results.X_test)
    truth = results.y_test.to_numpy(dtype=object)
    n_differing = int((one != two).sum())
    assert n_differing, "the re-weighted model decides as the first does, and the test shows nothing"
    said = texts(app)
    assert f"The same data and the same {len(truth)} test rows" in said
    assert f"**{n_differing}** of {len(truth)} test rows" in said
    assert f"alone is right for {int(((one == truth) & (two != truth)).sum())} of them" in said
    people = next(item.value for item in app.dataframe if "number" in item.value)
    places = np.flatnonzero(results.is_test)[one != two]
    assert list(people["number"]) == (results.data.rows[places] + 1).tolist()
    assert list(people["second"]) == two[one != two].tolist()
    assert app.query_params["second"] == f"{kept_id}:rug"


def test_two_models_of_one_run_are_told_apart_without_its_name(results: Results, store: RunStore) -> None:
    rug, fair = PastModel(results, "rug"), PastModel(results, "fair")
    assert [view.name_of(side, SideBySide(rug, fair)) for side in (rug, fair)] == ["RUG", "FairRUG"]
    kept = PastModel(open_results(store, keep(store, results)), "rug")
    assert view.name_of(rug, SideBySide(rug, kept)).startswith("RUG of “")


def test_a_click_on_somebody_leads_to_the_page_applicants(run_id: str, results: Results, store: RunStore) -> None:
    pair = SideBySide(PastModel(results, "rug"), PastModel(open_results(store, keep(store, results)), "rug"))
    frame = view.people_frame(pair, pair.decided_differently)
    assert len(frame) == len(pair.decided_differently)
    assert (frame["first"] != frame["second"]).all()


def test_other_test_rows_are_said_and_only_common_ones_compared(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, run_id: str, results: Results, store: RunStore
) -> None:
    other_id = train_now(replace(mortgage_plan, split_seed=1, sensitive=()), "other rows")
    other = open_results(store, other_id)
    app = choose(open_page("runs", run=run_id), f"{run_id}:rug", f"{other_id}:rug")
    assert is_calm(app)
    common = results.is_test & other.is_test
    assert 0 < common.sum() < results.is_test.sum()
    assert f"compared on the {common.sum()} rows that neither training saw" in texts(app)
    numbers = next(item.value for item in app.dataframe if "difference" in item.value)
    right = numbers[numbers["what"] == "Right decisions"].iloc[0]
    assert right["difference"] == "n/a"
    assert right["first"] == f"{100 * results.summaries['rug'].test_accuracy:.1f} % of {results.is_test.sum()}"


def test_different_data_is_not_set_against_each_other(
    open_page: Open, train_now: TrainNow, run_id: str, store: RunStore
) -> None:
    demo = load_demo("credit_data")
    table = demo.X.assign(**{demo.target: demo.y}).head(800)
    plan = Plan(
        snapshot=store.snapshots.save(table),
        data_name="Loans",
        target=demo.target,
        favourable=demo.favourable,
        features=tuple(demo.X.columns[:4]),
        max_iter=1,
        max_depth=1,
    )
    other_id = train_now(plan)
    app = choose(open_page("runs", run=run_id), f"{run_id}:rug", f"{other_id}:rug")
    assert is_calm(app)
    said = texts(app)
    assert "Different data (“Mortgages in Boston” and “Loans”)" in said
    assert "People decided differently" not in said
    numbers = next(item.value for item in app.dataframe if "difference" in item.value)
    assert set(numbers["difference"][2:]) == {"n/a"}


def test_one_model_has_nothing_beside_it(open_page: Open, train_now: TrainNow, mortgage_plan: Plan) -> None:
    app = open_page("runs", run=train_now(replace(mortgage_plan, sensitive=())))
    assert is_calm(app)
    assert "There is one model so far" in texts(app)


def test_without_runs_the_page_says_where_to_go(open_page: Open) -> None:
    app = open_page("runs")
    assert is_calm(app)
    assert "No model yet" in texts(app)


@pytest.mark.parametrize("text", ["nonsense", "a:b", ""])
def test_nonsense_in_the_address_is_passed_over(open_page: Open, run_id: str, text: str) -> None:
    app = open_page("rules", run=run_id)
    app.query_params["first"] = text
    app.switch_page("pages/runs.py").run()
    assert is_calm(app)
