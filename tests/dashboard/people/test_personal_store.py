"""What a person may see and change, asked of the store: whatever a page does, it can do no more."""

import sqlite3
from collections.abc import Callable
from itertools import product

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rugboard.people.person import ALONE, Person, Role
from rugboard.people.settings import OperatorSettings
from rugboard.runs import visibility
from rugboard.runs.errors import RunError
from rugboard.runs.home import Home
from rugboard.runs.personal_store import PersonalStore
from rugboard.runs.plan import Plan
from rugboard.runs.records import Run, Share, may_see
from rugboard.runs.run_record import RunRecord
from rugboard.runs.runner import Runner, Sharing
from rugboard.runs.snapshots import A_DAY
from rugboard.runs.store import RunStore
from tests.dashboard.people.conftest import ADA, BOB, CYD, EVE, ROOT

StoreOf = Callable[..., PersonalStore]
TABLE = pd.DataFrame({"income": [1.0, 2.0, 3.0, 4.0], "out": ["no", "no", "yes", "yes"]})


@pytest.fixture
def plan(store_of: StoreOf) -> Plan:
    """On a table that Ada loaded."""
    return Plan(store_of(ADA).snapshots.save(TABLE, "loans.csv"), "Loans", "out", "yes", ("income",))


@pytest.fixture
def run_id(store_of: StoreOf, plan: Plan) -> str:
    return store_of(ADA).create(plan)


EVERYTHING: dict[str, Callable[[PersonalStore, str], object]] = {
    "get": lambda store, run: store.get(run),
    "rounds": lambda store, run: store.rounds(run),
    "summaries": lambda store, run: store.summaries(run),
    "rule_log": lambda store, run: store.rule_log(run),
    "successor": lambda store, run: store.successor(run),
    "newest": lambda store, run: store.newest(run),
    "shares": lambda store, run: store.shares(run),
}
CHANGES: dict[str, Callable[[PersonalStore, str], object]] = {
    "rename": lambda store, run: store.rename(run, "mine now"),
    "cancel": lambda store, run: store.ask_to_cancel(run),
    "delete": lambda store, run: store.delete(run),
    "share": lambda store, run: store.share(run, [Share("person", "bob")]),
}


@pytest.mark.parametrize("person", [BOB, EVE, ROOT], ids=lambda one: one.id)
@pytest.mark.parametrize("what", [*EVERYTHING, *CHANGES])
def test_what_is_not_shared_does_not_exist_for_others(
    store_of: StoreOf, run_id: str, person: Person, what: str
) -> None:
    with pytest.raises(RunError, match="There is no such run") as refused:
        (EVERYTHING | CHANGES)[what](store_of(person), run_id)
    with pytest.raises(RunError) as of_nothing:
        (EVERYTHING | CHANGES)[what](store_of(person), "00000000-0000-4000-8000-000000000000")
    assert str(refused.value) == str(of_nothing.value)  # a guess tells nothing
    assert store_of(person).runs() == []
    assert [run.name for run in store_of(ADA).runs()] == ["Loans"]


@pytest.mark.parametrize("share", [Share("person", "bob"), Share("team", "risk")], ids=lambda share: share.kind)
def test_what_is_shared_is_read_and_not_changed(store_of: StoreOf, run_id: str, share: Share) -> None:
    store_of(ADA).share(run_id, [share])
    for what in EVERYTHING.values():
        what(store_of(BOB), run_id)
    for what in CHANGES.values():
        with pytest.raises(RunError, match="Only its owner"):
            what(store_of(BOB), run_id)
    assert store_of(CYD).runs() == []
    store_of(ADA).share(run_id, [])
    assert store_of(BOB).runs() == []


def test_an_auditor_reads_what_is_shared_and_changes_nothing(store_of: StoreOf, plan: Plan, run_id: str) -> None:
    store_of(ADA).share(run_id, [Share("person", "eve")])
    auditor = store_of(EVE)
    assert auditor.get(run_id).name == "Loans"
    changes = [*CHANGES.values(), lambda own, _: own.create(plan), lambda own, _: own.snapshots.save(TABLE)]
    for change in changes:
        with pytest.raises(RunError, match="auditor"):
            change(auditor, run_id)
    assert [run.id for run in auditor.reported()] == [run_id]
    assert store_of(BOB).reported() == []


