"""The process that trains fairlearn's models for a run: `python -m rugboard.fairness.alternatives_worker RUN_ID`."""

import math
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from rugboard.fairness.alternatives_job import AlternativesJob, AlternativesReport
from rugboard.runs import job_worker
from rugboard.runs.home import Home
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore


def main(run_id: str) -> int:
    """Train all of them."""
    job = AlternativesJob(Home.current(), run_id)
    return job_worker.do(job, lambda report: work(job, report), lambda: job_worker.is_run_gone(job.home, run_id))


def work(job: AlternativesJob, report: AlternativesReport) -> None:
    """A model at a time, each written down at once."""
    from rugboard.runs.opening import open_results

    report = replace(report, points=())
    for point in alternatives(open_results(RunStore(job.home), job.name)):
        if job.is_to_stop() or job_worker.is_run_gone(job.home, job.name):
            return
        report = replace(report, points=(*report.points, point))
        job.write(report)
    job.write(replace(report, is_finished=True))


def alternatives(results: Results) -> Iterator[dict[str, Any]]:
    """On the training rows and test rows of the run."""
    from rugcore import fair_alternatives

    plan, groups, is_test = results.plan, results.data.groups, results.is_test
    assert groups is not None
    found = fair_alternatives(
        results.X_train,
        results.y_train,
        results.X_test,
        results.y_test,
        sensitive_train=groups[~is_test],
        sensitive_test=groups[is_test],
        fairness=plan.fairness,
        positive_class=plan.fair_settings()["positive_class"],
        epsilons=epsilons(plan.epsilon),
        max_depth=plan.max_depth,
        random_state=plan.split_seed,
    )
    for point in found:
        yield {name: None if _is_unknown(value) else value for name, value in asdict(point).items()}


def epsilons(trained: float) -> list[float]:
    """The usual ones, and that of the run."""
    from rugcore.comparison import ALTERNATIVE_EPSILONS

    return sorted({*ALTERNATIVE_EPSILONS, trained})


def _is_unknown(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


if __name__ == "__main__":
    job_worker.start_logging()
    sys.exit(main(sys.argv[1]))
