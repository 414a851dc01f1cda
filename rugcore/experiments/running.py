"""Cells of a table, each worked out by itself: over all cores, one file a cell, so that what is there is never lost.

A cell is one system on one set, for one notion of fairness or none. The paper's protocol: on the training rows every
combination of the grid is measured by five-fold cross-validation, the best one is trained on all of them, and the test
rows judge it.
"""

import json
import os
import time
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from rugcore.atomic import whole_file
from rugcore.errors import FairnessWarning, InputError, SolverError
from rugcore.experiments.definitions import Asked, Experiment, Parameters, System, experiment_named, file_of
from rugcore.experiments.measures import accuracy, fairness, measured
from rugcore.experiments.sets import SPLIT_SEED, DataFolder, DataSet, Part
from rugcore.parallel import on_one_core

N_FOLDS = 5
LIMIT = 300.0  # seconds for one training, as in the paper
# Other packages start threads of their own, one a core, in every process.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}

Result = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """One system on one set, and where its result stands."""

    experiment: str
    set: str
    system: str
    notion: str
    limit: float
    folder: Path

    @property
    def path(self) -> Path:
        words = [self.set, self.system, self.notion]
        name = "--".join(word.replace(",", "").replace(" ", "-") for word in words if word)
        return self.folder / self.experiment / f"{name}.json"

    @property
    def title(self) -> str:
        return " ".join(word for word in (self.set, self.system, self.notion) if word)

    def result(self) -> Result | None:
        """What was found; None if nothing was, or something else was asked, or the file is damaged."""
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        is_own = isinstance(content, dict) and content.get("limit") == self.limit and "measures" in content
        return content if is_own else None


@dataclass(frozen=True)
class Done:
    """A cell that came to its end: with a result, or with a sentence about what went wrong."""

    cell: Cell
    result: Result | None
    error: str | None = None


def cells_of(
    experiment: Experiment,
    data: DataFolder,
    folder: Path,
    *,
    sets: Iterable[str] = (),
    systems: Iterable[str] = (),
    limit: float = LIMIT,
) -> tuple[list[Cell], list[str]]:
    """The cells of sets that are there, the largest first; and the sets whose file is missing."""
    chosen = [experiment.system(name) for name in systems] or list(experiment.systems)
    names = list(sets) or list(experiment.sets)
    unknown = [name for name in names if name not in experiment.sets]
    if unknown:
        raise InputError(f"Expected sets of {experiment.name} ({', '.join(experiment.sets)}), but got {unknown[0]!r}.")
    missing = [name for name in names if not data.has(file_of(name))]
    there = sorted((name for name in names if name not in missing), key=lambda name: -data.n_cells(file_of(name)))
    cells = [
        Cell(experiment.name, name, system.name, notion, limit, folder)
        for system in chosen
        for name in there
        for notion in experiment.notions
        if not system.notions or notion in system.notions
    ]
    return cells, missing


def run_cells(cells: Iterable[Cell], data: DataFolder, cores: int) -> Iterator[Done]:
    """Work out what is not there yet, and yield every cell as soon as it is; those that wait for another come last."""
    cells = list(cells)
    waves = [[cell for cell in cells if _waits(cell) is waits] for waits in (False, True)]
    for wave in waves:
        open_cells = []
        for cell in wave:
            found = cell.result()
            if found is None:
                open_cells.append(cell)
            else:
                yield Done(cell, found)
        yield from _all_cores(open_cells, data, cores)


def _waits(cell: Cell) -> bool:
    return experiment_named(cell.experiment).system(cell.system).after is not None


def _all_cores(cells: list[Cell], data: DataFolder, cores: int) -> Iterator[Done]:
    if cores == 1 or len(cells) <= 1:
        for cell in cells:
            yield _tried(cell, data)
        return
    before = {name: os.environ.get(name) for name in ONE_THREAD}
    os.environ.update(ONE_THREAD)
    try:
        with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
            waiting = {pool.submit(_tried, cell, data) for cell in cells}
            while waiting:
                over, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in over:
                    yield future.result()
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})


