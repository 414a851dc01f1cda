"""The store: what may follow what, who comes next, and many who write at once."""

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import pandas as pd
import pytest

from rugboard.runs.errors import RunError
from rugboard.runs.home import Home
from rugboard.runs.plan import Plan
from rugboard.runs.processes import Process
from rugboard.runs.records import ModelSummary
from rugboard.runs.store import LONGEST_NAME, RunStore
from rugcore import Round

ME = Process(1, "birth")
SUMMARY = ModelSummary(
    train_accuracy=0.9,
    test_accuracy=0.8,
    rules=5,
    rounds=16,
    objective=3.5,
    stop_reason="max_iter",
    seconds=0.5,
    train_rows=80,
    test_rows=20,
)


def round_of(number: int) -> Round:
    return Round(
        number=number,
        objective=100.0 - number,
        n_rules=20,
        n_rules_with_weight=10,
        n_added=3,
        best_reduced_cost=-1.0,
        lower_bound=None,
        n_merged_rows=50,
        seconds=0.1 * number,
        solver="highs",
    )


@pytest.fixture
def plan(store: RunStore) -> Plan:
    snapshot = store.snapshots.save(pd.DataFrame({"x": [1, 2], "y": ["a", "b"]}))
    return Plan(snapshot, "Loans", "y", "a", ("x",))


@pytest.fixture
def running(store: RunStore, plan: Plan) -> str:
    run_id = store.create(plan)
    assert store.claim(run_id, slots=1)
    return run_id


def in_threads(task: Callable[[int], object], n_threads: int = 8) -> list[object]:
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(task, range(n_threads)))


def test_a_new_run_waits_in_the_queue(store: RunStore, plan: Plan) -> None:
    run = store.get(store.create(plan, owner="ada"))
    assert (run.status, run.name, run.owner, run.progress) == ("queued", "Loans", "ada", 0.0)
    assert run.plan == plan
    assert not run.is_over


def test_the_way_to_a_result(store: RunStore, running: str) -> None:
    assert store.register(running, ME)
    assert store.report(running, "Training", 0.5, "rug", [round_of(0), round_of(1)])
    assert store.report(running, "Training", 0.7, "rug", [round_of(2)])
    assert store.keep_summary(running, "rug", SUMMARY)
    store.note(running, ["a word"])
    assert store.finish(running)
    run = store.get(running)
    assert (run.status, run.progress, run.process, run.notes) == ("finished", 1.0, ME, ("a word",))
    assert [(item.model, item.number, item.objective, item.rules) for item in store.rounds(running)] == [
        ("rug", number, 100.0 - number, 10) for number in range(3)
    ]
    assert store.summaries(running) == {"rug": SUMMARY}


def test_bounds_stay_with_their_rounds_and_go_with_the_run(store: RunStore, running: str) -> None:
    """A round on the way to fairness has another objective: what bounds that of RUG is not about it."""
    rounds = [round_of(0), replace(round_of(1), lower_bound=7.5), replace(round_of(2), lower_bound=8.0, error=0.1)]
    assert store.report(running, "", 0.1, "rug", rounds)
    assert [record.lower_bound for record in store.rounds(running)] == [None, 7.5, None]
    with store._database.writing() as connection:
        connection.execute("DROP TABLE round_bounds")  # as in a store of an earlier version that cannot be written to
    assert [record.lower_bound for record in store.rounds(running)] == [None] * 3


def test_what_is_over_stays_as_it_is(store: RunStore, running: str) -> None:
    assert store.finish(running)
    store.ask_to_cancel(running)
    assert store.fail(running, "too late") is None
    assert not store.finish(running)
    assert not store.report(running, "again", 0.1)
    assert not store.keep_summary(running, "rug", SUMMARY)
    assert not store.claim(running, slots=9)
    run = store.get(running)
    assert (run.status, run.error, run.progress) == ("finished", None, 1.0)


