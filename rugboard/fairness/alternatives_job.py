"""Other ways to treat groups alike, by fairlearn, on the rows of a run: what was found, and who works on it.

Kept in the folder of the run as fair-alternatives.json; every model is written down at once. The models themselves are
not kept: one that was stopped begins again.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from rugboard.runs.jobs import BackgroundJob, JobReport

VERSION = 1  # of the file; one of another version is not read
NUMBERS = ("epsilon", "training_gap", "test_gap", "n_rules")  # that may be unknown


@dataclass(frozen=True)
class AlternativesReport(JobReport):
    """The models so far, each as the engine's `FairAlternative` in plain values; an unknown number is None."""

    points: tuple[dict[str, Any], ...] = ()
    version: int = VERSION

    @classmethod
    def from_json(cls, text: str) -> Self:
        values: dict[str, Any] = json.loads(text)
        if values.get("version") != VERSION:
            raise ValueError(f"Expected version {VERSION}, but got {values.get('version')}.")
        report = cls(**values | {"points": tuple(values["points"])})
        report.found()  # damaged ones are noticed here
        return report

    def found(self) -> tuple[Any, ...]:
        """The models as the engine tells them."""
        from rugcore import FairAlternative

        unknown = float("nan")
        return tuple(
            FairAlternative(**point | {name: unknown for name in NUMBERS if point[name] is None})
            for point in self.points
        )


@dataclass(frozen=True)
class AlternativesJob(BackgroundJob[AlternativesReport]):
    """The alternatives of one run; `name` is its id."""

    STEM: ClassVar[str] = "fair-alternatives"
    WORKER: ClassVar[str] = "rugboard.fairness.alternatives_worker"
    TURN: ClassVar[str] = "fair-alternatives.lock"

    @property
    def folder(self) -> Path:
        return self.home.run_folder(self.name)

    def new_report(self) -> AlternativesReport:
        return AlternativesReport()
