"""Applicants: finding one, both explanations, what-if, flips, reasons and files."""

import json
from dataclasses import replace
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from rugboard.applicants import advice, cached, decision_card, listing, reasons, saved, search, shap_values, what_if
from rugboard.applicants import marks as applicant_marks
from rugboard.applicants.cached import Case, ChosenModel
from rugboard.applicants.filters import ApplicantFilter, kept
from rugboard.applicants.marks import ANY, DOWN, NEVER, UP, Mark
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugboard.session import applicant_address, explainers, group_names, lightgbm
from rugboard.session.adjustments import AS_TRAINED, Adjustment
from rugboard.session.dictionaries import dictionary_of
from rugboard.session.expectations import ExpectedEffect
from rugboard.session.lightgbm import SEED
from rugboard.shell import theme
from rugboard.shell.tables import cell_in_words
from rugcore.attribution import RuleVotes
from rugcore.comparison import PeerClassifier
from rugcore.dictionary import ColumnEntry
from rugcore.explanations import (
    MANUAL_REVIEW,
    NOT_YET,
    CoveringRule,
    Difference,
    Flip,
    Flips,
    Limit,
    Reason,
    Reasons,
    Wording,
    queues,
)
from rugcore.explanations.counterfactuals.numbers import ROUNDING_ROOM
from rugcore.rules import Decisions, Interval, Rule, SpecialCode, decide
from rugcore.tables import plain_value
from tests.dashboard.conftest import Open, TrainNow, is_calm, texts

INSURANCE = "denied mortgage insurance"
EVIL = "*in*come <b>$x$</b> [a](b) :red[c]"


@pytest.fixture
def chosen(results: Results) -> ChosenModel:
    return ChosenModel(results, "rug", AS_TRAINED)


def first_rejected(chosen: ChosenModel) -> Case:
    return cached.case_of(chosen, int(search.queue_rows(chosen, "rejected", True)[0]))


def first_with_reasons(chosen: ChosenModel) -> Case:
    """Behind those whose refusal is itself in doubt."""
    cases = (cached.case_of(chosen, row) for row in search.queue_rows(chosen, "rejected", True).tolist())
    return next(case for case in cases if applicant_marks.reasons_of(case).reasons)


def rejected_with_a_way_out(chosen: ChosenModel) -> tuple[Case, Any]:
    """The first with reasons whom some change helps; in this small model that takes an insurance not denied."""
    marks = applicant_marks.usual_marks(chosen.results) | {INSURANCE: Mark(ANY)}
    applicant_marks.keep_marks(chosen.results, marks)
    for row in search.queue_rows(chosen, "rejected", True).tolist():
        case = cached.case_of(chosen, row)
        found = applicant_marks.flips_of(case, marks)
        if found.found and applicant_marks.reasons_of(case).reasons:
            return case, found
    pytest.fail("nobody can be helped")


def frame_of(results: Results, cells: dict[str, Any]) -> pd.DataFrame:
    """A table of one row, of the same kinds of columns."""
    frame = results.data.X.iloc[[0]].copy()
    for name, value in cells.items():
        frame[name] = pd.Series([value], index=frame.index).astype(frame[name].dtype)
    return frame


def open_applicant(open_page: Open, run: str, number: int | str) -> AppTest:
    app = open_page("data", run=run)
    app.query_params["applicant"] = str(number)
    return app.switch_page("pages/applicants.py").run()


def html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


# -- queues and filters ------------------------------------------------------------------------------------


@pytest.mark.parametrize("only_test", [True, False])
def test_the_queues_are_those_of_the_engine(chosen: ChosenModel, only_test: bool) -> None:
    results = chosen.results
    rows = np.flatnonzero(results.is_test) if only_test else np.arange(len(results.is_test))
    peer = PeerClassifier("LightGBM", random_state=SEED).fit(results.X_train, results.y_train)
    X = results.data.X.iloc[rows]
    chance = results.rug.predict_proba(X).max(axis=1)
    expected = queues(results.rug.decisions(X), results.rug.classes_, "approved", chance=chance, other=peer.predict(X))
    for name in set(search.QUEUES) - {applicant_address.DIFFER}:  # that one needs another model's column
        found = search.queue_rows(chosen, name, only_test)
        assert found.tolist() == rows[getattr(expected, name)].tolist()


def test_filters_keep_the_order_and_those_who_fit(chosen: ChosenModel) -> None:
    results = chosen.results
    rows = search.queue_rows(chosen, "rejected", True)
    groups = group_names.of_rows(results)
    group = str(groups.iloc[rows[0]])
    found = kept(chosen, rows, ApplicantFilter(outcomes=("denied",), groups=(group,)))
    expected = [r for r in rows if results.data.y.iloc[r] == "denied" and groups.iloc[r] == group]
    assert found.tolist() == expected


def test_a_filter_by_a_column_of_numbers_and_by_one_of_words(chosen: ChosenModel) -> None:
    X = chosen.results.data.X
    rows = np.arange(len(X))
    columns = cached.columns(chosen.results)
    number = next(name for name, column in columns.items() if column.is_number)
    low, high = X[number].quantile([0.2, 0.4])
    found = kept(chosen, rows, ApplicantFilter(column=number, between=(low, high)))
    assert found.tolist() == np.flatnonzero((X[number] >= low) & (X[number] <= high)).tolist()
    word = next(name for name, column in columns.items() if not column.is_number)
    value = columns[word].profile.categories[0]
    found = kept(chosen, rows, ApplicantFilter(column=word, one_of=(value,)))
    assert found.tolist() == np.flatnonzero(X[word].astype(object) == value).tolist()


def test_somebody_is_found_by_row_number_counted_from_1(results: Results) -> None:
    assert search.found(results, " 1 ", None) == [0]
    assert search.found(results, str(len(results.data.X)), None) == [len(results.data.X) - 1]
    for text in ("0", str(len(results.data.X) + 1), "x", "-1", "9" * 30, ""):
        assert search.found(results, text, None) == []


