"""Rules that people decide on, on the page: proposed, previewed, accepted with a reason, and kept in the log."""

import csv
import io
import json
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TypeGuard

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from rugboard.report import statements_file
from rugboard.report.job import ReportJob
from rugboard.report_worker import gathered
from rugboard.rules import preview as previews
from rugboard.rules import rule_form
from rugboard.rules.governance_view import remarks
from rugboard.rules.preview import Acceptance, accept, preview
from rugboard.rules.proposal import RuleProposal, WrittenRule
from rugboard.runs.errors import ChangedMeanwhileError, RunError
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.results import Results
from rugboard.runs.rule_log import LoggedChange
from rugboard.runs.store import RunStore
from rugboard.session.adjustments import rule_id
from rugcore import governance_of
from rugcore.errors import InputError
from rugcore.report import Grid, ModelReport, build_report, to_docx, to_html, to_pdf
from rugcore.rules import Interval, Rule, SpecialCode
from tests.dashboard.conftest import APP, Open, TrainNow, is_calm, offered_files, texts
from tests.unit.report.test_forms import letters_in_pdf

RATIO = "payments to income ratio"
MINE = Rule((Interval(RATIO, lower=0.377),), "denied")
SAID = Acceptance("Ada", "The committee asked for it.", "my version", None)


def open_rule(app: AppTest, rule: Rule) -> AppTest:
    app.switch_page("pages/data.py").run()
    app.session_state["_open_rule"] = rule_id(rule)
    return app.switch_page("pages/rules.py").run()


def fill_in(app: AppTest, run_id: str, why: str) -> None:
    """Typed, and not yet sent: the click that follows must bring it along."""
    app.text_input(f"change_who_rug_{run_id}").set_value("Ada")
    app.text_area(f"change_why_rug_{run_id}").set_value(why)


def saying(rules: list[Rule], rule: Rule) -> list[Rule]:
    return [own for own in rules if rule_id(own) == rule_id(rule)]


def test_a_veto_is_previewed_and_accepted_only_with_a_reason(
    open_page: Open, run_id: str, results: Results, store: RunStore
) -> None:
    heavy = results.rug.rules_[0]
    app = open_rule(open_page("rules", run=run_id), heavy)
    app.button(f"veto_{rule_id(heavy)}").click().run()
    assert is_calm(app)
    assert "Proposed: 1 change" in texts(app)
    expected = results.rug.governed(vetoed=heavy)
    n_moved = int((expected.predict(results.X_test) != results.rug.predict(results.X_test)).sum())
    assert next(item.value for item in app.metric if item.label == "Decided otherwise") == str(n_moved)
    app.button("accept_change").click().run()
    assert "Say who you are and why first." in texts(app)
    assert store.successor(run_id) is None
    fill_in(app, run_id, "It stands in for the district.")
    app.button("accept_change").click().run()
    assert is_calm(app)
    assert "Accepted" in "\n".join(item.value for item in app.success)
    kept_id = store.successor(run_id)
    assert kept_id is not None
    kept = open_results(store, kept_id)
    assert not saying(kept.rug.pool_.rules(), heavy)
    assert kept.rug.reference_ is not None
    assert kept.run.name == "Mortgages in Boston, version 2"
    (entry,) = store.rule_log(kept_id)
    assert (entry.who, entry.why, entry.model) == ("Ada", "It stands in for the district.", "rug")
    assert entry.what == (f"Veto: if {heavy}, then {heavy.label}",)
    assert (entry.before.rules, entry.after.rules) == (len(results.rug.rules_), len(kept.rug.rules_))
    assert entry.after.accuracy == pytest.approx(kept.summaries["rug"].test_accuracy)
    assert entry.n_decided_otherwise == n_moved
    assert "1 rule vetoed" in texts(app)


