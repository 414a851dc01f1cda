"""A process is known by its birth, and a lock ends with whoever holds it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from rugboard.runs import locks, processes
from rugboard.runs.processes import Process, birth_of

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]


@pytest.fixture(params=["proc", "ps"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """Linux tells through /proc, other systems through ps."""
    if request.param == "ps":
        monkeypatch.setattr(processes, "PROC", tmp_path)
        processes.boot_name.cache_clear()
        if birth_of(os.getpid()) is None:
            pytest.skip("there is no ps that tells when a process began")
    elif not (processes.PROC / "self" / "stat").exists():
        pytest.skip("there is no /proc here")
    yield str(request.param)
    processes.boot_name.cache_clear()


def test_a_process_lives_until_it_is_ended(way: str) -> None:
    with subprocess.Popen(SLEEP) as child:
        process = Process(child.pid, birth_of(child.pid) or "")
        assert process.is_alive()
        assert process.send(signal.SIGKILL)
        child.wait()
        assert not process.is_alive()
        assert not process.send(signal.SIGKILL)


def test_a_recycled_number_is_not_signalled() -> None:
    with subprocess.Popen(SLEEP) as child:
        stranger = Process(child.pid, "another birth")
        assert not stranger.send(signal.SIGKILL)
        assert child.poll() is None
        child.kill()


def test_this_process_is_of_this_boot() -> None:
    process = Process.current()
    assert process.is_alive()
    assert not process.is_from_before_the_last_boot()
    assert replace(process, birth="another boot/1").is_from_before_the_last_boot()


def test_a_lock_is_held_by_one(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert not locks.is_held(path)
    descriptor = locks.hold(path)
    assert descriptor is not None
    assert locks.hold(path) is None
    assert locks.is_held(path)
    os.close(descriptor)
    assert not locks.is_held(path)


def test_a_child_that_inherits_a_lock_holds_it_until_its_end(tmp_path: Path) -> None:
    descriptor = locks.hold(tmp_path / "lock")
    assert descriptor is not None
    with subprocess.Popen(SLEEP, pass_fds=(descriptor,)) as child:
        os.close(descriptor)
        assert locks.is_held(tmp_path / "lock")
        child.kill()
        child.wait()
        assert not locks.is_held(tmp_path / "lock")
