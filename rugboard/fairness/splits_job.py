"""How groups fare over many splits of the rows: what was found, and who works on it.

Kept in the folder of the run as fairness-splits.json; every split is written down at once, so that one that was stopped
goes on where it was.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from rugboard.runs.jobs import JobReport, RunJob

if TYPE_CHECKING:
    from rugcore.selection import FairnessOverSplits

N_SPLITS = 12
TEST_SIZE = 0.3
VERSION = 1  # of the file; one of another version is not read


@dataclass(frozen=True)
class SplitsReport(JobReport):
    """The splits so far, each as the engine tells it in plain values."""

    parts: tuple[dict[str, Any], ...] = ()
    version: int = VERSION

    @classmethod
    def from_json(cls, text: str) -> Self:
        values = cls.values_in(text, VERSION)
        report = cls(**values | {"parts": tuple(values["parts"])})
        report.found()  # damaged parts are noticed here
        return report

    @property
    def n_splits(self) -> int:
        return len(self.parts)

    @property
    def cache_key(self) -> str:
        return str(self.n_splits)

    def found(self) -> "FairnessOverSplits | None":
        """What the splits say together; None before the first."""
        from rugcore.selection import FairnessOverSplits

        parts = [FairnessOverSplits.from_dict(part) for part in self.parts]
        return FairnessOverSplits.joined(parts) if parts else None


@dataclass(frozen=True)
class SplitsJob(RunJob[SplitsReport]):
    """The splits of one run; `name` is its id."""

    STEM: ClassVar[str] = "fairness-splits"
    WORKER: ClassVar[str] = "rugboard.fairness.splits_worker"
    TURN: ClassVar[str] = "fairness-splits.lock"

    def new_report(self) -> SplitsReport:
        return SplitsReport()