def test_the_data_of_others_is_not_there(store_of: StoreOf, plan: Plan, run_id: str) -> None:
    """Also for somebody who knows its digest, as everybody does who has the same file."""
    others = store_of(BOB).snapshots
    assert not others.exists(plan.snapshot)
    for look in (others.load, others.column_names, others.path):
        with pytest.raises(RunError, match="gone"):
            look(plan.snapshot)
    with pytest.raises(RunError, match="gone"):
        store_of(BOB).create(plan)
    store_of(ADA).share(run_id, [Share("team", "risk")])
    pd.testing.assert_frame_equal(store_of(BOB).snapshots.load(plan.snapshot), TABLE)


def test_a_copy_of_a_shared_run_hides_nothing_from_its_owner_and_blocks_nobody(
    store_of: StoreOf, store: RunStore, run_id: str
) -> None:
    """A private version of Bob's is not the newest for Ada."""
    with store._database.writing() as connection:
        theirs = "11111111-1111-4111-8111-111111111111"
        connection.execute(
            "INSERT INTO runs (id, owner, name, snapshot, plan, status, created) SELECT ?, 'bob', 'copy', snapshot, "
            "plan, 'finished', created FROM runs WHERE id = ?",
            (theirs, run_id),
        )
        connection.execute(
            "INSERT INTO rule_log (run_id, parent, made, entry) VALUES (?, ?, ?, '{}')", (theirs, run_id, theirs)
        )
    assert store.successor(run_id) == theirs
    assert store_of(ADA).successor(run_id) is None
    assert store_of(ADA).newest(run_id) == run_id


def test_names_of_others_are_not_given_away(store_of: StoreOf, run_id: str) -> None:
    """Nobody learns from a number behind a name that somebody else has such a run."""
    own = store_of(BOB)
    mine = own.create(Plan(own.snapshots.save(TABLE.iloc[::-1]), "Loans", "out", "yes", ("income",)))
    assert own.get(mine).name == "Loans"


PEOPLE = [Person(name, name, Role.ANALYST, frozenset(teams)) for name, teams in (("a", "x"), ("b", "xy"), ("x", ""))]


