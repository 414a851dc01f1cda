"""New cases: one person in a form and many from a file, decided as the model decides; nothing of them stays."""

import io
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from rugboard.new_cases import answer, file_view
from rugboard.new_cases.deciding import Decider
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugboard.session import chance_record
from rugboard.session.adjustments import AS_TRAINED, Adjustment
from rugboard.session.chance_record import ChanceRecord
from rugboard.shell.downloads import OFFERS
from rugcore import load_demo
from rugcore.dictionary import ColumnEntry, DataDictionary
from tests.dashboard.conftest import Open, TrainNow, is_calm, offered_files, texts

HMDA = load_demo("hmda")


@pytest.fixture
def decider(results: Results) -> Decider:
    return Decider.of(results, "rug", AS_TRAINED)


def choose(app: AppTest, key: str, value: str) -> AppTest:
    next(item for item in app.button_group if item.key == key).set_value(value)
    return app.run()


def fill(app: AppTest, decider: Decider, row: pd.Series) -> AppTest:
    """Give the form what a row of the table says."""
    names = decider.model.schema_.names
    for name in decider.used:
        key = f"new_{decider.results.run.id}_{names.index(name)}"
        if pd.isna(row[name]):
            continue
        kinds = {item.key: item for item in (*app.number_input, *app.selectbox)}
        kinds[key].set_value(row[name])
    return app.run()


def upload(app: AppTest, frame: pd.DataFrame, name: str = "people.csv") -> AppTest:
    app = choose(app, "new_cases_way", "A file of people")
    return app.file_uploader[0].set_value((name, frame.to_csv(index=False).encode(), "text/csv")).run()


# -- one person --------------------------------------------------------------------------------------------


def test_the_form_answers_at_once_as_the_model_decides(open_page: Open, results: Results, decider: Decider) -> None:
    app = open_page("new_cases", run=results.run.id)
    assert is_calm(app)
    assert "RUG as trained decides." in texts(app)
    assert "The answer appears here" in texts(app)
    refused = results.X_test[results.rug.predict(results.X_test) == "denied"]
    has_reasons = decider.decide(refused[decider.used]).frame["status"] == "reasons"
    row = refused[has_reasons.to_numpy()].iloc[0]
    app = fill(app, decider, row)
    assert is_calm(app)
    found = decider.decide(pd.DataFrame([row[decider.used]]))
    said = texts(app)
    assert f"**{100 * found.frame['chance'][0]:.1f} %**" in said
    assert any("denied" in item.body for item in app.get("html"))
    assert app.code[0].value == "\n".join(
        f"- {found.frame[f'reason {n}'][0]}" for n in range(1, 5) if found.frame[f"reason {n}"][0]
    )


def test_a_re_weighted_model_decides_and_that_is_said(open_page: Open, results: Results) -> None:
    app = open_page("rules", run=results.run.id)
    app.select_slider(f"rules_penalty_rug_{results.run.id}").set_value(10.0).run()
    app.switch_page("pages/new_cases.py").run()
    assert is_calm(app)
    assert "RUG re-weighted, with a price of a rule of 10 decides" in texts(app)


def test_an_answer_that_is_not_known_where_none_was_ever_missing_goes_to_a_person(
    open_page: Open, results: Results, decider: Decider
) -> None:
    others = decider.used[1:]
    assert not results.X_train[decider.used].isna().any(axis=None)
    row = results.X_test.iloc[0].copy()
    row[others] = None
    app = fill(open_page("new_cases", run=results.run.id), decider, row)
    assert is_calm(app)
    assert any("Manual review" in item.body for item in app.get("html"))
    assert f"{others[0]} is blank, and no training row has a blank there" in texts(app)
    assert "Chance of" not in texts(app)


