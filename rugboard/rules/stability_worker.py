"""The process that trains a model again on samples: `python -m rugboard.rules.stability_worker RUN_ID/MODEL`."""

import sys
from dataclasses import replace

from rugboard.rules.stability_job import N_SAMPLES, StabilityJob, StabilityReport
from rugboard.runs import job_worker
from rugboard.runs.home import Home
from rugboard.runs.plan import FAIR
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore


def main(name: str) -> int:
    """Draw the samples that are missing, and train on each."""
    job = StabilityJob(Home.current(), name)
    return job_worker.do(job, lambda report: work(job, report), lambda: is_gone(job))


def is_gone(job: StabilityJob) -> bool:
    return job_worker.is_run_gone(job.home, job.run_id)


def work(job: StabilityJob, report: StabilityReport) -> None:
    """A sample at a time, each written down at once."""
    from rugboard.runs.opening import open_results

    results = open_results(RunStore(job.home), job.run_id)
    for number in range(report.n_samples, N_SAMPLES):
        if job.is_to_stop() or is_gone(job):
            return
        report = with_sample(report, results, job.model, number)
        job.write(report)
    job.write(replace(report, is_finished=True))


def with_sample(report: StabilityReport, results: Results, model: str, number: int) -> StabilityReport:
    """The report with one sample more; its number decides who is drawn."""
    from rugcore import rule_stability

    groups = results.data.groups
    found = rule_stability(
        results.model(model),
        results.X_train,
        results.y_train,
        n_samples=1,
        sensitive_features=groups[~results.is_test] if model == FAIR and groups is not None else None,
        random_state=number,
    )
    came_back = [int(share) for share in found["recurs"]]
    before = report.n_back or (0,) * len(came_back)
    return replace(
        report,
        n_back=tuple(old + new for old, new in zip(before, came_back, strict=True)),
        agreement=(*report.agreement, float(found.attrs["agreement_with_model"])),
    )


if __name__ == "__main__":
    job_worker.start_logging()
    sys.exit(main(sys.argv[1]))
