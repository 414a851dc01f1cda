"""The process that does one comparison: `python -m rugboard.compare.worker RUN_ID`, started by `Job.start`.

One model after the other; each is written down as soon as it is measured, and one that fails is noted and passed over.
"""

import logging
import shutil
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rugboard.compare.job import CASE, THREADS, Job
from rugboard.compare.report import KEYS, LIGHTGBM, ORDER, ModelLine, Report, ShapShares, Task, packed
from rugboard.runs import locks
from rugboard.runs.errors import RunError
from rugboard.runs.home import Home
from rugboard.runs.store import RunStore
from rugcore.errors import RugError
from rugcore.tables import plain_value

if TYPE_CHECKING:
    from rugcore.comparison import ModelRow

SEED = 21  # as in `rugboard.session.lightgbm`: the same LightGBM on the page Applicants
TURN = "compare.lock"  # one comparison at a time, or large tables would fill the memory
LOG = logging.getLogger(__name__)


def main(name: str) -> int:
    """Do the comparison; whatever happens, its file says how far it came, unless somebody deletes the run."""
    home = Home.current()
    job = Job(home, name)
    try:
        code = _main(home, job)
    except FileNotFoundError:
        if not is_gone(job):
            raise
        code = 0
    if is_gone(job):
        LOG.warning("The run %s was deleted meanwhile, and with it this comparison.", name)
        shutil.rmtree(job.folder, ignore_errors=True)  # what was written while it was being deleted
    return code


def is_gone(job: Job) -> bool:
    """Whether somebody has deleted the run; nobody can delete the case study."""
    try:
        return job.name != CASE and RunStore(job.home).get(job.name) is None
    except RunError:
        return True


def _main(home: Home, job: Job) -> int:
    report = replace(job.read() or Report(), is_waiting=True, is_finished=False, error="", now="")
    job.write(report)
    try:
        with locks.exclusive(home.root / TURN):
            report = replace(report, is_waiting=False)
            job.write(report)
            work(job, report, task_of(home, job.name))
    except Exception as error:
        LOG.exception("The comparison %s failed.", job.name)
        job.write(replace(job.read() or report, error=sentence_for(error), now=""))
        return 1
    return 0


def task_of(home: Home, name: str) -> Task:
    if name == CASE:
        from rugboard.compare.case_study import case_task

        return case_task()
    return run_task(RunStore(home), name)


def run_task(store: RunStore, run_id: str) -> Task:
    """The other kinds of model on the rows of a run."""
    from rugboard.runs.opening import open_results
    from rugcore.comparison import default_peers

    results = open_results(store, run_id)
    peers = default_peers(random_state=SEED, n_jobs=THREADS)
    groups = results.data.groups
    return Task(
        models={KEYS[kind]: peers[kind] for kind in ORDER},
        X_train=results.X_train,
        y_train=results.y_train,
        X_test=results.X_test,
        y_test=results.y_test,
        groups=None if groups is None else groups[results.is_test],
        positive_class=results.plan.fair_settings()["positive_class"],
    )


def work(job: Job, report: Report, task: Task) -> None:
    """Every model that is not measured yet."""
    report = replace(report, total=len(task.models), lines=report.measured)
    for model in task.models:
        if report.line(model) is not None:
            continue
        report = replace(report, now=model)
        job.write(report)
        if job.is_to_stop() or is_gone(job):
            return
        report = attempt(report, model, task)
        job.write(report)
    job.write(replace(report, now="", is_finished=True))


def attempt(report: Report, model: str, task: Task) -> Report:
    """The report with one model more, be it with the reason why it has no numbers."""
    try:
        row = measure(model, task)
    except Exception as error:
        LOG.exception("The model %s failed.", model)
        return replace(report, lines=(*report.lines, ModelLine(model, error=sentence_for(error))))
    rules = row.model.rules_.to_json() if task.with_rules and hasattr(row.model, "rules_") else ""
    if model == LIGHTGBM:
        report = replace(report, shap=shap_of(row, task))
    classes, numbers = decisions_of(row)
    return replace(
        report,
        lines=(*report.lines, ModelLine.of(model, row, rules=rules)),
        classes=classes,
        packed={**report.packed, model: packed(numbers)},
    )


def measure(model: str, task: Task) -> "ModelRow":
    from rugcore.comparison import compare

    rows = compare(
        {model: task.models[model]},
        task.X_train,
        task.y_train,
        task.X_test,
        task.y_test,
        sensitive_features=task.groups,
        positive_class=task.positive_class,
    )
    return next(iter(rows))


def decisions_of(row: "ModelRow") -> tuple[tuple[Any, ...], np.ndarray]:
    """The classes, the same for all models of a task, and the number of the one decided for, test row by test row."""
    classes = tuple(plain_value(label) for label in row.model.classes_)
    number = {label: place for place, label in enumerate(classes)}
    return classes, np.array([number[plain_value(label)] for label in row.predicted], dtype=np.int64)


def shap_of(row: "ModelRow", task: Task) -> ShapShares | None:
    """Which columns matter to LightGBM; without that, the comparison is still one."""
    from rugcore.comparison import shap_sample

    try:
        sample = shap_sample(row.model, task.X_test)
    except Exception:
        LOG.exception("The SHAP values of LightGBM failed.")
        return None
    importance = {str(name): float(size) for name, size in sample.importance().items()}
    return ShapShares(importance, sample.n, sample.n_total)


def sentence_for(error: Exception) -> str:
    """Why there is no number, for a person who does not read tracebacks."""
    if isinstance(error, RugError):
        return str(error)
    if isinstance(error, MemoryError):
        return "It needs more memory than there is."
    return f"It stopped because of an error of its own ({type(error).__name__}: {error})."


if __name__ == "__main__":
    logging.basicConfig(format="%(asctime)s %(message)s")
    sys.exit(main(sys.argv[1]))
