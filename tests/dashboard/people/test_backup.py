"""A copy of all runs in one command, and back in another: the same home, whatever went on meanwhile."""

import io
import json
import tarfile
from pathlib import Path

import pytest

from rugboard import serve
from rugboard.runs.access_log import AccessLog
from rugboard.runs.backup import back_up, restore
from rugboard.runs.errors import RunError
from rugboard.runs.home import VARIABLE, Home
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.records import Share
from rugboard.runs.store import RunStore
from tests.dashboard.conftest import TrainNow
from tests.dashboard.people.conftest import ADA


def contents(home: Home) -> dict[str, bytes]:
    """All files but those that speak of processes, and the list, whose pages may lie in another order."""
    skipped = ("lock", "lifeline", ".sqlite", ".sqlite-journal")
    paths = [path for path in home.root.rglob("*") if path.is_file() and not path.name.endswith(skipped)]
    return {str(path.relative_to(home.root)): path.read_bytes() for path in paths}


def test_a_home_comes_back_as_it_was(
    store: RunStore,
    mortgage_plan: Plan,
    train_now: TrainNow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    run_id = train_now(mortgage_plan, "Kept")
    store.share(run_id, [Share("team", "risk")])
    AccessLog(store.home.root).write(ADA, "opened", run_id)
    archive = tmp_path / "runs.tar.gz"
    assert serve.main(["backup", str(archive)]) == 0
    assert archive.stat().st_mode & 0o077 == 0
    monkeypatch.setenv(VARIABLE, str(tmp_path / "new"))
    assert serve.main(["restore", str(archive)]) == 0
    again = Home(tmp_path / "new")
    assert contents(again) == contents(store.home)
    found = RunStore(again)
    assert found.runs() == store.runs()
    assert found.shares(run_id) == [Share("team", "risk")]
    before, after = open_results(store, run_id), open_results(found, run_id)
    assert (after.rug.predict(after.data.X) == before.rug.predict(before.data.X)).all()
    assert serve.main(["restore", str(archive)]) == serve.REFUSED  # nothing is overwritten
    assert "is not empty" in capsys.readouterr().err


def rewritten(source: Path, target: Path, change: str) -> None:
    """The same archive with one thing changed about it."""
    with tarfile.open(source) as old, tarfile.open(target, "w:gz") as new:
        for entry in old:
            data = old.extractfile(entry).read()  # type: ignore[union-attr]
            if change == "altered" and entry.name.startswith("people/"):
                data = data[:-1] + b"?"
            if change == "left out" and entry.name.startswith("people/"):
                continue
            entry.size = len(data)
            new.addfile(entry, io.BytesIO(data))
        if change in ("../outside", "/tmp/outside", "a/../../outside", "added"):
            entry = tarfile.TarInfo(change)
            entry.size = 1
            new.addfile(entry, io.BytesIO(b"x"))
        if change == "a link":
            entry = tarfile.TarInfo("link")
            entry.type, entry.linkname = tarfile.SYMTYPE, "/etc"
            new.addfile(entry)


@pytest.mark.parametrize(
    "change", ["altered", "left out", "added", "../outside", "/tmp/outside", "a/../../outside", "a link", "cut off"]
)
def test_a_copy_that_is_not_as_it_was_made_restores_nothing(
    store: RunStore, home: Home, tmp_path: Path, change: str
) -> None:
    (home.root / "people").mkdir()
    (home.root / "people" / "one.json").write_text(json.dumps({"id": "one"}))
    good, bad = tmp_path / "good.tar.gz", tmp_path / "bad.tar.gz"
    assert back_up(home, good) == 2
    rewritten(good, bad, change)
    if change == "cut off":
        bad.write_bytes(good.read_bytes()[:-40])
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(RunError, match="Nothing was restored"):
        restore(Home(tmp_path / "new"), bad)
    assert sorted(tmp_path.rglob("*")) == before
    assert restore(Home(tmp_path / "new"), good) == 2
