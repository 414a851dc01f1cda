"""Work that a page starts beside the training and comes back to: its files, its process, and whether that still lives.

Of a job with the stem "comparison", in its folder:
comparison.json       what was found so far, written by the worker alone
comparison.lifeline   locked as long as the worker lives: see `rugboard.runs.locks`
comparison.process    which process that is
comparison.cancel     there if somebody asked the worker to stop
comparison.txt        what the worker said

The worker itself is in `rugboard.runs.job_worker`.
"""

import json
import signal
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar, Generic, Self, TypeVar

from rugboard.runs import files, worker_process
from rugboard.runs.home import ONLY_THE_OWNER, Home
from rugboard.runs.processes import Process, birth_of
from rugboard.runs.worker_process import Child

THREADS = 1  # trainings may run beside it, one a core

NOTHING_YET, RUNNING, STOPPING, FINISHED, CANCELLED, STOPPED, UNREADABLE = (
    "nothing yet", "running", "stopping", "finished", "cancelled", "stopped", "unreadable",
)  # fmt: skip

_children: list[Child] = []
_children_lock = Lock()


@dataclass(frozen=True, kw_only=True)
class JobReport(ABC):
    """What a job has found so far; written by its worker, read by everybody. Kinds of job add what they find."""

    is_waiting: bool = False
    is_finished: bool = False
    error: str = ""  # a sentence: why the worker stopped

    def begun(self) -> Self:
        """As it stands when a worker takes it up, perhaps after another one that was stopped."""
        return replace(self, is_waiting=True, is_finished=False, error="")

    def ended_by(self, sentence: str) -> Self:
        """As it stands when its worker could not go on."""
        return replace(self, error=sentence)

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    @abstractmethod
    def from_json(cls, text: str) -> Self:
        """The inverse of `to_json`; an error if the text is damaged or of another version."""

    @classmethod
    def values_in(cls, text: str, version: int) -> dict[str, Any]:
        """What `to_json` wrote, if it is of this version."""
        values: dict[str, Any] = json.loads(text)
        if values.get("version") != version:
            raise ValueError(f"Expected version {version}, but got {values.get('version')}.")
        return values


R = TypeVar("R", bound=JobReport)


@dataclass(frozen=True)
class JobProgress(Generic[R]):
    """How a job stands, and what it has found."""

    status: str
    report: R | None

    @property
    def is_under_way(self) -> bool:
        return self.status in (RUNNING, STOPPING)


@dataclass(frozen=True)
class BackgroundJob(ABC, Generic[R]):
    """One job; a kind of job says where its files are, which module works, and what it finds."""

    home: Home
    name: str  # what the worker is told

    STEM: ClassVar[str]
    WORKER: ClassVar[str]  # the module to run
    TURN: ClassVar[str]  # a lock in the home: one job of a kind at a time, or large tables would fill the memory

    @property
    @abstractmethod
    def folder(self) -> Path: ...

    @abstractmethod
    def new_report(self) -> R: ...

    def file(self, ending: str) -> Path:
        return self.folder / f"{self.STEM}.{ending}"

    # -- what the page does --------------------------------------------------------------------------------

    def progress(self) -> JobProgress[R]:
        # Whether it lives comes first: what a worker had to say, it has said by then.
        is_alive = worker_process.is_alive(self.file("lifeline"))
        return JobProgress(self._status(is_alive, report := self.read()), report)

    def _status(self, is_alive: bool, report: R | None) -> str:
        was_asked_to_stop = self.file("cancel").exists()
        if is_alive:
            return STOPPING if was_asked_to_stop else RUNNING
        if report is not None and report.is_finished:
            return FINISHED
        if was_asked_to_stop:
            return CANCELLED
        if report is not None:
            return STOPPED
        return UNREADABLE if self.file("json").exists() else NOTHING_YET

    def read(self) -> R | None:
        """What was found so far; a file that is damaged or of another version cannot be read, and is written again."""
        try:
            return type(self.new_report()).from_json(self.file("json").read_text(encoding="utf-8"))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None

    def start(self) -> bool:
        """Begin, or go on where the last worker stopped; False if one is at work."""
        self.folder.mkdir(mode=ONLY_THE_OWNER, parents=True, exist_ok=True)
        with worker_process.lifeline(self.file("lifeline")) as lifeline:
            if lifeline is None:
                return False
            self.file("cancel").unlink(missing_ok=True)
            self.write(replace(self.read() or self.new_report(), is_finished=False, error=""))
            self._start_worker(lifeline)
        return True

    def cancel(self) -> None:
        """Stop at once; what is finished stays. Nobody can be asked in the middle of a training."""
        self.file("cancel").touch()
        if (worker := self._worker()) is not None:
            worker.send(signal.SIGTERM)

    def _worker(self) -> Process | None:
        try:
            return Process(**json.loads(self.file("process").read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def _start_worker(self, lifeline: int) -> None:
        with self.file("txt").open("ab") as log:
            child = worker_process.start(self.WORKER, self.name, self.home, threads=THREADS, inherits=lifeline, log=log)
        files.write_text(self.file("process"), json.dumps(asdict(Process(child.pid, birth_of(child.pid) or ""))))
        with _children_lock:
            _children[:] = [other for other in _children if other.poll() is None] + [child]

    # -- what the worker does ------------------------------------------------------------------------------

    def write(self, report: R) -> None:
        """Whole or not at all: a page may read at any moment."""
        files.write_text(self.file("json"), report.to_json())

    def is_to_stop(self) -> bool:
        return self.file("cancel").exists()


@dataclass(frozen=True)
class RunJob(BackgroundJob[R]):
    """A job about one run, whose id is its name; its files are kept with the run."""

    @property
    def folder(self) -> Path:
        return self.home.run_folder(self.name)
