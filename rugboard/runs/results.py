"""What a run leaves behind in its folder, and how a past run is opened again.

rug.json, fair.json   the models, written as soon as each is trained
rug.pool, fair.pool   their rules with the linear program, for a new solve under another lambda or epsilon
test_rows.npy         which rows of the data were held out
wording.json, marks.json   what visitors set on the page Applicants: see `rugboard.applicants.saved`
log.txt               what the worker said
lifeline              see `rugboard.runs.locks`
"""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rugboard.runs.errors import RunError
from rugboard.runs.home import Home
from rugboard.runs.plan import FAIR, RUG, Plan
from rugboard.runs.prepare import Prepared, prepare
from rugboard.runs.store import ModelSummary, Run, RunStore

if TYPE_CHECKING:
    from rugcore import RUGClassifier

TEST_ROWS = "test_rows.npy"
KEPT_OF_A_CANCELLED_RUN = ("log.txt", "lifeline")


@dataclass(frozen=True, eq=False)
class Results:
    """A past run, opened: its data as the engine saw it, and the models that were trained."""

    run: Run
    plan: Plan
    summaries: dict[str, ModelSummary]
    data: Prepared
    is_test: np.ndarray  # of each row of `data`
    folder: Path

    @cached_property
    def rug(self) -> "RUGClassifier":
        return self.model(RUG)

    @cached_property
    def fair(self) -> Any:
        return self.model(FAIR)

    def model(self, name: str) -> Any:
        """A trained model by its name, ready for `refit`; read anew at every call."""
        from rugcore.persistence import load_pool

        if name not in self.summaries:
            raise RunError(f"This run has no trained model {name!r}.")
        model = model_class(name).load(self.folder / model_file(name))
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


def open_results(store: RunStore, run_id: str) -> Results:
    """Open a run that has at least one trained model; one that failed later may have it."""
    run = store.get(run_id)
    summaries = store.summaries(run_id)
    if not summaries:
        raise RunError(f"The run {run.name!r} has no trained model: it is {run.status}.")
    plan = run.plan
    data = prepare(store.snapshots.load(plan.snapshot, plan.columns), plan)
    folder = store.home.run_folder(run_id)
    return Results(run, plan, summaries, data, np.isin(data.rows, _test_rows(folder)), folder)


def model_file(name: str) -> str:
    return f"{name}.json"


def pool_file(name: str) -> str:
    return f"{name}.pool"


def model_class(name: str) -> Any:
    """Looked up when it is needed: the engine takes a second to import."""
    import rugcore

    return getattr(rugcore, {RUG: "RUGClassifier", FAIR: "FairRUGClassifier"}[name])


def save_test_rows(folder: Path, rows: np.ndarray) -> None:
    """Write which rows were held out; a crash half-way leaves no file that looks whole."""
    partial = folder / f"{TEST_ROWS}.partial"
    with partial.open("wb") as file:
        np.save(file, rows, allow_pickle=False)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(folder / TEST_ROWS)


def _test_rows(folder: Path) -> np.ndarray:
    try:
        rows: np.ndarray = np.load(folder / TEST_ROWS, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise RunError("The files of this run are gone or damaged. Train it again.") from error
    return rows


def discard(home: Home, run_id: str) -> None:
    """Remove what a cancelled run had written."""
    folder = home.run_folder(run_id)
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name not in KEPT_OF_A_CANCELLED_RUN:
            path.unlink(missing_ok=True)
