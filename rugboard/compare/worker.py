"""The process that does one comparison: `python -m rugboard.compare.worker RUN_ID`, started by `Job.start`.

One model after the other; each is written down as soon as it is measured, and one that fails is noted and passed over.
"""

import logging
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rugboard.compare import readable
from rugboard.compare.job import CASE, Job
from rugboard.compare.report import KEYS, LIGHTGBM, ORDER, ModelLine, Report, ShapShares, Task, packed, packed_shares
from rugboard.runs import job_worker
from rugboard.runs.home import Home
from rugboard.runs.job_worker import sentence_for
from rugboard.runs.jobs import THREADS
from rugboard.runs.store import RunStore
from rugcore.tables import plain_value

if TYPE_CHECKING:
    from rugcore.comparison import ModelRow

SEED = 21  # as in `rugboard.session.lightgbm`: the same LightGBM on the page Applicants
LOG = logging.getLogger(__name__)


def main(name: str) -> int:
    """Do the comparison of a run, or that of the case study."""
    home = Home.current()
    job = Job(home, name)
    return job_worker.do(job, lambda report: work(job, report, task_of(home, name)), lambda: is_gone(job))


def is_gone(job: Job) -> bool:
    """Whether somebody has deleted the run; nobody can delete the case study."""
    return job.name != CASE and job_worker.is_run_gone(job.home, job.name)


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
    note = readable.Proof.of(row.model).in_words(model) if model in readable.READABLE else ""
    classes, numbers = decisions_of(row)
    if model == LIGHTGBM:
        report = replace(report, shap=shap_of(row, task), packed_chances=chances_of(model, row, task))
    return replace(
        report,
        lines=(*report.lines, ModelLine.of(model, row, rules=rules, note=note)),
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
        training_groups=task.training_groups,
        positive_class=task.positive_class,
    )
    return next(iter(rows))


def decisions_of(row: "ModelRow") -> tuple[tuple[Any, ...], np.ndarray]:
    """The classes, the same for all models of a task, and the number of the one decided for, test row by test row."""
    classes = tuple(plain_value(label) for label in row.model.classes_)
    number = {label: place for place, label in enumerate(classes)}
    return classes, np.array([number[plain_value(label)] for label in row.predicted], dtype=np.int64)


def chances_of(model: str, row: "ModelRow", task: Task) -> dict[str, str]:
    """With two classes the chance of the second, by model; with more, nobody asks for it."""
    if len(row.model.classes_) != 2:
        return {}
    return {model: packed_shares(row.model.predict_proba(task.X_test)[:, 1])}


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


if __name__ == "__main__":
    job_worker.start_logging()
    sys.exit(main(sys.argv[1]))
