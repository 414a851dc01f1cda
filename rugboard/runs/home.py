"""Where runs live: one folder with the store, the data snapshots and a folder per run.

RUG_HOME/
  runs.sqlite        the store
  snapshots/         the data, one Parquet file per content
  dictionaries/      what columns mean: see `rugboard.runs.dictionaries`
  drafts/            what was chosen and not trained yet: see `rugboard.setup.draft_in_address`
  searches/          which settings are worth their rules: see `rugboard.setup.search_job`
  runs/<id>/         what one run wrote: see `rugboard.runs.results`, and log.txt
"""

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from rugboard.places import IS_CHECKOUT, PROJECT
from rugboard.runs.errors import RunError, StorageError
from rugcore.atomic import PARTIAL

VARIABLE = "RUG_HOME"
DELETED = ".deleted"
AN_HOUR = 3600.0
ONLY_THE_OWNER = 0o700  # the data is about people


@dataclass(frozen=True)
class Home:
    """The folder of all runs; several servers on one machine may share it."""

    root: Path

    @classmethod
    def current(cls) -> "Home":
        """What the environment says, or `.rug` in a checkout, or a folder of the user if installed."""
        return cls(Path(os.environ.get(VARIABLE) or _usual_root()).expanduser().resolve())

    @property
    def database(self) -> Path:
        return self.root / "runs.sqlite"

    @property
    def snapshots(self) -> Path:
        return self.root / "snapshots"

    @property
    def runs(self) -> Path:
        return self.root / "runs"

    def run_folder(self, run_id: str) -> Path:
        """The folder of a run; an id may come from a web address, so that it must not become a path of its own."""
        if not is_run_id(run_id):
            raise RunError("There is no such run. Choose one from the list of runs.")
        return self.runs / run_id

    def make_run_folder(self, run_id: str) -> None:
        self.run_folder(run_id).mkdir(mode=ONLY_THE_OWNER, parents=True, exist_ok=True)

    def deleted_folder(self, run_id: str) -> Path:
        """What the folder of a run is called from the first line of its deletion to the last."""
        return self.runs / f"{run_id}{DELETED}"

    def deleted_runs(self) -> list[str]:
        """Those whose deletion began."""
        return [path.name.removesuffix(DELETED) for path in self.runs.glob(f"*{DELETED}")]

    def record(self, run_id: str) -> Path:
        """What the run says about itself: see `rugboard.runs.run_record`."""
        return self.run_folder(run_id) / "run.json"

    def log(self, run_id: str) -> Path:
        return self.run_folder(run_id) / "log.txt"

    def lifeline(self, run_id: str) -> Path:
        """Locked as long as the worker of the run lives."""
        return self.run_folder(run_id) / "lifeline"

    def discard(self, run_id: str) -> None:
        """Remove what a cancelled run had written."""
        folder = self.run_folder(run_id)
        for path in folder.iterdir() if folder.is_dir() else ():
            if path not in (self.log(run_id), self.lifeline(run_id), self.record(run_id)):
                path.unlink(missing_ok=True)

    def remove_leftovers(self) -> None:
        """What a crash left half-written, and folders with nothing in them; whoever has begun has an hour to go on."""
        for path in self.root.rglob(f"*{PARTIAL}"):
            with suppress(OSError):  # whoever wrote it was quicker, or it is not ours to remove
                if _is_old(path):
                    path.unlink()
        for folder in self.runs.iterdir():
            with suppress(OSError):  # there is something in it
                if _is_old(folder):
                    folder.rmdir()

    def make(self) -> None:
        """Create the folders, or say which one cannot be created."""
        for folder in (self.root, self.snapshots, self.runs):
            try:
                folder.mkdir(mode=ONLY_THE_OWNER, parents=True, exist_ok=True)
            except OSError as error:
                raise StorageError(
                    f"Runs cannot be kept in {folder} ({error.strerror}). Set {VARIABLE} to a folder that is writable."
                ) from error


def _is_old(path: Path) -> bool:
    return time.time() - path.stat().st_mtime > AN_HOUR


def _usual_root() -> Path:
    if IS_CHECKOUT:
        return PROJECT / ".rug"
    return Path(os.environ.get("XDG_DATA_HOME") or "~/.local/share") / "rug"


def is_run_id(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
