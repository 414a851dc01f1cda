"""The process that does one run: `python -m rugboard.runs.worker RUN_ID`, started by a runner that claimed the run."""

import logging
import sys
import time
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rugboard.runs import memory
from rugboard.runs.errors import StorageError, as_storage_error
from rugboard.runs.home import Home
from rugboard.runs.judging import judge
from rugboard.runs.plan import FAIR, Plan
from rugboard.runs.prepare import Prepared, prepare, split
from rugboard.runs.processes import Process
from rugboard.runs.records import CANCELLED
from rugboard.runs.reporter import Cancelled, Reporter
from rugboard.runs.results import keep_model, model_class, save_test_rows
from rugboard.runs.store import RunStore
from rugboard.runs.worker_process import NOT_WRITTEN
from rugcore.errors import RugError

if TYPE_CHECKING:
    from rugcore.estimators import RuleClassifier

LOG = logging.getLogger(__name__)


def main(run_id: str) -> int:
    """Do the run; whatever happens, the store says how it ended, or if it cannot be written to, the exit code."""
    try:
        return _main(run_id)
    except StorageError:
        LOG.exception("How the run %s ended could not be written.", run_id)
        return NOT_WRITTEN


def _main(run_id: str) -> int:
    store = RunStore(Home.current())
    if not store.register(run_id, Process.current()):
        LOG.warning("The run %s is not waiting for a worker.", run_id)
        return 1
    try:
        work(store, run_id)
    except Cancelled:
        end(store, run_id, "The run was stopped.")
    except Exception as error:
        LOG.exception("The run %s failed.", run_id)
        end(store, run_id, sentence_for(as_storage_error(error, store.home.root)))
    return 0


def work(store: RunStore, run_id: str) -> None:
    """Read, split, train each model, judge it, keep it."""
    plan = store.get(run_id).plan
    reporter = Reporter(store, run_id, plan)
    reporter.enter("Reading the data", 0.0)
    if plan.large is None:
        _work_here(store, run_id, plan, reporter)
    else:
        from rugboard.runs.cluster_worker import work_on_cluster  # few runs need it

        work_on_cluster(store, run_id, plan, reporter)
    if not store.finish(run_id):
        raise Cancelled


def _work_here(store: RunStore, run_id: str, plan: Plan, reporter: Reporter) -> None:
    """With all rows in this process."""
    data = prepare(store.snapshots.load(plan.snapshot, plan.columns), plan)
    parts = split(data, plan)
    store.note(run_id, (*data.notes, *parts.notes))
    folder = store.home.run_folder(run_id)
    save_test_rows(folder, data.rows[parts.test])
    memory.give_back()  # a long table was there in more than one form while it was read
    is_test = np.isin(np.arange(len(data.rows)), parts.test)
    for name in plan.models:
        model, seconds = train(name, plan.shown(), data, parts.train, reporter)
        memory.give_back()
        summary = judge(model, seconds, data, plan.shown(), is_test)
        keep_model(folder, name, model)
        if not store.keep_summary(run_id, name, summary):
            raise Cancelled


def train(
    name: str, plan: Plan, data: Prepared, rows: np.ndarray, reporter: Reporter
) -> tuple["RuleClassifier", float]:
    """Train one model; what it returns knows nothing of the reporter."""
    reporter.begin(name)
    started = time.perf_counter()
    model = model_class(name)(**plan.settings_of(name), callback=reporter.watch(name))
    groups: dict[str, pd.Series] = {}
    if name == FAIR and data.groups is not None:
        groups["sensitive_features"] = data.groups.iloc[rows]
    model.fit(data.X.iloc[rows], data.y.iloc[rows], **groups)
    seconds = time.perf_counter() - started
    reporter.complete(name)
    model.set_params(callback=None)
    return model, seconds


def end(store: RunStore, run_id: str, sentence: str) -> None:
    if store.fail(run_id, sentence) == CANCELLED:
        store.home.discard(run_id)


def sentence_for(error: Exception) -> str:
    """Why the training stopped, for a person who does not read tracebacks."""
    if isinstance(error, RugError):
        return str(error)
    if isinstance(error, MemoryError):
        return "The training needs more memory than there is. Use fewer rows or columns, or shorter rules."
    if isinstance(error, OSError):
        return f"The training stopped because a file could not be read or written ({error.strerror or error})."
    return (
        f"The training stopped because of an internal error ({type(error).__name__}). The log of the run says more; "
        "please report it."
    )


if __name__ == "__main__":
    logging.basicConfig(format="%(asctime)s %(message)s")
    sys.exit(main(sys.argv[1]))
