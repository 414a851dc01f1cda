"""The report of one model of a run: how far it is, where its files are, and who works on it.

In the folder of the run, for the model "fair":
report-fair.json         how far the work is
model-report-fair.json   the report itself; .pdf, .html and .docx are made from it
"""

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Self

from rugboard.report.statements_file import FILE as STATEMENTS
from rugboard.runs.home import Home
from rugboard.runs.jobs import BackgroundJob, JobReport

BETWEEN = "/"  # the run, the model and what else is wanted, as the worker is told
WITH_FRONTIER = "frontier"
FORMS = ("pdf", "html", "docx", "json")
VERSION = 1  # of the file; one of another version is not read


@dataclass(frozen=True)
class ReportProgress(JobReport):
    """How far the work is, and what the report was made from."""

    step: str = ""
    share: float = 0.0
    made_from: str = ""  # a digest of what may change after the training
    version: int = VERSION

    @classmethod
    def from_json(cls, text: str) -> Self:
        values: dict[str, Any] = json.loads(text)
        if values.get("version") != VERSION:
            raise ValueError(f"Expected version {VERSION}, but got {values.get('version')}.")
        return cls(**values)


@dataclass(frozen=True)
class ReportJob(BackgroundJob[ReportProgress]):
    """The report of one model of a run."""

    STEM: ClassVar[str] = "report"
    WORKER: ClassVar[str] = "rugboard.report_worker"
    TURN: ClassVar[str] = "report.lock"

    @classmethod
    def of(cls, home: Home, run_id: str, model: str, *, with_frontier: bool = False) -> Self:
        return cls(home, BETWEEN.join((run_id, model, WITH_FRONTIER if with_frontier else "")))

    @property
    def run_id(self) -> str:
        return self.name.split(BETWEEN)[0]

    @property
    def model(self) -> str:
        return self.name.split(BETWEEN)[1]

    @property
    def with_frontier(self) -> bool:
        return self.name.split(BETWEEN)[2] == WITH_FRONTIER

    @property
    def folder(self) -> Path:
        return self.home.run_folder(self.run_id)

    def file(self, ending: str) -> Path:
        return self.folder / f"{self.STEM}-{self.model}.{ending}"

    def product(self, form: str) -> Path:
        """The report in one of its forms."""
        return self.folder / f"model-report-{self.model}.{form}"

    @property
    def is_made(self) -> bool:
        return all(self.product(form).is_file() for form in FORMS)

    def new_report(self) -> ReportProgress:
        return ReportProgress()

    def sources(self) -> str:
        """A digest of what may change after the training: if it differs from that of a report, there is news."""
        own = (f"stability-{self.model}.json", f"monitoring-{self.model}.json")
        names = (STATEMENTS, "comparison.json", "fairness-splits.json", "imitation.json", *own)
        digest = sha256()
        for name in names:
            path = self.folder / name
            digest.update(path.read_bytes() if path.is_file() else b"")
            digest.update(b"\0")
        return digest.hexdigest()
