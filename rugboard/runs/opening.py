"""How a past run is opened: its data read again as the engine saw it."""

import numpy as np

from rugboard.runs.errors import RunError
from rugboard.runs.prepare import prepare
from rugboard.runs.results import Results, read_test_rows
from rugboard.runs.store import RunStore


def open_results(store: RunStore, run_id: str) -> Results:
    """Open a run that has at least one trained model; one that failed later may have it."""
    run = store.get(run_id)
    summaries = store.summaries(run_id)
    if not summaries:
        raise RunError(f"The run {run.name!r} has no trained model: it is {run.status}.")
    plan = run.plan
    data = prepare(store.snapshots.load(plan.snapshot, plan.columns), plan)
    folder = store.home.run_folder(run_id)
    return Results(run, plan.shown(), summaries, data, np.isin(data.rows, read_test_rows(folder)), folder)
