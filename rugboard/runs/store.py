"""The runs and what is known of them, in one SQLite file that all servers and workers of a home share.

Every call opens a connection of its own, so that threads and processes never share one. A change of status is one
UPDATE that names the status it expects: of two that want the same, one finds nothing left to change.
"""

import json
import shutil
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import asdict
from itertools import count
from typing import Any
from uuid import uuid4

from rugboard.runs import locks
from rugboard.runs.errors import ChangedMeanwhileError, RunError
from rugboard.runs.home import Home
from rugboard.runs.plan import Plan
from rugboard.runs.processes import Process
from rugboard.runs.records import CANCELLED, ModelSummary, RoundRecord, Run
from rugboard.runs.rule_log import LoggedChange
from rugboard.runs.snapshots import Snapshots
from rugcore.generation import Round

SCHEMA_VERSION = 1
BUSY_SECONDS = 30.0  # how long a call waits for the writer before it
LONGEST_NAME = 200

SCHEMA = """
CREATE TABLE runs (
    position INTEGER PRIMARY KEY AUTOINCREMENT,  -- the order in which runs were asked for
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    snapshot TEXT NOT NULL,
    plan TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'finished', 'failed', 'cancelled')),
    phase TEXT NOT NULL DEFAULT '',
    progress REAL NOT NULL DEFAULT 0,
    error TEXT,
    notes TEXT NOT NULL DEFAULT '[]',
    pid INTEGER,
    birth TEXT,  -- of the process: a number alone may belong to another one by now
    cancel_asked REAL,
    created REAL NOT NULL,
    started REAL,
    ended REAL
);
CREATE INDEX runs_by_status ON runs (status);
CREATE INDEX runs_by_snapshot ON runs (snapshot);
CREATE TABLE rounds (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    number INTEGER NOT NULL,
    objective REAL NOT NULL,
    rules INTEGER NOT NULL,
    seconds REAL NOT NULL
);
CREATE INDEX rounds_by_run ON rounds (run_id);
CREATE TABLE results (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    summary TEXT NOT NULL,
    PRIMARY KEY (run_id, model)
);
"""

# Beside the schema, because a store of an earlier version takes it as it is. A run has the log of the run it comes from
# and its own line; `parent` is the run that a line's change was made to, `made` the run that came of it.
LOG = """
CREATE TABLE IF NOT EXISTS rule_log (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    parent TEXT NOT NULL,
    made TEXT NOT NULL,
    entry TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS rule_log_by_run ON rule_log (run_id);
CREATE INDEX IF NOT EXISTS rule_log_by_parent ON rule_log (parent);
"""

# Whoever has fewest runs at work comes first, then whoever asked first: one person's ten runs do not hold up another's.
NEXT_IN_LINE = """
SELECT id FROM runs AS waiting WHERE status = 'queued'
ORDER BY (SELECT count(*) FROM runs WHERE status = 'running' AND owner = waiting.owner), position LIMIT 1
"""


