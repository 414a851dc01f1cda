"""A comparison that is under way or done: where its files are, and who works on it."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rugboard.compare.report import Report
from rugboard.runs.jobs import BackgroundJob

CASE = "case-study"  # instead of the id of a run
OUT_OF_DATE = (
    "There is a comparison, but it was made by another version of the dashboard, or its file is damaged. Train once "
    "more to see it."
)


@dataclass(frozen=True)
class Job(BackgroundJob[Report]):
    """The comparison of one run, or that of the case study; `name` is the id of a run, or CASE."""

    STEM: ClassVar[str] = "comparison"
    WORKER: ClassVar[str] = "rugboard.compare.worker"
    TURN: ClassVar[str] = "compare.lock"

    @property
    def folder(self) -> Path:
        return self.home.root / CASE if self.name == CASE else self.home.run_folder(self.name)

    def new_report(self) -> Report:
        return Report()


@dataclass(frozen=True)
class ReadableJob(Job):
    """The models of a run that can be read whole; they take longer, and whoever wants them asks for them."""

    STEM: ClassVar[str] = "readable"
    WORKER: ClassVar[str] = "rugboard.compare.readable_worker"
