"""The search for good settings of a draft: what was measured so far, and who works on it.

In a folder of its own, `searches/<id>` of the home; the id says what is learned from which rows, so that whoever asks
the same finds the answer. Every setting is written down as soon as it is measured.
"""

import shutil
import time
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from rugboard.runs import files
from rugboard.runs.home import ONLY_THE_OWNER, Home
from rugboard.runs.jobs import BackgroundJob, JobReport
from rugboard.runs.plan import Plan
from rugboard.runs.snapshots import A_DAY
from rugcore.selection import SettingsPoint

if TYPE_CHECKING:
    from rugcore.selection import SettingsCurve

DEPTHS = (1, 2, 3, 4, 5)
PRICES = (30.0, 10.0, 3.0, 1.0, 0.3)  # the dearest first: few rules, and quick
GRID = tuple(product(DEPTHS, PRICES))
N_FOLDS = 5
KEPT = 30 * A_DAY
VERSION = 1  # of the file; one of another version is not read


@dataclass(frozen=True)
class SearchReport(JobReport):
    """The settings that were measured so far."""

    points: tuple[SettingsPoint, ...] = ()
    n_trained: int = 0  # of the models that the next setting takes
    n_folds: int = N_FOLDS
    n_rows: int = 0
    most_common: str = ""  # the most common outcome, in words
    version: int = VERSION

    def begun(self) -> Self:
        return replace(super().begun(), n_trained=0)

    @classmethod
    def from_json(cls, text: str) -> Self:
        values = cls.values_in(text, VERSION)
        return cls(**values | {"points": tuple(_point(item) for item in values["points"])})

    @property
    def share(self) -> float:
        return (len(self.points) + self.n_trained / self.n_folds) / len(GRID)

    def is_measured(self, depth: int, price: float) -> bool:
        return any((point.depth, point.penalty) == (depth, price) for point in self.points)

    def curve(self, about_n_rules: float | None) -> "SettingsCurve":
        """All settings measured so far, of which there must be one, and which of them to take."""
        from rugcore import RUGClassifier
        from rugcore.selection import SettingsCurve

        in_order = tuple(sorted(self.points, key=lambda point: (point.depth, point.penalty)))
        return SettingsCurve(in_order, RUGClassifier, {}, len(GRID), self.n_folds, self.n_rows, about_n_rules)


def _point(values: dict[str, Any]) -> SettingsPoint:
    return SettingsPoint(**values | {name: tuple(values[name]) for name in ("fold_accuracy", "fold_baseline")})


@dataclass(frozen=True)
class SearchJob(BackgroundJob[SearchReport]):
    """The search for one draft; `name` is its id."""

    STEM: ClassVar[str] = "search"
    WORKER: ClassVar[str] = "rugboard.setup.search_worker"
    TURN: ClassVar[str] = "search.lock"

    @classmethod
    def of(cls, home: Home, plan: Plan) -> Self:
        """The same for all plans that differ only in what is searched for, or in what RUG does not ask."""
        return cls(home, sha256(_what_matters(plan).to_json().encode()).hexdigest())

    @property
    def folder(self) -> Path:
        return self.home.root / "searches" / self.name

    def new_report(self) -> SearchReport:
        return SearchReport()

    def begin(self, plan: Plan) -> bool:
        """Start, with the plan beside it for the worker."""
        _remove_old(self.folder.parent)
        self.folder.mkdir(mode=ONLY_THE_OWNER, parents=True, exist_ok=True)
        files.write_text(self.file("plan"), _what_matters(plan).to_json())
        return self.start()

    def plan(self) -> Plan:
        return Plan.from_json(self.file("plan").read_text(encoding="utf-8"))


def _what_matters(plan: Plan) -> Plan:
    """Depth and price are what is searched for."""
    return replace(for_rug_alone(plan), max_depth=Plan.max_depth, penalty=Plan.penalty)


def for_rug_alone(plan: Plan) -> Plan:
    """Names of tables and groups of people make no difference to RUG."""
    ignored = ("train_fair", "fairness", "epsilon", "guarantee", "positive_class")
    usual: dict[str, Any] = {item.name: item.default for item in fields(Plan) if item.name in ignored}
    return replace(plan, data_name="data", sensitive=(), bands={}, **usual)


def _remove_old(folder: Path) -> None:
    for path in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # somebody else was quicker
            if time.time() - path.stat().st_mtime > KEPT:
                shutil.rmtree(path, ignore_errors=True)