def test_labels_ranges_meanings_and_special_codes_make_the_form(
    open_page: Open, train_now: TrainNow, store: RunStore
) -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"inc": rng.integers(0, 100, 600), "job": rng.integers(1, 4, 600)})
    table.loc[:60, "inc"] = -9
    table["out"] = np.where((table["inc"] > 40) & (table["job"] != 3), "yes", "no")
    book = DataDictionary(
        {
            "inc": ColumnEntry(label="*Income*", unit="EUR", special={-9: "no such record"}, lowest=0.0),
            "job": ColumnEntry(label="Job", values={"1": "clerk", "2": "cook", "3": "none"}),
        }
    )
    plan = Plan(store.snapshots.save(table), "jobs", "out", "yes", ("inc", "job"), dictionary=book, max_iter=3)
    decider = Decider.of(open_results(store, train_now(plan)), "rug", AS_TRAINED)
    assert decider.used == ["*Income* (EUR)", "Job"]
    app = open_page("new_cases", run=decider.results.run.id)
    assert is_calm(app)
    income = r"\*Income\* \(EUR\)"
    assert set(field(app, "Job").options) == {"clerk", "cook", "none"}
    assert field(app, income).options == ["a number", "no such record"]
    field(app, "Job").set_value("cook")
    field(app, income).set_value("no such record")
    app.run()
    assert is_calm(app)
    found = decider.decide(pd.DataFrame([{"inc": -9, "job": 2}])).frame
    assert f"**{100 * found['chance'][0]:.1f} %**" in texts(app)
    field(app, income).set_value("a number").run()
    (amount,) = app.number_input
    assert amount.min == 0.0
    app = amount.set_value(80.0).run()
    assert is_calm(app)
    assert any("yes" in item.body for item in app.get("html"))


def field(app: AppTest, label: str) -> Any:
    return next(item for item in app.selectbox if item.label == label)


# -- how sure ----------------------------------------------------------------------------------------------


def test_the_record_is_that_of_the_test_rows_with_about_the_same_chance(results: Results) -> None:
    chances = results.rug.predict_proba(results.X_test)[:, results.rug.classes_.tolist().index("approved")]
    for chance in (0.3, float(chances[0])):
        found = chance_record.record_of(results, "rug", AS_TRAINED, chance)
        near = [abs(own - chance) <= 0.05 for own in chances]
        assert found == ChanceRecord(sum(near), int((results.y_test[near] == "approved").sum()))


def test_how_sure_is_said_with_the_people_behind_it() -> None:
    said = answer.record_in_words(ChanceRecord(100, 66), "“approved”")
    assert "Of 100 test rows with a chance within 5 points of it, 66 were in fact “approved”: 66.0 %" in said
    assert "with 95 % confidence 56.3 % to 74.5 %" in said  # Wilson's interval, worked out elsewhere
    assert "cannot be told: no test row" in answer.record_in_words(ChanceRecord(0, 0), "“approved”")


# -- many people -------------------------------------------------------------------------------------------


def test_a_file_is_previewed_decided_and_taken_home(open_page: Open, results: Results, decider: Decider) -> None:
    people = HMDA.X.iloc[:60].assign(**{HMDA.target: HMDA.y.iloc[:60], "number": [f"=9{n}" for n in range(60)]})
    people = people.astype({decider.used[0]: object})
    people.loc[3, decider.used[0]] = "=1+1"
    app = upload(open_page("new_cases", run=results.run.id), people)
    assert is_calm(app)
    said = texts(app)
    assert f"The file has the outcome '{HMDA.target}': it is ignored for deciding" in said
    assert "60 people" in said
    assert not offered_files(app)
    app.selectbox("new_people_ids_people.csv").set_value("number").run()
    app.button("decide_new_people").click().run()
    assert is_calm(app)
    files = offered_files(app)
    read = pd.read_csv(io.BytesIO(files["All as CSV"]), encoding="utf-8-sig")
    sheet = pd.read_excel(io.BytesIO(files["All as Excel"]), engine="calamine")
    found = decider.decide(people, people["number"].tolist()).frame
    is_open = (found["status"] == "manual review").to_numpy()
    assert list(sheet["applicant"]) == list(people["number"])  # text, not formulas
    assert list(read["applicant"]) == [f"'{name}" for name in people["number"]]
    assert list(read["decision"]) == np.where(is_open, "manual review", found["decision"]).tolist()
    chance = read["chance of approved"]
    np.testing.assert_allclose(chance[~is_open], found["chance"][~is_open], atol=5e-4)
    assert chance[is_open].isna().all()
    assert is_open[3]
    assert "=1+1" in read["remarks"][3]
    assert read["decided by"].str.contains(results.run.id).all()


