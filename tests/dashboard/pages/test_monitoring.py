"""Newer people against those of the run, on the page New cases."""

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from rugboard import report_worker
from rugboard.new_cases import monitor_view, monitoring_file
from rugboard.new_cases.deciding import Decider
from rugboard.new_cases.people import NewPeople
from rugboard.report.job import ReportJob
from rugboard.runs.home import Home
from rugboard.runs.results import Results
from rugboard.session.adjustments import AS_TRAINED, Adjustment
from rugcore import load_demo
from rugcore.errors import InputError
from rugcore.monitoring import Period, monitor
from rugcore.readers import read_table_file
from rugcore.report import ModelReport, Paragraph
from tests.dashboard.conftest import Open, is_calm, offered_files, texts

HMDA = load_demo("hmda")
TABLE = HMDA.X.assign(**{HMDA.target: HMDA.y})


@pytest.fixture
def decider(results: Results) -> Decider:
    return Decider.of(results, "rug", AS_TRAINED)


def upload(app: AppTest, frame: pd.DataFrame) -> AppTest:
    next(item for item in app.button_group if item.key == "new_cases_way").set_value("Newer people")
    app = app.run()
    return app.file_uploader[0].set_value(("newer.csv", frame.to_csv(index=False).encode(), "text/csv")).run()


def test_the_same_people_are_steady_and_everything_is_there(open_page: Open, results: Results) -> None:
    app = upload(open_page("new_cases", run=results.run.id), TABLE)
    assert is_calm(app)
    assert "Nothing has moved" in app.success[0].value, texts(app)
    assert [item.label for item in app.expander] == [
        "Decisions", "Columns", "Who is covered by each rule", "How often each rule is right", "Gaps between groups"
    ]  # fmt: skip


def test_what_the_page_says_is_what_the_engine_finds(open_page: Open, results: Results, decider: Decider) -> None:
    column = "payments to income ratio"
    newer = TABLE.assign(**{column: TABLE[column] * 2})
    app = upload(open_page("new_cases", run=results.run.id), newer)
    assert is_calm(app)
    outcomes = results.data.y.astype(object).where(results.is_test, None)
    then = Period(results.data.X, outcomes, results.data.groups)
    now = Period(newer[list(results.data.X.columns)], newer[HMDA.target], results.data.groups)
    found = monitor(decider.model, then, now, positive_class=HMDA.favourable)
    assert "payments to income ratio has moved far" in app.warning[0].value
    assert len(app.warning[0].value.splitlines()) == len(found.verdict)
    shown = app.dataframe[0].value
    assert np.allclose(shown["now"], 100 * found.decisions["now"])
    file = pd.read_csv(io.BytesIO(offered_files(app)["All numbers as CSV"]))
    assert set(file["part"]) >= {"verdict", "columns", "decisions", "gaps"}


def test_what_the_file_does_not_hold_is_not_judged_and_that_is_said(open_page: Open, results: Results) -> None:
    app = upload(open_page("new_cases", run=results.run.id), HMDA.X)
    assert "Mistakes cannot be judged" in texts(app)
    app = upload(open_page("new_cases", run=results.run.id), TABLE.drop(columns=HMDA.sensitive))
    assert "Gaps between groups cannot be judged" in texts(app)


def test_another_outcome_is_refused_in_a_sentence(open_page: Open, results: Results) -> None:
    app = upload(open_page("new_cases", run=results.run.id), TABLE.assign(**{HMDA.target: "perhaps"}))
    assert is_calm(app)
    assert "found perhaps" in app.error[0].value


def test_only_a_fair_model_is_held_to_a_limit(results: Results, decider: Decider) -> None:
    assert monitor_view.limit_of(decider) is None
    assert monitor_view.limit_of(Decider.of(results, "fair", AS_TRAINED)) == results.plan.epsilon


def test_outcomes_of_the_run_count_only_where_the_model_was_not_trained(results: Results, decider: Decider) -> None:
    outcomes = monitor_view.then(decider).y
    assert outcomes[results.is_test].notna().all()
    assert outcomes[~results.is_test].isna().all()


# -- kept with the run -------------------------------------------------------------------------------------


def test_the_last_look_is_kept_with_the_run_and_stands_in_its_report(
    open_page: Open, results: Results, home: Home
) -> None:
    assert monitoring_file.read(results.folder, "rug") is None
    column = "payments to income ratio"
    for newer in (TABLE, TABLE.assign(**{column: TABLE[column] * 2})):
        upload(open_page("new_cases", run=results.run.id), newer)
    kept = monitoring_file.read(results.folder, "rug")
    assert kept is not None
    assert kept.name == "newer.csv"
    assert any(column in text for text in kept.found.verdict)  # that of the second file
    text = monitoring_file.file_of(results.folder, "rug").read_text(encoding="utf-8")
    assert len(text) < 100_000  # shares of 2,380 people, not the people

    job = ReportJob.of(home, results.run.id, "rug")
    assert report_worker.main(job.name) == 0
    report = ModelReport.from_json(job.product("json").read_text(encoding="utf-8"))
    told = [block.text for block in report.section("monitoring").blocks if isinstance(block, Paragraph)]
    assert set(kept.found.verdict) <= set(told)


def test_a_model_that_was_re_weighted_is_another_one(results: Results, decider: Decider) -> None:
    table = read_table_file(TABLE.to_csv(index=False).encode(), "newer.csv")
    people = NewPeople("newer.csv", table, None)
    changed = replace(decider, change=Adjustment(penalty=9.0))
    monitor_view.compared(changed, people, changed.read(table.frame))
    assert monitoring_file.read(results.folder, "rug") is None


def test_a_damaged_file_is_told_and_not_passed_over(results: Results) -> None:
    monitoring_file.file_of(results.folder, "rug").write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match="Load their file again"):
        monitoring_file.read(results.folder, "rug")
