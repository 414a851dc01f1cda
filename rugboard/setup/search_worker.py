"""The process that searches for good settings: `python -m rugboard.setup.search_worker SEARCH_ID`."""

import sys
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from rugboard.runs import job_worker
from rugboard.runs.errors import RunError
from rugboard.runs.home import Home
from rugboard.runs.plan import Plan
from rugboard.runs.prepare import prepare, split
from rugboard.runs.store import RunStore
from rugboard.setup.search_job import GRID, N_FOLDS, SearchJob, SearchReport

FEWEST_FOLDS = 2

VARIED = ("max_depth", "penalty", "random_state")  # given to `choose_settings` in another way


@dataclass(frozen=True, eq=False)
class SearchTask:
    """The training rows of the draft: the test rows are to judge what is trained in the end."""

    X: pd.DataFrame
    y: pd.Series
    n_folds: int
    plan: Plan


def main(name: str) -> int:
    """Measure the settings that are missing."""
    job = SearchJob(Home.current(), name)
    return job_worker.do(job, lambda report: work(job, report), lambda: not job.folder.exists())


def work(job: SearchJob, report: SearchReport) -> None:
    task = task_of(RunStore(job.home), job.plan())
    most_common = str(task.y.value_counts().index[0])
    report = replace(report, n_folds=task.n_folds, n_rows=len(task.y), most_common=most_common)
    for depth, price in GRID:
        if job.is_to_stop():
            return
        if not report.is_measured(depth, price):
            report = with_setting(job, report, task, depth, price)
            job.write(report)
    job.write(replace(report, is_finished=True))


def task_of(store: RunStore, plan: Plan) -> SearchTask:
    data = prepare(store.snapshots.load(plan.snapshot, plan.columns), plan)
    rows = split(data, plan).train
    y = data.y.iloc[rows]
    counts = y.value_counts()
    rarest, n_rarest = counts.index[-1], int(counts.iloc[-1])
    if n_rarest < FEWEST_FOLDS:
        raise RunError(
            f"Of the {len(y):,} training rows only {n_rarest} has the outcome {str(rarest)!r}, so that no part can be "
            "held out. Join rare outcomes, or take more rows."
        )
    return SearchTask(data.X.iloc[rows], y, min(N_FOLDS, n_rarest), plan)


def with_setting(job: SearchJob, report: SearchReport, task: SearchTask, depth: int, price: float) -> SearchReport:
    """The report with one setting more. The seed is the same for all, and so are the folds."""
    from rugcore import choose_settings

    found = choose_settings(
        task.X,
        task.y,
        depths=[depth],
        penalties=[price],
        cv=task.n_folds,
        random_state=task.plan.split_seed,
        callback=lambda done, _: job.write(replace(report, n_trained=done)),
        **other_settings(task.plan),
    )
    return replace(report, points=(*report.points, *found.points), n_trained=0)


def other_settings(plan: Plan) -> dict[str, Any]:
    """What RUG is trained with besides what is varied, in the words of the dictionary."""
    settings = plan.shown().rug_settings()
    return {name: value for name, value in settings.items() if name not in VARIED}


if __name__ == "__main__":
    job_worker.start_logging()
    sys.exit(main(sys.argv[1]))
