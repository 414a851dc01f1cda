"""A home of its own for every test, a small table, plans for it, and a way to wait."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from rugboard.runs.home import VARIABLE, Home
from rugboard.runs.plan import Plan
from rugboard.runs.runner import Runner
from rugboard.runs.store import RunStore
from rugcore import load_demo

PATIENCE = 120.0  # seconds; only a test that fails waits that long
DEMO = load_demo("hmda")
TABLE = DEMO.X.assign(**{DEMO.target: DEMO.y})
# More rounds than anybody will wait for.
ENDLESS = {"max_depth": 10, "penalty": 0.01, "max_iter": 100_000}

MakePlan = Callable[..., Plan]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "home"))
    return Home.current()


@pytest.fixture
def store(home: Home) -> RunStore:
    return RunStore(home)


@pytest.fixture
def table() -> pd.DataFrame:
    return TABLE.copy()


@pytest.fixture
def make_plan(store: RunStore, table: pd.DataFrame) -> MakePlan:
    def make(**changes: Any) -> Plan:
        settings = {
            "snapshot": changes.get("snapshot") or store.snapshots.save(table),
            "data_name": "Mortgages",
            "target": DEMO.target,
            "favourable": DEMO.favourable,
            "features": tuple(DEMO.X.columns.drop(DEMO.sensitive)),
            "max_depth": 2,
        }
        return Plan(**settings | changes)

    return make


@pytest.fixture
def endless(make_plan: MakePlan) -> Plan:
    return make_plan(**ENDLESS)


@pytest.fixture
def make_runner(home: Home) -> Iterator[Callable[..., Runner]]:
    """Runners whose workers do not outlive the test."""
    made: list[Runner] = []

    def make(**options: Any) -> Runner:
        made.append(Runner(home, **options))
        return made[-1]

    yield make
    for runner in made:
        runner.stop_watch()
        for child in runner._children.values():
            child.kill()
            child.wait()
        for run in runner.store.runs(status="running"):  # those whose server was another process
            if run.process is not None:
                run.process.send(signal.SIGKILL)


@pytest.fixture
def wait_until() -> Callable[..., None]:
    """Look again and again until something holds; `meanwhile` is done before every look."""

    def wait(holds: Callable[[], bool], meanwhile: Callable[[], object] = lambda: None) -> None:
        deadline = time.monotonic() + PATIENCE
        pause = threading.Event()
        while meanwhile() or not holds():
            assert time.monotonic() < deadline, "it did not happen in time"
            pause.wait(0.02)

    return wait
