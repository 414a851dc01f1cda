"""What directions cost in accuracy: RUG trained with and without them, judged on rows that it was not trained on.

In a folder of its own, `searches/<id>` of the home, as the search for good settings is; the id says what is learned
from which rows with which settings, so that whoever asks the same finds the answer.
"""

from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from rugboard.runs import files
from rugboard.runs.home import ONLY_THE_OWNER, Home
from rugboard.runs.jobs import BackgroundJob, JobReport
from rugboard.runs.plan import Plan
from rugboard.setup.search_job import N_FOLDS, for_rug_alone

VERSION = 1  # of the file; one of another version is not read


@dataclass(frozen=True)
class DirectionsReport(JobReport):
    """Share of right decisions on each fold, trained on the others: with directions, and without."""

    with_them: tuple[float, ...] = ()
    without: tuple[float, ...] = ()
    n_trained: int = 0
    n_folds: int = N_FOLDS
    n_rows: int = 0
    version: int = VERSION

    def begun(self) -> Self:
        return replace(super().begun(), n_trained=0, with_them=(), without=())

    @classmethod
    def from_json(cls, text: str) -> Self:
        values = cls.values_in(text, VERSION)
        return cls(**values | {name: tuple(values[name]) for name in ("with_them", "without")})

    @property
    def share(self) -> float:
        return self.n_trained / (2 * self.n_folds)

    @property
    def cost(self) -> float:
        """How many fewer are decided rightly with directions; below 0 if more are."""
        return float(np.mean(self.without) - np.mean(self.with_them))

    @property
    def standard_error(self) -> float:
        """Of the cost, over the folds: each was judged both ways."""
        difference = np.subtract(self.without, self.with_them)
        return float(difference.std(ddof=1) / np.sqrt(len(difference)))


@dataclass(frozen=True)
class DirectionsJob(BackgroundJob[DirectionsReport]):
    """The question for one draft; `name` is its id."""

    STEM: ClassVar[str] = "directions"
    WORKER: ClassVar[str] = "rugboard.setup.directions_worker"
    TURN: ClassVar[str] = "search.lock"

    @classmethod
    def of(cls, home: Home, plan: Plan) -> Self:
        """The same for all plans that differ only in what RUG does not ask."""
        return cls(home, sha256(_what_is_asked(plan).to_json().encode()).hexdigest())

    @property
    def folder(self) -> Path:
        return self.home.root / "searches" / self.name

    def new_report(self) -> DirectionsReport:
        return DirectionsReport()

    def begin(self, plan: Plan) -> bool:
        """Start, with the plan beside it for the worker."""
        self.folder.mkdir(mode=ONLY_THE_OWNER, parents=True, exist_ok=True)
        files.write_text(self.file("plan"), _what_is_asked(plan).to_json())
        return self.start()

    def plan(self) -> Plan:
        return Plan.from_json(self.file("plan").read_text(encoding="utf-8"))


def _what_is_asked(plan: Plan) -> Plan:
    return replace(for_rug_alone(plan), keep_directions=True)
