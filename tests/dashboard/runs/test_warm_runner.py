"""A worker that waits for a run: it does the run, it may die, and it goes with its server."""

import time
from collections.abc import Callable, Iterator

import pytest

from rugboard.runs.home import Home
from rugboard.runs.plan import Plan
from rugboard.runs.warm_runner import WarmRunner

PATIENCE = 120.0  # seconds; only a test that fails waits that long


@pytest.fixture
def runner(home: Home) -> Iterator[WarmRunner]:
    made = WarmRunner(home)
    made.sweep()
    yield made
    made.stop_watch()
    for child in made._children.values():
        child.kill()
        child.wait()


def wait_until(holds: Callable[[], bool], meanwhile: Callable[[], None]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it did not happen in time"
        meanwhile()
        time.sleep(0.05)


def finish(runner: WarmRunner, plan: Plan) -> str:
    run_id = runner.submit(plan)
    wait_until(lambda: runner.store.get(run_id).is_over, runner.sweep)
    return run_id


def test_a_run_is_done_by_the_worker_that_waited(runner: WarmRunner, mortgage_plan: Plan) -> None:
    assert runner._warm_worker is not None
    waiting = runner._warm_worker.process.pid
    run = runner.store.get(finish(runner, mortgage_plan))
    assert run.status == "finished"
    assert run.process is not None
    assert run.process.pid == waiting


def test_each_run_has_a_worker_of_its_own(runner: WarmRunner, mortgage_plan: Plan) -> None:
    first, second = (runner.store.get(finish(runner, mortgage_plan)) for _ in range(2))
    assert first.process != second.process


def test_two_runs_at_once_need_no_second_warm_worker(home: Home, runner: WarmRunner, mortgage_plan: Plan) -> None:
    runs = [runner.submit(mortgage_plan) for _ in range(2)]
    wait_until(lambda: all(runner.store.get(run).is_over for run in runs), runner.sweep)
    assert {runner.store.get(run).status for run in runs} == {"finished"}


def test_a_waiting_worker_that_died_is_not_missed(runner: WarmRunner, mortgage_plan: Plan) -> None:
    assert runner._warm_worker is not None
    runner._warm_worker.process.kill()
    runner._warm_worker.process.wait()
    assert runner.store.get(finish(runner, mortgage_plan)).status == "finished"


def test_a_broken_one_is_not_started_again_and_again(runner: WarmRunner) -> None:
    assert runner._warm_worker is not None
    runner._warm_worker.process.kill()
    runner._warm_worker.process.wait()
    runner.sweep()
    runner.sweep()
    assert runner._warm_worker is None


def test_a_run_that_fails_says_why_in_its_own_log(runner: WarmRunner, mortgage_plan: Plan) -> None:
    runner.store.snapshots.path(mortgage_plan.snapshot).write_bytes(b"broken")
    run = runner.store.get(finish(runner, mortgage_plan))
    assert run.status == "failed"
    assert "gone or damaged" in str(run.error)
    assert "failed" in runner.store.home.log(run.id).read_text()


def test_the_waiting_worker_goes_with_its_server(home: Home) -> None:
    made = WarmRunner(home)
    made.sweep()
    assert made._warm_worker is not None
    process = made._warm_worker.process
    made._warm_worker.dismiss()
    assert process.wait(PATIENCE) == 0
