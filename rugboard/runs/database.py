"""The SQLite file of a home: how it is made, opened and locked, and what is said when it cannot be used.

Every call opens a connection of its own, so that threads and processes never share one. The journal is a file that
stays: unlike with a write-ahead log, whoever only reads writes nothing, and can do so on a disk that is full or that
may not be written to.
"""

import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from rugboard.runs import locks
from rugboard.runs.errors import DISK_FULL, READ_ONLY, RunError, StorageError, as_storage_error, gone, is_full

SCHEMA_VERSION = 2
BUSY_SECONDS = 30.0  # how long a call waits for the writer before it
LARGEST_JOURNAL = 1 << 20  # bytes that are kept for the next writer
THIS_VERSION = f"PRAGMA user_version = {SCHEMA_VERSION};"
PRIMARY_CODE = 0xFF  # the part of an SQLite error code that tells the kind
WRITE_AHEAD = "wal"  # a journal mode
BESIDE = ("-journal", "-wal", "-shm")  # files that belong to the database, by their endings
LOG = logging.getLogger(__name__)

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
RULE_LOG = """
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
# Who else may see a run; who loaded which table; what the server has to tell somebody.
PEOPLE = """
CREATE TABLE IF NOT EXISTS shares (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('person', 'team')),
    who TEXT NOT NULL,
    PRIMARY KEY (run_id, kind, who)
);
CREATE TABLE IF NOT EXISTS uploads (
    snapshot TEXT NOT NULL,
    person TEXT NOT NULL,
    PRIMARY KEY (snapshot, person)
);
CREATE TABLE IF NOT EXISTS notices (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    person TEXT NOT NULL,
    text TEXT NOT NULL
);
"""
# Version 1 had no people: what it calls the owner is a browser tab. Such runs are nobody's until an administrator gives
# them to somebody; where nobody signs in, they are there as before.
FROM_VERSION_1 = "UPDATE runs SET owner = '';"
# Beside the schema too: what exact pricing has proved of a round. Most rounds have no such line.
BOUNDS = """
CREATE TABLE IF NOT EXISTS round_bounds (
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    model TEXT NOT NULL,
    number INTEGER NOT NULL,
    lower_bound REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS round_bounds_by_run ON round_bounds (run_id);
"""
MADE = "CREATE TABLE made (at REAL NOT NULL);"  # when: of data that is older, the list may never have heard


class Database:
    """The file, which is made if there is none; one that is damaged is set aside, and made again."""

    def __init__(self, path: Path, make_home: Callable[[], None]) -> None:
        self._path, self._make_home = path, make_home
        self._root = path.parent
        try:
            self.is_new = self._prepare()
        except (StorageError, OSError) as error:
            if not self._is_usable():  # on a disk that cannot be written to, one can still look
                raise as_storage_error(error, self._root) from error
            self.is_new = False

    def is_lost(self) -> bool:
        """Whether somebody took the file away, but not the home."""
        return self._root.is_dir() and not self._path.exists()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that is alone from its first line; an error undoes it."""
        with self.connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            with connection:
                yield connection

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        with self._named_errors(), self._opened("rw") as connection:
            yield connection

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._in_words(error) from error

    @contextmanager
    def _opened(self, mode: str) -> Iterator[sqlite3.Connection]:
        """With "rw" the file must be there: an empty one, made by a mere look, would pass for a list without runs."""
        address = f"file:{quote(str(self._path))}?mode={mode}"
        with closing(sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None)) as connection:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA foreign_keys = ON")
            if _journal_of(connection) != WRITE_AHEAD:
                connection.execute("PRAGMA journal_mode = PERSIST")
                connection.execute(f"PRAGMA journal_size_limit = {LARGEST_JOURNAL}")
            yield connection

    # -- making it -----------------------------------------------------------------------------------------

    def _prepare(self) -> bool:
        """Make what is missing; whether the file was made just now."""
        self._make_home()
        with locks.exclusive(self._root / "setup.lock"), self._named_errors():
            try:
                return self._set_up()
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._set_aside(error)
                return self._set_up()

    def _set_up(self) -> bool:
        with self._opened("rwc") as connection:
            self._path.chmod(0o600)  # whatever the folder allows: it is about people
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version > SCHEMA_VERSION:
                raise self._newer(version)
            if version == 0:
                made = f"{MADE} INSERT INTO made VALUES ({time.time()});"
                connection.executescript(f"BEGIN; {SCHEMA} {made} {RULE_LOG} {BOUNDS} {PEOPLE} {THIS_VERSION} COMMIT;")
                return True
            _refuse_damage(connection)
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'made'").fetchone():
                connection.executescript(f"BEGIN; {MADE} INSERT INTO made VALUES (0); COMMIT;")  # it knows all data
            connection.executescript(f"BEGIN; {RULE_LOG} {BOUNDS} COMMIT;")
            if version == 1:
                connection.executescript(f"BEGIN; {PEOPLE} {FROM_VERSION_1} {THIS_VERSION} COMMIT;")
            _leave_write_ahead_log(connection)
        return False

    def _is_usable(self) -> bool:
        try:
            with self._opened("ro") as connection:
                return 1 <= int(connection.execute("PRAGMA user_version").fetchone()[0]) <= SCHEMA_VERSION
        except sqlite3.Error:
            return False

    def _set_aside(self, error: sqlite3.Error) -> None:
        path = self._path
        aside = f"{path.name}.damaged-{datetime.now():%Y%m%d-%H%M%S-%f}"
        LOG.error("The list of runs is damaged (%s). It is kept as %s and made again from their folders.", error, aside)
        for ending in ("", *BESIDE):
            with suppress(FileNotFoundError):
                path.with_name(path.name + ending).rename(path.with_name(aside + ending))

    def _newer(self, version: int) -> RunError:
        return RunError(
            f"The store of runs {self._path} was written by a newer dashboard (version {version}, this one "
            f"reads {SCHEMA_VERSION}). Update the dashboard, or set RUG_HOME to another folder."
        )

    # -- what cannot be done -------------------------------------------------------------------------------

    def _in_words(self, error: sqlite3.Error) -> RunError:
        database, code = self._path, _code(error)
        if not self._root.is_dir():
            return StorageError(gone(self._root))
        if not database.exists():
            return StorageError(
                f"The list of runs {database} is gone. It is made again from the folders of the runs within a second; "
                "reload the page then."
            )
        if code == sqlite3.SQLITE_FULL or is_full(self._root):
            return StorageError(DISK_FULL)
        if code == sqlite3.SQLITE_READONLY:
            return StorageError(READ_ONLY.format(folder=self._root))
        if _is_damage(error):
            return StorageError(
                f"The list of runs {database} is damaged. Start the dashboard again: it sets the damaged file aside "
                "and makes the list again from the folders of the runs."
            )
        return StorageError(f"The store of runs {database} cannot be used ({error}).")


def _journal_of(connection: sqlite3.Connection) -> str:
    return str(connection.execute("PRAGMA journal_mode").fetchone()[0])


def _leave_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Stores of earlier versions have one; it stays while a server of such a version uses it."""
    if _journal_of(connection) == WRITE_AHEAD:
        connection.execute("PRAGMA busy_timeout = 1000")
        with suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = PERSIST")


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & PRIMARY_CODE


def _is_damage(error: sqlite3.Error) -> bool:
    lacks_a_table = "no such table" in str(error) or "no such column" in str(error)
    return _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or lacks_a_table


def _refuse_damage(connection: sqlite3.Connection) -> None:
    connection.execute("SELECT id, plan FROM runs LIMIT 1")
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        error = sqlite3.DatabaseError(found)
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error