class RunStore:
    """All runs of a home."""

    def __init__(self, home: Home) -> None:
        home.make()
        self.home = home
        self.snapshots = Snapshots(home.snapshots)
        with locks.exclusive(home.root / "setup.lock"), self._connection() as connection:
            self._set_up(connection)

    # -- what a person does --------------------------------------------------------------------------------

    def create(self, plan: Plan, name: str = "", owner: str = "") -> str:
        """Put a run at the end of the queue and return its id."""
        run_id = str(uuid4())
        wanted = _checked_name(name or plan.data_name)
        with self._writing() as connection:
            self._refuse_without_data(plan)
            values = (run_id, owner, _free_name(connection, wanted), plan.snapshot, plan.to_json(), time.time())
            connection.execute(
                "INSERT INTO runs (id, owner, name, snapshot, plan, status, created) "
                "VALUES (?, ?, ?, ?, ?, 'queued', ?)",
                values,
            )
        return run_id

    def enter(
        self,
        run_id: str,
        plan: Plan,
        name: str,
        owner: str,
        summaries: Mapping[str, ModelSummary],
        notes: Iterable[str],
        change: LoggedChange | None = None,
        seen: str | None = None,
    ) -> None:
        """Enter a run whose files are written already, as finished; how its rules were found is told by its origin.

        With a `change`, its line of the log is written in the same transaction. `seen` is the last run made from the
        same one that the person knows of: if there is a newer one, nothing is entered.
        """
        now, wanted = time.time(), _checked_name(name)
        with self._writing() as connection:
            self._refuse_without_data(plan)
            if change is not None:
                _refuse_if_changed(connection, change.parent, seen)
            own = _free_name(connection, wanted)
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

    def rule_log(self, run_id: str) -> list[LoggedChange]:
        """What people changed about the rules on the way to this run, in order."""
        with self._connection() as connection:
            rows = connection.execute(
                "SELECT entry FROM rule_log WHERE run_id = ? ORDER BY position", (run_id,)
            ).fetchall()
        return [LoggedChange.from_json(row["entry"]) for row in rows]

    def successor(self, run_id: str) -> str | None:
        """The last run that was made from this one by changing its rules; None if there is none."""
        with self._connection() as connection:
            return _successor(connection, run_id)

    def newest(self, run_id: str) -> str:
        """The run at the end of the line of changes that begins with this one."""
        with self._connection() as connection:
            while (later := _successor(connection, run_id)) is not None:
                run_id = later
        return run_id

    def get(self, run_id: str) -> Run:
        with self._connection() as connection:
            row = connection.execute("SELECT * FROM runs WHERE id = ?", (run_id,)).fetchone()
        if row is None:
            raise RunError("There is no such run; perhaps it was deleted.")
        return _run(row)

    def runs(self, *, owner: str | None = None, status: str | None = None) -> list[Run]:
        """The runs, the newest first; of one owner or status if one is named."""
        with self._connection() as connection:
            rows = connection.execute(
                "SELECT * FROM runs WHERE owner = coalesce(?, owner) AND status = coalesce(?, status) "
                "ORDER BY position DESC",
                (owner, status),
            ).fetchall()
        return [_run(row) for row in rows]

    def rename(self, run_id: str, name: str) -> None:
        wanted = _checked_name(name)
        with self._writing() as connection:
            own = _free_name(connection, wanted, but_for=run_id)
            if not connection.execute("UPDATE runs SET name = ? WHERE id = ?", (own, run_id)).rowcount:
                raise RunError("There is no such run; perhaps it was deleted.")

    def ask_to_cancel(self, run_id: str) -> None:
        """A queued run is cancelled at once; a running one is asked to stop; one that is over stays as it is."""
        now = time.time()
        with self._writing() as connection:
            connection.execute(
                "UPDATE runs SET status = 'cancelled', ended = ? WHERE id = ? AND status = 'queued'", (now, run_id)
            )
            connection.execute(
                "UPDATE runs SET cancel_asked = coalesce(cancel_asked, ?) WHERE id = ? AND status = 'running'",
                (now, run_id),
            )

    def delete(self, run_id: str) -> None:
        """Remove a run with its files, and its data unless another run uses it."""
        run = self.get(run_id)
        with self._writing() as connection:
            deleted = connection.execute("DELETE FROM runs WHERE id = ? AND status <> 'running'", (run_id,))
            if not deleted.rowcount:
                raise RunError("This run is still training. Cancel it first, then delete it.")
            if run.snapshot not in _snapshots_in_use(connection):
                self.snapshots.remove(run.snapshot)
            shutil.rmtree(self.home.run_folder(run_id), ignore_errors=True)

    def remove_unused_data(self) -> None:
        """Drop the tables that were loaded but not trained on; a run cannot be created meanwhile."""
        with self._writing() as connection:
            self.snapshots.remove_unused(_snapshots_in_use(connection))

    def rounds(self, run_id: str) -> list[RoundRecord]:
        """What the models of a run did so far, in order."""
        with self._connection() as connection:
            rows = connection.execute(
                "SELECT model, number, objective, rules, seconds FROM rounds WHERE run_id = ? ORDER BY rowid",
                (run_id,),
            ).fetchall()
        return [RoundRecord(**dict(row)) for row in rows]

    def summaries(self, run_id: str) -> dict[str, ModelSummary]:
        """The models that are trained and kept, by name, in the order of their training."""
        with self._connection() as connection:
            rows = connection.execute(
                "SELECT model, summary FROM results WHERE run_id = ? ORDER BY rowid", (run_id,)
            ).fetchall()
        return {row["model"]: ModelSummary(**json.loads(row["summary"])) for row in rows}

    # -- what a runner does --------------------------------------------------------------------------------

    def next_in_line(self) -> str | None:
        with self._connection() as connection:
            row = connection.execute(NEXT_IN_LINE).fetchone()
        return None if row is None else str(row["id"])

    def claim(self, run_id: str, slots: int) -> bool:
        """Make a queued run a running one, unless somebody else did or `slots` are running already."""
        return self._changed(
            "UPDATE runs SET status = 'running', phase = 'Starting', started = ? WHERE id = ? AND status = 'queued' "
            "AND (SELECT count(*) FROM runs WHERE status = 'running') < ?",
            time.time(),
            run_id,
            slots,
        )

    def fail(self, run_id: str, sentence: str) -> str | None:
        """End a running run without success: as cancelled if that was asked for, else as failed, with the reason.

        Returns the new status, or None if the run was over already. Models that were trained before a failure stay;
        of a cancelled run nothing does.
        """
        with self._writing() as connection:
            row = connection.execute(
                "UPDATE runs SET ended = ?, status = iif(cancel_asked IS NULL, 'failed', 'cancelled'), "
                "error = iif(cancel_asked IS NULL, ?, NULL) WHERE id = ? AND status = 'running' RETURNING status",
                (time.time(), sentence, run_id),
            ).fetchone()
            if row is None:
                return None
            if row["status"] == CANCELLED:
                connection.execute("DELETE FROM rounds WHERE run_id = ?", (run_id,))
                connection.execute("DELETE FROM results WHERE run_id = ?", (run_id,))
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
        with self._writing() as connection:
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
        )

    def finish(self, run_id: str) -> bool:
        """End a run with success; False if it was cancelled before this."""
        return self._changed(
            "UPDATE runs SET status = 'finished', phase = '', progress = 1, ended = ? "
            "WHERE id = ? AND status = 'running' AND cancel_asked IS NULL",
            time.time(),
            run_id,
        )

    # -- the file ------------------------------------------------------------------------------------------

    def _refuse_without_data(self, plan: Plan) -> None:
        """To be asked while nobody else can write: no deletion can come between."""
        if not self.snapshots.exists(plan.snapshot):
            raise RunError("The data of this run is gone. Load the data again and train again.")

    def _changed(self, statement: str, *values: Any) -> bool:
        with self._writing() as connection:
            return connection.execute(statement, values).rowcount > 0

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that is alone from its first line; an error undoes it."""
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                yield connection

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(sqlite3.connect(self.home.database, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
                connection.row_factory = sqlite3.Row
                connection.execute("PRAGMA foreign_keys = ON")
                yield connection
        except sqlite3.Error as error:
            raise RunError(f"The store of runs {self.home.database} cannot be used ({error}).") from error

    def _set_up(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise RunError(
                f"The store of runs {self.home.database} was written by a newer dashboard (version {version}, this one "
                f"reads {SCHEMA_VERSION}). Update the dashboard, or set RUG_HOME to another folder."
            )
        if version == 0:
            connection.execute("PRAGMA journal_mode = WAL")  # readers and the writer do not wait for each other
            connection.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
        connection.executescript(f"BEGIN; {LOG} COMMIT;")


def _run(row: sqlite3.Row) -> Run:
    values = dict(row)
    pid, birth = values.pop("pid"), values.pop("birth")
    del values["position"]
    return Run(
        plan_text=values.pop("plan"),
        notes=tuple(json.loads(values.pop("notes"))),
        process=None if pid is None else Process(pid, birth),
        **values,
    )


def _successor(connection: sqlite3.Connection, run_id: str) -> str | None:
    """A run's own line, not the copies that later runs have of it."""
    row = connection.execute(
        "SELECT made FROM rule_log WHERE parent = ? AND made = run_id ORDER BY position DESC LIMIT 1", (run_id,)
    ).fetchone()
    return None if row is None else str(row["made"])


def _refuse_if_changed(connection: sqlite3.Connection, parent: str, seen: str | None) -> None:
    """To be asked while nobody else can write."""
    if connection.execute("SELECT 1 FROM runs WHERE id = ?", (parent,)).fetchone() is None:
        raise RunError("The run that you changed was deleted meanwhile. Nothing was kept.")
    if _successor(connection, parent) != seen:
        raise ChangedMeanwhileError(
            "Somebody else changed the rules of this run meanwhile. Nothing was kept: look at the newest version first."
        )


def _snapshots_in_use(connection: sqlite3.Connection) -> set[str]:
    return {row["snapshot"] for row in connection.execute("SELECT DISTINCT snapshot FROM runs")}


def _free_name(connection: sqlite3.Connection, wanted: str, but_for: str = "") -> str:
    """The name, or with a number behind it if another run is called so: two in a list could not be told apart."""
    lines = connection.execute("SELECT name FROM runs WHERE id != ?", (but_for,))
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