def _tried(cell: Cell, data: DataFolder) -> Done:
    """One cell that fails must not take the others along."""
    try:
        return Done(cell, on_one_core(_worked_out)(cell, data))
    except Exception as error:  # noqa: BLE001 - whatever a system of somebody else raises
        return Done(cell, None, f"{type(error).__name__}: {error}")


def _worked_out(cell: Cell, data: DataFolder) -> Result:
    system = experiment_named(cell.experiment).system(cell.system)
    table = data.load(file_of(cell.set))
    asked = Asked(cell.limit, cell.notion, table.positive)
    started = time.perf_counter()
    parameters, score = _chosen(cell, system, table, asked)
    searched, cpu = time.perf_counter() - started, _cpu_seconds()
    model = _trained(system, parameters, asked, table.training)
    cpu = _cpu_seconds() - cpu
    result = {
        "experiment": cell.experiment,
        "set": cell.set,
        "system": cell.system,
        "notion": cell.notion,
        "limit": cell.limit,
        "parameters": parameters,
        "cross_validated": score,
        "search_s": round(searched, 2),
        "stop_reason": getattr(model, "stop_reason_", None),
        "measures": {"cpu_s": cpu} | measured(model, table, cell.notion),
    }
    cell.path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(cell.path) as file:
        file.write(json.dumps(result, indent=1).encode())
    return result


def _cpu_seconds() -> float:
    """Of this process, and of those that it started and that have ended."""
    return sum(os.times()[:4])


def _chosen(cell: Cell, system: System, table: DataSet, asked: Asked) -> tuple[Parameters, float | None]:
    """The parameters that did best, and how well; the first of equals."""
    if system.after is not None:
        other = Cell(cell.experiment, cell.set, system.after, cell.notion, cell.limit, cell.folder)
        found = other.result()
        if found is None:
            raise InputError(
                f"Expected the result of {other.title} in {other.path}, but it is not there. Run it first."
            )
        return found["parameters"], None
    if len(system.grid) == 1:
        return system.grid[0], None
    folds = list(_folds(table.training.y))
    scores = [_cross_validated(system, parameters, asked, table, folds) for parameters in system.grid]
    if not np.isfinite(scores).any():
        raise SolverError("No model was found with any parameters of the grid, in the time and memory there is.")
    best = int(np.argmax(scores))
    return system.grid[best], scores[best]


def _folds(y: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    from sklearn.model_selection import StratifiedKFold

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a class with fewer rows than folds is in some of them only
        yield from StratifiedKFold(N_FOLDS, shuffle=True, random_state=SPLIT_SEED).split(np.zeros((len(y), 1)), y)


def _cross_validated(
    system: System, parameters: Parameters, asked: Asked, table: DataSet, folds: list[tuple[np.ndarray, np.ndarray]]
) -> float:
    """Accuracy, of fair models the paper's score of fairness; minus infinity where there is no model.

    The paper, too, leaves parameters out that a system cannot cope with.
    """
    scores = []
    for learned, held_out in folds:
        try:
            model = _trained(system, parameters, asked, table.training.take(learned))
        except SolverError:
            return -np.inf
        rows = table.training.take(held_out)
        decided = model.predict(rows.X)
        scores.append(fairness(table, rows, decided, asked.notion)[0] if system.is_fair else accuracy(rows, decided))
    return float(np.mean(scores))


def _trained(system: System, parameters: Parameters, asked: Asked, rows: Part) -> Any:
    people = {"sensitive_features": rows.groups} if system.is_fair else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)  # the gap is in the table
        model = system.make(parameters, asked).fit(rows.X, rows.y, **people)
    if getattr(model, "stop_reason_", None) == "too large":  # the tree is not one of its own
        raise SolverError(f"No tree of {system.name} was found in the time and memory there is.")
    return model
