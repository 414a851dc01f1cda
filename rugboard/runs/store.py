"""The runs and what is known of them, in one SQLite file that all servers and workers of a home share.

A change of status is one UPDATE that names the status it expects: of two that want the same, one finds nothing left to
change. What the store says of a run stands in the folder of the run as well: see `rugboard.runs.run_record`.
"""

import json
import logging
import shutil
import sqlite3
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

from rugboard.people.person import ALONE, Person
from rugboard.runs.database import Database
from rugboard.runs.errors import ChangedMeanwhileError, RunError, StorageError, as_storage_error, is_full
from rugboard.runs.home import Home, is_run_id
from rugboard.runs.plan import Plan
from rugboard.runs.processes import Process
from rugboard.runs.records import CANCELLED, RUNNING, ModelSummary, RoundRecord, Run, Share, run_of
from rugboard.runs.rule_log import LoggedChange
from rugboard.runs.run_record import RunRecord
from rugboard.runs.snapshots import Snapshots
from rugboard.runs.visibility import NO_SUCH_RUN, condition, values_of
from rugcore.generation import Round

LONGEST_NAME = 200
EVERYBODY = "*"  # whose data the demos are; no sign-in gives this id
LOG = logging.getLogger(__name__)

# Whoever has fewest runs at work comes first, then whoever asked first: one person's ten runs do not hold up another's.
# `turn` is how many runs their owner will have at work, this one included.
LINE = """
SELECT id, turn FROM (
    SELECT id, position, row_number() OVER (PARTITION BY owner ORDER BY position)
        + (SELECT count(*) FROM runs WHERE status = 'running' AND owner = waiting.owner) AS turn
    FROM runs AS waiting WHERE status = 'queued'
) ORDER BY turn, position
"""
NO_LIMIT = 1 << 40  # more than anybody has


