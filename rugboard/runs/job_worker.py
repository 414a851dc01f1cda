"""What every process does that works on a `BackgroundJob`: wait for its turn, work, and say how it ended."""

import logging
import shutil
from collections.abc import Callable
from dataclasses import replace

from rugboard.runs import locks
from rugboard.runs.errors import RunError
from rugboard.runs.home import Home
from rugboard.runs.jobs import BackgroundJob, R
from rugboard.runs.store import RunStore
from rugcore.errors import RugError

LOG = logging.getLogger(__name__)


def do(job: BackgroundJob[R], work: Callable[[R], None], is_gone: Callable[[], bool]) -> int:
    """Work; whatever happens, the file of the job says how far it came, unless somebody deletes what it is about."""
    try:
        code = _do(job, work)
    except FileNotFoundError:
        if not is_gone():
            raise
        code = 0
    if is_gone():
        LOG.warning("What %s is about was deleted meanwhile, and with it this job.", job.name)
        shutil.rmtree(job.folder, ignore_errors=True)  # what was written while it was being deleted
    return code


def _do(job: BackgroundJob[R], work: Callable[[R], None]) -> int:
    report = (job.read() or job.new_report()).begun()
    job.write(report)
    try:
        with locks.exclusive(job.home.root / job.TURN):
            report = replace(report, is_waiting=False)
            job.write(report)
            work(report)
    except Exception as error:
        LOG.exception("The job %s failed.", job.name)
        job.write((job.read() or report).ended_by(sentence_for(error)))
        return 1
    return 0


def is_run_gone(home: Home, run_id: str) -> bool:
    """Whether somebody has deleted the run."""
    try:
        RunStore(home).get(run_id)
    except RunError:
        return True
    return False


def sentence_for(error: Exception) -> str:
    """Why there is no result, for a person who does not read tracebacks."""
    if isinstance(error, RugError):
        return str(error)
    if isinstance(error, MemoryError):
        return "It needs more memory than there is."
    return f"It stopped because of an error of its own ({type(error).__name__}: {error})."


def start_logging() -> None:
    logging.basicConfig(format="%(asctime)s %(message)s")
