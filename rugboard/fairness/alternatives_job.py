"""Other ways to treat groups alike, by fairlearn, on the rows of a run: what was found, and who works on it.

Kept in the folder of the run as fair-alternatives.json; every model is written down at once. The models themselves are
not kept: one that was stopped begins again.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from rugboard.runs.jobs import JobReport, RunJob

VERSION = 1  # of the file; one of another version is not read
NUMBERS = ("epsilon", "training_gap", "test_gap", "n_rules")  # that may be unknown


@dataclass(frozen=True)
class AlternativesReport(JobReport):
    """The models so far, each as the engine's `FairAlternative` in plain values; an unknown number is None."""

    points: tuple[dict[str, Any], ...] = ()
    version: int = VERSION

    @classmethod
    def from_json(cls, text: str) -> Self:
        values = cls.values_in(text, VERSION)
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
class AlternativesJob(RunJob[AlternativesReport]):
    """The alternatives of one run; `name` is its id."""

    STEM: ClassVar[str] = "fair-alternatives"
    WORKER: ClassVar[str] = "rugboard.fairness.alternatives_worker"
    TURN: ClassVar[str] = "fair-alternatives.lock"

    def new_report(self) -> AlternativesReport:
        return AlternativesReport()