def test_the_outcome_in_the_file_changes_nothing(decider: Decider, results: Results) -> None:
    people = HMDA.X.iloc[:40]
    with_outcome = people.assign(**{HMDA.target: HMDA.y.iloc[:40]})
    pd.testing.assert_frame_equal(decider.decide(people).frame, decider.decide(with_outcome).frame)


def test_a_file_without_what_rules_need_decides_nobody(open_page: Open, results: Results, decider: Decider) -> None:
    app = upload(open_page("new_cases", run=results.run.id), HMDA.X.iloc[:5].drop(columns=decider.used[0]))
    assert is_calm(app)
    assert "which the rules need: nobody is decided" in texts(app)
    assert "**0** of 5 people can be put to the rules" in texts(app)
    said = f"Nobody can be decided without “{decider.used[0]}”. If it is known only after the decision, leave it out"
    assert said in app.warning[0].value
    app.button("decide_new_people").click().run()
    assert is_calm(app)
    assert "Nobody could be decided. **5** need manual review." in texts(app)


def test_a_file_that_is_no_table_is_refused_in_a_sentence(open_page: Open, results: Results) -> None:
    app = choose(open_page("new_cases", run=results.run.id), "new_cases_way", "A file of people")
    app.file_uploader[0].set_value(("people.csv", b"", "text/csv")).run()
    assert is_calm(app)
    assert app.error


def test_many_people_are_decided_beside_the_page(
    open_page: Open, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_view, "AT_ONCE", 0)
    app = upload(open_page("new_cases", run=results.run.id), HMDA.X.iloc[:30])
    app.button("decide_new_people").click().run()
    assert is_calm(app)
    people = app.session_state["_held_new_people"]
    (future,) = people.decided.values()
    future.result()
    app.run()
    assert is_calm(app)
    assert set(offered_files(app)) == {"All as CSV", "All as Excel"}


def test_nothing_of_the_people_is_left_when_they_are_to_be_forgotten(
    open_page: Open, results: Results, store: RunStore
) -> None:
    files = sorted(store.home.root.rglob("*"))
    app = upload(open_page("new_cases", run=results.run.id), HMDA.X.iloc[:30])
    app.button("decide_new_people").click().run()
    tokens = [item.proto.url.rpartition("/")[2] for item in app.get("link_button")]
    assert len(tokens) == 2
    assert None not in [OFFERS.find(token) for token in tokens]
    app.button("forget_new_people").click().run()
    assert is_calm(app)
    assert "_held_new_people" not in app.session_state
    assert [OFFERS.find(token) for token in tokens] == [None, None]
    assert sorted(store.home.root.rglob("*")) == files


def test_what_is_held_for_a_visit_is_dropped_with_the_next_page() -> None:
    def visit() -> None:
        import streamlit as st

        from rugboard.session import state

        class Thing:
            def drop(self) -> None:
                st.session_state["dropped"] = True

        state.follow_address(st.session_state["page"])
        if st.session_state["page"] == "new_cases":
            state.hold("people", Thing())

    app = AppTest.from_function(visit)
    app.session_state["page"] = "new_cases"
    app.run()
    assert "dropped" not in app.session_state
    app.session_state["page"] = "rules"
    app.run()
    assert not app.exception
    assert app.session_state["dropped"]
    assert "_held_people" not in app.session_state


def test_what_makes_the_groups_is_never_named_as_a_reason(
    train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    """Also where somebody allowed rules to use it."""
    features = ("African American", "denied mortgage insurance", "public bad credit record")
    results = open_results(store, train_now(replace(mortgage_plan, features=features, train_fair=False)))
    decider = Decider.of(results, "rug", Adjustment(penalty=0.1))
    found = decider.decide(HMDA.X)
    reasons = found.frame[[name for name in found.frame.columns if name.startswith("reason")]]
    assert not reasons.map(lambda text: "African American" in text).any(axis=None)