def test_a_second_worker_is_sent_away(store: RunStore, running: str, plan: Plan) -> None:
    assert store.register(running, ME)
    assert not store.register(running, Process(2, "later"))
    assert not store.register(store.create(plan), ME), "nobody has claimed it"


def test_a_failed_run_says_why_and_keeps_the_model_it_had(store: RunStore, running: str) -> None:
    store.keep_summary(running, "rug", SUMMARY)
    assert store.fail(running, "No memory.") == "failed"
    assert store.get(running).error == "No memory."
    assert set(store.summaries(running)) == {"rug"}


def test_a_cancelled_run_keeps_nothing(store: RunStore, running: str) -> None:
    store.report(running, "Training", 0.5, "rug", [round_of(0)])
    store.keep_summary(running, "rug", SUMMARY)
    store.ask_to_cancel(running)
    assert not store.report(running, "Training", 0.6)
    assert not store.finish(running)
    assert store.fail(running, "stopped") == "cancelled"
    run = store.get(running)
    assert (run.status, run.error) == ("cancelled", None)
    assert store.rounds(running) == []
    assert store.summaries(running) == {}


def test_a_queued_run_is_cancelled_at_once(store: RunStore, plan: Plan) -> None:
    run_id = store.create(plan)
    store.ask_to_cancel(run_id)
    assert store.get(run_id).status == "cancelled"
    assert store.next_in_line() is None


def test_no_more_run_than_there_are_slots(store: RunStore, plan: Plan) -> None:
    first, second, third = (store.create(plan) for _ in range(3))
    assert store.claim(first, slots=2)
    assert store.claim(second, slots=2)
    assert not store.claim(third, slots=2)
    store.finish(first)
    assert store.claim(third, slots=2)


def test_first_come_first_served(store: RunStore, plan: Plan) -> None:
    asked = [store.create(plan) for _ in range(4)]
    served = []
    while (run_id := store.next_in_line()) is not None:
        assert store.claim(run_id, slots=9)
        served.append(run_id)
    assert served == asked


def test_one_person_s_many_runs_do_not_hold_up_another(store: RunStore, plan: Plan) -> None:
    of_ada = [store.create(plan, owner="ada") for _ in range(3)]
    of_bob = store.create(plan, owner="bob")
    assert store.next_in_line() == of_ada[0]
    store.claim(of_ada[0], slots=2)
    assert store.next_in_line() == of_bob
    store.claim(of_bob, slots=2)
    assert store.next_in_line() == of_ada[1]


def test_lists_are_newest_first_and_can_be_one_person_s(store: RunStore, plan: Plan) -> None:
    first, second = store.create(plan, owner="ada"), store.create(plan, owner="bob")
    assert [run.id for run in store.runs()] == [second, first]
    assert [run.id for run in store.runs(owner="ada")] == [first]
    assert store.runs(status="running") == []


def test_a_run_can_be_renamed(store: RunStore, plan: Plan) -> None:
    run_id = store.create(plan)
    store.rename(run_id, "  For\nthe board ")
    assert store.get(run_id).name == "For the board"
    for name in ("", "  ", "x" * 201):
        with pytest.raises(RunError, match="name"):
            store.rename(run_id, name)
    with pytest.raises(RunError, match="no such run"):
        store.rename("unknown", "name")


def test_deleting_the_last_run_of_a_table_deletes_the_table(store: RunStore, plan: Plan) -> None:
    first, second = store.create(plan), store.create(plan)
    store.home.run_folder(first).mkdir(parents=True, exist_ok=True)
    store.home.log(first).write_text("words")
    store.delete(first)
    assert not store.home.run_folder(first).exists()
    assert store.snapshots.exists(plan.snapshot)
    with pytest.raises(RunError, match="no such run"):
        store.get(first)
    store.delete(second)
    assert not store.snapshots.exists(plan.snapshot)


def test_deleting_takes_rounds_and_results_along(store: RunStore, running: str) -> None:
    store.report(running, "Training", 0.5, "rug", [round_of(0)])
    store.keep_summary(running, "rug", SUMMARY)
    with pytest.raises(RunError, match="Cancel it first"):
        store.delete(running)
    store.finish(running)
    store.delete(running)
    assert (store.rounds(running), store.summaries(running)) == ([], {})