@settings(max_examples=60)
@given(
    st.sampled_from(["a", "b", "x", ""]),
    st.lists(st.tuples(st.sampled_from(["person", "team"]), st.sampled_from(["a", "b", "x", "y"])), max_size=3),
)
def test_the_query_and_the_rule_agree(owner: str, shares: list[tuple[str, str]]) -> None:
    """Seen by SQL as by the words of the rule: one's own, shared by id, shared by team."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE runs (id, owner)")
    connection.execute("CREATE TABLE shares (run_id, kind, who)")
    connection.execute("INSERT INTO runs VALUES ('1', ?)", (owner,))
    connection.executemany("INSERT INTO shares VALUES ('1', ?, ?)", shares)
    run = Run("1", owner, "", "", "", "finished", "", 1.0, None, (), None, None, 0.0, None, None)
    for person in [*PEOPLE, ALONE]:
        query = f"SELECT 1 FROM runs WHERE {visibility.condition(person)}"
        found = connection.execute(query, visibility.values_of(person)).fetchone() is not None
        assert found == may_see(person, run, [Share(kind, who) for kind, who in shares])  # type: ignore[arg-type]
        by_hand = person is ALONE or owner == person.id or ("person", person.id) in shares
        assert found == (by_hand or any(("team", team) in shares for team in person.teams))


# -- limits ------------------------------------------------------------------------------------------------


def test_limits_are_sentences(store_of: StoreOf, plan: Plan, run_id: str) -> None:
    with pytest.raises(RunError, match="4 rows. On this server a table may have 3"):
        store_of(ADA, most_rows=3).snapshots.save(TABLE)
    own = store_of(ADA, most_megabytes=1)
    own.create(plan)
    (own.home.run_folder(run_id) / "large").write_bytes(bytes(1_000_001))
    for ask in (lambda: own.create(plan), lambda: own.snapshots.save(TABLE)):
        with pytest.raises(RunError, match="all of the 1 megabytes"):
            ask()
    store_of(BOB, most_megabytes=1).snapshots.save(TABLE)  # what Ada keeps is not Bob's


def test_the_line_is_fair_and_tells_the_place(store_of: StoreOf, store: RunStore, plan: Plan) -> None:
    ada, bob = store_of(ADA), store_of(BOB)
    of_ada = [ada.create(plan) for _ in range(3)]
    of_bob = bob.create(Plan(bob.snapshots.save(TABLE), "Loans", "out", "yes", ("income",)))
    assert store.line() == [of_ada[0], of_bob, *of_ada[1:]]
    assert (ada.place_in_line(of_ada[1]), bob.place_in_line(of_bob)) == (2, 1)
    begun = []
    while (next_one := store.next_in_line(most_of_one=1)) is not None:  # as many as may
        assert store.claim(next_one, slots=9, most_of_one=1)
        begun.append(next_one)
    assert begun == [of_ada[0], of_bob]
    assert not store.claim(of_ada[1], slots=9, most_of_one=1)
    assert store.claim(of_ada[1], slots=9)


def test_old_runs_go_and_their_owners_are_told(store_of: StoreOf, store: RunStore, home: Home, run_id: str) -> None:
    own = store_of(ADA)
    own.ask_to_cancel(run_id)
    fresh = own.create(store.get(run_id).plan, "fresh")
    own.ask_to_cancel(fresh)
    with store._database.writing() as connection:
        connection.execute("UPDATE runs SET ended = ended - ? WHERE id = ?", (31 * A_DAY, run_id))
    Runner(home, sharing=Sharing(keep_days=30)).sweep()
    assert [run.name for run in own.runs()] == ["fresh"]
    assert own.notices() == ["Your run “Loans” was deleted: this server keeps runs for 30 days."]
    assert store_of(BOB).notices() == []
    own.notices_read()
    assert own.notices() == []


# -- what an administrator does ----------------------------------------------------------------------------


def test_an_administrator_deletes_and_hands_over_and_does_not_read(store_of: StoreOf, run_id: str) -> None:
    store_of(ADA).ask_to_cancel(run_id)
    for ask in (PersonalStore.all_runs, PersonalStore.access_log):
        with pytest.raises(RunError, match="administrator"):
            ask(store_of(BOB))
    with pytest.raises(RunError, match="administrator"):
        store_of(BOB).delete_any(run_id)
    admin = store_of(ROOT)
    admin.hand_over(run_id, "bob")
    assert store_of(BOB).get(run_id).owner == "bob"
    assert store_of(ADA).runs() == []
    admin.delete_any(run_id)
    assert store_of(BOB).notices() == ["Your run “Loans” was deleted by an administrator, Root."]
    did = [(entry.person, entry.did) for entry in admin.access_log().entries()]
    expected = [
        ("ada", "uploaded"),
        ("ada", "trained"),
        ("ada", "cancelled"),
        ("root", "handed over"),
        ("root", "deleted"),
    ]
    assert did[::-1] == expected


# -- stores from before ------------------------------------------------------------------------------------


def test_runs_from_before_sign_in_are_nobodys_until_given(
    store_of: StoreOf, store: RunStore, home: Home, run_id: str
) -> None:
    """Version 1 named browser tabs as owners, in the list and in the folders of runs."""
    with store._database.writing() as connection:
        connection.execute("UPDATE runs SET owner = 'a tab'")
        connection.executescript("DROP TABLE shares; DROP TABLE uploads; DROP TABLE notices; PRAGMA user_version = 1;")
    again = RunStore(home)
    assert again.get(run_id).owner == ""
    people = [ADA, BOB, EVE, ROOT]
    assert [PersonalStore(again, person, OperatorSettings()).runs() for person in people] == [[]] * 4
    PersonalStore(again, ROOT, OperatorSettings()).hand_over(run_id, "ada")
    assert [run.id for run in PersonalStore(again, ADA, OperatorSettings()).runs()] == [run_id]


def test_a_lost_list_comes_back_with_owners_and_shares(store_of: StoreOf, home: Home, run_id: str) -> None:
    store_of(ADA).share(run_id, [Share("team", "risk"), Share("person", "eve")])
    home.database.unlink()
    again = RunStore(home)
    assert again.get(run_id).owner == "ada"
    assert set(again.shares(run_id)) == {Share("team", "risk"), Share("person", "eve")}
    text = home.record(run_id).read_text()
    home.record(run_id).write_text(
        text.replace('"version": 2', '"version": 1').replace('"owner": "ada"', '"owner": "tab"')
    )
    found = RunRecord.read(home.record(run_id))
    assert found is not None
    assert (found.run["owner"], found.shares) == ("", [])


def test_where_nobody_signs_in_everything_is_there(store_of: StoreOf, store: RunStore, plan: Plan, run_id: str) -> None:
    mine = store.create(plan, owner="")
    assert {run.id for run in store_of(ALONE).runs()} == {mine, run_id}
    assert not (store.home.root / "access").exists() or all(
        entry.person for entry in store_of(ROOT).access_log().entries()
    )


def test_no_two_roles_may_do_the_same() -> None:
    powers = {
        role: (person.sees_all, person.may_change, person.reads_all_reports, person.looks_after_server)
        for role in Role
        if (person := Person("one", "One", role))
    }
    assert all(powers[one] != powers[other] for one, other in product(Role, Role) if one is not other)
