"""Rules: the table, its filters, one rule opened, the rules re-weighted, and the differences between the models."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugboard.session.adjustments import Adjustment, rule_id
from rugboard.shell.formats import decimal, percent
from rugcore import interpretability_report
from rugcore.export import FORMATS, export_file, to_json, to_sql
from rugcore.rules import Rule
from tests.dashboard.conftest import APP, SECONDS, Open, TrainNow, is_calm, offered_files, texts

EVIL = "*in*come <b>$x$</b> [a](b) :red[c]"


def metrics(app: AppTest) -> dict[str, str]:
    """The last of a name counts."""
    return {metric.label: metric.value for metric in app.metric}


def shown_rules(app: AppTest) -> list[str]:
    return list(app.dataframe[0].value["rule"])


def filter_by(app: AppTest, kind: str, name: str, run_id: str, value: object) -> AppTest:
    next(item for item in getattr(app, kind) if item.key == f"rules_{name}_{run_id}").set_value(value)
    return app.run()


def move(app: AppTest, name: str, model: str, run_id: str, value: float) -> AppTest:
    app.select_slider(f"rules_{name}_{model}_{run_id}").set_value(value)
    return app.run()


def choose_model(app: AppTest, model: str) -> AppTest:
    next(item for item in app.button_group if item.key == "rules_model").set_value(model)
    return app.run()


def open_rule(app: AppTest, rule: Rule) -> AppTest:
    """AppTest cannot click on a line of a table; a visitor who comes back finds the rule open that was open before."""
    app.switch_page("pages/data.py").run()
    app.session_state["_open_rule"] = rule_id(rule)
    return app.switch_page("pages/rules.py").run()


def test_without_a_run_the_page_says_where_to_go(open_page: Open) -> None:
    app = open_page("rules")
    assert is_calm(app)
    assert "No model yet" in texts(app)


def test_a_run_that_still_trains_has_no_rules_yet(
    open_page: Open, store: RunStore, mortgage_plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rugboard.runs.runner.Runner.sweep", lambda _: None)
    app = open_page("rules", run=store.create(mortgage_plan))
    assert is_calm(app)
    assert "still training" in texts(app)


def test_all_rules_are_shown_with_the_numbers_on_top(open_page: Open, run_id: str, results: Results) -> None:
    app = open_page("rules", run=run_id)
    assert is_calm(app)
    assert shown_rules(app) == [str(rule) for rule in results.rug.rules_]
    report = interpretability_report(results.rug, results.X_test)
    shown = metrics(app)
    assert shown["Rules"] == str(len(results.rug.rules_))
    assert shown["Conditions per rule"] == decimal(report["average_rule_length"])
    assert shown["Rules per applicant"] == decimal(report["rules_per_row"])
    assert shown["No rule applies"] == percent(report["uncovered_share"])


def test_the_other_model_is_one_click_away(open_page: Open, run_id: str, results: Results) -> None:
    app = choose_model(open_page("rules", run=run_id), "fair")
    assert is_calm(app)
    assert shown_rules(app) == [str(rule) for rule in results.fair.rules_]


def test_filters_narrow_the_table(open_page: Open, run_id: str, results: Results) -> None:
    app = open_page("rules", run=run_id)
    app = filter_by(app, "multiselect", "outcome", run_id, ["denied"])
    assert shown_rules(app) == [str(rule) for rule in results.rug.rules_ if rule.label == "denied"]
    app = filter_by(app, "multiselect", "length", run_id, [2])
    assert shown_rules(app) == [str(r) for r in results.rug.rules_ if r.label == "denied" and r.length == 2]
    app = filter_by(app, "text_input", "text", run_id, "nothing like it")
    assert is_calm(app)
    assert "None of" in texts(app)


def test_a_feature_that_no_rule_looks_at_is_said(open_page: Open, run_id: str, results: Results) -> None:
    unused = [name for name in results.plan.features if name not in results.rug.rules_.features()]
    if not unused:
        pytest.skip("every feature is used")
    app = filter_by(open_page("rules", run=run_id), "multiselect", "feature", run_id, unused[:1])
    assert f"No rule looks at “{unused[0]}”" in texts(app)


def test_numbers_come_from_the_rows_that_are_asked_for(open_page: Open, run_id: str, results: Results) -> None:
    app = open_page("rules", run=run_id)
    app = filter_by(app, "selectbox", "rows", run_id, "training")
    np.testing.assert_allclose(app.dataframe[0].value["coverage"], [100 * rule.coverage for rule in results.rug.rules_])


def test_a_rule_is_opened_in_detail(open_page: Open, run_id: str, results: Results) -> None:
    rule = results.rug.rules_[1]
    app = open_rule(open_page("rules", run=run_id), rule)
    assert is_calm(app)
    said = texts(app)
    assert f"of {len(results.rug.rules_)} rules" in said
    for condition in rule.conditions:
        assert str(condition) in said.replace("\u2060", "")
    covered = results.rug.covering_rules(results.X_test).toarray()[:, 1]
    n_right = int((covered & (results.y_test == rule.label).to_numpy()).sum())
    assert f"**{covered.sum()}** of {len(covered)} test rows" in said
    assert not covered.sum() or f"is right for **{n_right}** of them" in said


# -- re-weighted ------------------------------------------------------------------------------------------


def test_a_link_shows_a_colleague_the_same_model(open_page: Open, run_id: str, results: Results) -> None:
    app = move(open_page("rules", run=run_id), "penalty", "rug", run_id, 10.0)
    assert app.query_params["rug_price"] == "10"
    colleague = AppTest.from_file(APP, default_timeout=SECONDS)
    colleague.query_params["run"], colleague.query_params["rug_price"] = run_id, "10"
    colleague.query_params["limit"] = "0.07"
    colleague.run()
    colleague.switch_page("pages/rules.py").run()
    assert is_calm(colleague)
    assert shown_rules(colleague) == [str(rule) for rule in results.rug.refit(penalty=10.0).rules_]
    choose_model(colleague, "fair")
    assert colleague.select_slider(f"rules_epsilon_fair_{run_id}").value == 0.07


@pytest.mark.parametrize("text", ["nonsense", "-1", "nan", "inf", "1e400", ""])
def test_nonsense_in_the_address_is_passed_over(run_id: str, text: str) -> None:
    app = AppTest.from_file(APP, default_timeout=SECONDS)
    app.query_params["run"], app.query_params["rug_price"] = run_id, text
    app.run()
    app.switch_page("pages/rules.py").run()
    assert is_calm(app)
    assert "rug_price" not in app.query_params


def test_another_price_re_weights_the_rules(open_page: Open, run_id: str, results: Results) -> None:
    app = move(open_page("rules", run=run_id), "penalty", "rug", run_id, 10.0)
    assert is_calm(app)
    expected = results.rug.refit(penalty=10.0)
    assert shown_rules(app) == [str(rule) for rule in expected.rules_]
    accuracy = np.mean(expected.predict(results.X_test) == results.y_test.to_numpy(dtype=object))
    assert metrics(app)["Right decisions"] == percent(accuracy)
    assert "re-weighted; the run stays as it is" in texts(app)


def price(app: AppTest) -> object:
    """Whatever the key of the slider is."""
    return next(slider.value for slider in app.select_slider if slider.label == "Price of a rule")


def test_one_click_goes_back_to_the_trained_model(open_page: Open, run_id: str, results: Results) -> None:
    app = move(open_page("rules", run=run_id), "penalty", "rug", run_id, 10.0)
    app.button("as_trained_rug").click().run()
    assert price(app) == results.plan.penalty
    assert shown_rules(app) == [str(rule) for rule in results.rug.rules_]
    assert app.button("as_trained_rug").disabled


def test_what_was_set_survives_a_page_switch(open_page: Open, run_id: str, results: Results) -> None:
    app = move(open_page("rules", run=run_id), "penalty", "rug", run_id, 10.0)
    app.switch_page("pages/data.py").run()
    app.switch_page("pages/rules.py").run()
    assert price(app) == 10.0
    assert shown_rules(app) == [str(rule) for rule in results.rug.refit(penalty=10.0).rules_]


def test_the_models_are_set_apart_and_the_run_stays(open_page: Open, run_id: str, results: Results, store) -> None:
    app = choose_model(open_page("rules", run=run_id), "fair")
    app = move(app, "epsilon", "fair", run_id, 0.3)
    held = app.session_state["_adjustments"]
    assert held == {(run_id, "fair"): Adjustment(penalty=None, epsilon=0.3)}
    app = choose_model(app, "rug")
    assert shown_rules(app) == [str(rule) for rule in results.rug.rules_]
    assert [str(rule) for rule in open_results(store, run_id).fair.rules_] == [str(r) for r in results.fair.rules_]


def test_a_target_that_is_not_met_is_told(
    open_page: Open, run_id: str, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rugcore.fair_training.search.GAP_PRICES", ())  # a search that gives up at once
    with pytest.warns(UserWarning, match="Asked for a gap"):
        expected = results.fair.refit(epsilon=0.0)
    app = move(choose_model(open_page("rules", run=run_id), "fair"), "epsilon", "fair", run_id, 0.0)
    assert is_calm(app)
    assert not expected.fairness_.met
    assert "The target is not met: at most 0.0 points were asked for" in texts(app)


def test_a_rule_is_left_out_and_put_back(open_page: Open, run_id: str, results: Results) -> None:
    rule = results.rug.rules_[0]
    app = open_rule(open_page("rules", run=run_id), rule)
    app.button(f"leave_out_{rule_id(rule)}").click().run()
    assert is_calm(app)
    assert shown_rules(app) == [str(other) for other in results.rug.refit(without=rule).rules_]
    assert "1 rule left out" in texts(app)
    app.button(f"put_back_{rule_id(rule)}").click().run()
    assert shown_rules(app) == [str(other) for other in results.rug.rules_]
    assert "left out" not in texts(app)


def test_a_price_that_no_rule_is_worth(open_page: Open, run_id: str, results: Results) -> None:
    app = move(open_page("rules", run=run_id), "penalty", "rug", run_id, 100.0)
    for rule in results.rug.refit(penalty=100.0).rules_:
        app = open_rule(app, rule)
        app.button(f"leave_out_{rule_id(rule)}").click().run()
    assert is_calm(app)
    assert metrics(app)["Rules"] == "0" or app.dataframe


# -- other tables ------------------------------------------------------------------------------------------


def test_the_differences_are_those_of_the_two_sets(open_page: Open, run_id: str, results: Results) -> None:
    app = open_page("rules", run=run_id)
    rug, fair = ({str(rule) for rule in model.rules_} for model in (results.rug, results.fair))
    assert f"RUG has {len(results.rug.rules_)} rules, FairRUG {len(results.fair.rules_)}" in texts(app)
    next(item for item in app.button_group if item.key == "rules_part").set_value("second").run()
    assert set(app.dataframe[-1].value["rule"]) >= fair - rug


def test_without_a_sensitive_attribute_there_is_one_model(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    run_id = train_now(replace(mortgage_plan, sensitive=()))
    app = open_page("rules", run=run_id)
    assert is_calm(app)
    assert "the only model of this run" in texts(app)
    assert "How RUG and FairRUG differ" not in texts(app)
    app = open_rule(app, open_results(store, run_id).rug.rules_[0])
    assert is_calm(app)
    assert "Share of all applicants" in texts(app)


def test_three_outcomes_and_many_groups(
    open_page: Open, train_now: TrainNow, three_outcomes: pd.DataFrame, store: RunStore
) -> None:
    rng = np.random.default_rng(0)
    table = three_outcomes.assign(shop=[f"shop {number}" for number in rng.integers(0, 20, len(three_outcomes))])
    plan = Plan(
        snapshot=store.snapshots.save(table),
        data_name="shops",
        target="outcome",
        favourable="grant",
        features=tuple(table.columns.drop(["outcome", "verdict", "customer_id", "shop"])),
        sensitive=("shop",),
        fairness="odm",
        max_iter=3,
    )
    run_id = train_now(plan)
    app = open_page("rules", run=run_id)
    assert is_calm(app)
    assert sum(name.startswith("group_") for name in app.dataframe[0].value.columns) == 8
    app = open_rule(app, open_results(store, run_id).rug.rules_[0])
    assert is_calm(app)
    assert "The 12 largest of 20 groups" in texts(app)


def test_names_that_look_like_commands_show_letter_by_letter(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    table = store.snapshots.load(mortgage_plan.snapshot)
    first = "denied mortgage insurance"
    table = table.rename(columns={first: EVIL})
    features = tuple(EVIL if name == first else name for name in mortgage_plan.features)
    run_id = train_now(replace(mortgage_plan, snapshot=store.snapshots.save(table), features=features))
    rule = next(rule for rule in open_results(store, run_id).rug.rules_ if EVIL in rule.features)
    app = open_rule(open_page("rules", run=run_id), rule)
    assert is_calm(app)
    line = next(item.value for item in app.markdown if "come" in item.value and item.value.startswith("- **"))
    assert r"\*in\*come \<b\>\$x\$\</b\>" in line
    assert not any(item.allow_html for item in app.markdown)
    app.button(f"leave_out_{rule_id(rule)}").click().run()
    assert is_calm(app)


# -- to production ----------------------------------------------------------------------------------------


def test_the_rules_can_be_taken_to_production_in_every_format(open_page: Open, run_id: str, results: Results) -> None:
    app = open_page("rules", run=run_id)
    assert "where no rule applies, the decision is “approved”" in texts(app)
    text = offered_files(app)["Download SQL for “people”"].decode()
    assert text == to_sql(results.rug, "people", "postgres")
    for to in ("python", "excel", "scorecard"):
        app.selectbox(f"export_format_{run_id}").set_value(to).run()
        assert is_calm(app)
        options = {"positive_class": "approved"} if to == "scorecard" else {}
        assert offered_files(app)[f"Download {FORMATS[to].name}"] == export_file(results.rug, to, **options)


def test_the_file_for_production_is_of_the_model_as_it_is_weighed_now(
    open_page: Open, run_id: str, results: Results
) -> None:
    app = move(open_page("rules", run=run_id), "penalty", "rug", run_id, 10.0)
    app.selectbox(f"export_format_{run_id}").set_value("json").run()
    assert offered_files(app)["Download JSON"].decode() == to_json(results.rug.refit(penalty=10.0))


def test_a_table_that_is_no_name_is_refused_in_a_sentence(open_page: Open, run_id: str) -> None:
    app = open_page("rules", run=run_id)
    app.selectbox(f"export_dialect_{run_id}").set_value("duckdb").run()
    app.text_input(f"export_table_{run_id}").set_value("f(x)").run()
    assert "name of a table" in texts(app)
    assert not any(name.startswith("Download SQL") for name in offered_files(app))
