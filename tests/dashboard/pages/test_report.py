"""The page Report: statements are kept with the run, and one click makes four files from one report."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from rugboard import report_worker
from rugboard.applicants.cached import ChosenModel, case_of
from rugboard.applicants.reasons import reasons_frame, wording_of
from rugboard.compare import worker as compare_worker
from rugboard.compare.job import Job
from rugboard.compare.report import Report as Comparison
from rugboard.fairness import splits_worker
from rugboard.fairness.splits_job import SplitsJob, SplitsReport
from rugboard.report import statements_file
from rugboard.report.job import FORMS, ReportJob
from rugboard.rules.stability_job import StabilityJob, StabilityReport
from rugboard.runs.home import Home
from rugboard.runs.keeping import keep_models
from rugboard.runs.opening import open_results
from rugboard.runs.plan import FAIR, RUG, Plan
from rugboard.runs.store import RunStore
from rugboard.session.adjustments import AS_TRAINED
from rugcore.report import Grid, ModelReport, Statements
from rugcore.report.sections.common import FEWEST_TOLD
from tests.dashboard.conftest import Open, TrainNow, offered_files, texts


@pytest.fixture
def run_id(train_now: TrainNow, mortgage_plan: Plan) -> str:
    return train_now(mortgage_plan, "Mortgages")


def made(home: Home, run_id: str, model: str = FAIR) -> ReportJob:
    """Made in this process, which has the engine loaded already."""
    job = ReportJob.of(home, run_id, model)
    assert report_worker.main(job.name) == 0
    return job


def test_the_page_offers_what_the_worker_made(open_page: Open, home: Home, run_id: str) -> None:
    app = open_page("report", run_id)
    assert not app.exception
    assert "Make the report" in [button.label for button in app.button]
    assert not app.get("link_button")

    job = made(home, run_id)
    app = open_page("report", run_id)
    files = offered_files(app)
    assert files["PDF"].startswith(b"%PDF-1.7")
    assert files["HTML"].startswith(b"<!doctype html>")
    assert zipfile.is_zipfile(io.BytesIO(files["Word"]))
    assert files["JSON"] == job.product("json").read_bytes()
    assert "up to date" in texts(app)
    assert any("open point" in expander.label for expander in app.expander)


def test_the_same_run_twice_gives_the_same_bytes(home: Home, run_id: str) -> None:
    first = {form: made(home, run_id).product(form).read_bytes() for form in FORMS}
    second = {form: made(home, run_id).product(form).read_bytes() for form in FORMS}
    assert first == second


def test_what_people_write_is_kept_and_stands_in_the_report(open_page: Open, home: Home, run_id: str) -> None:
    made(home, run_id)
    app = open_page("report", run_id)
    app.text_area(f"statement_{run_id}_purpose").set_value("Decides on mortgages up to 500,000.")
    app.number_input(f"statement_{run_id}_gap").set_value(4.0)
    app.button("keep_statements").click().run()
    assert not app.exception
    kept = statements_file.read(home.run_folder(run_id))
    assert kept.said.about("purpose") == "Decides on mortgages up to 500,000."
    assert kept.said.thresholds == {"gap": 0.04}
    assert "added since" in texts(open_page("report", run_id))

    report = ModelReport.from_json(made(home, run_id).product("json").read_text(encoding="utf-8"))
    assert "Decides on mortgages up to 500,000." in report.to_json()
    assert "above 4.0 points" in report.to_json()
    assert "Statements changed: Purpose, Gap between groups, highest" in report.to_json()


def test_two_people_who_write_at_once_lose_nothing(open_page: Open, home: Home, run_id: str) -> None:
    first, second = open_page("report", run_id), open_page("report", run_id)
    first.text_area(f"statement_{run_id}_purpose").set_value("Mortgages")
    second.text_area(f"statement_{run_id}_users").set_value("Analysts")
    first.button("keep_statements").click().run()
    second.button("keep_statements").click().run()
    assert dict(statements_file.read(home.run_folder(run_id)).said.texts) == {
        "purpose": "Mortgages",
        "users": "Analysts",
    }
    assert second.text_area(f"statement_{run_id}_purpose").value == "Mortgages"


def test_nobody_overwrites_what_they_have_not_seen(open_page: Open, home: Home, run_id: str) -> None:
    """Of two who write at the same place the later one is shown both texts, and keeps knowingly."""
    purpose, gap, users = (f"statement_{run_id}_{name}" for name in ("purpose", "gap", "users"))
    first, second = open_page("report", run_id), open_page("report", run_id)
    first.text_area(purpose).set_value("Mortgages *only*")
    first.number_input(gap).set_value(4.0)
    first.button("keep_statements").click().run()
    second.text_area(purpose).set_value("Loans")
    second.text_area(users).set_value("Analysts")
    second.number_input(gap).set_value(6.0)
    second.button("keep_statements").click().run()
    kept = statements_file.read(home.run_folder(run_id))
    assert kept.said == Statements({"purpose": "Mortgages *only*"}, {"gap": 0.04})
    assert "Somebody else changed Purpose, Gap between groups, highest meanwhile. Nothing was kept." in texts(second)
    assert "Purpose: Mortgages *only*" in texts(second)
    assert "Gap between groups, highest: 4.0 %" in texts(second)
    assert (second.text_area(purpose).value, second.text_area(users).value) == ("Loans", "Analysts")

    second.text_area(purpose).set_value("Mortgages and other loans")
    second.button("keep_statements").click().run()
    kept = statements_file.read(home.run_folder(run_id))
    assert kept.said == Statements({"purpose": "Mortgages and other loans", "users": "Analysts"}, {"gap": 0.06})
    assert "meanwhile" not in texts(second)
    assert len(kept.log) == 2


def test_damaged_statements_are_said_and_never_overwritten(open_page: Open, home: Home, run_id: str) -> None:
    path = home.run_folder(run_id) / statements_file.FILE
    path.write_text("{", encoding="utf-8")
    app = open_page("report", run_id)
    assert "cannot be read" in texts(app)
    assert path.read_text(encoding="utf-8") == "{"
    job = ReportJob.of(home, run_id, RUG)
    assert report_worker.main(job.name) == 1
    assert "cannot be read" in job.progress().report.error  # type: ignore[union-attr]


def test_a_run_without_groups_has_a_report_that_says_so(home: Home, train_now: TrainNow, mortgage_plan: Plan) -> None:
    from dataclasses import replace

    run_id = train_now(replace(mortgage_plan, sensitive=()))
    report = ModelReport.from_json(made(home, run_id, RUG).product("json").read_text(encoding="utf-8"))
    assert "No sensitive attribute was named" in report.to_json()


def test_an_operator_may_replace_the_guidance(home: Home, run_id: str) -> None:
    topics = [{"topic": "Rules", "sections": ["rules"]}]
    own = json.dumps({"note": "Ours.", "guidance": [{"name": "House rules", "topics": topics}]})
    (home.root / report_worker.GUIDANCE).write_text(own, encoding="utf-8")
    text = made(home, run_id).product("json").read_text(encoding="utf-8")
    assert "House rules" in text
    assert "Regulation B" not in text


def test_a_worker_whose_run_is_deleted_leaves_nothing(store: RunStore, home: Home, run_id: str) -> None:
    job = ReportJob.of(home, run_id, FAIR)
    store.delete(run_id)
    assert report_worker.main(job.name) == 0
    assert not Path(job.folder).exists()


def test_what_other_pages_found_stands_in_the_report(store: RunStore, home: Home, run_id: str) -> None:
    results = open_results(store, run_id)
    n_rules = len(results.fair.rules_)
    stability = StabilityJob.of(home, run_id, FAIR)
    stability.write(StabilityReport(n_back=(7,) * n_rules, agreement=(0.9,) * 10, is_finished=True))
    task = compare_worker.run_task(store, run_id)
    Job(home, run_id).write(compare_worker.attempt(Comparison(), "tree", task))
    SplitsJob(home, run_id).write(splits_worker.with_split(SplitsReport(), results, 0))

    report = ModelReport.from_json(made(home, run_id).product("json").read_text(encoding="utf-8"))
    blocks = [block for section in report.sections for block in section.blocks]
    tables = {block.caption: block.rows for block in blocks if isinstance(block, Grid)}
    came_back = next(rows for caption, rows in tables.items() if caption.startswith("How often rules came back"))
    assert [row[-1] for row in came_back] == [7] * n_rules
    models = next(rows for caption, rows in tables.items() if caption.startswith("Right decisions on the"))
    assert [row[0] for row in models] == ["FairRUG (this model)", "Always approved", "RUG", "Decision tree"]
    line = Job(home, run_id).read().line("tree")  # type: ignore[union-attr]
    assert line is not None
    assert models[-1][1][0] == pytest.approx(line.accuracy)  # type: ignore[index]
    gaps = tables["Gaps over all splits, in points"]
    assert {row[2] for row in gaps} == {"African American: no minus African American: yes"}


def test_samples_of_other_rules_are_left_aside(home: Home, run_id: str) -> None:
    StabilityJob.of(home, run_id, FAIR).write(StabilityReport(n_back=(1,), agreement=(0.9,), is_finished=True))
    assert "Not worked out. On the page Rules" in made(home, run_id).product("json").read_text(encoding="utf-8")


def test_a_kept_run_keeps_the_statements_and_tells_where_it_comes_from(
    store: RunStore, home: Home, run_id: str
) -> None:
    statements_file.keep(home.run_folder(run_id), {"purpose": "Mortgages"}, {})
    results = open_results(store, run_id)
    models = {RUG: results.rug.refit(penalty=9.0), FAIR: results.fair}
    kept = keep_models(store, results, models, {RUG: ("a price of a rule of 9",), FAIR: ()}, "Dearer rules")
    text = made(home, kept, RUG).product("json").read_text(encoding="utf-8")
    assert '"Mortgages"' in text
    assert "Kept as a run of its own, from Mortgages" in text
    assert "RUG: a price of a rule of 9" in text


def test_reasons_are_those_of_the_page_applicants(store: RunStore, home: Home, run_id: str) -> None:
    """With the same columns kept quiet, and none that says the opposite of what should help or harm."""
    results = open_results(store, run_id)
    case = case_of(ChosenModel(results, RUG, AS_TRAINED), 0)
    given = reasons_frame(case, np.flatnonzero(results.is_test), None, wording_of(results))
    given = given[given["decision"] != results.plan.favourable]
    report = ModelReport.from_json(made(home, run_id, RUG).product("json").read_text(encoding="utf-8"))
    table = next(block for block in report.section("reasons").blocks if isinstance(block, Grid))
    first = given[given["status"] == "reasons"]["reason 1"].value_counts().to_dict()
    assert first
    told = {row[1]: row[2] for row in table.rows if row[2] != 0}
    assert told == {text: n if n >= FEWEST_TOLD else None for text, n in first.items()}  # a handful is not counted