def test_a_run_needs_its_data(store: RunStore, plan: Plan) -> None:
    store.snapshots.remove(plan.snapshot)
    with pytest.raises(RunError, match="gone"):
        store.create(plan)
    assert store.runs() == []


def test_a_damaged_plan_does_not_hide_the_run(store: RunStore, plan: Plan) -> None:
    run_id = store.create(plan)
    change(store.home, "UPDATE runs SET plan = 'nonsense'")
    run = store.runs()[0]
    assert run.id == run_id
    with pytest.raises(ValueError, match="damaged"):
        _ = run.plan
    store.delete(run_id)


def test_a_newer_store_is_left_alone(store: RunStore) -> None:
    change(store.home, "PRAGMA user_version = 99")
    with pytest.raises(RunError, match="newer dashboard"):
        RunStore(store.home)


def test_a_store_that_is_damaged_under_way_is_named(store: RunStore, home: Home) -> None:
    home.database.write_text("this is no database, " * 100)
    with pytest.raises(RunError, match=r"runs.sqlite is damaged. Start the dashboard again"):
        store.runs()


def test_a_home_that_cannot_be_made_is_named(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("home") / "file"
    file.write_text("in the way")
    with pytest.raises(RunError, match="RUG_HOME"):
        RunStore(Home(file / "home"))


@pytest.mark.parametrize("run_id", ["../..", "", "runs", "0" * 32])
def test_an_id_from_an_address_is_no_path(run_id: str, home: Home) -> None:
    with pytest.raises(RunError):
        home.run_folder(run_id)


def test_many_may_open_a_new_home_at_once(home: Home) -> None:
    stores = in_threads(lambda _: RunStore(home).runs())
    assert stores == [[]] * 8


def test_one_of_many_claims_a_run(store: RunStore, plan: Plan) -> None:
    run_ids = [store.create(plan) for _ in range(5)]
    claims = in_threads(lambda _: [RunStore(store.home).claim(run_id, slots=99) for run_id in run_ids])
    assert [sum(column) for column in zip(*claims, strict=True)] == [1] * 5


def test_many_writers_lose_nothing(store: RunStore, plan: Plan) -> None:
    run_ids = [store.create(plan) for _ in range(8)]

    def write(number: int) -> None:
        own = RunStore(store.home)
        own.claim(run_ids[number], slots=99)
        for done in range(20):
            assert own.report(run_ids[number], "Training", done / 20, "rug", [round_of(done)])
            own.rename(run_ids[(number + 1) % 8], f"named by {number}")

    in_threads(write)
    assert [[item.number for item in store.rounds(run_id)] for run_id in run_ids] == [list(range(20))] * 8


def change(home: Home, statement: str) -> None:
    with closing(sqlite3.connect(home.database)) as connection, connection:
        connection.execute(statement)


def test_two_runs_never_have_one_name(store: RunStore, plan: Plan) -> None:
    """In a list they could not be told apart."""
    first, second, third = (store.create(plan, "Loans") for _ in range(3))
    assert [store.get(one).name for one in (first, second, third)] == ["Loans", "Loans (2)", "Loans (3)"]
    store.rename(third, "Loans (2)")
    assert store.get(third).name == "Loans (2) (2)"
    store.rename(third, "Loans (2) (2)")  # its own name is free for it
    assert store.get(third).name == "Loans (2) (2)"
    long = "x" * LONGEST_NAME
    store.rename(first, long)
    store.rename(second, long)
    assert store.get(second).name != long
    assert len(store.get(second).name) <= LONGEST_NAME


def test_a_file_may_have_a_long_name(store: RunStore, plan: Plan) -> None:
    run_id = store.create(replace(plan, data_name="x" * 300))
    assert len(store.get(run_id).name) == LONGEST_NAME
