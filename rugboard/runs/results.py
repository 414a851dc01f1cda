"""What a run leaves behind in its folder; `rugboard.runs.opening` opens a past run again.

`rugboard.runs.keeping` writes the same for models that were re-weighted.

rug.json, fair.json   the models, written as soon as each is trained
rug.pool, fair.pool   their rules with the linear program, for a new solve under another lambda or epsilon
test_rows.npy         which rows of the data were held out
all-rows.json         of a table that stays where it lies: see `rugboard.runs.all_rows`
comparison.*, stability-*   see `rugboard.compare.job` and `rugboard.rules.stability_job`
imitation.*, monitoring-*   see `rugboard.compare.imitation_job` and `rugboard.new_cases.monitoring_file`
fairness-splits.*, fair-alternatives.*   see `rugboard.fairness.splits_job` and `alternatives_job`
wording.json, marks.json   what visitors set on the page Applicants: see `rugboard.applicants.saved`
statements.json, report-*, model-report-*   what people say about a model, and its report: see `rugboard.report`
run.json              what the store says of the run: see `rugboard.runs.run_record`
log.txt               what the worker said
lifeline              see `rugboard.runs.locks`
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np
import pandas as pd

from rugboard.runs.all_rows import AllRows
from rugboard.runs.errors import RunError
from rugboard.runs.plan import FAIR, RUG, Plan
from rugboard.runs.prepare import Prepared
from rugboard.runs.records import ModelSummary, Run
from rugcore.atomic import whole_file
from rugcore.persistence import save_pool

if TYPE_CHECKING:
    from rugcore.estimators import FairRUGClassifier, RUGClassifier, RuleClassifier

TEST_ROWS = "test_rows.npy"
Model = TypeVar("Model", bound="RuleClassifier")


@dataclass(frozen=True, eq=False)
class Results:
    """A past run, opened: its data as the engine saw it, and the models that were trained."""

    run: Run
    plan: Plan  # in the words of its dictionary, as the data is; `run.plan` has those of the file
    summaries: dict[str, ModelSummary]
    data: Prepared
    is_test: np.ndarray  # of each row of `data`
    folder: Path

    @property
    def cache_key(self) -> str:
        """What is worked out from a run holds for the run, however often it is opened and whatever is trained since."""
        return str(self.folder)

    @property
    def is_sampled(self) -> bool:
        """Whether `data` is no more than a sample of the rows that were trained on."""
        return self.plan.large is not None and self.plan.large.is_sampled

    @cached_property
    def all_rows(self) -> AllRows | None:
        """What the models decide about all rows of a table that is not here; None if that is not known."""
        return AllRows.read(self.folder) if self.is_sampled else None

    @property
    def outcomes(self) -> tuple[Any, ...]:
        """The classes; a rare one need not be in a sample."""
        elsewhere = () if self.all_rows is None else self.all_rows.labels.classes
        return tuple(dict.fromkeys((*self.data.y.unique().tolist(), *elsewhere)))

    @cached_property
    def rug(self) -> "RUGClassifier":
        return self._read(model_class(RUG), RUG)

    @cached_property
    def fair(self) -> "FairRUGClassifier":
        return self._read(model_class(FAIR), FAIR)

    def model(self, name: str) -> "RuleClassifier":
        """A trained model by its name, read once and ready for `refit`; nobody may change it."""
        return self.fair if name == FAIR else self.rug

    def _read(self, kind: type[Model], name: str) -> Model:
        from rugcore import load_pool

        if name not in self.summaries:
            raise RunError(f"This run has no trained model {name!r}.")
        model = kind.load(self.folder / model_file(name))
        load_pool(model, self.folder / pool_file(name))
        return model

    @property
    def X_train(self) -> pd.DataFrame:  # noqa: N802 - as everybody calls it
        return self.data.X[~self.is_test]

    @property
    def X_test(self) -> pd.DataFrame:  # noqa: N802
        return self.data.X[self.is_test]

    @property
    def y_train(self) -> pd.Series:
        return self.data.y[~self.is_test]

    @property
    def y_test(self) -> pd.Series:
        return self.data.y[self.is_test]


def model_file(name: str) -> str:
    return f"{name}.json"


def pool_file(name: str) -> str:
    return f"{name}.pool"


@overload
def model_class(name: Literal["rug"]) -> "type[RUGClassifier]": ...
@overload
def model_class(name: Literal["fair"]) -> "type[FairRUGClassifier]": ...
@overload
def model_class(name: str) -> "type[RUGClassifier] | type[FairRUGClassifier]": ...
def model_class(name: str) -> "type[RUGClassifier] | type[FairRUGClassifier]":
    """Looked up when it is needed: the engine takes a second to import."""
    from rugcore import FairRUGClassifier, RUGClassifier

    return FairRUGClassifier if name == FAIR else RUGClassifier


def keep_model(folder: Path, name: str, model: "RuleClassifier") -> None:
    """First the pool: where there is a model, there is its pool."""
    save_pool(model, folder / pool_file(name))
    model.save(folder / model_file(name))


def save_test_rows(folder: Path, rows: np.ndarray) -> None:
    """Write which rows were held out; a crash half-way leaves no file that looks whole."""
    with whole_file(folder / TEST_ROWS) as file:
        np.save(file, rows, allow_pickle=False)


def read_test_rows(folder: Path) -> np.ndarray:
    """Which rows of the data were held out."""
    try:
        rows: np.ndarray = np.load(folder / TEST_ROWS, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise RunError("The files of this run are gone or damaged. Train it again.") from error
    return rows
