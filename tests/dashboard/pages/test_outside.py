"""Another model whose decisions the table holds: on Data, Fairness, Compare and Applicants."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix, roc_auc_score
from streamlit.testing.v1 import AppTest

from rugboard import report_worker
from rugboard.applicants import search
from rugboard.compare import chances, imitation_worker, own_models
from rugboard.compare.imitation_job import ImitationJob, ImitationReport
from rugboard.compare.imitation_view import fidelity_table, headline, in_words, says_little
from rugboard.compare.report import Report
from rugboard.report.job import ReportJob
from rugboard.runs.home import Home
from rugboard.runs.jobs import FINISHED, STOPPED
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugboard.session.adjustments import AS_TRAINED
from rugboard.session.applicant_address import DIFFER
from rugboard.session.evaluations import TEST, evaluate_outside
from rugboard.session.run_models import outside_in_words
from rugboard.setup.drafts import draft_from_json, draft_of, draft_to_json
from rugboard.shell.theme import OUTSIDE
from rugcore import Fidelity, audit_decisions, load_demo
from rugcore.outside_models import OutsideModel
from rugcore.report import Facts, Grid, ModelReport
from tests.dashboard.conftest import Open, TrainNow, is_calm, offered_files, texts
from tests.dashboard.pages.test_data import choose, draft, upload_frame


@pytest.fixture
def outside_run(train_now: TrainNow, outside_plan: Plan) -> str:
    return train_now(outside_plan)


@pytest.fixture
def audited(outside_run: str, store: RunStore) -> Results:
    return open_results(store, outside_run)


def scores_of(store: RunStore, plan: Plan) -> pd.DataFrame:
    """As the file has them, read without the code under test."""
    return store.snapshots.load(plan.snapshot, ["bank score", plan.target, plan.sensitive[0]])


# -- Data --------------------------------------------------------------------------------------------------


def mortgages() -> pd.DataFrame:
    demo = load_demo("hmda")
    risk = demo.X["payments to income ratio"].rank(pct=True, method="first").round(3)
    said = np.where(risk < 0.9, "approved", "denied")
    return demo.X.assign(decision=demo.y, risk=risk, said=said, fixed=3.5, copied=demo.y, letters="A")


@pytest.fixture
def asked(open_page: Open) -> AppTest:
    app = upload_frame(open_page("data"), mortgages())
    choose(app, "selectbox", "target", "decision")
    return choose(app, "radio", "favourable", "approved")


def other_said(app: AppTest) -> str:
    found = [item.value for item in app.markdown if item.value.startswith("The other model decides")]
    return found[0].replace("\\", "") if found else ""


def test_most_tables_hold_no_other_model(asked: AppTest) -> None:
    assert is_calm(asked)
    assert draft(asked).columns.outside is None
    assert other_said(asked) == ""


def test_decisions_are_kept_from_the_rules(asked: AppTest) -> None:
    assert "said" in draft(asked).to_plan().features
    app = choose(asked, "selectbox", "outside", "said")
    assert is_calm(app)
    plan = draft(app).to_plan()
    assert plan.outside == OutsideModel("said")
    assert "said" not in plan.features
    approved = (mortgages()["said"] == "approved").mean()
    assert f"**{100 * approved:.1f} %** of 2,380 people “approved”" in other_said(app)


def test_the_cut_off_shows_its_effect_at_once(asked: AppTest) -> None:
    app = choose(asked, "selectbox", "outside", "risk")
    risk = mortgages()["risk"]
    assert app.slider[0].value == 0.5
    for cut_off, is_high in ((0.5, True), (0.7, True), (0.7, False), (0.9, False)):
        app.slider[0].set_value(cut_off)
        app = choose(app, "radio", "outside_side", is_high)
        approved = ((risk >= cut_off) == is_high).mean()
        assert f"**{100 * approved:.1f} %**" in other_said(app)
        assert draft(app).to_plan().outside == OutsideModel("risk", cut_off, high_is_good=is_high)


@pytest.mark.parametrize(
    ("column", "sentence"),
    [("fixed", "3.5 in all 2,380 rows"), ("copied", "equal 'decision'"), ("letters", "2,380 of 2,380 rows have 'A'")],
)
def test_what_is_no_model_gets_a_sentence_and_stops_the_way_on(asked: AppTest, column: str, sentence: str) -> None:
    app = choose(asked, "selectbox", "outside", column)
    assert is_calm(app)
    assert sentence in texts(app)
    assert not draft(app).is_ready
    assert "the other model's decision" in texts(app)
    app = choose(app, "selectbox", "outside", None)
    assert draft(app).is_ready


def test_people_without_a_decision_are_left_out_on_request(open_page: Open) -> None:
    frame = mortgages()
    frame.loc[:9, "said"] = None
    app = upload_frame(open_page("data"), frame)
    choose(app, "selectbox", "target", "decision")
    choose(app, "radio", "favourable", "approved")
    app = choose(app, "selectbox", "outside", "said")
    assert "10 of 2,380 rows of 'said' are blank" in texts(app)
    app = choose(app, "checkbox", "outside_blanks", True)
    assert draft(app).to_plan().outside == OutsideModel("said", skip_blanks=True)
    assert "of 2,370 people" in other_said(app)


def test_a_draft_remembers_it(outside_plan: Plan) -> None:
    kept = draft_of(outside_plan)
    again = draft_from_json(draft_to_json(kept))
    assert again.columns == kept.columns
    assert replace(again, dictionary=kept.dictionary).to_plan().outside == outside_plan.outside


# -- Fairness ----------------------------------------------------------------------------------------------


def test_the_audit_is_that_of_audit_decisions(audited: Results, store: RunStore, outside_plan: Plan) -> None:
    people = scores_of(store, outside_plan)[audited.is_test]
    wanted = audit_decisions(
        people[outside_plan.target],
        people["bank score"],
        sensitive_features=people[outside_plan.sensitive[0]],
        cut_off=0.88,
        above="denied",
        positive_class="approved",
    )
    found = evaluate_outside(audited)
    np.testing.assert_allclose(found.audits[TEST].gaps["gap"], wanted.gaps["gap"])
    np.testing.assert_allclose(found.audits[TEST].groups["selection_rate"], wanted.groups["selection_rate"])


def test_gaps_of_the_other_model_are_those_of_fairlearn(audited: Results, store: RunStore, outside_plan: Plan) -> None:
    metrics = pytest.importorskip("fairlearn.metrics")
    people = scores_of(store, outside_plan)[audited.is_test]
    truth, who = (people[outside_plan.target] == "approved").astype(int), people[outside_plan.sensitive[0]]
    approved = (people["bank score"] < 0.88).astype(int)
    wanted = metrics.demographic_parity_difference(truth, approved, sensitive_features=who)
    assert evaluate_outside(audited).audits[TEST].parity.difference == pytest.approx(wanted)
    assert evaluate_outside(audited).accuracy[TEST] == pytest.approx(float((approved == truth).mean()))


def test_the_other_model_stands_beside_the_rules(open_page: Open, outside_run: str) -> None:
    app = open_page("fairness", run=outside_run)
    assert is_calm(app)
    said = texts(app)
    assert "Other model: “bank score”, “approved” below 0.88." in said
    assert "**Other model** ·" in said
    audit = offered_files(app)["Download the audit"].decode("utf-8-sig")
    assert "Other model" in audit


# -- Compare -----------------------------------------------------------------------------------------------


def test_it_is_one_more_line_of_the_comparison(
    open_page: Open, outside_run: str, audited: Results, store: RunStore, outside_plan: Plan
) -> None:
    app = open_page("compare", run=outside_run)
    assert is_calm(app)
    line = app.dataframe[0].value.set_index("model").loc["Other model"]
    people = scores_of(store, outside_plan)[audited.is_test]
    is_good = people[outside_plan.target] == "approved"
    assert line["accuracy"] == pytest.approx(float(((people["bank score"] < 0.88) == is_good).mean()))
    assert line["auc"] == pytest.approx(roc_auc_score(is_good, -people["bank score"]))
    assert np.isnan(line["size"])
    counts = chances.fixed_confusions(audited)[OUTSIDE].loc[["approved", "denied"], ["approved", "denied"]].to_numpy()
    approved = people["bank score"] < 0.88
    assert counts.tolist() == confusion_matrix(is_good, approved, labels=[True, False]).tolist()


def test_agreement_with_the_rules_is_counted(open_page: Open, outside_run: str, audited: Results) -> None:
    found = own_models.decided_differently(audited, "rug", OUTSIDE, Report())
    theirs = audited.data.outside
    assert theirs is not None
    differ = (audited.rug.predict(audited.X_test) != theirs.decided[audited.is_test]).sum()
    assert len(found.rows) == differ > 0
    app = open_page("compare", run=outside_run)
    assert "and Other model decide **" in texts(app)
    app.button("to_applicants").click().run()
    assert app.selectbox(f"applicants_queue_{outside_run}").value == DIFFER


def test_three_outcomes_have_decisions_but_no_score(
    open_page: Open, train_now: TrainNow, store: RunStore, three_outcomes: pd.DataFrame
) -> None:
    said = three_outcomes["outcome"].where(three_outcomes["employed"] == "yes", "ask")
    plan = Plan(
        snapshot=store.snapshots.save(three_outcomes.assign(said=said)),
        data_name="three",
        target="outcome",
        favourable="grant",
        features=tuple(three_outcomes.columns.drop(["outcome", "verdict", "customer_id"]))[:4],
        max_depth=2,
        max_iter=3,
        outside=OutsideModel("said"),
    )
    run_id = train_now(plan)
    for page in ("compare", "applicants"):
        app = open_page(page, run=run_id)
        assert is_calm(app)
        assert "Other model" in texts(app)


# -- rules that imitate it ---------------------------------------------------------------------------------


def test_rules_imitate_it_and_say_how_truly(open_page: Open, outside_run: str, audited: Results, home: Home) -> None:
    app = open_page("compare", run=outside_run)
    assert app.button("imitate").label == "Learn rules that imitate it"
    assert imitation_worker.main(outside_run) == 0
    job = ImitationJob(home, outside_run)
    assert job.progress().status == FINISHED
    report = job.read()
    assert report is not None
    overall = report.measured.overall
    n = len(audited.data.y)
    assert overall["n"] == n
    assert report.measured.by_group is not None
    assert report.measured.by_group["n"].sum() == n
    assert report.measured.by_group["agree"].sum() == report.measured.by_class["agree"].sum() == overall["agree"]
    assert overall["rate"] > report.measured.always_usual  # a sum of two columns can be read
    app = open_page("compare", run=outside_run)
    assert is_calm(app)
    said = texts(app)
    assert f"of {n:,} people (" in said
    rules = next(item.value for item in app.dataframe if {"rule", "weight"} <= set(item.value.columns))
    assert len(rules) == len(report.rule_set)
    assert {"These rules as CSV", "Agreement as CSV"} <= set(offered_files(app))


def test_rules_are_asked_for_only_where_there_is_another_model(open_page: Open, run_id: str, home: Home) -> None:
    app = open_page("compare", run=run_id)
    assert "imitate" not in texts(app)
    assert imitation_worker.main(run_id) == 1
    progress = ImitationJob(home, run_id).progress()
    assert progress.status == STOPPED
    assert progress.report is not None
    assert "Name its column on Data" in progress.report.error


def test_progress_and_agreement_in_words() -> None:
    lines = pd.DataFrame(
        {"n": [100, 100], "agree": [90, 80], "rate": [0.9, 0.8], "lower": [0.83, 0.71], "upper": [0.95, 0.87]},
        index=["approved", "denied"],
    )
    found = Fidelity(lines.iloc[0], lines, None, 0.95, 0.85, 5, 0.95)
    assert says_little(found)
    assert not says_little(replace(found, always_usual=0.8))
    assert "**90.0 %** of 100 people" in in_words(found, 3)
    assert fidelity_table(found)["who"].tolist() == ["everybody", "decided approved", "decided denied"]
    assert Fidelity.from_json(found.to_json()).to_frame().equals(found.to_frame())
    assert headline(ImitationReport()) == "Reading what it decided"
    assert headline(ImitationReport(n_done=2, n_all=6)).endswith("training 3 of 6")
    report = ImitationReport(rules="[]", fidelity=found.to_json(), is_finished=True)
    assert ImitationReport.from_json(report.to_json()) == report


# -- Applicants --------------------------------------------------------------------------------------------


def test_what_it_decided_stands_beside_our_decision(open_page: Open, outside_run: str, audited: Results) -> None:
    app = open_page("applicants", run=outside_run)
    app.selectbox(f"applicants_queue_{outside_run}").set_value(DIFFER).run()
    assert is_calm(app)
    chosen = search.ChosenModel(audited, "rug", AS_TRAINED)
    rows = search.queue_rows(chosen, DIFFER, True)
    theirs = audited.data.outside
    assert theirs is not None
    ours = audited.rug.predict(audited.data.X)
    assert set(rows) == set(np.flatnonzero((ours != theirs.decided) & audited.is_test))
    assert f"Other model: “{theirs.decided[rows[0]]}”" in texts(app)


def test_a_run_without_another_model_has_no_such_list(open_page: Open, run_id: str, results: Results) -> None:
    app = open_page("applicants", run=run_id)
    assert DIFFER not in search.queues_for(results)
    assert "other model" not in texts(app).lower()
    assert outside_in_words(results) == ""


# -- Report ------------------------------------------------------------------------------------------------


def test_the_report_covers_it(home: Home, outside_run: str, audited: Results) -> None:
    assert imitation_worker.main(outside_run) == 0
    job = ReportJob.of(home, outside_run, "rug")
    assert report_worker.main(job.name) == 0
    report = ModelReport.from_json(job.product("json").read_text(encoding="utf-8"))
    told = [block for block in report.section("outside").blocks if isinstance(block, Facts)]
    said = {name: text for block in told for name, text in block.items}
    assert said["Column"] == "bank score"
    assert said["Cut-off"] == "“approved” below 0.88"
    theirs = audited.data.outside
    assert theirs is not None
    n_right = int((theirs.decided == audited.data.y.to_numpy(dtype=object))[audited.is_test].sum())
    n = int(audited.is_test.sum())
    assert said["Right decisions"].startswith(f"{100 * n_right / n:.1f} % of {n:,} test people")
    captions = [block.caption for block in report.section("outside").blocks if isinstance(block, Grid)]
    assert "Rules that imitate the other model, heaviest first" in captions


def test_news_about_it_make_the_report_old(home: Home, outside_run: str) -> None:
    job = ReportJob.of(home, outside_run, "rug")
    before = job.sources()
    ImitationJob(home, outside_run).write(ImitationReport())
    assert job.sources() != before