class RunStore:
    """All runs of a home."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.snapshots = Snapshots(home.snapshots)
        self._database = Database(home.database, home.make)
        if self._database.is_new:
            self.recover()

    # -- what a person does --------------------------------------------------------------------------------

    def create(self, plan: Plan, name: str = "", owner: str = "") -> str:
        """Put a run at the end of the queue and return its id."""
        run_id = str(uuid4())
        wanted = _checked_name(name or plan.data_name[:LONGEST_NAME])  # a file may have any name
        with self._database.writing() as connection:
            self._refuse_without_data(plan)
            values = (run_id, owner, _free_name(connection, wanted, owner), plan.snapshot, plan.to_json(), time.time())
            connection.execute(
                "INSERT INTO runs (id, owner, name, snapshot, plan, status, created) "
                "VALUES (?, ?, ?, ?, ?, 'queued', ?)",
                values,
            )
            self._record(connection, run_id)
        return run_id

    def enter(
        self,
        run_id: str,
        plan: Plan,
        name: str,
        summaries: Mapping[str, ModelSummary],
        notes: Iterable[str],
        change: LoggedChange | None = None,
        seen: str | None = None,
        *,
        owner: str = "",
        person: Person = ALONE,
    ) -> None:
        """Enter a run whose files are written already, as finished; how its rules were found is told by its origin.

        With a `change`, its line of the log is written in the same transaction. `seen` is the last run made from the
        same one that the person knows of: if there is a newer one that they may see, nothing is entered.
        """
        now, wanted = time.time(), _checked_name(name)
        with self._database.writing() as connection:
            self._refuse_without_data(plan)
            if change is not None:
                _refuse_if_changed(connection, change.parent, seen, person)
            own = _free_name(connection, wanted, owner)
            values = (run_id, owner, own, plan.snapshot, plan.to_json(), json.dumps(list(notes)), now, now)
            connection.execute(
                "INSERT INTO runs (id, owner, name, snapshot, plan, notes, status, progress, created, ended) "
                "VALUES (?, ?, ?, ?, ?, ?, 'finished', 1, ?, ?)",
                values,
            )
            connection.executemany(
                "INSERT INTO results (run_id, model, summary) VALUES (?, ?, ?)",
                [(run_id, model, json.dumps(asdict(summary))) for model, summary in summaries.items()],
            )
            if plan.origin is not None:
                connection.execute(
                    "INSERT INTO rounds (run_id, model, number, objective, rules, seconds) "
                    "SELECT ?, model, number, objective, rules, seconds FROM rounds WHERE run_id = ? ORDER BY rowid",
                    (run_id, plan.origin.run),
                )
                connection.execute(
                    "INSERT INTO rule_log (run_id, parent, made, entry) "
                    "SELECT ?, parent, made, entry FROM rule_log WHERE run_id = ? ORDER BY position",
                    (run_id, plan.origin.run),
                )
            if change is not None:
                connection.execute(
                    "INSERT INTO rule_log (run_id, parent, made, entry) VALUES (?, ?, ?, ?)",
                    (run_id, change.parent, run_id, change.to_json()),
                )
            self._record(connection, run_id)

    def rule_log(self, run_id: str) -> list[LoggedChange]:
        """What people changed about the rules on the way to this run, in order."""
        with self._database.connection() as connection:
            rows = connection.execute(
                "SELECT entry FROM rule_log WHERE run_id = ? ORDER BY position", (run_id,)
            ).fetchall()
        return [LoggedChange.from_json(row["entry"]) for row in rows]

    def successor(self, run_id: str, person: Person = ALONE) -> str | None:
        """The last run that was made from this one by changing its rules, of those that a person may see."""
        with self._database.connection() as connection:
            return _successor(connection, run_id, person)

    def newest(self, run_id: str, person: Person = ALONE) -> str:
        """The run at the end of the line of changes that begins with this one, as far as a person may see it."""
        with self._database.connection() as connection:
            while (later := _successor(connection, run_id, person)) is not None:
                run_id = later
        return run_id

    def get(self, run_id: str, person: Person = ALONE) -> Run:
        """A run that a person may see; of all others it is said that there are none."""
        with self._database.connection() as connection:
            row = connection.execute(
                f"SELECT * FROM runs WHERE id = :id AND {condition(person)}", values_of(person) | {"id": run_id}
            ).fetchone()
        if row is None:
            raise RunError(NO_SUCH_RUN)
        return run_of(row)

    def runs(self, person: Person = ALONE, *, owner: str | None = None, status: str | None = None) -> list[Run]:
        """The runs that a person may see, the newest first; of one owner or status if one is named."""
        with self._database.connection() as connection:
            rows = connection.execute(
                "SELECT * FROM runs WHERE owner = coalesce(:owner, owner) AND status = coalesce(:status, status) "
                f"AND {condition(person)} ORDER BY position DESC",
                values_of(person) | {"owner": owner, "status": status},
            ).fetchall()
        return [run_of(row) for row in rows]

    def rename(self, run_id: str, name: str) -> None:
        wanted = _checked_name(name)
        with self._database.writing() as connection:
            own = _free_name(connection, wanted, _owner(connection, run_id), but_for=run_id)
            connection.execute("UPDATE runs SET name = ? WHERE id = ?", (own, run_id))
            self._record(connection, run_id)

    def ask_to_cancel(self, run_id: str) -> None:
        """A queued run is cancelled at once; a running one is asked to stop; one that is over stays as it is."""
        now = time.time()
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE runs SET status = 'cancelled', ended = ? WHERE id = ? AND status = 'queued'", (now, run_id)
            )
            connection.execute(
                "UPDATE runs SET cancel_asked = coalesce(cancel_asked, ?) WHERE id = ? AND status = 'running'",
                (now, run_id),
            )
            self._record_if_possible(connection, run_id)

    def delete(self, run_id: str) -> None:
        """Remove a run with its files, and its data unless another run uses it.

        Its folder is renamed before the list changes and removed afterwards; `recover` goes on with either half.
        """
        run = self.get(run_id)
        if run.status == RUNNING:
            raise RunError("This run is still training. Cancel it first, then delete it.")
        with suppress(FileNotFoundError):
            self._moved(self.home.run_folder(run_id), self.home.deleted_folder(run_id))
        try:
            self._strike_out(run_id)
        except StorageError:
            if not is_full(self.home.root):
                self._moved(self.home.deleted_folder(run_id), self.home.run_folder(run_id))
                raise
            self._remove_deleted(run_id)  # which makes the room that the list needs to say so
            self._strike_out(run_id)
        self._remove_deleted(run_id)
        self._remove_if_unused(run.snapshot)

    def _moved(self, folder: Path, place: Path) -> None:
        try:
            folder.rename(place)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise as_storage_error(error, self.home.root) from error

    def _strike_out(self, run_id: str) -> None:
        if not self._changed("DELETE FROM runs WHERE id = ? AND status <> 'running'", run_id):
            with suppress(FileNotFoundError):
                self._moved(self.home.deleted_folder(run_id), self.home.run_folder(run_id))
            raise RunError("This run is still training, or is deleted already. Reload the page.")

    def _remove_deleted(self, run_id: str) -> None:
        shutil.rmtree(self.home.deleted_folder(run_id), ignore_errors=True)

    def _remove_if_unused(self, snapshot: str) -> None:
        """In a transaction: no run with this data can be created meanwhile."""
        with self._database.writing() as connection:
            if snapshot not in _snapshots_in_use(connection):
                self.snapshots.remove(snapshot)
                connection.execute("DELETE FROM uploads WHERE snapshot = ?", (snapshot,))

    def remove_unused_data(self) -> None:
        """Drop the tables that were loaded but not trained on; a run cannot be created meanwhile."""
        with self._database.writing() as connection:
            made = float(connection.execute("SELECT max(at) FROM made").fetchone()[0])
            self.snapshots.remove_unused(_snapshots_in_use(connection), since=made)
            known = {str(row["snapshot"]) for row in connection.execute("SELECT DISTINCT snapshot FROM uploads")}
            gone = [(snapshot,) for snapshot in known if not self.snapshots.exists(snapshot)]
            connection.executemany("DELETE FROM uploads WHERE snapshot = ?", gone)

    def recover(self) -> None:
        """Enter the runs that have a folder and are not in the list, end deletions that began, note what is not noted.

        A list may have been lost, damaged, or taken from a backup.
        """
        with self._database.writing() as connection:
            known = {str(row["id"]) for row in connection.execute("SELECT id FROM runs")}
            self._end_deletions(known)
            self._enter_unknown(connection, known)
            over = "SELECT id FROM runs WHERE status IN ('finished', 'failed', 'cancelled')"
            for row in connection.execute(over).fetchall():
                if is_run_id(row["id"]) and not self.home.record(row["id"]).exists():
                    self._record_if_possible(connection, row["id"])

    def _end_deletions(self, known: set[str]) -> None:
        for run_id in self.home.deleted_runs():
            if run_id in known:
                with suppress(FileNotFoundError):  # another server was quicker
                    self._moved(self.home.deleted_folder(run_id), self.home.run_folder(run_id))
            else:
                self._remove_deleted(run_id)

    def _enter_unknown(self, connection: sqlite3.Connection, known: set[str]) -> None:
        unknown = [path.name for path in self.home.runs.iterdir() if is_run_id(path.name) and path.name not in known]
        found = [record for run_id in unknown if (record := RunRecord.read(self.home.record(run_id))) is not None]
        for record in sorted(found, key=lambda record: float(record.run["created"])):
            record.enter(connection)
            self._record_if_possible(connection, record.run["id"])
        if found:
            LOG.warning("The list of runs did not know %d of them; it has learned them from their folders.", len(found))

    def recover_if_lost(self) -> None:
        """Make the list again if somebody took its file away."""
        if self.home.runs.is_dir() and self._database.is_lost():
            self._database = Database(self.home.database, self.home.make)
            self.recover()

    def rounds(self, run_id: str) -> list[RoundRecord]:
        """What the models of a run did so far, in order."""
        with self._database.connection() as connection:
            rows = connection.execute(
                "SELECT model, number, objective, rules, seconds FROM rounds WHERE run_id = ? ORDER BY rowid",
                (run_id,),
            ).fetchall()
            bounds = _bounds(connection, run_id)
        return [RoundRecord(**dict(row), lower_bound=bounds.get((row["model"], row["number"]))) for row in rows]

    def summaries(self, run_id: str) -> dict[str, ModelSummary]:
        """The models that are trained and kept, by name, in the order of their training."""
        with self._database.connection() as connection:
            rows = connection.execute(
                "SELECT model, summary FROM results WHERE run_id = ? ORDER BY rowid", (run_id,)
            ).fetchall()
        found = {row["model"]: _summary(row["summary"], run_id) for row in rows}
        return {model: summary for model, summary in found.items() if summary is not None}

    # -- who may see it ------------------------------------------------------------------------------------

    def shares(self, run_id: str) -> list[Share]:
        """Whom a run is shared with."""
        with self._database.connection() as connection:
            rows = connection.execute("SELECT kind, who FROM shares WHERE run_id = ? ORDER BY kind, who", (run_id,))
            return [Share(row["kind"], row["who"]) for row in rows.fetchall()]

    def share(self, run_id: str, wanted: Iterable[Share]) -> None:
        """From now on with these, and with nobody else."""
        with self._database.writing() as connection:
            _owner(connection, run_id)  # there must be one
            connection.execute("DELETE FROM shares WHERE run_id = ?", (run_id,))
            connection.executemany(
                "INSERT INTO shares (run_id, kind, who) VALUES (?, ?, ?)",
                [(run_id, share.kind, share.who) for share in dict.fromkeys(wanted)],
            )
            self._record(connection, run_id)

    def hand_over(self, run_id: str, owner: str) -> None:
        """Give a run to somebody else."""
        with self._database.writing() as connection:
            before = connection.execute("SELECT name FROM runs WHERE id = ?", (run_id,)).fetchone()
            if before is None:
                raise RunError(NO_SUCH_RUN)
            name = _free_name(connection, before["name"], owner, but_for=run_id)
            connection.execute("UPDATE runs SET owner = ?, name = ? WHERE id = ?", (owner, name, run_id))
            self._record(connection, run_id)

    def note_upload(self, snapshot: str, person: str) -> None:
        """Who loaded a table may use it, also before there is a run."""
        self._changed("INSERT OR IGNORE INTO uploads (snapshot, person) VALUES (?, ?)", snapshot, person)

    def knows_data(self, snapshot: str, person: Person) -> bool:
        """Whether a person loaded this table, or may see a run on it; demos are everybody's."""
        with self._database.connection() as connection:
            found = connection.execute(
                "SELECT 1 FROM uploads WHERE snapshot = :snapshot AND person IN (:person, :everybody) UNION ALL "
                f"SELECT 1 FROM runs WHERE snapshot = :snapshot AND {condition(person)} LIMIT 1",
                values_of(person) | {"snapshot": snapshot, "everybody": EVERYBODY},
            ).fetchone()
        return found is not None

    def data_of(self, person: str) -> set[str]:
        """The tables that a person loaded or trained on."""
        with self._database.connection() as connection:
            rows = connection.execute(
                "SELECT snapshot FROM uploads WHERE person = ? UNION SELECT snapshot FROM runs WHERE owner = ?",
                (person, person),
            ).fetchall()
        return {str(row["snapshot"]) for row in rows}

    def tell(self, person: str, text: str) -> None:
        """Leave a word for somebody, until they have read it."""
        self._changed("INSERT INTO notices (person, text) VALUES (?, ?)", person, text)

    def notices(self, person: str) -> list[str]:
        with self._database.connection() as connection:
            rows = connection.execute("SELECT text FROM notices WHERE person = ? ORDER BY position", (person,))
            return [str(row["text"]) for row in rows.fetchall()]

    def notices_read(self, person: str) -> None:
        self._changed("DELETE FROM notices WHERE person = ?", person)

    # -- what a runner does --------------------------------------------------------------------------------

    def line(self) -> list[str]:
        """The runs that wait, in the order in which they will begin if nothing else comes."""
        with self._database.connection() as connection:
            return [str(row["id"]) for row in connection.execute(LINE).fetchall()]

    def next_in_line(self, most_of_one: int = NO_LIMIT) -> str | None:
        """The next run to begin; none of whoever has `most_of_one` at work."""
        with self._database.connection() as connection:
            row = connection.execute(f"SELECT id FROM ({LINE}) WHERE turn <= ?", (most_of_one,)).fetchone()
        return None if row is None else str(row["id"])

    def claim(self, run_id: str, slots: int, most_of_one: int = NO_LIMIT) -> bool:
        """Make a queued run a running one, unless somebody else did or as many are running as may."""
        return self._changed(
            "UPDATE runs SET status = 'running', phase = 'Starting', started = ? WHERE id = ? AND status = 'queued' "
            "AND (SELECT count(*) FROM runs WHERE status = 'running') < ? AND (SELECT count(*) FROM runs AS other "
            "WHERE other.status = 'running' AND other.owner = runs.owner) < ?",
            time.time(),
            run_id,
            slots,
            most_of_one,
        )

    def fail(self, run_id: str, sentence: str) -> str | None:
        """End a running run without success: as cancelled if that was asked for, else as failed, with the reason.

        Returns the new status, or None if the run was over already. Models that were trained before a failure stay;
        of a cancelled run nothing does.
        """
        with self._database.writing() as connection:
            row = connection.execute(
                "UPDATE runs SET ended = ?, status = iif(cancel_asked IS NULL, 'failed', 'cancelled'), "
                "error = iif(cancel_asked IS NULL, ?, NULL) WHERE id = ? AND status = 'running' RETURNING status",
                (time.time(), sentence, run_id),
            ).fetchone()
            if row is None:
                return None
            if row["status"] == CANCELLED:
                connection.execute("DELETE FROM rounds WHERE run_id = ?", (run_id,))
                connection.execute("DELETE FROM round_bounds WHERE run_id = ?", (run_id,))
                connection.execute("DELETE FROM results WHERE run_id = ?", (run_id,))
            self._record_if_possible(connection, run_id)
        return str(row["status"])

    # -- what a worker does --------------------------------------------------------------------------------

    def register(self, run_id: str, process: Process) -> bool:
        """Enter the process that works on a claimed run; False if there is one already, or nothing to work on."""
        return self._changed(
            "UPDATE runs SET pid = ?, birth = ? WHERE id = ? AND status = 'running' AND pid IS NULL",
            process.pid,
            process.birth,
            run_id,
        )

    def report(self, run_id: str, phase: str, progress: float, model: str = "", rounds: Iterable[Round] = ()) -> bool:
        """Note how far the run is; False if it is to stop, because it was cancelled or is no longer there."""
        with self._database.writing() as connection:
            row = connection.execute(
                "UPDATE runs SET phase = ?, progress = ? WHERE id = ? AND status = 'running' RETURNING cancel_asked",
                (phase, progress, run_id),
            ).fetchone()
            if row is None:
                return False
            connection.executemany(
                "INSERT INTO rounds (run_id, model, number, objective, rules, seconds) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (run_id, model, done.number, done.objective, done.n_rules_with_weight, done.seconds)
                    for done in rounds
                ],
            )
            connection.executemany(
                "INSERT INTO round_bounds (run_id, model, number, lower_bound) VALUES (?, ?, ?, ?)",
                [
                    (run_id, model, done.number, done.lower_bound)
                    for done in rounds
                    if done.lower_bound is not None and done.error is None
                ],
            )
        return row["cancel_asked"] is None

    def note(self, run_id: str, notes: Iterable[str]) -> None:
        """What a person should know about how the run was done."""
        self._changed("UPDATE runs SET notes = ? WHERE id = ?", json.dumps(list(notes)), run_id)

    def keep_summary(self, run_id: str, model: str, summary: ModelSummary) -> bool:
        """Enter a trained model whose file is written; False if the run is not running any more."""
        return self._changed(
            "INSERT INTO results (run_id, model, summary) "
            "SELECT id, ?, ? FROM runs WHERE id = ? AND status = 'running'",
            model,
            json.dumps(asdict(summary)),
            run_id,
            record=run_id,
        )

    def finish(self, run_id: str) -> bool:
        """End a run with success; False if it was cancelled before this."""
        return self._changed(
            "UPDATE runs SET status = 'finished', phase = '', progress = 1, ended = ? "
            "WHERE id = ? AND status = 'running' AND cancel_asked IS NULL",
            time.time(),
            run_id,
            record=run_id,
        )

    # -- the file ------------------------------------------------------------------------------------------

    def _refuse_without_data(self, plan: Plan) -> None:
        """To be asked while nobody else can write: no deletion can come between."""
        if not self.snapshots.exists(plan.snapshot):
            raise RunError("The data of this run is gone. Load the data again and train again.")

    def _changed(self, statement: str, *values: Any, record: str | None = None) -> bool:
        """Whether anything was; the run `record` then notes in its folder what the store says of it."""
        with self._database.writing() as connection:
            has_changed = connection.execute(statement, values).rowcount > 0
            if has_changed and record is not None:
                self._record(connection, record)
        return has_changed

    def _record(self, connection: sqlite3.Connection, run_id: str) -> None:
        record = RunRecord.of(connection, run_id)
        if record is None:
            return
        try:
            self.home.make_run_folder(run_id)
            record.write(self.home.record(run_id))
        except OSError as error:
            raise as_storage_error(error, self.home.root) from error

    def _record_if_possible(self, connection: sqlite3.Connection, run_id: str) -> None:
        """Where the change itself matters more, as that of a run which failed because the disk is full."""
        try:
            self._record(connection, run_id)
        except (OSError, StorageError) as error:
            LOG.warning("What became of the run %s could not be noted in its folder: %s", run_id, error)