def test_a_rule_is_written_in_the_form(open_page: Open, run_id: str, results: Results) -> None:
    app = open_page("rules", run=run_id)
    app.button("write_rule").click().run()
    app.button("rule_form_1_done").click().run()
    assert "Expected at least one condition" in texts(app)
    place = results.plan.features.index(RATIO)
    app.multiselect("rule_form_1_columns").set_value([RATIO]).run()
    app.button("rule_form_1_done").click().run()
    assert "Say which values of" in texts(app)
    app.number_input(f"rule_form_1_{place}_above").set_value(0.377)
    app.selectbox("rule_form_1_label").set_value("denied")
    app.checkbox("rule_form_1_must").set_value(True).run()
    app.number_input("rule_form_1_least").set_value(0.5).run()
    app.button("rule_form_1_done").click().run()
    assert is_calm(app)
    assert f"Write: if {MINE}, then denied, with a weight of at least 0.5" in texts(app)
    frame = next(item.value for item in app.dataframe if "after" in item.value)
    own = frame[frame["rule"] == str(MINE)]
    assert own["after"].item() >= 0.5
    assert own["what"].item() == "new"


def test_what_a_person_should_know_before_accepting_is_told(results: Results) -> None:
    """A rule without weight, one that leaves no other a say, and two that vote against each other."""
    proposal = RuleProposal(written=(WrittenRule(MINE),))
    found = preview(results, "rug", proposal)
    used = {rule_id(rule) for rule in found.solved.rules_}
    assert (rule_id(MINE) in used) != any("not worth its price" in line for line in remarks(found, proposal))
    heavy = RuleProposal(written=(WrittenRule(MINE, 1e6),))
    assert any("The heaviest rule weighs" in line for line in remarks(preview(results, "rug", heavy), heavy))
    assert not any("The heaviest rule weighs" in line for line in remarks(found, proposal))
    against = WrittenRule(replace(MINE, label="approved"), 1.0)
    both = RuleProposal(written=(WrittenRule(MINE, 1.0), against))
    (told,) = remarks(preview(results, "rug", both), both)
    assert "work against each other" in told


def test_a_rule_is_edited_and_a_condition_dropped(open_page: Open, run_id: str, results: Results) -> None:
    rule = next(own for own in results.rug.rules_ if own.length == 2)
    app = open_rule(open_page("rules", run=run_id), rule)
    app.button(f"edit_{rule_id(rule)}").click().run()
    assert app.multiselect("rule_form_1_columns").value == list(rule.features)
    app.button("rule_form_1_done").click().run()
    assert "This is the rule as it was" in texts(app)
    app.multiselect("rule_form_1_columns").set_value([rule.features[0]]).run()
    app.button("rule_form_1_done").click().run()
    assert is_calm(app)
    shorter = Rule(rule.conditions[:1], rule.label)
    assert f"Edit: instead of if {rule}, then {rule.label}, now if {shorter}" in texts(app)


def test_locks_are_shown_and_can_be_opened_again(open_page: Open, results: Results, store: RunStore) -> None:
    rule = results.rug.rules_[-1]
    kept_id = accept(store, results, "rug", RuleProposal(locked=((rule, 2.0),)), SAID)
    app = open_rule(open_page("rules", run=kept_id), rule)
    assert is_calm(app)
    assert "Locked with a weight of at least 2." in texts(app)
    assert app.button(f"leave_out_{rule_id(rule)}").disabled
    assert app.button(f"veto_{rule_id(rule)}").disabled
    app.button(f"unlock_{rule_id(rule)}").click().run()
    assert "Unlock: if" in texts(app)
    app.button(f"take_back_{rule_id(rule)}").click().run()
    assert "Unlock: if" not in texts(app)


def test_protected_columns_are_neither_offered_nor_accepted(open_page: Open, run_id: str, results: Results) -> None:
    app = open_page("rules", run=run_id)
    app.button("write_rule").click().run()
    offered = app.multiselect("rule_form_1_columns").options
    assert not set(results.plan.sensitive) & set(offered)
    bad = Rule((Interval(results.plan.sensitive[0], upper=1.0),), "denied")
    with pytest.raises(InputError, match="protected"):
        preview(results, "rug", RuleProposal(written=(WrittenRule(bad),)))


