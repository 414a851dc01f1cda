"""A home that version 0.1 wrote still opens, with its run and its comparison."""

import shutil
from pathlib import Path

import pytest

from rugboard.compare.job import Job
from rugboard.runs.home import VARIABLE, Home
from rugboard.runs.opening import open_results
from rugboard.runs.store import RunStore

FILES = Path(__file__).resolve().parents[2] / "files" / "version_0_1"


def test_a_home_opens_with_its_run_and_its_comparison(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(FILES / "home", tmp_path / "earlier")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "earlier"))
    store = RunStore(Home.current())
    (run,) = store.runs()
    results = open_results(store, run.id)
    assert (run.name, run.status) == ("An earlier run", "finished")
    assert set(results.summaries) == {"rug", "fair"}
    assert results.rug.refit(penalty=9.0).rules_ is not None
    report = Job(Home.current(), run.id).read()
    assert report is not None
    assert report.is_finished
