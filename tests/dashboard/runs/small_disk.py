"""A disk that is full, and then read-only: `unshare --map-root-user --mount python -m tests.dashboard.runs.small_disk`.

The disk is a small one in memory that only this process sees.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from rugboard.runs import worker
from rugboard.runs.errors import DISK_FULL, StorageError, is_full
from rugboard.runs.home import VARIABLE, Home
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.runner import UNWRITTEN, Runner
from rugboard.runs.store import RunStore
from rugboard.runs.worker_process import NOT_WRITTEN
from rugboard.session import prefetch, training
from tests.dashboard.conftest import APP, is_calm, texts

PAGES = ("data", "train", "rules", "runs")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        mount("-t", "tmpfs", "-o", "size=3m", "tmpfs", folder)
        os.environ[VARIABLE] = f"{folder}/home"
        prefetch.warm_up = lambda: None
        training.WarmRunner = Runner  # type: ignore[misc]
        try:
            use(Path(folder))
        finally:
            training.runner().stop_watch()
            subprocess.run(["umount", "--lazy", folder], check=True)


def use(disk: Path) -> None:
    store = RunStore(Home.current())
    table = pd.DataFrame({"x": range(60), "y": ["a", "b", "b"] * 20})
    plan = Plan(store.snapshots.save(table), "Loans", "y", "a", ("x",), max_iter=1)
    first, second, unlucky = (store.create(plan) for _ in range(3))
    for run_id in (first, second):
        assert store.claim(run_id, slots=9)
        assert worker.main(run_id) == 0
    assert store.claim(unlucky, slots=9)
    on_a_full_disk(disk, store, plan, (first, second, unlucky))
    on_a_disk_that_cannot_be_written_to(disk, first)
    sys.stdout.write("all of it\n")


def on_a_full_disk(disk: Path, store: RunStore, plan: Plan, runs: tuple[str, str, str]) -> None:
    first, second, unlucky = runs
    fill(disk / "ballast")
    assert is_full(disk)
    code = worker.main(unlucky)
    assert open_results(store, first).rug.rules_ is not None
    says(DISK_FULL, lambda: store.create(plan))
    assert all(is_calm(page) for page in pages(first))
    upload = AppTest.from_file(APP, default_timeout=120).run().button(key="try_it").click().run()
    assert "disk is full" in texts(upload), texts(upload)
    store.delete(second)
    assert {run.id for run in store.runs()} == {first, unlucky}
    assert not list(disk.rglob("*.partial"))
    (disk / "ballast").unlink()
    runner = training.runner()
    runner._exits[unlucky] = code  # its own child, had it been a process
    runner.sweep()
    run = store.get(unlucky)
    assert run.status == "failed", run
    assert run.error == (UNWRITTEN if code == NOT_WRITTEN else DISK_FULL), run.error
    store.delete(unlucky)
    training._runner.clear()


def on_a_disk_that_cannot_be_written_to(disk: Path, first: str) -> None:
    mount("-o", "remount,ro", str(disk))
    store = Runner(Home.current()).store  # a server that starts now
    assert open_results(store, first).rug.rules_ is not None
    assert all(is_calm(page) for page in pages(first))
    for change in (lambda: store.delete(first), lambda: store.rename(first, "other")):
        says("cannot be written to", change)
    assert store.get(first).status == "finished"
    mount("-o", "remount,rw", str(disk))
    store.delete(first)
    shutil.rmtree(Home.current().root)
    says("is gone", store.runs)
    gone = AppTest.from_file(APP, default_timeout=120).run()
    assert is_calm(gone)


def pages(run_id: str) -> list[AppTest]:
    app = AppTest.from_file(APP, default_timeout=120)
    app.query_params["run"] = run_id
    app.run()
    return [app, *(app.switch_page(f"pages/{name}.py").run() for name in PAGES)]


def says(words: str, action: Callable[[], object]) -> None:
    with pytest.raises(StorageError) as caught:
        action()
    assert words in str(caught.value), caught.value


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        for size in (65_536, 512, 1):
            try:
                while file.write(b"x" * size):
                    pass
            except OSError:
                continue


def mount(*options: str) -> None:
    subprocess.run(["mount", *options], check=True)


if __name__ == "__main__":
    sys.exit(main())
