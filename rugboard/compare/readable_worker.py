"""The process that trains the models that can be read whole: `python -m rugboard.compare.readable_worker RUN_ID`."""

import sys

from rugboard.compare import readable, worker
from rugboard.compare.job import ReadableJob
from rugboard.compare.report import Task
from rugboard.runs import job_worker
from rugboard.runs.home import Home
from rugboard.runs.store import RunStore


def main(name: str) -> int:
    home = Home.current()
    job = ReadableJob(home, name)
    return job_worker.do(
        job,
        lambda report: worker.work(job, report, readable_task(home, name)),
        lambda: job_worker.is_run_gone(home, name),
    )


def readable_task(home: Home, run_id: str) -> Task:
    """On the rows of the run, with the rules of every model."""
    from rugboard.runs.opening import open_results

    results = open_results(RunStore(home), run_id)
    groups = results.data.groups
    return Task(
        models=readable.made(results),
        X_train=results.X_train,
        y_train=results.y_train,
        X_test=results.X_test,
        y_test=results.y_test,
        groups=None if groups is None else groups[results.is_test],
        training_groups=None if groups is None else groups[~results.is_test],
        positive_class=results.plan.fair_settings()["positive_class"],
        with_rules=True,
    )


if __name__ == "__main__":
    job_worker.start_logging()
    sys.exit(main(sys.argv[1]))
