"""How often the rules of a model come back on samples of the training rows: what was found, and who works on it.

Kept in the folder of the run as stability-rug.json and stability-fair.json; every sample is written down at once, so
that one that was stopped goes on where it was.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

from rugboard.runs.home import Home
from rugboard.runs.jobs import BackgroundJob, JobReport

N_SAMPLES = 10
BETWEEN = "/"  # the run and the model, as the worker is told
VERSION = 1  # of the file; one of another version is not read


@dataclass(frozen=True)
class StabilityReport(JobReport):
    """What the samples so far say about the rules of one model, as trained."""

    n_back: tuple[int, ...] = ()  # in how many samples a rule came back, in the order of the rules of the model
    agreement: tuple[float, ...] = ()  # by sample: share of the training rows decided as the model decides them
    version: int = VERSION

    @classmethod
    def from_json(cls, text: str) -> Self:
        values = cls.values_in(text, VERSION)
        return cls(**values | {name: tuple(values[name]) for name in ("n_back", "agreement")})

    @property
    def cache_key(self) -> str:
        return json.dumps([self.n_back, self.n_samples])

    @property
    def n_samples(self) -> int:
        return len(self.agreement)

    @property
    def mean_agreement(self) -> float:
        return sum(self.agreement) / self.n_samples if self.agreement else float("nan")

    @property
    def n_usual(self) -> int:
        """How many rules came back in more than half of the samples."""
        return sum(2 * times > self.n_samples for times in self.n_back)

    @property
    def is_shaky(self) -> bool:
        """Whether fewer than half of the rules usually come back."""
        return 2 * self.n_usual < len(self.n_back)


@dataclass(frozen=True)
class StabilityJob(BackgroundJob[StabilityReport]):
    """The samples of one model of a run; `name` is the id of the run and the model."""

    STEM: ClassVar[str] = "stability"
    WORKER: ClassVar[str] = "rugboard.rules.stability_worker"
    TURN: ClassVar[str] = "stability.lock"

    @classmethod
    def of(cls, home: Home, run_id: str, model: str) -> Self:
        return cls(home, f"{run_id}{BETWEEN}{model}")

    @property
    def run_id(self) -> str:
        return self.name.partition(BETWEEN)[0]

    @property
    def model(self) -> str:
        return self.name.partition(BETWEEN)[2]

    @property
    def folder(self) -> Path:
        return self.home.run_folder(self.run_id)

    def file(self, ending: str) -> Path:
        return self.folder / f"{self.STEM}-{self.model}.{ending}"

    def new_report(self) -> StabilityReport:
        return StabilityReport()