def test_an_id_that_several_have_is_found_in_all_its_rows(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    table = store.snapshots.load(mortgage_plan.snapshot)
    ids = np.arange(len(table))
    ids[[16, 40]] = ids[2]
    plan = replace(mortgage_plan, snapshot=store.snapshots.save(table.assign(customer=ids)), train_fair=False)
    run_id = train_now(plan)
    results = open_results(store, run_id)
    assert search.found(results, "2", "customer") == [2, 16, 40]
    app = open_page("applicants", run=run_id)
    app.selectbox(f"applicants_id_{run_id}").set_value("customer").run()
    app.text_input(f"applicants_text_{run_id}").set_value("2").run()
    assert "Applicant 3 · customer “2”" in texts(app)
    assert "3 rows have the customer 2; this is the first. The others are applicants 17, 41." in texts(app)
    app.text_input(f"applicants_text_{run_id}").set_value("7").run()
    assert "this is the first" not in texts(app)


def test_whoever_is_found_outside_the_list_is_found(open_page: Open, run_id: str, chosen: ChosenModel) -> None:
    row = int(np.flatnonzero(~chosen.results.is_test)[0])
    app = open_page("applicants", run=run_id)
    app.text_input(f"applicants_text_{run_id}").set_value(str(applicant_address.number_of(chosen.results, row))).run()
    n_rejected = len(search.queue_rows(chosen, "rejected", True))
    assert f"Found outside this list of {n_rejected} applicants" in texts(app)


def test_a_failed_search_is_over_when_another_list_is_chosen(open_page: Open, run_id: str) -> None:
    app = open_page("applicants", run=run_id)
    app.text_input(f"applicants_text_{run_id}").set_value("999999").run()
    app.run()
    assert "Nobody has the row number 999999" in texts(app)  # until something is done about it
    app.selectbox(f"applicants_queue_{run_id}").set_value("everyone").run()
    assert "Nobody has" not in texts(app)
    assert app.text_input(f"applicants_text_{run_id}").value == ""


def test_an_applicant_that_does_not_exist_is_said_to_be_none(open_page: Open, run_id: str, chosen: ChosenModel) -> None:
    app = open_applicant(open_page, run_id, 99999)
    app.run()
    assert "Applicant 99999 does not exist" in texts(app)
    assert "The first of the list is shown instead" in texts(app)
    assert f"Applicant {first_rejected(chosen).number} · " in texts(app)
    app.button("applicants_next").click().run()
    assert "does not exist" not in texts(app)


@pytest.mark.parametrize("only_test", [True, False])
def test_the_choice_of_queues_says_how_many_there_are(
    open_page: Open, run_id: str, chosen: ChosenModel, only_test: bool
) -> None:
    app = open_page("applicants", run=run_id)
    app.selectbox(f"applicants_queue_{run_id}").set_value("borderline").run()
    app.toggle(f"applicants_test_{run_id}").set_value(only_test).run()
    box = app.selectbox(f"applicants_queue_{run_id}")
    assert box.value == "borderline"  # although the words of the option have changed
    for queue, option in zip(search.queues_for(chosen.results), box.options, strict=True):
        n_rows = len(search.queue_rows(chosen, queue, only_test))
        count = "" if queue == search.DISAGREE else f" ({n_rows:,})"
        assert option == search.QUEUES[queue] + count
    assert "100 least sure" in search.QUEUES["borderline"]


def test_filters_are_cleared_at_once(open_page: Open, run_id: str, mortgage_plan: Plan) -> None:
    nobody = search.ApplicantQueue(np.empty(0, dtype=int), None, None)
    assert "filter less" not in search.where(nobody, ApplicantFilter())
    assert "filter less" in search.where(nobody, ApplicantFilter(decisions=("approved",)))
    app = open_page("applicants", run=run_id)
    assert app.button(f"applicants_clear_{run_id}").disabled
    app.multiselect(f"applicants_decision_{run_id}").set_value(["approved"]).run()  # nobody of the rejected
    assert "filter less" in texts(app)
    app.selectbox(f"applicants_column_{run_id}").set_value("payments to income ratio").run()
    place = mortgage_plan.features.index("payments to income ratio")
    app.number_input(f"applicants_low_{run_id}_{place}").set_value(5.0).run()
    app.number_input(f"applicants_high_{run_id}_{place}").set_value(1.0).run()
    assert "“From” is above “To”" in texts(app)
    app.button(f"applicants_clear_{run_id}").click().run()
    assert is_calm(app)
    assert app.multiselect(f"applicants_decision_{run_id}").value == []
    assert app.selectbox(f"applicants_column_{run_id}").value is None
    assert "1 of" in texts(app).replace("*", "")


# -- what if, and flips ------------------------------------------------------------------------------------


def test_what_if_is_what_the_model_predicts_for_the_changed_row(chosen: ChosenModel) -> None:
    case, found = rejected_with_a_way_out(chosen)
    for cells in [flip.row for flip in found.found]:
        turn = what_if.turn(case, cells)
        predicted = chosen.model.predict(frame_of(chosen.results, cells))[0]
        assert turn.after.decision == predicted == "approved"
        assert turn.is_flip


def test_rules_enter_and_leave_as_the_coverage_says(chosen: ChosenModel) -> None:
    case, found = rejected_with_a_way_out(chosen)
    cells = found.found[0].row
    turn = what_if.turn(case, cells)
    before, after = (
        set(chosen.model.covering_rules(frame_of(chosen.results, row)).indices.tolist()) for row in (case.cells, cells)
    )
    rules = chosen.model.rules_
    assert {str(rule) for rule in turn.entering} == {str(rules[number]) for number in after - before}
    assert {str(rule) for rule in turn.leaving} == {str(rules[number]) for number in before - after}


def test_proposals_keep_to_the_marks(chosen: ChosenModel) -> None:
    case, found = rejected_with_a_way_out(chosen)
    usual = applicant_marks.marks_of(chosen.results)
    used = found.found[0].columns
    stopped = applicant_marks.flips_of(case, usual | {name: Mark(NEVER) for name in used})
    assert all(not set(used) & set(flip.columns) for flip in stopped.found)
    numbers = [name for name, column in cached.columns(chosen.results).items() if column.is_number]
    for may, sign in ((UP, 1), (DOWN, -1)):
        one_way = applicant_marks.flips_of(case, usual | {name: Mark(may) for name in numbers})
        changes = [change for flip in one_way.found for change in flip.changes if change.column in numbers]
        assert all(sign * (change.after - change.before) > 0 for change in changes)


@pytest.mark.parametrize(
    ("name", "in_rows", "may"),
    [
        *(("sex", "helps", NEVER), ("years in job", "helps", NEVER), ("annual income", "unknown", UP)),
        *(("debt", "unknown", DOWN), ("hours per week", "helps", UP), ("hours per week", "unknown", NEVER)),
    ],
)
def test_names_and_rows_tell_what_can_change(name: str, in_rows: Any, may: str) -> None:
    assert applicant_marks.may_by_name(name, True, in_rows) == may
    assert applicant_marks.may_by_name(name, False) == NEVER
    assert applicant_marks.may_by_name("guarantors", False) == ANY


def test_nobody_is_told_to_become_a_code(chosen: ChosenModel) -> None:
    """A telephone can be had by Monday, "A192" cannot."""
    known = applicant_marks._said_of_columns(chosen.results)
    word = next(column for column in cached.columns(chosen.results).values() if not column.is_number)
    for categories, may in ((("A191", "A192"), NEVER), (("none", "yes"), ANY)):
        column = replace(word, profile=replace(word.profile, categories=categories))
        assert applicant_marks._usual("telephone", column, chosen.results, known).may == may


def test_of_what_people_have_only_the_next_band_is_proposed(chosen: ChosenModel) -> None:
    word = next(column for column in cached.columns(chosen.results).values() if not column.is_number)
    bands = ("< 100", "100 to 1,000", "> 1,000")
    for name, is_next_only in (("savings account", True), ("work life balance", False)):
        limit = applicant_marks._limit(name, Mark(ANY), word, bands)
        assert limit.allows(bands[0], bands[1])
        assert limit.allows(bands[0], bands[2]) == (not is_next_only)


def test_what_was_marked_from_names_is_said() -> None:
    usual = {"income": Mark(UP), "sex": Mark(NEVER), "race": Mark(NEVER), "debt": Mark(DOWN), "job": Mark(ANY)}
    text = advice.marked_from_names(list(usual), usual)
    assert "“sex” and “race” cannot change; “income” only up; “debt” only down" in text
    assert "job" not in text
    assert advice.marked_from_names(["job"], usual) == ""


def test_a_code_is_called_by_what_it_stands_for() -> None:
    codes = (SpecialCode(-9.0, "no record"), SpecialCode(-7.0, "never late"))
    item = Difference("months", -9.0, -7.0, codes)
    assert advice.difference_in_words(item) == "months: **never late** instead of no record"
    assert advice.difference_in_words(replace(item, theirs=3.0)) == "months: **3** instead of no record"
    condition = Interval("months", upper=12.0, specials=codes, or_special=(-9.0,))
    rule = CoveringRule(Rule((condition,), "approved", 1.0), {"months": -9.0})
    assert "here no record" in decision_card._condition(condition, rule)
    assert "here 3" in decision_card._condition(condition, replace(rule, values={"months": 3.0}))


@pytest.mark.parametrize(
    ("reason", "finding", "direction", "becomes"),
    [
        ("instalment to income ratio", "high", "any", "up"),
        ("monthly_payment", "high", "down", "stays"),
        ("monthly_payment", "low", "any", "any"),
        ("annual income", "low", "any", "up"),  # larger instalments, from an income that is said to be low
        ("annual income", "high", "any", "any"),
        ("assets", "low", "any", "any"),
        ("age of the car", "high", "any", "any"),
    ],
)
def test_who_bears_too_much_is_not_told_to_pay_back_faster(
    reason: str, finding: Any, direction: Any, becomes: str
) -> None:
    limits = {"term": Limit(direction=direction, if_less="larger instalments"), "loan": Limit(direction="down")}
    told = Reasons("no", "reasons", (Reason(reason, finding, "", 1.0, 1.0),))
    found = applicant_marks.bearable(limits, told, {})
    assert (found["term"].direction if found["term"].changeable else "stays") == becomes
    assert found["loan"] == limits["loan"]


def test_what_the_page_says_of_proposals_is_true(open_page: Open, run_id: str, chosen: ChosenModel) -> None:
    """A smaller change may flip the decision and leave it uncertain; and a proposed number may be a rounder one."""
    case, found = rejected_with_a_way_out(chosen)
    said = texts(open_applicant(open_page, run_id, case.number))
    assert "after which rules decide “approved” and the model is not called uncertain" in said
    assert "Only what people in training have is proposed, numbers but for rounding." in said
    by_rules = [flip for flip in found.found if not (flip.is_tie or flip.is_uncovered)]
    assert {flip.confidence.grade for flip in by_rules if flip.confidence is not None} <= {"clear", "likely"}
    for change in (own for flip in found.found for own in flip.changes if isinstance(own.after, float)):
        column = chosen.results.X_train[change.column]
        assert np.abs(column - change.after).min() <= ROUNDING_ROOM * column.std()


def test_to_have_more_takes_more_effort_and_a_blank_stays_unless_marked(chosen: ChosenModel) -> None:
    more, less, ratio = (
        applicant_marks.limit_by_name(name, ANY) for name in ("annual income", "loan amount", "debt to income")
    )
    assert (more.effort, more.most_times, more.from_nothing) == (2.0, 1.25, False)
    assert all((own.effort, own.most_times, own.from_nothing) == (1.0, 2.0, True) for own in (less, ratio))
    usual = applicant_marks.usual_marks(chosen.results)
    name = next(iter(usual))
    assert not any(own.may_be_filled for own in applicant_marks.limits_of(chosen.results, usual).values())
    filled = usual | {name: Mark(ANY, fill=True)}
    assert applicant_marks.limits_of(chosen.results, filled)[name].may_be_filled
    applicant_marks.keep_marks(chosen.results, filled)
    assert applicant_marks.marks_of(chosen.results)[name].fill


def test_every_proposal_says_what_became_of_people_decided_alike(chosen: ChosenModel) -> None:
    case, found = rejected_with_a_way_out(chosen)
    for flip in found.found:
        own = cached.confidence(case, flip.row)
        assert (flip.confidence, own.grade != "uncertain") == (own, True)
        assert own.chance >= 0.6
        assert f"of {own.n:,} test people decided alike, {own.n_right:,} turned out so" in advice.flip_in_words(flip)
        assert "sure" not in advice.flip_in_words(flip)


def test_words_go_neither_up_nor_down(chosen: ChosenModel) -> None:
    columns = cached.columns(chosen.results)
    word = next(name for name, column in columns.items() if not column.is_number)
    assert UP not in applicant_marks.FOR_WORDS
    applicant_marks.keep_marks(chosen.results, applicant_marks.usual_marks(chosen.results) | {word: Mark(UP, True)})
    assert applicant_marks.marks_of(chosen.results)[word] == Mark(ANY, whole=False)


def test_edits_of_a_table_become_marks() -> None:
    marks = {"age": Mark(UP, whole=True), "debt": Mark()}
    assert advice.edited(marks, ["debt"], {0: {"may": NEVER}}) == marks | {"debt": Mark(NEVER)}
    assert advice.edited(marks, ["debt", "age"], {1: {"whole": False}})["age"] == Mark(UP, whole=False)


def test_marks_are_kept_in_the_dictionary_also_if_a_file_is_damaged(results: Results) -> None:
    usual = applicant_marks.usual_marks(results)
    name = next(iter(usual))
    said = usual | {name: Mark(NEVER)}
    applicant_marks.keep_marks(results, said)
    assert applicant_marks.marks_of(results) == said
    assert dictionary_of(results).entry(name).change == "never"  # for the next training, too
    for text in ("", "{", "[1]", '{"x": 1}', json.dumps({name: {"may": "sideways", "whole": False}, "gone": {}})):
        saved.keep(results, saved.MARKS, text)
        assert applicant_marks.marks_of(results) == said
    assert not list(results.folder.glob("*.partial"))


def test_values_that_cannot_be_are_refused(chosen: ChosenModel) -> None:
    case = first_rejected(chosen)
    columns = cached.columns(chosen.results)
    name = next(name for name, column in columns.items() if column.is_number and not column.has_blanks)
    lowest, highest = chosen.results.X_train[name].min(), chosen.results.X_train[name].max()
    for value, words in (
        (highest + 1, f"lies between {cell_in_words(lowest)} and {cell_in_words(highest)}"),
        (lowest - 1, f"nothing can be said about {cell_in_words(lowest - 1)}"),
        (float("nan"), "is never blank"),
    ):
        (sentence,) = what_if.refusals(case, case.cells | {name: value}, [name])
        assert words in sentence.replace("\\", "")
    assert what_if.refusals(case, case.cells | {name: highest}, [name]) == []
    about = columns[name]
    assert what_if.refusal("x", float("nan"), replace(about, has_blanks=True)) == ""
    assert "whole numbers only" in what_if.refusal(
        "x", 0.5, replace(about, profile=replace(about.profile, is_whole=True))
    )
    codes = replace(about, entry=ColumnEntry(special={-9: "no such record"}))
    assert what_if.refusal("x", -9.0, codes) == ""
    assert "lies between" in what_if.refusal("x", -8.0, codes)  # a code that means nothing
    word = next(name for name, column in columns.items() if not column.is_number)
    assert "No training row has this value" in what_if.refusal("x", "never seen", columns[word])


def test_a_field_shows_what_was_meant_and_keeps_what_is(chosen: ChosenModel) -> None:
    noisy = 0.800000011920929
    assert what_if.in_field(noisy, noisy) == 0.8
    assert what_if.from_field(0.8, noisy) == noisy
    assert what_if.in_field(noisy, 0.5) == noisy  # proposed: a digit less might undo it
    assert what_if.from_field(0.81, noisy) == 0.81
    assert what_if.in_field(float("nan"), noisy) is None


def test_sensible_marks_are_set_from_the_start(train_now: TrainNow, mortgage_plan: Plan, store: RunStore) -> None:
    (own,) = mortgage_plan.sensitive
    plan = replace(mortgage_plan, features=(*mortgage_plan.features, own), train_fair=False)
    results = open_results(store, train_now(plan))
    marks = applicant_marks.usual_marks(results)
    assert marks[own].may == NEVER
    open_ones = applicant_marks.unsaid(results, list(marks), marks)
    assert open_ones == ["self-employed", "condominium"]  # nobody knows, so nobody is told to
    assert {name for name, mark in marks.items() if mark.may == NEVER} - {own, *open_ones} == {
        *(
            "consumer credit history",
            "mortgage credit history",
            "public bad credit record",
            "denied mortgage insurance",
        ),
        *("unemployment rate in industry", "high school diploma"),
    }


# -- reasons and files -------------------------------------------------------------------------------------


def test_reasons_never_name_the_sensitive_attribute(train_now: TrainNow, mortgage_plan: Plan, store: RunStore) -> None:
    """Even where rules use it: the column that the heaviest rule looks at is made the sensitive one."""
    first = open_results(store, train_now(replace(mortgage_plan, train_fair=False)))
    own = first.rug.rules_[0].features[0]
    plan = replace(mortgage_plan, sensitive=(own,), train_fair=False)
    if cached.columns(first)[own].is_number:
        plan = replace(plan, bands={own: (float(first.X_train[own].median()),)})
    chosen = ChosenModel(open_results(store, train_now(plan)), "rug", AS_TRAINED)
    assert own in chosen.model.rules_.features()
    line = search.queue_rows(chosen, "rejected", only_test=False)
    case = cached.case_of(chosen, int(line[0]))
    frame = reasons.reasons_frame(case, line, None, Wording())
    assert len(frame) == len(line)
    assert not frame.filter(like="reason").map(lambda text: own in text).to_numpy().any()
    assert set(frame["status"]) <= {"reasons", "manual review"}
    for row in line[:20].tolist():
        found = applicant_marks.reasons_of(cached.case_of(chosen, row))
        assert all(reason.column != own for reason in found.reasons)


def test_advice_does_not_contradict_the_reasons_beside_it(chosen: ChosenModel) -> None:
    marks, n_both = applicant_marks.usual_marks(chosen.results) | {INSURANCE: Mark(ANY)}, 0
    for row in search.queue_rows(chosen, "rejected", only_test=True)[:30].tolist():
        case = cached.case_of(chosen, row)
        finding = {reason.column: reason.finding for reason in applicant_marks.reasons_of(case).reasons}
        for flip in applicant_marks.flips_of(case, marks).found:
            for change in flip.changes:
                n_both += change.column in finding
                assert finding.get(change.column) != "high" or change.after < change.before
                assert finding.get(change.column) != "low" or change.after > change.before
    assert n_both > 5


def test_a_defect_of_the_model_is_told_once_with_its_rules() -> None:
    frame = pd.DataFrame(
        {
            "column": ["term"] * 2,
            "more of it should": ["harms"] * 2,
            "rule": ["term > 6", "term > 9 and age > 30"],
            "votes for": ["good"] * 2,
            "people": [673] * 2,
        }
    )
    expected = ExpectedEffect("harms", "rows")
    both = advice.defect_in_words(frame, expected)
    assert both.count("673 training rows") == 1
    assert "for 673 training rows, all else as it is, some worse value scores higher than a better one" in both
    assert "through the rules “if term" in both
    assert "through the rule “if term" in advice.defect_in_words(frame.iloc[:1], expected)


def test_rules_and_lightgbm_are_compared_with_the_same_people(chosen: ChosenModel) -> None:
    """Training rows that the model approves; both begin from the mean score of those."""
    case, compared = first_rejected(chosen), explainers.compared_with(*chosen.adjusted)
    assert compared.words == "people who were decided approved"
    assert (compared.is_sample, compared.words_of_sample) == (False, compared.words)
    assert set(compared.rows.index) <= set(chosen.results.X_train.index)
    assert set(chosen.model.predict(compared.rows)) == {"approved"}
    rules = explainers.of_rules(*chosen.adjusted).explain(case.cells, "denied")
    shap = shap_values.explained(case)
    peer = lightgbm.lightgbm(chosen.results)
    denied = list(peer.classes_).index("denied")
    assert rules.base_value == pytest.approx(-chosen.model.decision_function(compared.rows).mean() * (-1) ** denied)
    assert shap.base_value == pytest.approx(-peer.raw_output(compared.rows).mean() * (-1) ** denied)
    assert rules.output == pytest.approx(case.explanation.score["denied"])


def test_a_sample_of_those_compared_with_is_called_one(chosen: ChosenModel, monkeypatch: pytest.MonkeyPatch) -> None:
    explainers.compared_with.clear()
    monkeypatch.setattr(explainers, "MOST_COMPARED", 50)
    compared = explainers.compared_with(*chosen.adjusted)
    assert len(compared.rows) == 50
    assert compared.words_of_sample == "50 of the people who were decided approved"
    explainers.compared_with.clear()


def test_where_nobody_is_approved_all_training_rows_are_compared_with(
    chosen: ChosenModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    explainers.compared_with.clear()
    everybody = np.full(len(chosen.results.is_test), "denied", dtype=object)
    monkeypatch.setattr(explainers.adjusted_models, "decided", lambda *_: everybody)
    compared = explainers.compared_with(*chosen.adjusted)
    assert len(compared.rows) == len(chosen.results.X_train)
    assert compared.words == "training rows, since nobody is decided approved"
    explainers.compared_with.clear()


def test_the_sheet_names_the_applicant_and_the_decision(chosen: ChosenModel) -> None:
    case = first_with_reasons(chosen)
    marks = applicant_marks.usual_marks(chosen.results)
    text = reasons.sheet(case, shap_values.explained(case), None, Wording(), marks)
    assert f"Applicant {case.number}" in text
    assert "denied" in text
    assert "<script" not in text
    assert "Compared with people who were decided approved." in text
    assert f"fill:{theme.CLASSES[0]}" in text  # what speaks for approved
    assert f"fill:{theme.CLASSES[1]}" in text


def test_the_sheet_says_of_what_nobody_knows_whether_it_can_change(
    chosen: ChosenModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, marks = first_rejected(chosen), applicant_marks.usual_marks(chosen.results)
    column = chosen.model.rules_.features()[0]
    monkeypatch.setattr(applicant_marks, "unsaid", lambda *_: [column])
    monkeypatch.setattr(applicant_marks, "flips_of", lambda *_: Flips("denied", "approved", (), 3, "limits"))
    text = reasons.sheet(case, shap_values.explained(case), None, Wording(), marks)
    assert f"Nobody has said whether people can change “{column}”" in text


# -- the page ----------------------------------------------------------------------------------------------


def test_the_first_rejected_applicant_is_open(open_page: Open, run_id: str, chosen: ChosenModel) -> None:
    app = open_page("applicants", run=run_id)
    assert is_calm(app)
    case = first_rejected(chosen)
    assert app.query_params["applicant"] == str(case.number)
    assert f"Applicant {case.number} · RUG decides" in texts(app)
    for item in (*case.explanation.rules_for[:4], *case.explanation.rules_against[:4]):
        for condition in item.rule.conditions:
            assert escape(str(condition)) in html(app)


def test_next_and_previous_go_along_the_queue(open_page: Open, run_id: str, chosen: ChosenModel) -> None:
    numbers = [
        str(applicant_address.number_of(chosen.results, row)) for row in search.queue_rows(chosen, "rejected", True)
    ]
    app = open_page("applicants", run=run_id)
    app.button("applicants_next").click().run()
    assert app.query_params["applicant"] == numbers[1]
    app.button("applicants_previous").click().run()
    assert app.query_params["applicant"] == numbers[0]
    assert app.button("applicants_previous").disabled


@pytest.mark.parametrize("queue", sorted(set(search.QUEUES) - {applicant_address.DIFFER}))
def test_every_queue_opens(open_page: Open, run_id: str, chosen: ChosenModel, queue: str) -> None:
    app = open_page("applicants", run=run_id)
    app.selectbox(f"applicants_queue_{run_id}").set_value(queue).run()
    assert is_calm(app)
    rows = search.queue_rows(chosen, queue, True)
    if len(rows):
        assert app.query_params["applicant"] == str(applicant_address.number_of(chosen.results, int(rows[0])))
    else:
        assert "Nobody is like that" in texts(app)


def test_where_nobody_is_rejected_the_closest_decisions_come_first() -> None:
    assert search.first_queue({"rejected": 3, "borderline": 5}) == "rejected"
    assert search.first_queue({"rejected": 0, "borderline": 5}) == "borderline"
    assert search.first_queue({"rejected": 0, "borderline": 0}) == "everyone"


@pytest.mark.parametrize(("queue", "price"), [("rejected", None), ("everyone", 100.0)])
def test_the_list_tells_what_was_decided(chosen: ChosenModel, queue: str, price: float | None) -> None:
    chosen = replace(chosen, change=Adjustment(penalty=price))
    rows = search.queue_rows(chosen, queue, True)[:400]
    frame = listing.frame_of(chosen, rows, None)
    data, decided = chosen.results.data, chosen.model.decisions(chosen.results.data.X.iloc[rows])
    assert frame["number"].tolist() == (data.rows[rows] + 1).tolist()
    assert frame["decision"].tolist() == chosen.model.predict(data.X.iloc[rows]).tolist()
    assert frame["outcome"].tolist() == data.y.iloc[rows].tolist()
    by_default = decided.is_tie | decided.is_uncovered
    chance = chosen.model.predict_proba(data.X.iloc[rows]).max(axis=1)
    assert frame["chance"].tolist() == pytest.approx((100 * chance).tolist())
    assert (np.diff(chance) >= 0).all()  # the least sure first
    assert ("note" in frame) == by_default.any() == (price is not None)  # few rules leave some without any


def test_the_queue_stands_in_the_address(open_page: Open, run_id: str) -> None:
    app = open_page("applicants", run=run_id)
    assert "queue" not in app.query_params  # the usual one
    app.selectbox(f"applicants_queue_{run_id}").set_value("everyone").run()
    assert app.query_params["queue"] == "everyone"
    other = open_page("data", run=run_id)
    other.query_params["queue"] = "everyone"
    other.switch_page("pages/applicants.py").run()
    assert other.selectbox(f"applicants_queue_{run_id}").value == "everyone"
    other.query_params["queue"] = "nonsense"
    assert is_calm(other.run())


def test_the_address_names_the_applicant(open_page: Open, run_id: str) -> None:
    app = open_applicant(open_page, run_id, 17)
    assert is_calm(app)
    assert "Applicant 17 · " in texts(app)
    app = open_applicant(open_page, run_id, "nonsense *b*")
    assert is_calm(app)
    assert "Applicant nonsense *b* does not exist" in texts(app)


def test_typing_a_number_opens_the_applicant(open_page: Open, run_id: str) -> None:
    app = open_page("applicants", run=run_id)
    app.text_input(f"applicants_text_{run_id}").set_value("42").run()
    assert "Applicant 42 · " in texts(app)
    app.text_input(f"applicants_text_{run_id}").set_value("999999").run()
    assert is_calm(app)
    assert "Nobody has the row number 999999" in texts(app)
    assert "Applicant 42 · " in texts(app)


def test_applying_a_proposal_flips_the_decision(open_page: Open, run_id: str, chosen: ChosenModel) -> None:
    case, found = rejected_with_a_way_out(chosen)
    app = open_applicant(open_page, run_id, case.number)
    assert "The decision flips" not in texts(app)
    app.button("apply_0").click().run()
    assert is_calm(app)
    assert "The decision flips" in texts(app)
    for change in found.found[0].changes:
        assert app.session_state[what_if.key_of(case, change.column)] == change.after
    app.button("whatif_reset").click().run()
    assert "The decision flips" not in texts(app)
    assert is_calm(app)


def test_the_fields_begin_with_the_applicants_own_values(open_page: Open, run_id: str, chosen: ChosenModel) -> None:
    case = first_rejected(chosen)
    app = open_page("applicants", run=run_id)
    for name, value in case.cells.items():
        held = app.session_state[what_if.key_of(case, name)]
        assert what_if.same(held, plain_value(value))


def test_when_nothing_may_change_that_is_said(open_page: Open, run_id: str, chosen: ChosenModel) -> None:
    applicant_marks.keep_marks(chosen.results, {name: Mark(NEVER) for name in cached.columns(chosen.results)})
    app = open_page("applicants", run=run_id)
    assert is_calm(app)
    assert "Nothing that can change leads to approved" in texts(app)


def test_the_wording_of_a_reason_can_be_changed(open_page: Open, run_id: str, chosen: ChosenModel) -> None:
    case = first_with_reasons(chosen)
    reason = applicant_marks.reasons_of(case).reasons[0]
    app = open_applicant(open_page, run_id, case.number)
    assert reason.text in app.code[0].value
    app.text_input(f"wording_{run_id}_{reason.finding}_{reason.column}").set_value("Too much of it").run()
    assert is_calm(app)
    assert app.code[0].value.startswith("- Too much of it")


def test_the_adjusted_model_decides_and_that_is_said(open_page: Open, run_id: str, chosen: ChosenModel) -> None:
    change = Adjustment(penalty=10.0)
    app = open_page("data", run=run_id)
    app.session_state["_adjustments"] = {(run_id, "rug"): change}
    app.switch_page("pages/applicants.py").run()
    assert is_calm(app)
    assert "as you have set it on the page Rules" in texts(app)
    expected = first_rejected(replace(chosen, change=change))
    assert app.query_params["applicant"] == str(expected.number)


def test_the_other_model_is_one_click_away(open_page: Open, run_id: str) -> None:
    app = open_page("applicants", run=run_id)
    app.button_group(key=f"applicants_model_{run_id}").set_value("fair").run()
    assert is_calm(app)
    assert "FairRUG decides" in texts(app)
    assert app.query_params["model"] == "fair"
    app.switch_page("pages/data.py").run()
    app.switch_page("pages/applicants.py").run()
    assert "FairRUG decides" in texts(app)
    app.button_group(key=f"applicants_model_{run_id}").set_value("rug").run()
    assert " · RUG decides" in texts(app)
    assert app.query_params["model"] == "rug"


def test_reset_makes_new_fields(open_page: Open, run_id: str, chosen: ChosenModel) -> None:
    """The browser may show in an old one what it never sent."""
    case = first_rejected(chosen)
    name = next(name for name, column in cached.columns(chosen.results).items() if column.is_number)
    app = open_page("applicants", run=run_id)
    field = app.number_input(what_if.key_of(case, name))
    assert field.min is None  # the page refuses in a sentence, not the browser
    highest = chosen.results.X_train[name].max()
    field.set_value(highest + 1000).run()
    assert "No decision about these values" in texts(app)
    assert "nothing can be said about" in texts(app)
    app.button("whatif_reset").click().run()
    assert is_calm(app)
    assert what_if.key_of(case, name) not in app.session_state
    fields = [item for item in app.number_input if str(item.key).startswith(f"whatif_{run_id}_1_")]
    assert case.cells[name] in [item.value for item in fields]
    assert "nothing can be said about" not in texts(app)


def test_a_wording_that_makes_no_sense_is_refused_at_once(open_page: Open, run_id: str, chosen: ChosenModel) -> None:
    case = first_with_reasons(chosen)
    reason = applicant_marks.reasons_of(case).reasons[0]
    app = open_applicant(open_page, run_id, case.number)
    before = app.code[0].value
    for text in ("{foo} is high", "{column is high"):
        app.text_input(f"wording_{run_id}_{reason.finding}_{reason.column}").set_value(text).run()
        assert "no other words in braces than {column}" in texts(app)
        assert app.code[0].value == before
    app.text_input(f"wording_{run_id}_{reason.finding}_{reason.column}").set_value("Mind {column}").run()
    assert "in braces than" not in texts(app)
    assert app.code[0].value.startswith(f"- Mind {reason.column}")


def test_the_wording_is_there_for_the_next_visitor(open_page: Open, run_id: str, chosen: ChosenModel) -> None:
    case = first_with_reasons(chosen)
    reason = applicant_marks.reasons_of(case).reasons[0]
    app = open_applicant(open_page, run_id, case.number)
    app.text_input(f"wording_{run_id}_{reason.finding}_{reason.column}").set_value("Too much of it").run()
    other = open_applicant(open_page, run_id, case.number)
    assert other.code[0].value.startswith("- Too much of it")
    saved.keep(chosen.results, saved.WORDING, "{")  # of an earlier version, and damaged
    assert open_applicant(open_page, run_id, case.number).code[0].value.startswith("- Too much of it")


def test_a_wording_of_an_earlier_version_is_still_read(chosen: ChosenModel) -> None:
    reason = applicant_marks.reasons_of(first_with_reasons(chosen)).reasons[0]
    old = reasons.reworded(Wording(), reason.column, reason.finding, "As of old")
    saved.keep(chosen.results, saved.WORDING, old.to_json())
    assert reasons.wording_of(chosen.results) == old
    new = reasons.reworded(old, reason.column, reason.finding, "As of now")
    reasons.keep_wording(chosen.results, new)
    assert reasons.wording_of(chosen.results) == new
    assert dictionary_of(chosen.results).wording() == new


def test_files_say_what_the_page_said_when_it_was_drawn(
    open_page: Open, run_id: str, chosen: ChosenModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are made at the click, outside the session of the visitor."""
    case, found = rejected_with_a_way_out(chosen)
    reason = applicant_marks.reasons_of(case).reasons[0]
    own = reasons.reworded(Wording(), reason.column, reason.finding, "Our own words")
    reasons.keep_wording(chosen.results, own)
    column = found.found[0].columns[0]
    applicant_marks.keep_marks(chosen.results, applicant_marks.marks_of(chosen.results) | {column: Mark(NEVER)})
    files: dict[str, Any] = {}
    monkeypatch.setattr(reasons, "show_file", lambda _, content, __, key, **___: files.update({key: content}))
    open_applicant(open_page, run_id, case.number)
    monkeypatch.setattr(st, "session_state", None)
    for module, name in ((reasons, "wording_of"), (applicant_marks, "marks_of")):
        monkeypatch.setattr(module, name, lambda _: pytest.fail("asked for at the click"))
    sheet, table = files["sheet"](), files["reasons_csv"]().decode()
    assert "Our own words" in sheet
    assert "Our own words" in table
    assert f"<li>{escape(column)}: " not in sheet


def test_a_tie_needs_manual_review_wherever_it_is_told(chosen: ChosenModel, monkeypatch: pytest.MonkeyPatch) -> None:
    case = first_rejected(chosen)
    tied = replace(case, explanation=replace(case.explanation, is_tie=True, margin=0.0))
    marks, shap = applicant_marks.usual_marks(chosen.results), shap_values.explained(tied)
    code = cached.decisions(chosen).class_code[case.row]

    def balanced(_: RuleVotes, codes: np.ndarray) -> Decisions:
        votes = np.ones((codes.shape[1], len(chosen.classes)))
        return replace(decide(votes, np.ones(2)), class_code=np.full(len(votes), code))

    monkeypatch.setattr(RuleVotes, "decisions", balanced)
    found = applicant_marks.reasons_of(tied)
    assert (found.status, found.reasons) == ("manual review", ())
    sheet = reasons.sheet(tied, shap, None, Wording(), marks)
    for text in (decision_card.how_decided(tied, cached.confidence(tied)), sheet):
        assert "The rules balance; the usual outcome was taken. This applicant needs manual review." in text
    assert "Needs manual review" in sheet
    frame = reasons.reasons_frame(case, np.array([case.row]), None, Wording())
    assert frame.loc[0, ["decision", "status", "reason 1"]].tolist() == ["denied", "manual review", MANUAL_REVIEW]


def test_a_special_code_is_called_what_it_stands_for(chosen: ChosenModel, monkeypatch: pytest.MonkeyPatch) -> None:
    case = first_rejected(chosen)
    name = next(name for name, column in cached.columns(chosen.results).items() if column.is_number)
    column = replace(cached.columns(chosen.results)[name], entry=ColumnEntry(special={-9.0: "no such record"}))
    monkeypatch.setattr(cached, "columns", lambda _: {name: column})
    assert case.in_words(name, -9.0) == "no such record"
    assert (case.in_words(name, 0.800000011920929), case.in_words(name, None)) == ("0.8", "missing")
    assert case.in_words("not in the table", -9.0) == "-9"


def test_long_values_wrap_below_their_condition(chosen: ChosenModel) -> None:
    case = first_rejected(chosen)
    text = decision_card.rule_in_html(case.explanation.rules_for[0], 1.0, case)
    assert "flex-wrap:wrap" in text
    assert "nowrap" not in text


def test_no_line_crosses_the_numbers_of_the_chart(chosen: ChosenModel) -> None:
    case = first_rejected(chosen)
    shap = shap_values.explained(case)
    figure = shap_values.waterfall(shap, case)
    last = len(shap_values.steps_of(shap, case)) - 1
    edges = sorted((min(line.y0, line.y1), max(line.y0, line.y1)) for line in figure.layout.shapes)
    assert edges[0][1] < 0  # above the first bar
    assert edges[1][0] > last  # below the last one


# -- other tables ------------------------------------------------------------------------------------------


def test_three_outcomes_blanks_an_id_and_no_groups(
    open_page: Open, train_now: TrainNow, three_outcomes: pd.DataFrame, store: RunStore
) -> None:
    plan = Plan(
        snapshot=store.snapshots.save(three_outcomes.rename(columns={"income": EVIL})),
        data_name="shops",
        target="outcome",
        favourable="grant",
        features=tuple(
            three_outcomes.rename(columns={"income": EVIL}).columns.drop(["outcome", "verdict", "customer_id"])
        ),
        max_iter=3,
    )
    run_id = train_now(plan)
    results = open_results(store, run_id)
    assert cached.other_columns(results) == ["customer_id", "verdict"]
    assert search.found(results, "10005", "customer_id") == [5]
    app = open_page("applicants", run=run_id)
    assert is_calm(app)
    assert "<b>" not in html(app)
    app.selectbox(f"applicants_id_{run_id}").set_value("customer_id").run()
    app.text_input(f"applicants_text_{run_id}").set_value("10005").run()
    assert is_calm(app)
    assert "Applicant 6 · customer_id “10005”" in texts(app)


def with_somebody_uncovered(results: Results) -> ChosenModel:
    """Leave out rules until some row has none."""
    change = Adjustment(penalty=100.0)
    for _ in range(20):
        chosen = ChosenModel(results, "rug", change)
        if len(search.queue_rows(chosen, "uncovered", only_test=False)):
            return chosen
        change = change.leaving_out(chosen.model.rules_[0])
    pytest.fail("every row is covered whatever is left out")


def test_somebody_whom_no_rule_covers_needs_manual_review(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    """Without any rule the common outcome is taken; here that is the unfavourable one."""
    run_id = train_now(replace(mortgage_plan, favourable="denied", sensitive=()))
    chosen = with_somebody_uncovered(open_results(store, run_id))
    row = int(search.queue_rows(chosen, "uncovered", only_test=False)[0])
    app = open_page("data", run=run_id)
    app.session_state["_adjustments"] = {(run_id, "rug"): chosen.change}
    app.query_params["applicant"] = str(applicant_address.number_of(chosen.results, row))
    app.switch_page("pages/applicants.py").run()
    assert is_calm(app)
    assert "Decided by default" in texts(app)
    assert "Needs manual review" in texts(app)
    assert not app.code
    assert "No rule applies; the usual outcome was taken." in texts(app)
    assert "taken by default" in texts(app)  # LightGBM does as the default does, or not; there are no rules to compare
    assert "as the rules do" not in texts(app)
    assert "unlike the rules" not in texts(app)
    frame = reasons.reasons_frame(cached.case_of(chosen, row), np.array([row]), None, Wording())
    assert frame["status"].tolist() == ["manual review"]


def test_a_favourable_default_is_nobody_s_decision(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore
) -> None:
    """The card sends such people to a person; nothing below it may call the matter settled."""
    run_id = train_now(replace(mortgage_plan, sensitive=()))
    chosen = with_somebody_uncovered(open_results(store, run_id))
    row = int(search.queue_rows(chosen, "uncovered", only_test=False)[0])
    app = open_page("data", run=run_id)
    app.session_state["_adjustments"] = {(run_id, "rug"): chosen.change}
    app.query_params["applicant"] = str(applicant_address.number_of(chosen.results, row))
    app.switch_page("pages/applicants.py").run()
    assert is_calm(app)
    said = texts(app)
    assert "Needs manual review. No rule applies; the usual outcome was taken. No reason is invented." in said
    assert "No rule decided: until a person has, nothing can be said about changes." in said
    assert "nothing needs to change" not in said
    assert "nothing to give reasons for" not in said
    frame = reasons.reasons_frame(cached.case_of(chosen, row), np.array([row]), None, Wording())
    assert frame.loc[0, ["decision", "status"]].tolist() == ["approved", "manual review"]
    assert frame.loc[0, "remarks"] == "No rule applies; the usual outcome was taken"


def test_nobody_is_sent_where_only_a_default_would_be_favourable(chosen: ChosenModel) -> None:
    """Where no rule applies, a person has to decide: that is no way out to promise."""

    class OnlyByDefault:
        def find(self, *_: Any, by_default: bool = True, **__: Any) -> Flips:
            return Flips("denied", "approved", (no_rule,) if by_default else (), 3, "" if by_default else "rules")

    case, no_rule = first_rejected(chosen), Flip((), 0.1, 0.0, True, False, {})
    applicant_marks._flips.clear()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cached, "finder", lambda _: OnlyByDefault())
        assert applicant_marks.flips_of(case, applicant_marks.marks_of(chosen.results)).found == ()
    applicant_marks._flips.clear()


def test_proposals_wait_for_the_person_who_decides(
    open_page: Open, run_id: str, chosen: ChosenModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the sheet to print says it: where a refusal is in doubt, nobody is told how to turn it round."""
    page = open_applicant(open_page, run_id, rejected_with_a_way_out(chosen)[0].number)
    is_open = applicant_marks.reasons_of(rejected_with_a_way_out(chosen)[0]).status == "manual review"
    assert is_open or NOT_YET not in " ".join(item.value for item in page.caption)
    in_doubt = Reasons("denied", "manual review", (), "It is in doubt.")
    case = first_rejected(chosen)
    assert decision_card.how_decided(case, cached.confidence(case), in_doubt).startswith("**For a person to decide**: ")
    monkeypatch.setattr(advice, "reasons_of", lambda _: in_doubt)
    assert NOT_YET in " ".join(item.value for item in page.run().caption)
