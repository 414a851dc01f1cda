"""Processes that are really killed: in every write of the store, at work, with their server, and while nobody visits.

After each: finished runs open, unfinished ones say what happened, deleting works, and nothing is left lying about.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from rugboard.places import PROJECT
from rugboard.runs import home as homes
from rugboard.runs import worker
from rugboard.runs.home import VARIABLE, Home
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.processes import birth_of
from rugboard.runs.results import model_file, pool_file, save_test_rows
from rugboard.runs.runner import GONE, Runner
from rugboard.runs.store import RunStore
from tests.browser.conftest import free_port, wait_until_healthy
from tests.dashboard.runs.test_store import SUMMARY, round_of

MakePlan = Callable[..., Plan]
Wait = Callable[..., None]
N_KILLS = 40 * int(os.environ.get("RUG_MORE_FAULTS", "1"))
WRITERS = "from tests.dashboard.runs.test_faults import fork_writers; import sys; fork_writers(sys.argv[1])"


def fork_writers(model: str) -> None:
    """A new one for every line that is read; imported once, because that takes longest."""
    while sys.stdin.readline():
        if (writer := os.fork()) == 0:
            write_for_ever(model)
        sys.stdout.write(f"{writer}\n")
        sys.stdout.flush()
        os.waitpid(writer, 0)


def write_for_ever(model: str) -> None:
    """Runs from their creation to their deletion, again and again, with the files of one that was trained."""
    store = RunStore(Home.current())
    files, plan = Path(model), store.runs()[-1].plan
    while True:
        run_id = store.create(plan)
        store.claim(run_id, slots=999)
        folder = store.home.run_folder(run_id)
        store.report(run_id, "Training", 0.5, "rug", [round_of(number) for number in range(5)])
        save_test_rows(folder, np.arange(5))
        for name in (pool_file("rug"), model_file("rug")):
            shutil.copyfile(files / name, folder / name)
        store.keep_summary(run_id, "rug", SUMMARY)
        store.finish(run_id)
        store.rename(run_id, f"called {run_id}")
        if int(run_id[0], 16) % 2:
            store.delete(run_id)


@pytest.fixture
def trained(store: RunStore, make_plan: MakePlan) -> str:
    run_id = store.create(make_plan(max_iter=1), "The one that must not be lost")
    assert store.claim(run_id, slots=9)
    assert worker.main(run_id) == 0
    return run_id


def test_a_writer_killed_at_any_moment_loses_nothing(
    trained: str, store: RunStore, home: Home, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(homes, "AN_HOUR", -1.0)
    monkeypatch.setattr(Runner, "_start_waiting", lambda _: None)  # what was created and not claimed waits
    moments = np.random.default_rng(0).uniform(0.0, 0.15, N_KILLS)
    command = [sys.executable, "-W", "ignore", "-c", WRITERS, str(home.run_folder(trained))]
    with subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writers:
        assert writers.stdin is not None
        assert writers.stdout is not None
        for moment in moments:
            writers.stdin.write(b"another\n")
            writers.stdin.flush()
            writer = int(writers.stdout.readline())
            time.sleep(moment)  # the moment is the point
            os.kill(writer, signal.SIGKILL)
            wait_until(lambda writer=writer: birth_of(writer) is None)
            is_sound(Runner(home), trained)
    assert len(store.runs()) > N_KILLS / 4  # they did write
    for run in store.runs():
        store.delete(run.id)
    assert list(home.runs.iterdir()) == []
    assert list(home.snapshots.iterdir()) == []


def is_sound(runner: Runner, trained: str) -> None:
    """What holds after every fault."""
    runner.sweep()
    runs, home = runner.store.runs(), runner.store.home
    assert {path.name for path in home.runs.iterdir()} == {run.id for run in runs}
    assert not list(home.root.rglob("*.partial"))
    assert open_results(runner.store, trained).rug.rules_ is not None
    for run in runs:
        assert run.is_over or run.status == "queued"
        assert run.status != "failed" or run.error
        assert json.loads(home.record(run.id).read_text())["run"]["status"] == run.status
        if run.status == "finished":
            assert set(runner.store.summaries(run.id)) == {"rug"}
            assert (home.run_folder(run.id) / model_file("rug")).exists()


@contextmanager
def served(home: Home, log: Path) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    address = f"http://127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", address.rpartition(":")[2]]
    with log.open("ab") as output:
        server = subprocess.Popen(
            command, cwd=PROJECT, env=os.environ | {VARIABLE: str(home.root)}, stdout=output, stderr=output
        )
    try:
        wait_until_healthy(address, server, log)
        yield address, server
    finally:
        server.kill()
        server.wait()


def test_a_server_goes_on_before_anybody_visits_and_may_be_killed_with_its_worker(
    trained: str, make_plan: MakePlan, endless: Plan, store: RunStore, home: Home, wait_until: Wait, tmp_path: Path
) -> None:
    waiting, dying = store.create(make_plan(max_iter=1)), store.create(endless)
    with served(home, tmp_path / "log.txt") as (address, server):
        with urllib.request.urlopen(address) as answer:
            assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"
        wait_until(lambda: store.get(waiting).is_over and len(store.rounds(dying)) > 0)
        process = store.get(dying).process
        assert process is not None
        server.kill()
        assert process.send(signal.SIGKILL)
        wait_until(lambda: not process.is_alive())
    assert store.get(waiting).status == "finished"
    runner = Runner(home)
    wait_until(lambda: store.get(dying).is_over, runner.sweep)  # its threads end one after the other
    is_sound(runner, trained)
    assert (store.get(dying).status, store.get(dying).error) == ("failed", GONE)
    store.delete(dying)
    assert "Traceback" not in (tmp_path / "log.txt").read_text()
