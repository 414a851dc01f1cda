"""A table in a named folder on the pages: chosen on Data, and every number says which rows it rests on."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from rugboard import report_worker
from rugboard.runs.all_rows import TEST
from rugboard.runs.data_folders import FOLDERS
from rugboard.runs.home import Home
from rugboard.runs.opening import open_results
from rugboard.runs.plan import RUG
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugboard.session import evaluations
from rugboard.session.adjustments import AS_TRAINED, Adjustment
from rugboard.setup import folder_worker
from rugboard.setup.drafts import Draft, draft_from_json, draft_of, draft_to_json
from rugboard.setup.folder_job import FolderJob
from tests.dashboard.conftest import Open, TrainNow, is_calm, texts
from tests.dashboard.large import N_ROWS, N_SAMPLED, plan_for, small_cluster, train_inside, write_folder

SAMPLE = f"a sample: {N_SAMPLED} rows, drawn at random, every row equally likely (seed 0)"
PAGES = ("start", "train", "rules", "fairness", "applicants", "compare", "new_cases", "report")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return write_folder(tmp_path, monkeypatch)


@pytest.fixture
def drawn_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample is drawn in this process."""
    monkeypatch.setattr(FolderJob, "_start_worker", lambda job, _: folder_worker.main(job.name))


def test_nothing_of_it_shows_where_no_folder_is_named(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDERS, raising=False)
    app = open_page("data")
    assert is_calm(app)
    assert "folder" not in texts(app).lower()
    assert [item.key for item in app.selectbox] == ["demo"]


def choose(app: AppTest, key: str, value: str) -> AppTest:
    return app.selectbox(key).select(value).run()


@pytest.mark.usefixtures("folder", "drawn_here")
def test_a_folder_is_chosen_by_what_is_in_it(open_page: Open) -> None:
    app = open_page("data")
    assert "A folder or Parquet on this machine or its cluster" in texts(app)
    everything, *inside = app.selectbox("folder_in_loans").options
    assert everything == "all Parquet in it and below: 2 files here"
    assert inside == ["later/", "a.parquet", "b.parquet"]
    choose(app, "folder_in_loans", "later")
    assert app.selectbox("folder_in_loans/later").options[1:] == ["c.parquet"]
    choose(app, "folder_in_loans", "")
    app.button("use_folder").click().run()
    assert is_calm(app)
    said = texts(app)
    assert f"loans: {N_ROWS:,} rows in 3 files. Training uses them all." in said
    assert SAMPLE in said
    draft = app.session_state["_draft"]
    assert isinstance(draft, Draft)
    assert draft.table.large is not None
    assert draft.table.large.n_rows == N_ROWS
    assert draft_from_json(draft_to_json(draft)).table == draft.table


@pytest.mark.usefixtures("drawn_here")
def test_a_table_that_cannot_be_read_is_refused_in_words(open_page: Open, folder: Path) -> None:
    (folder / "a.parquet").write_bytes(b"no Parquet")
    app = open_page("data")
    app.button("use_folder").click().run()
    assert is_calm(app)
    assert "is not a Parquet file that can be read" in texts(app)
    app.button("folder_again").click().run()
    assert app.button("use_folder")


@pytest.fixture
def opened(folder: Path, store: RunStore, train_now: TrainNow, monkeypatch: pytest.MonkeyPatch, home: Home) -> Results:
    assert folder.is_dir()
    assert home.root
    with small_cluster() as client:
        train_inside(client, monkeypatch)
        return open_results(store, train_now(plan_for(store)))


@pytest.mark.filterwarnings("ignore::rugcore.errors.FairnessWarning")
def test_every_page_says_what_it_rests_on(opened: Results, open_page: Open) -> None:
    assert opened.all_rows is not None
    n_test = opened.all_rows.n_rows[TEST]
    for name in PAGES:
        app = open_page(name, opened.run.id)
        assert is_calm(app), name
        said = texts(app)
        assert f"loans: {N_ROWS:,} rows in 3 files" in said, name
        assert SAMPLE in said, name
        if name in ("start", "train"):
            assert "Right decisions and gaps are counted over all rows." in said
            assert f"judged on {n_test} rows" in said
        if name == "rules":
            assert f"counted over all {n_test} test rows there are" in said
            assert app.button("write_rule").disabled
        if name == "fairness":
            assert f"On {n_test} test rows the groups are" in said
            assert said.count(f"Counted in the sample of {len(opened.data.y)} rows.") >= 2
    judged_on_both_kinds_of_rows(opened)
    sample, all_rows = report_worker.sample_in_words(opened, RUG)
    assert f"counts a sample of {N_SAMPLED} of these rows" in sample
    assert f"of all {n_test} test rows are decided rightly" in all_rows
    assert "with a chance of 20 %" in report_worker.held_out(opened)
    draft = draft_of(opened.run.plan)
    assert draft.table.large == opened.plan.large


def judged_on_both_kinds_of_rows(opened: Results) -> None:
    """As trained on all rows; re-weighted, and by others, on the sample, and their names say so."""
    assert opened.all_rows is not None
    trained = evaluations.evaluate(opened, RUG, AS_TRAINED)
    assert trained.n_rows == opened.all_rows.n_rows
    assert trained.name == "RUG"
    assert trained.accuracy[TEST] == pytest.approx(opened.summaries[RUG].test_accuracy)
    changed = evaluations.evaluate(opened, RUG, Adjustment(penalty=9.0))
    assert changed.n_rows[TEST] == int(opened.is_test.sum())
    assert changed.name == "RUG (sample)"
