"""A worker is alive as long as it holds its lifeline, whoever started it."""

import os
from pathlib import Path

import pytest

from rugboard.runs import worker_process
from rugboard.runs.home import VARIABLE, Home
from rugboard.runs.worker_process import THREAD_LIMITS, environment, is_alive, lifeline


def test_a_lifeline_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "lifeline"
    assert not is_alive(path)
    with lifeline(path) as first:
        assert first is not None
        assert is_alive(path)
        with lifeline(path) as second:
            assert second is None
        assert is_alive(path)
    assert not is_alive(path)


def test_the_worker_holds_it_when_the_server_lets_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, log = tmp_path / "lifeline", tmp_path / "log.txt"
    monkeypatch.setattr(worker_process, "PROJECT", tmp_path)
    (tmp_path / "waits.py").write_text(
        "import sys; print('ready', sys.argv[1], flush=True); input_ = open('go').read()"
    )

    os.mkfifo(tmp_path / "go")
    with lifeline(path) as descriptor, log.open("wb") as file:
        assert descriptor is not None
        child = worker_process.start("waits", "now", Home(tmp_path), threads=1, inherits=descriptor, log=file)
    assert is_alive(path)
    (tmp_path / "go").write_text("go")
    assert child.wait(60) == 0
    assert not is_alive(path)
    assert log.read_text() == "ready now\n"


def test_a_worker_knows_its_home_and_how_many_threads_it_may_use(tmp_path: Path) -> None:
    found = environment(Home(tmp_path), 3)
    assert found[VARIABLE] == str(tmp_path)
    assert {found[name] for name in THREAD_LIMITS} == {"3"}
