"""The process that measures what directions cost: `python -m rugboard.setup.directions_worker ID`."""

import sys
from collections.abc import Callable
from dataclasses import replace

from rugboard.runs import job_worker
from rugboard.runs.home import Home
from rugboard.runs.store import RunStore
from rugboard.setup.directions_job import DirectionsJob, DirectionsReport
from rugboard.setup.search_worker import SearchTask, other_settings, task_of


def main(name: str) -> int:
    job = DirectionsJob(Home.current(), name)
    return job_worker.do(job, lambda report: work(job, report), lambda: not job.folder.exists())


def work(job: DirectionsJob, report: DirectionsReport) -> None:
    """First with directions, then without: the same folds."""
    task = task_of(RunStore(job.home), job.plan())
    report = replace(report, n_folds=task.n_folds, n_rows=len(task.y))

    def tell(done: int) -> None:
        job.write(replace(report, n_trained=done))

    with_them = folds_right(task, keep_directions=True, tell=tell)
    without = folds_right(task, keep_directions=False, tell=lambda done: tell(done + task.n_folds))
    job.write(replace(report, with_them=with_them, without=without, n_trained=2 * task.n_folds, is_finished=True))


def folds_right(task: SearchTask, *, keep_directions: bool, tell: Callable[[int], None]) -> tuple[float, ...]:
    """The share of right decisions on each fold."""
    from rugcore import choose_settings

    plan = replace(task.plan, keep_directions=keep_directions)
    curve = choose_settings(
        task.X,
        task.y,
        depths=[plan.max_depth],
        penalties=[plan.penalty],
        cv=task.n_folds,
        random_state=plan.split_seed,
        callback=lambda done, _: tell(done),
        **other_settings(plan),
    )
    return tuple(map(float, curve.points[0].fold_accuracy))


if __name__ == "__main__":
    job_worker.start_logging()
    sys.exit(main(sys.argv[1]))
