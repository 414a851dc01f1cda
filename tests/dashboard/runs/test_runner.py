"""Real workers: at work, cancelled, killed, outliving their server, waiting in line."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from rugboard.places import PROJECT
from rugboard.runs import locks
from rugboard.runs.home import Home
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.processes import Process, birth_of
from rugboard.runs.runner import GONE, KILLED, REBOOTED, Runner
from rugboard.runs.store import RunStore

MakePlan = Callable[..., Plan]
MakeRunner = Callable[..., Runner]
Wait = Callable[..., None]

SLEEP = "import time; time.sleep(600)"
DEAF = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); {SLEEP}"


def status(store: RunStore, run_id: str) -> str:
    return store.get(run_id).status


def has_rounds(store: RunStore, run_id: str) -> bool:
    return len(store.rounds(run_id)) > 0


def test_a_run_from_start_to_result(make_plan: MakePlan, make_runner: MakeRunner, wait_until: Wait) -> None:
    runner = make_runner()
    run_id = runner.submit(make_plan(), name="First")
    assert status(runner.store, run_id) == "running"
    wait_until(lambda: runner.store.get(run_id).is_over, runner.sweep)
    run = runner.store.get(run_id)
    assert (run.status, run.error, run.name) == ("finished", None, "First")
    results = open_results(runner.store, run_id)
    assert results.summaries["rug"].test_accuracy > 0.8
    wait_until(lambda: not locks.is_held(runner.store.home.lifeline(run_id)))
    runner.store.delete(run_id)
    assert not results.folder.exists()
    assert not runner.store.snapshots.exists(results.plan.snapshot)


def test_progress_shows_while_it_runs_and_cancel_ends_it(
    endless: Plan, make_runner: MakeRunner, wait_until: Wait
) -> None:
    runner = make_runner()
    run_id = runner.submit(endless)
    wait_until(lambda: len(runner.store.rounds(run_id)) > 2, runner.sweep)
    run = runner.store.get(run_id)
    assert (run.status, run.phase) == ("running", "Training RUG")
    assert 0 < run.progress < 1
    assert run.process is not None
    assert run.process.is_alive()
    runner.cancel(run_id)
    wait_until(lambda: status(runner.store, run_id) == "cancelled", runner.sweep)
    assert {path.name for path in runner.store.home.run_folder(run_id).iterdir()} == {"log.txt", "lifeline", "run.json"}
    assert runner.store.rounds(run_id) == []


def test_a_killed_worker_is_a_failed_run_with_its_reason(
    endless: Plan, make_runner: MakeRunner, wait_until: Wait
) -> None:
    runner = make_runner()
    run_id = runner.submit(endless)
    wait_until(lambda: has_rounds(runner.store, run_id), runner.sweep)
    runner._children[run_id].kill()
    wait_until(lambda: runner.store.get(run_id).is_over, runner.sweep)
    run = runner.store.get(run_id)
    assert (run.status, run.error) == ("failed", KILLED)
    runner.store.delete(run_id)
    assert runner.store.runs() == []


def test_a_worker_outlives_its_server_and_the_next_one_finds_it(
    endless: Plan, home: Home, make_plan: MakePlan, make_runner: MakeRunner, wait_until: Wait
) -> None:
    """The server is a process of its own here, and ends as soon as it has started the run."""
    server = (
        "import sys; from rugboard.runs.plan import Plan; from rugboard.runs.runner import Runner; "
        "print(Runner(slots=2).submit(Plan.from_json(sys.argv[1])))"
    )
    command = [sys.executable, "-W", "ignore", "-c", server]
    run_ids = [
        subprocess.run(
            [*command, plan.to_json()], cwd=PROJECT, capture_output=True, text=True, check=True
        ).stdout.strip()
        for plan in (make_plan(), endless)
    ]
    next_server = make_runner(slots=2)
    store = next_server.store
    finishing, killed = run_ids
    wait_until(lambda: status(store, finishing) == "finished" and has_rounds(store, killed), next_server.sweep)
    assert open_results(store, finishing).summaries["rug"].rules > 0
    process = store.get(killed).process
    assert process is not None
    assert process.send(signal.SIGKILL)
    wait_until(lambda: store.get(killed).is_over, next_server.sweep)
    assert (status(store, killed), store.get(killed).error) == ("failed", GONE)


def test_two_train_at_once_and_a_third_waits(
    endless: Plan, make_plan: MakePlan, make_runner: MakeRunner, wait_until: Wait
) -> None:
    runner = make_runner(slots=2)
    first, second = runner.submit(endless, owner="ada"), runner.submit(endless, owner="bob")
    third = runner.submit(make_plan(), owner="cyd")
    wait_until(lambda: has_rounds(runner.store, first) and has_rounds(runner.store, second), runner.sweep)
    assert [status(runner.store, run_id) for run_id in (first, second, third)] == ["running", "running", "queued"]
    runner.cancel(first)
    wait_until(lambda: status(runner.store, third) == "finished", runner.sweep)
    assert [status(runner.store, run_id) for run_id in (first, second)] == ["cancelled", "running"]


def test_the_queue_moves_on_by_itself_and_in_order(
    make_plan: MakePlan, make_runner: MakeRunner, wait_until: Wait
) -> None:
    runner = make_runner(slots=1)
    runner.keep_watch()
    run_ids = [runner.submit(make_plan(max_iter=1)) for _ in range(3)]
    wait_until(lambda: all(runner.store.get(run_id).is_over for run_id in run_ids))
    runs = [runner.store.get(run_id) for run_id in run_ids]
    assert [run.status for run in runs] == ["finished"] * 3
    for earlier, later in pairwise(runs):
        assert earlier.ended is not None
        assert later.started is not None
        assert earlier.ended <= later.started


def test_a_worker_that_cannot_even_start_is_a_failed_run(
    endless: Plan, make_runner: MakeRunner, wait_until: Wait, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    runner = make_runner()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no python here"))
    run = runner.store.get(runner.submit(endless))
    assert run.status == "failed"
    assert "could not be started" in (run.error or "")
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    run_id = runner.submit(endless)
    wait_until(lambda: runner.store.get(run_id).is_over, runner.sweep)
    assert "exit code 1" in (runner.store.get(run_id).error or "")


def test_a_run_from_before_the_last_boot_says_so(endless: Plan, make_runner: MakeRunner) -> None:
    runner = make_runner()
    run_id = runner.store.create(endless)
    runner.store.claim(run_id, slots=1)
    runner.store.register(run_id, Process(os.getpid(), "another boot/1"))
    runner.sweep()
    assert runner.store.get(run_id).error == REBOOTED


def test_many_runners_start_each_run_once(
    endless: Plan, home: Home, make_runner: MakeRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []

    def idle(self: Runner, run_id: str, lifeline: int) -> subprocess.Popen[bytes]:
        started.append(run_id)
        return subprocess.Popen([sys.executable, "-c", SLEEP], pass_fds=(lifeline,))

    monkeypatch.setattr(Runner, "_start_worker", idle)
    runners = [make_runner(slots=5) for _ in range(6)]
    run_ids = [runners[0].store.create(endless) for _ in range(9)]
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda number: runners[number % 6].sweep(), range(36)))
    assert sorted(started) == sorted(run_ids[:5])
    assert len(runners[0].store.runs(status="running")) == 5


class TestCancellingAWorkerThatDoesNotListen:
    """The worker is played by a process of this test, so that nobody else is ever signalled."""

    @pytest.fixture
    def claimed(self, endless: Plan, store: RunStore) -> str:
        run_id = store.create(endless)
        store.home.run_folder(run_id).mkdir(parents=True, exist_ok=True)
        store.claim(run_id, slots=1)
        return run_id

    @pytest.mark.parametrize("program", [f"print('ready', flush=True); {SLEEP}", DEAF], ids=["hearing", "deaf"])
    def test_it_is_ended_after_a_while(
        self, program: str, claimed: str, store: RunStore, make_runner: MakeRunner, wait_until: Wait
    ) -> None:
        lifeline = locks.hold(store.home.lifeline(claimed))
        assert lifeline is not None
        command = [sys.executable, "-c", program]
        with subprocess.Popen(command, pass_fds=(lifeline,), stdout=subprocess.PIPE) as child:
            os.close(lifeline)
            assert child.stdout is not None
            assert child.stdout.readline() == b"ready\n"
            store.register(claimed, Process(child.pid, birth_of(child.pid) or ""))
            (store.home.run_folder(claimed) / "rug.json.partial").write_text("half")
            runner = make_runner(grace=0.1)
            runner.cancel(claimed)
            wait_until(lambda: store.get(claimed).is_over, runner.sweep)
            assert child.wait() == -(signal.SIGKILL if program == DEAF else signal.SIGTERM)
        assert (store.get(claimed).status, store.get(claimed).error) == ("cancelled", None)
        assert {path.name for path in store.home.run_folder(claimed).iterdir()} == {"lifeline", "run.json"}

    def test_a_stranger_with_its_number_is_left_alone(
        self, claimed: str, store: RunStore, make_runner: MakeRunner
    ) -> None:
        lifeline = locks.hold(store.home.lifeline(claimed))
        assert lifeline is not None
        with subprocess.Popen([sys.executable, "-c", SLEEP]) as stranger:
            store.register(claimed, Process(stranger.pid, "another birth"))
            runner = make_runner(grace=0.0)
            runner.cancel(claimed)
            runner.sweep()
            runner.sweep()
            assert stranger.poll() is None
            stranger.kill()
        os.close(lifeline)
        runner.sweep()
        assert status(store, claimed) == "cancelled"


def test_none_of_this_needs_the_dashboard() -> None:
    names = [f"rugboard.runs.{path.stem}" for path in (PROJECT / "rugboard" / "runs").glob("[a-z]*.py")]
    program = f"import sys, importlib; [importlib.import_module(name) for name in {names!r}]; "
    check = "sys.exit('streamlit' in sys.modules)"
    assert len(names) > 5
    subprocess.run([sys.executable, "-c", program + check], cwd=PROJECT, check=True)