def _bounds(connection: sqlite3.Connection, run_id: str) -> dict[tuple[str, int], float]:
    """By model and round; a store of an earlier version that may not be written to has none."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'round_bounds'").fetchone():
        return {}
    rows = connection.execute("SELECT model, number, lower_bound FROM round_bounds WHERE run_id = ?", (run_id,))
    return {(row["model"], row["number"]): row["lower_bound"] for row in rows}


def _summary(text: str, run_id: str) -> ModelSummary | None:
    """None if it is damaged: the other runs are shown all the same."""
    try:
        return ModelSummary(**json.loads(text))
    except (ValueError, TypeError) as error:
        LOG.warning("The summary of a model of the run %s is damaged (%s).", run_id, error)
        return None


def _successor(connection: sqlite3.Connection, run_id: str, person: Person) -> str | None:
    """A run's own line, not the copies that later runs have of it."""
    row = connection.execute(
        "SELECT made FROM rule_log JOIN runs ON runs.id = made WHERE parent = :id AND made = run_id "
        f"AND {condition(person)} ORDER BY rule_log.position DESC LIMIT 1",
        values_of(person) | {"id": run_id},
    ).fetchone()
    return None if row is None else str(row["made"])


def _owner(connection: sqlite3.Connection, run_id: str) -> str:
    row = connection.execute("SELECT owner FROM runs WHERE id = ?", (run_id,)).fetchone()
    if row is None:
        raise RunError(NO_SUCH_RUN)
    return str(row["owner"])


