"""The process that trains the models of a run on many splits: `python -m rugboard.fairness.splits_worker RUN_ID`."""

import sys
from dataclasses import replace

from rugboard.fairness.splits_job import N_SPLITS, TEST_SIZE, SplitsJob, SplitsReport
from rugboard.runs import job_worker
from rugboard.runs.home import Home
from rugboard.runs.plan import FAIR, RUG
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore


def main(run_id: str) -> int:
    """Train on the splits that are missing."""
    job = SplitsJob(Home.current(), run_id)
    return job_worker.do(job, lambda report: work(job, report), lambda: job_worker.is_run_gone(job.home, run_id))


def work(job: SplitsJob, report: SplitsReport) -> None:
    """A split at a time, each written down at once."""
    from rugboard.runs.opening import open_results

    results = open_results(RunStore(job.home), job.name)
    for number in range(report.n_splits, N_SPLITS):
        if job.is_to_stop() or job_worker.is_run_gone(job.home, job.name):
            return
        report = with_split(report, results, number)
        job.write(report)
    job.write(replace(report, is_finished=True))


def with_split(report: SplitsReport, results: Results, number: int) -> SplitsReport:
    """The report with one split more; its number decides who is held out."""
    from rugcore import fairness_over_splits

    model = FAIR if FAIR in results.summaries else RUG
    plan = results.plan
    found = fairness_over_splits(
        results.model(model),
        results.data.X,
        results.data.y,
        sensitive_features=results.data.groups,
        n_splits=1,
        test_size=TEST_SIZE,
        fairness=plan.fairness,
        epsilon=plan.epsilon,
        positive_class=plan.fair_settings()["positive_class"],
        beside={"RUG": results.rug} if model == FAIR else None,
        random_state=number,
    )
    return replace(report, parts=(*report.parts, found.to_dict()))


if __name__ == "__main__":
    job_worker.start_logging()
    sys.exit(main(sys.argv[1]))
