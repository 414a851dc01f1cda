"""The list of runs is lost, emptied, damaged or taken from a backup: the folders of the runs tell it again."""

import os
import shutil
import sqlite3
import stat
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from rugboard.runs.errors import RunError
from rugboard.runs.home import Home
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.runner import Runner
from rugboard.runs.snapshots import A_DAY
from rugboard.runs.store import RunStore
from tests.dashboard.conftest import TrainNow

Harm = Callable[[Path], None]


def lose(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def overwrite(path: Path) -> None:
    path.write_bytes(b"this is no database, " * 1_000)


def damage_pages(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4_096:] = os.urandom(len(content) - 4_096)
    path.write_bytes(content)


HARMS = [lose, empty, overwrite, damage_pages]


@pytest.fixture
def small_plan(store: RunStore) -> Plan:
    table = pd.DataFrame({"x": range(60), "y": ["a", "b", "b"] * 20})
    return Plan(store.snapshots.save(table), "Loans", "y", "a", ("x",), max_iter=1)


@pytest.fixture
def finished(train_now: TrainNow, small_plan: Plan, home: Home) -> str:
    """A run on data that was loaded long ago."""
    run_id = train_now(small_plan, "Kept")
    age(home)
    return run_id


def age(home: Home) -> None:
    long_ago = time.time() - 3 * A_DAY
    for path in home.snapshots.iterdir():
        os.utime(path, (long_ago, long_ago))


@pytest.mark.parametrize("harm", HARMS)
def test_runs_and_data_outlive_their_list(harm: Harm, finished: str, home: Home, store: RunStore) -> None:
    before, rounds = store.get(finished), store.rounds(finished)
    harm(home.database)
    again = Runner(home).store
    assert again.get(finished) == before.without_process()
    assert again.rounds(finished) == rounds
    assert open_results(again, finished).rug.rules_ is not None
    assert harm in (lose, empty) or list(home.root.glob("runs.sqlite.damaged-*"))  # nothing is thrown away


@pytest.mark.parametrize("harm", HARMS)
def test_data_that_the_new_list_cannot_know_is_not_tidied_away(harm: Harm, store: RunStore, home: Home) -> None:
    snapshot = store.snapshots.save(pd.DataFrame({"x": [1, 2]}))
    age(home)
    harm(home.database)
    assert Runner(home).store.snapshots.exists(snapshot)


def test_data_that_nobody_trained_on_still_goes_after_a_day(store: RunStore, home: Home) -> None:
    with closing(sqlite3.connect(home.database)) as connection, connection:
        connection.execute("UPDATE made SET at = 0")  # the list is older than the data, and knows who used it
    snapshot = store.snapshots.save(pd.DataFrame({"x": [1, 2]}))
    age(home)
    assert not Runner(home).store.snapshots.exists(snapshot)


def test_an_unfinished_run_says_what_happened(store: RunStore, small_plan: Plan, home: Home) -> None:
    run_id = store.create(small_plan, "Waiting")
    lose(home.database)
    run = Runner(home).store.get(run_id)
    assert (run.name, run.status) == ("Waiting", "failed")
    assert "list of runs was lost" in (run.error or "")


def test_a_list_from_a_backup_learns_what_came_later(
    store: RunStore, small_plan: Plan, train_now: TrainNow, home: Home, tmp_path: Path
) -> None:
    shutil.copy(home.database, tmp_path / "backup")
    run_id = train_now(small_plan)
    age(home)
    shutil.copy(tmp_path / "backup", home.database)
    assert Runner(home).store.get(run_id).status == "finished"
    assert store.snapshots.exists(small_plan.snapshot)


def test_a_deleted_run_does_not_come_back(finished: str, home: Home, store: RunStore) -> None:
    store.delete(finished)
    lose(home.database)
    assert Runner(home).store.runs() == []
    assert list((home.root / "runs").iterdir()) == []


def test_a_new_name_comes_back(finished: str, home: Home, store: RunStore) -> None:
    store.rename(finished, "For the board")
    lose(home.database)
    assert Runner(home).store.get(finished).name == "For the board"


def test_a_list_that_is_lost_while_the_server_runs_comes_back(finished: str, home: Home) -> None:
    runner = Runner(home)
    lose(home.database)
    with pytest.raises(RunError, match="list of runs"):
        runner.store.runs()
    assert not home.database.exists()  # a look does not make an empty one
    runner.sweep()
    assert [run.id for run in runner.store.runs()] == [finished]


def test_a_damaged_record_hides_no_other_run(finished: str, train_now: TrainNow, small_plan: Plan, home: Home) -> None:
    other = train_now(small_plan)
    for content in ("", "{}", "[1]", '{"version": 99}', "nonsense"):
        home.record(finished).write_text(content)
        lose(home.database)
        store = Runner(home).store
        assert [run.id for run in store.runs()] == [other]
        assert home.run_folder(finished).exists()


def test_runs_of_an_earlier_version_get_a_record(finished: str, home: Home) -> None:
    home.record(finished).unlink()
    Runner(home)
    lose(home.database)
    assert Runner(home).store.get(finished).status == "finished"


@pytest.mark.parametrize(
    "change",
    ["notes = 'nonsense'", "notes = '7'", "created = 'yesterday'", "progress = 'half'", "plan = 'nonsense'"],
)
def test_one_damaged_row_hides_no_other(
    change: str, finished: str, train_now: TrainNow, small_plan: Plan, store: RunStore, home: Home
) -> None:
    other = train_now(small_plan)
    with closing(sqlite3.connect(home.database)) as connection, connection:
        connection.execute(f"UPDATE runs SET {change} WHERE id = ?", (finished,))
    assert [run.id for run in store.runs()] == [other, finished]
    assert store.get(other).error is None
    store.delete(finished)
    assert [run.id for run in store.runs()] == [other]


def test_a_damaged_summary_is_left_out(finished: str, store: RunStore, home: Home) -> None:
    with closing(sqlite3.connect(home.database)) as connection, connection:
        connection.execute("UPDATE results SET summary = '{'")
    assert store.summaries(finished) == {}


def test_nobody_else_may_read_the_list(store: RunStore, home: Home) -> None:
    assert stat.S_IMODE(home.database.stat().st_mode) == 0o600


class TestDeletingHalfWay:
    """A server may end at any line of a deletion; the next one takes it to its end, or back."""

    def test_before_the_list_knew(self, finished: str, home: Home) -> None:
        home.run_folder(finished).rename(home.deleted_folder(finished))
        store = Runner(home).store
        assert open_results(store, finished).rug.rules_ is not None

    def test_after_the_list_knew(self, finished: str, home: Home) -> None:
        home.run_folder(finished).rename(home.deleted_folder(finished))
        with closing(sqlite3.connect(home.database)) as connection, connection:
            connection.execute("DELETE FROM runs")
        assert Runner(home).store.runs() == []
        assert list((home.root / "runs").iterdir()) == []
