"""A comparison that is under way or done: its files, its process, and whether that still lives.

In the folder of the run (of the case study: in one of its own):
comparison.json       what was found so far, written by the worker alone
comparison.lifeline   locked as long as the worker lives: see `rugboard.runs.locks`
comparison.process    which process that is
comparison.cancel     there if somebody asked the worker to stop
comparison.txt        what the worker said
"""

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Lock

from rugboard.compare.report import Report
from rugboard.places import PROJECT
from rugboard.runs import locks
from rugboard.runs.home import ONLY_THE_OWNER, VARIABLE, Home
from rugboard.runs.processes import Process, birth_of
from rugboard.runs.runner import THREAD_LIMITS

CASE = "case-study"  # instead of the id of a run
THREADS = 1  # trainings may run beside it, one a core

NOTHING_YET, RUNNING, STOPPING, FINISHED, CANCELLED, STOPPED, UNREADABLE = (
    "nothing yet", "running", "stopping", "finished", "cancelled", "stopped", "unreadable",
)  # fmt: skip
OUT_OF_DATE = (
    "There is a comparison, but it was made by another version of the dashboard, or its file is damaged. Train once "
    "more to see it."
)

_children: list[subprocess.Popen[bytes]] = []
_children_lock = Lock()


@dataclass(frozen=True)
class Progress:
    """How a comparison stands, and what it has found."""

    status: str
    report: Report | None

    @property
    def is_under_way(self) -> bool:
        return self.status in (RUNNING, STOPPING)


@dataclass(frozen=True)
class Job:
    """The comparison of one run, or that of the case study."""

    home: Home
    name: str  # the id of a run, or CASE

    @property
    def folder(self) -> Path:
        return self.home.root / CASE if self.name == CASE else self.home.run_folder(self.name)

    def file(self, ending: str) -> Path:
        return self.folder / f"comparison.{ending}"

    # -- what the page does --------------------------------------------------------------------------------

    def progress(self) -> Progress:
        is_alive = locks.is_held(self.file("lifeline"))  # first: what a worker had to say, it has said by then
        return Progress(self._status(is_alive, report := self.read()), report)

    def _status(self, is_alive: bool, report: Report | None) -> str:
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

    def read(self) -> Report | None:
        """What was found so far; a file that is damaged or of another version cannot be read, and is written anew."""
        try:
            return Report.from_json(self.file("json").read_text(encoding="utf-8"))
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None

    def start(self) -> bool:
        """Begin, or go on where the last worker stopped; False if one is at work."""
        self.folder.mkdir(mode=ONLY_THE_OWNER, parents=True, exist_ok=True)
        lifeline = locks.hold(self.file("lifeline"))
        if lifeline is None:
            return False
        try:
            self.file("cancel").unlink(missing_ok=True)
            before = self.read()
            self.write(Report() if before is None else replace(before, is_finished=False, error=""))
            self._start_worker(lifeline)
        finally:
            os.close(lifeline)  # from here on the worker alone holds it
        return True

    def cancel(self) -> None:
        """Stop at once; what is finished stays. Other packages cannot be asked in the middle of a training."""
        self.file("cancel").touch()
        if (worker := self._worker()) is not None:
            worker.send(signal.SIGTERM)

    def _worker(self) -> Process | None:
        try:
            return Process(**json.loads(self.file("process").read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def _start_worker(self, lifeline: int) -> None:
        environment = os.environ | dict.fromkeys(THREAD_LIMITS, str(THREADS)) | {VARIABLE: str(self.home.root)}
        with self.file("txt").open("ab") as log:
            child = subprocess.Popen(
                [sys.executable, "-m", "rugboard.compare.worker", self.name],
                cwd=PROJECT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=(lifeline,),
                start_new_session=True,
            )
        self._write("process", json.dumps(asdict(Process(child.pid, birth_of(child.pid) or ""))))
        with _children_lock:
            _children[:] = [other for other in _children if other.poll() is None] + [child]

    # -- what the worker does ------------------------------------------------------------------------------

    def write(self, report: Report) -> None:
        self._write("json", report.to_json())

    def _write(self, ending: str, text: str) -> None:
        """Whole or not at all: a page may read at any moment."""
        partial = self.file(f"{ending}.partial")
        partial.write_text(text, encoding="utf-8")
        partial.replace(self.file(ending))

    def is_to_stop(self) -> bool:
        return self.file("cancel").exists()