def _refuse_if_changed(connection: sqlite3.Connection, parent: str, seen: str | None, person: Person) -> None:
    """To be asked while nobody else can write."""
    if connection.execute("SELECT 1 FROM runs WHERE id = ?", (parent,)).fetchone() is None:
        raise RunError("The run that you changed was deleted meanwhile. Nothing was kept.")
    if _successor(connection, parent, person) != seen:
        raise ChangedMeanwhileError(
            "Somebody else changed the rules of this run meanwhile. Nothing was kept: look at the newest version first."
        )


def _snapshots_in_use(connection: sqlite3.Connection) -> set[str]:
    return {row["snapshot"] for row in connection.execute("SELECT DISTINCT snapshot FROM runs")}


def _free_name(connection: sqlite3.Connection, wanted: str, owner: str, but_for: str = "") -> str:
    """The name, or with a number behind it if another run of the same person is called so.

    Two in a list could not be told apart; what others call theirs is not for them to know.
    """
    lines = connection.execute("SELECT name FROM runs WHERE owner = ? AND id != ?", (owner, but_for))
    taken = {str(line[0]) for line in lines}
    if wanted not in taken:
        return wanted
    numbered = (f"{wanted[: LONGEST_NAME - 8]} ({number})" for number in count(2))
    return next(name for name in numbered if name not in taken)


def _checked_name(name: str) -> str:
    """One line that fits into a list."""
    name = " ".join(name.split())
    if not name or len(name) > LONGEST_NAME:
        raise RunError(f"Give the run a name of 1 to {LONGEST_NAME} letters.")
    return name