def test_a_broken_promise_is_accepted_only_knowingly(
    open_page: Open, run_id: str, results: Results, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(previews, "broken_promise", lambda *_: "FairRUG does not keep its promise with these rules.")
    rule = results.fair.rules_[0]
    app = open_page("rules", run=run_id)
    next(item for item in app.button_group if item.key == "rules_model").set_value("fair")
    app = open_rule(app.run(), rule)
    app.button(f"veto_{rule_id(rule)}").click().run()
    app.text_input(f"change_who_fair_{run_id}").set_value("Ada")
    app.text_area(f"change_why_fair_{run_id}").set_value("A reason.")
    app.button("accept_change").click().run()
    assert "does not keep its promise" in texts(app)
    assert "Say that you accept what does not hold." in texts(app)
    assert store.successor(run_id) is None
    (known,) = [item for item in app.checkbox if str(item.key).startswith("change_known")]
    known.set_value(True)
    app.button("accept_change").click().run()
    assert store.successor(run_id) is not None


def test_a_promise_that_is_not_kept_is_put_into_words(results: Results) -> None:
    solved = results.fair
    unmet = replace(solved.fairness_, epsilon=solved.fairness_.realised_gap / 2)
    if solved.fairness_.realised_gap == 0:
        pytest.skip("nothing to break")
    broken = type("Broken", (), {"fairness_": unmet})
    assert "does not keep its promise" in previews.broken_promise(results, broken)  # type: ignore[arg-type]
    if solved.fairness_.met:
        assert not previews.broken_promise(results, solved)


def test_two_people_lose_nothing(open_page: Open, run_id: str, results: Results, store: RunStore) -> None:
    first, second = results.rug.rules_[0], results.rug.rules_[1]
    app = open_rule(open_page("rules", run=run_id), second)
    app.button(f"veto_{rule_id(second)}").click().run()
    fill_in(app, run_id, "I was late.")
    # Somebody else is quicker.
    theirs = accept(store, results, "rug", RuleProposal(vetoed=(first,)), SAID)
    app.button("accept_change").click().run()
    assert is_calm(app)
    assert "Somebody else changed the rules of this run meanwhile" in texts(app)
    assert store.successor(run_id) == theirs
    app.button("open_newest").click().run()
    assert is_calm(app)
    assert f"Veto: if {second}" in texts(app)
    fill_in(app, theirs, "I was late.")
    app.button("accept_change").click().run()
    newest = store.newest(run_id)
    assert [entry.who for entry in store.rule_log(newest)] == ["Ada", "Ada"]
    assert [entry.why for entry in store.rule_log(newest)] == [SAID.why, "I was late."]
    both = open_results(store, newest).rug.pool_.rules()
    assert not saying(both, first)
    assert not saying(both, second)


def test_the_store_refuses_whoever_has_not_seen_the_last_change(results: Results, store: RunStore) -> None:
    proposal = RuleProposal(vetoed=(results.rug.rules_[0],))
    made = accept(store, results, "rug", proposal, SAID)
    before = set((store.home.root / "runs").iterdir())
    with pytest.raises(ChangedMeanwhileError):
        accept(store, results, "rug", proposal, SAID)
    assert set((store.home.root / "runs").iterdir()) == before
    again = accept(store, results, "rug", proposal, replace(SAID, seen=made))  # knowing of it, one may go another way
    assert store.successor(results.run.id) == again
    store.delete(again)
    assert store.successor(results.run.id) == made


def test_the_log_outlives_its_origin_and_a_restart(results: Results, store: RunStore) -> None:
    made = accept(store, results, "rug", RuleProposal(vetoed=(results.rug.rules_[0],)), SAID)
    kept = open_results(store, made)
    mine = RuleProposal(written=(WrittenRule(MINE, 0.5),))
    last = accept(store, kept, "rug", mine, replace(SAID, why="Another."))
    store.delete(results.run.id)
    store.delete(made)
    anew = RunStore(store.home)
    assert [entry.why for entry in anew.rule_log(last)] == [SAID.why, "Another."]
    model = open_results(anew, last).rug
    assert saying(list(governance_of(model).written), MINE)
    with pytest.raises(RunError, match="deleted meanwhile"):
        accept(anew, kept, "rug", mine, SAID)


@pytest.mark.parametrize(("who", "why"), [("", "x"), ("Ada", "  "), ("Ada", "x" * 2001)])
def test_a_change_without_name_or_reason_is_refused(results: Results, store: RunStore, who: str, why: str) -> None:
    with pytest.raises(RunError, match="Say w"):
        accept(store, results, "rug", RuleProposal(vetoed=(results.rug.rules_[0],)), replace(SAID, who=who, why=why))
    assert store.successor(results.run.id) is None


def test_the_log_is_folded_on_the_page_and_taken_home(open_page: Open, results: Results, store: RunStore) -> None:
    said = replace(SAID, who="<b>Ada</b>", why="=1+1 *because*")
    made = accept(store, results, "rug", RuleProposal(vetoed=(results.rug.rules_[0],)), said)
    app = open_page("rules", run=made)
    assert is_calm(app)
    (box,) = [item for item in app.expander if "Log of rule changes" in item.label]
    assert "1 change" in box.label
    app.session_state["rule_log"] = True
    app.run()
    files = offered_files(app)
    (entry,) = json.loads(files["Log as JSON"])
    assert (entry["who"], entry["why"]) == (said.who, said.why)
    (line,) = csv.DictReader(io.StringIO(files["Log as CSV"].decode("utf-8-sig")))
    assert line["who"] == said.who
    assert not line["why"].startswith("=")  # a spreadsheet must not work it out


def test_a_damaged_entry_is_told() -> None:
    with pytest.raises(RunError, match="damaged"):
        LoggedChange.from_json('{"when": "x"}')


def test_a_store_of_an_earlier_version_gets_a_log(store: RunStore) -> None:
    with store._database.writing() as connection:
        connection.execute("DROP TABLE rule_log")
    assert RunStore(store.home).successor("nobody") is None


def test_three_outcomes_without_groups(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, store: RunStore, three_outcomes: object
) -> None:
    plan = replace(
        mortgage_plan,
        snapshot=store.snapshots.save(three_outcomes),  # type: ignore[arg-type]
        target="outcome",
        favourable="grant",
        features=("income", "debt ratio", "purpose", "region", "employed"),
        sensitive=(),
    )
    run_id = train_now(plan)
    results = open_results(store, run_id)
    rule = results.rug.rules_[0]
    app = open_rule(open_page("rules", run=run_id), rule)
    app.button(f"veto_{rule_id(rule)}").click().run()
    assert is_calm(app)
    found = preview(results, "rug", RuleProposal(vetoed=(rule,)))
    decided = found.solved.predict(results.X_test)
    assert found.n_moved == int(np.sum(decided != results.rug.predict(results.X_test)))
    assert found.after.gap is None


def test_a_lock_may_ask_for_another_weight(open_page: Open, run_id: str, results: Results) -> None:
    rule = results.rug.rules_[-1]
    app = open_rule(open_page("rules", run=run_id), rule)
    app.button(f"lock_{rule_id(rule)}").click().run()
    field = app.number_input(f"floor_{rule_id(rule)}")
    assert field.value == rule.weight
    field.set_value(7.5).run()
    assert is_calm(app)
    assert "Lock with a weight of at least 7.5" in texts(app)
    frame = next(item.value for item in app.dataframe if "after" in item.value)
    assert frame[frame["rule"] == str(rule)]["after"].item() >= 7.5


def test_a_change_is_in_every_form_of_the_report(results: Results, store: RunStore) -> None:
    said = replace(SAID, who="Ada Q", why="Because <b>of</b> the review")
    made = accept(store, results, "rug", RuleProposal(vetoed=(results.rug.rules_[0],)), said)
    job = ReportJob.of(store.home, made, "rug")
    report = build_report(gathered(job, open_results(store, made), lambda *_: None))
    assert "Because <b>of</b> the review" in report.to_json()
    (entry,) = store.rule_log(made)
    grids = {block.caption: block for block in report.section("changes").blocks if hasattr(block, "caption")}
    (line,) = grids["What changes of rules did, on the test rows"].rows
    assert line[2:] == (
        entry.before.accuracy,
        entry.after.accuracy,
        entry.before.gap,
        entry.after.gap,
        entry.before.rules,
        entry.after.rules,
        entry.n_decided_otherwise,
    )
    assert "Ada Q" in to_html(report)
    assert "<b>of</b>" not in to_html(report)
    with zipfile.ZipFile(io.BytesIO(to_docx(report))) as archive:
        assert "Ada Q" in archive.read("word/document.xml").decode()
    assert "AdaQ" in letters_in_pdf(to_pdf(report)).replace(" ", "")


def test_edits_of_two_people_are_in_a_report_that_another_process_makes(results: Results, store: RunStore) -> None:
    """As after a restart: nothing is remembered but what is on the disk."""
    rule = results.rug.rules_[0]
    first = accept(store, results, "rug", RuleProposal(vetoed=(rule,)), replace(SAID, who="Ada Q", why="First reason"))
    kept = open_results(store, first)
    mine = RuleProposal(written=(WrittenRule(MINE, 0.5),))
    last = accept(store, kept, "rug", mine, replace(SAID, who="Bea R", why="Second reason"))
    statements_file.keep(store.home.run_folder(last), {"purpose": "Mortgages"}, {}, "Cy (cy@example.org)")
    job = ReportJob.of(store.home, last, "rug")
    subprocess.run([sys.executable, "-m", "rugboard.report_worker", job.name], check=True, cwd=Path(APP).parent)
    report = ModelReport.from_json(job.product("json").read_text(encoding="utf-8"))
    log = next(block for block in report.section("changes").blocks if isinstance(block, Grid))
    told = [(row[1], row[3]) for row in log.rows if row[1] != "not recorded"]
    wanted = [("Ada Q", "First reason"), ("Bea R", "Second reason"), ("Cy (cy@example.org)", "not stated")]
    assert sorted(told) == wanted  # by name: they may be of the same second
    decided = {row[0] for block in report.section("rules").blocks if _is_decided(block) for row in block.rows}
    # A rule that somebody writes with a weight is locked at it as well.
    assert decided == {"vetoed: never used", "written or edited by hand: weighs", "locked: weighs at least"}


def _is_decided(block: object) -> TypeGuard[Grid]:
    return isinstance(block, Grid) and block.caption == "Rules that people decided on"


def test_of_two_at_the_same_moment_one_is_kept_and_one_is_told(results: Results, store: RunStore) -> None:
    proposals = [RuleProposal(vetoed=(rule,)) for rule in results.rug.rules_[:2]]
    for proposal in proposals:
        preview(results, "rug", proposal)  # worked out before, so that both come to the store together

    def kept(proposal: RuleProposal) -> str:
        try:
            return accept(store, results, "rug", proposal, SAID)
        except ChangedMeanwhileError:
            return ""

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(kept, proposals))
    assert sorted(map(bool, found)) == [False, True]
    assert store.successor(results.run.id) in found


def test_blanks_are_told_from_values_and_codes_that_are_called_so_themselves() -> None:
    assert rule_form.word_for_blanks(["owner", "rent"]) == rule_form.BLANK
    assert rule_form.word_for_blanks(["owner", rule_form.BLANK]) not in ("owner", rule_form.BLANK)
    alike = (SpecialCode(-9.0, "no record"), SpecialCode(-8.0, "no record"), SpecialCode(0.0, "new"))
    assert rule_form.named_codes(alike) == {"no record (-9)": -9.0, "no record (-8)": -8.0, "new": 0.0}
