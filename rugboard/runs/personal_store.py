"""The runs of a home as one person may see and change them. Pages have no other way to the store.

Whatever is asked is asked for this person: what they may not see does not exist for them. Of a run that was shared they
read everything; only its owner changes it.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pandas as pd

from rugboard.people.person import Person
from rugboard.people.settings import OperatorSettings
from rugboard.runs.access_log import AccessLog
from rugboard.runs.errors import RunError
from rugboard.runs.home import Home
from rugboard.runs.plan import Plan
from rugboard.runs.records import ModelSummary, RoundRecord, Run, Share
from rugboard.runs.rule_log import LoggedChange
from rugboard.runs.snapshots import GONE
from rugboard.runs.store import EVERYBODY, RunStore

MEGABYTE = 1_000_000
ONLY_READS = "You can read what is shared with you, but change nothing: your role is that of an auditor."
NOT_YOURS = "This run is shared with you, so that you can read it. Only its owner can change it."
NOT_AN_ADMINISTRATOR = "Only an administrator of this server may do this."


class PersonalStore:
    """What one person may see and do."""

    def __init__(self, store: RunStore, person: Person, settings: OperatorSettings) -> None:
        self._store, self.person, self._settings = store, person, settings
        self._log = None if person.sees_all else AccessLog(store.home.root)

    @property
    def home(self) -> Home:
        """For the files of a run that was got from here before."""
        return self._store.home

    @property
    def snapshots(self) -> "PersonalSnapshots":
        return PersonalSnapshots(self, self._store, self._settings)

    def log(self, did: str, about: str = "", owner: str = "") -> None:
        """Write a line of the access log; where nobody signs in there is none."""
        if self._log is not None:
            self._log.write(self.person, did, about, owner)

    # -- to read -------------------------------------------------------------------------------------------

    def get(self, run_id: str) -> Run:
        return self._store.get(run_id, self.person)

    def runs(self, *, status: str | None = None) -> list[Run]:
        return self._store.runs(self.person, status=status)

    def rounds(self, run_id: str) -> list[RoundRecord]:
        return self._store.rounds(self.get(run_id).id)

    def summaries(self, run_id: str) -> dict[str, ModelSummary]:
        return self._store.summaries(self.get(run_id).id)

    def rule_log(self, run_id: str) -> list[LoggedChange]:
        return self._store.rule_log(self.get(run_id).id)

    def successor(self, run_id: str) -> str | None:
        return self._store.successor(self.get(run_id).id, self.person)

    def newest(self, run_id: str) -> str:
        return self._store.newest(self.get(run_id).id, self.person)

    def place_in_line(self, run_id: str) -> int:
        """How many runs, of whomever, begin before this one; 0 for the next."""
        line = self._store.line()
        return line.index(run_id) if run_id in line else 0

    def opened(self, run: Run) -> None:
        self.log("opened", _told(run), run.owner)

    def reported(self) -> list[Run]:
        """For auditors: all runs, also those that are not shared, to read their reports and nothing else."""
        return self._store.runs() if self.person.reads_all_reports else []

    def notices(self) -> list[str]:
        """What the server has to tell this person."""
        return self._store.notices(self.person.id)

    def notices_read(self) -> None:
        self._store.notices_read(self.person.id)

    # -- to change -----------------------------------------------------------------------------------------

    def may_change(self, run: Run) -> bool:
        is_theirs = self.person.sees_all or run.owner == self.person.id
        return is_theirs and self.person.may_change

    def refuse_to_readers(self) -> None:
        if not self.person.may_change:
            raise RunError(ONLY_READS)

    def refuse_unless_own(self, run_id: str) -> Run:
        """The run, if this person may change it."""
        run = self.get(run_id)
        self.refuse_to_readers()
        if not self.may_change(run):
            raise RunError(NOT_YOURS)
        return run

    def create(self, plan: Plan, name: str = "") -> str:
        """Put a run at the end of the queue and return its id."""
        self.refuse_to_readers()
        self.refuse_beyond_disk()
        if not self._store.knows_data(plan.snapshot, self.person):
            raise RunError(GONE)
        run_id = self._store.create(plan, name, self.person.id)
        self.log("trained", _told(self.get(run_id)), self.person.id)
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
    ) -> None:
        """See `RunStore.enter`; the new run belongs to this person, whosever run it was made from."""
        self.refuse_to_readers()
        self.refuse_beyond_disk()
        if plan.origin is not None:
            self.get(plan.origin.run)
        self._store.enter(run_id, plan, name, summaries, notes, change, seen, owner=self.person.id, person=self.person)
        self.log("kept", _told(self.get(run_id)), self.person.id)

    def rename(self, run_id: str, name: str) -> None:
        run = self.refuse_unless_own(run_id)
        self._store.rename(run_id, name)
        self.log("renamed", _told(run), run.owner)

    def ask_to_cancel(self, run_id: str) -> None:
        run = self.refuse_unless_own(run_id)
        self._store.ask_to_cancel(run_id)
        self.log("cancelled", _told(run), run.owner)

    def delete(self, run_id: str) -> None:
        run = self.refuse_unless_own(run_id)
        self._store.delete(run_id)
        self.log("deleted", _told(run), run.owner)

    def shares(self, run_id: str) -> list[Share]:
        return self._store.shares(self.get(run_id).id)

    def share(self, run_id: str, wanted: Sequence[Share]) -> None:
        """From now on with these, and with nobody else."""
        run = self.refuse_unless_own(run_id)
        self._store.share(run_id, wanted)
        names = ", ".join(f"{share.kind} {share.who}" for share in wanted) or "nobody"
        self.log("shared", f"{_told(run)} with {names}", run.owner)

    def refuse_beyond_disk(self) -> None:
        """Before anything is written that stays."""
        most = self._settings.most_megabytes
        if most and not self.person.sees_all and disk_use(self._store, self.person.id) >= most * MEGABYTE:
            raise RunError(
                f"Your runs and data take all of the {most:,} megabytes that you may use. Delete runs that you no "
                "longer need on the page Start, then try again."
            )

    # -- what an administrator does --------------------------------------------------------------------------

    def all_runs(self) -> list[Run]:
        """Names, owners and sizes; what is inside is not for administrators."""
        self._refuse_unless_administrator()
        return self._store.runs()

    def disk_use(self, person: str) -> int:
        self._refuse_unless_administrator()
        return disk_use(self._store, person)

    def delete_any(self, run_id: str) -> None:
        self._refuse_unless_administrator()
        run = self._store.get(run_id)
        self._store.delete(run_id)
        if run.owner != self.person.id:
            self._store.tell(run.owner, f"Your run “{run.name}” was deleted by an administrator, {self.person.name}.")
        self.log("deleted", _told(run), run.owner)

    def hand_over(self, run_id: str, owner: str) -> None:
        self._refuse_unless_administrator()
        run = self._store.get(run_id)
        self._store.hand_over(run_id, owner)
        self.log("handed over", f"{_told(run)} to {owner}", run.owner)

    def access_log(self) -> AccessLog:
        self._refuse_unless_administrator()
        return AccessLog(self.home.root)

    def _refuse_unless_administrator(self) -> None:
        if not self.person.looks_after_server:
            raise RunError(NOT_AN_ADMINISTRATOR)


class PersonalSnapshots:
    """The tables that a person loaded, or whose runs they may see; others are not there for them."""

    def __init__(self, own: PersonalStore, store: RunStore, settings: OperatorSettings) -> None:
        self._own, self._store, self._settings = own, store, settings

    @property
    def cache_key(self) -> str:
        return self._store.snapshots.cache_key

    def save(self, frame: pd.DataFrame, name: str = "") -> str:
        """Keep a table that this person brings."""
        self._own.refuse_to_readers()
        self._own.refuse_beyond_disk()
        most = self._settings.most_rows
        if most and len(frame) > most and not self._own.person.sees_all:
            raise RunError(f"This table has {len(frame):,} rows. On this server a table may have {most:,}; use fewer.")
        snapshot = self._store.snapshots.save(frame)
        self._store.note_upload(snapshot, self._own.person.id)
        self._own.log("uploaded", f"{name} ({len(frame)} rows)".strip())
        return snapshot

    def save_for_everybody(self, frame: pd.DataFrame) -> str:
        """A demo: whoever opens it finds the same table."""
        snapshot = self._store.snapshots.save(frame)
        self._store.note_upload(snapshot, EVERYBODY)
        return snapshot

    def load(self, snapshot: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
        return self._store.snapshots.load(self._known(snapshot), columns)

    def column_names(self, snapshot: str) -> list[str]:
        return self._store.snapshots.column_names(self._known(snapshot))

    def path(self, snapshot: str) -> Path:
        return self._store.snapshots.path(self._known(snapshot))

    def exists(self, snapshot: str) -> bool:
        return self._is_known(snapshot) and self._store.snapshots.exists(snapshot)

    def _is_known(self, snapshot: str) -> bool:
        person = self._own.person
        return person.sees_all or self._store.knows_data(snapshot, person)

    def _known(self, snapshot: str) -> str:
        if not self._is_known(snapshot):
            raise RunError(GONE)
        return snapshot


def disk_use(store: RunStore, person: str) -> int:
    """Bytes of the runs and tables of a person; a table that several use counts for each of them."""
    folders = [store.home.run_folder(run.id) for run in store.runs(owner=person)]
    tables = [store.snapshots.path(snapshot) for snapshot in store.data_of(person)]
    return sum(map(_size, [*tables, *(path for folder in folders for path in folder.rglob("*"))]))


def _size(path: Path) -> int:
    with suppress(OSError):  # gone meanwhile
        return path.stat().st_size
    return 0


def _told(run: Run) -> str:
    return f"run {run.id} {run.name}"
