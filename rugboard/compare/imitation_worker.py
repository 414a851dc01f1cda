"""The process that learns rules from what another model decided: `python -m rugboard.compare.imitation_worker RUN`."""

import sys
from dataclasses import replace
from typing import Any

from rugboard.compare.imitation_job import ImitationJob, ImitationReport
from rugboard.runs import job_worker
from rugboard.runs.home import Home
from rugboard.runs.plan import Plan
from rugboard.runs.store import RunStore
from rugcore.errors import InputError

# The other model is read as it is: it never promised to keep directions, and has no favourable side of ours.
OURS_ALONE = ("monotonic_cst", "positive_class")


def main(run_id: str) -> int:
    """Learn the rules, and measure how true they are to the model."""
    job = ImitationJob(Home.current(), run_id)
    return job_worker.do(job, lambda report: work(job, report), lambda: job_worker.is_run_gone(job.home, run_id))


def work(job: ImitationJob, report: ImitationReport) -> None:
    """From all rows of the run: it is the decisions that are learned, and every fold is held out in turn."""
    from rugboard.runs.opening import open_results
    from rugboard.session import group_names
    from rugcore import surrogate_rules

    results = open_results(RunStore(job.home), job.name)
    said = results.data.outside
    if said is None:
        raise InputError("Expected a run that knows another model, but this one does not. Name its column on Data.")
    model: Any = surrogate_rules(
        results.data.X,
        said.decided,
        sensitive_features=None if results.data.groups is None else group_names.of_rows(results),
        progress=lambda n_done, n_all: job.write(replace(report, n_done=n_done, n_all=n_all)),
        **settings_of(results.plan),
    )
    job.write(
        replace(report, rules=model.rules_.to_json(), fidelity=model.fidelity_.to_json(), n_done=1, n_all=1,
                is_finished=True)
    )  # fmt: skip


def settings_of(plan: Plan) -> dict[str, Any]:
    """Those of RUG on the page Train, but for what is about our own model alone."""
    return {name: value for name, value in plan.rug_settings().items() if name not in OURS_ALONE}


if __name__ == "__main__":
    job_worker.start_logging()
    sys.exit(main(sys.argv[1]))
