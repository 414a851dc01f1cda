"""What the folder of a run says about the run itself, so that a lost list of runs can be made again.

runs/<id>/run.json has the line of the run in the store, its rounds, the summaries of its models and the log of its
rules, and whom it is shared with. It is written with every change of status, in the transaction that makes the change.
"""

import json
import logging
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rugboard.runs import files

VERSION = 2
WITHOUT_PEOPLE = 1  # the version that named browser tabs as owners, and shared everything
UNFINISHED = ("queued", "running")  # as the store writes it
TEXTS = ("id", "owner", "name", "snapshot", "plan", "status", "phase", "notes")
NUMBERS = ("progress", "created")
PERHAPS_NUMBERS = ("cancel_asked", "started", "ended")
COLUMNS = (*TEXTS, *NUMBERS, *PERHAPS_NUMBERS, "error")  # all but those that speak of a process
ROUND = {"model": str, "number": int, "objective": (int, float), "rules": int, "seconds": (int, float)}
RESULT = {"model": str, "summary": str}
LOGGED = {"parent": str, "made": str, "entry": str}
SHARE = {"kind": str, "who": str}
TABLES: dict[str, dict[str, Any]] = {"rounds": ROUND, "results": RESULT, "rule_log": LOGGED, "shares": SHARE}
LOST = (
    "The list of runs was lost while this run was waiting or training, and was made again from what the folders of the "
    "runs say. Train it again."
)
LOG = logging.getLogger(__name__)

Values = dict[str, Any]


@dataclass(frozen=True)
class RunRecord:
    """The lines of the store that are about one run."""

    run: Values
    rounds: list[Values]
    results: list[Values]
    rule_log: list[Values]
    shares: list[Values]

    @classmethod
    def of(cls, connection: sqlite3.Connection, run_id: str) -> "RunRecord | None":
        """What the store says; None if it does not know the run."""
        row = connection.execute(f"SELECT {', '.join(COLUMNS)} FROM runs WHERE id = ?", (run_id,)).fetchone()
        if row is None:
            return None
        lines = {table: _lines(connection, table, columns, run_id) for table, columns in TABLES.items()}
        return cls(dict(row), **lines)

    def enter(self, connection: sqlite3.Connection) -> None:
        """Into a store that does not know the run; what had not come to an end never will."""
        run = self.run
        if run["status"] in UNFINISHED:
            run = run | {"status": "failed", "error": LOST}
        _insert(connection, "runs", run)
        for table in TABLES:
            for line in getattr(self, table):
                _insert(connection, table, line | {"run_id": run["id"]})

    def write(self, path: Path) -> None:
        files.write_text(path, json.dumps({"version": VERSION} | vars(self), ensure_ascii=False))

    @classmethod
    def read(cls, path: Path) -> "RunRecord | None":
        """None where there is none; one that is damaged counts as none, and stays where it is."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["version"] == WITHOUT_PEOPLE:
                content |= {"version": VERSION, "shares": [], "run": content["run"] | {"owner": ""}}
            record = cls(content["run"], **{table: content[table] for table in TABLES})
            record._check(content["version"], path.parent.name)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            LOG.warning("The record of the run %s cannot be read (%s).", path.parent.name, error)
            return None
        return record

    def _check(self, version: object, run_id: str) -> None:
        kinds: Values = dict.fromkeys(TEXTS, str) | dict.fromkeys(NUMBERS, (int, float))
        kinds |= dict.fromkeys(PERHAPS_NUMBERS, (int, float, type(None))) | {"error": (str, type(None))}
        if version != VERSION or self.run.get("id") != run_id:
            raise ValueError("it is of another version or run")
        for line, expected in (
            (self.run, kinds),
            *((line, expected) for table, expected in TABLES.items() for line in getattr(self, table)),
        ):
            if set(line) != set(expected) or not all(isinstance(line[name], expected[name]) for name in expected):
                raise ValueError("its fields are not those of a run")


def _lines(connection: sqlite3.Connection, table: str, columns: Iterable[str], run_id: str) -> list[Values]:
    rows = connection.execute(f"SELECT {', '.join(columns)} FROM {table} WHERE run_id = ? ORDER BY rowid", (run_id,))
    return [dict(row) for row in rows]


def _insert(connection: sqlite3.Connection, table: str, values: Values) -> None:
    places = ", ".join("?" * len(values))
    connection.execute(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({places})", tuple(values.values()))
