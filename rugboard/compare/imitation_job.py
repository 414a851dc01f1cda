"""Rules that imitate the other model of a run: what was found, and who works on it. Kept as imitation.json."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

from rugboard.runs.jobs import JobReport, RunJob
from rugcore.outside_models import Fidelity
from rugcore.rules import RuleSet

VERSION = 1  # of the file; one of another version is not read


@dataclass(frozen=True)
class ImitationReport(JobReport):
    """Rules, and how often they decide as the other model does."""

    n_done: int = 0  # trainings
    n_all: int = 0
    rules: str = ""  # as JSON
    fidelity: str = ""  # as JSON
    version: int = VERSION

    @classmethod
    def from_json(cls, text: str) -> Self:
        return cls(**cls.values_in(text, VERSION))

    @property
    def is_found(self) -> bool:
        return bool(self.rules)

    @cached_property
    def rule_set(self) -> RuleSet:
        return RuleSet.from_json(self.rules)

    @cached_property
    def measured(self) -> Fidelity:
        return Fidelity.from_json(self.fidelity)

    @property
    def share(self) -> float:
        return self.n_done / self.n_all if self.n_all else 0.0


@dataclass(frozen=True)
class ImitationJob(RunJob[ImitationReport]):
    """The imitation of one run's other model; `name` is the id of the run."""

    STEM: ClassVar[str] = "imitation"
    WORKER: ClassVar[str] = "rugboard.compare.imitation_worker"
    TURN: ClassVar[str] = "imitation.lock"

    def new_report(self) -> ImitationReport:
        return ImitationReport()
