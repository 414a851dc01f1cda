"""What the next pages will need, worked out while a visitor still reads this one.

Features register what they want done: when the server starts, and for a run that somebody looks at. A finished run is
soon looked at on other pages; whatever these show first, as trained, is put into the caches in the background, in the
order of registration. A page that needs it in the meantime waits for the rest of it.
"""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from rugboard.people.person import ALONE
from rugboard.runs.errors import RunError
from rugboard.runs.records import Run
from rugboard.runs.results import Results
from rugboard.session.cache import cached
from rugboard.shell import signed_in
from rugcore.errors import ModelFileError

MANY_ROWS = 100_000  # beyond, it takes seconds and memory: only if somebody needs it
RUNS_KEPT = 64
LOG = logging.getLogger(__name__)

_at_start: dict[str, Callable[[], object]] = {}
_of_a_run: dict[str, Callable[[Results], object]] = {}


def register_at_start(name: str, work: Callable[[], object]) -> None:
    """What the first click would otherwise wait for; the last one of a name counts."""
    _at_start[name] = work


def register_for_runs(name: str, work: Callable[[Results], object]) -> None:
    """What a page shows first of a run, as trained; the last one of a name counts."""
    _of_a_run[name] = work


def warm_up() -> None:
    """Do now, while the visitor reads the first page, what was registered for the start."""
    for name, work in list(_at_start.items()):
        try:
            work()
        except Exception:
            LOG.exception("Warming up %s failed; the first click will take longer.", name)


def look_ahead(run: Run, results: Results) -> None:
    """Begin, once for everybody; not while the run still needs the cores."""
    if run.is_over and len(results.is_test) <= MANY_ROWS:
        _begin(results, tuple(results.summaries))


@cached(entries=RUNS_KEPT)
def _begin(results: Results, models: tuple[str, ...]) -> None:
    LOG.debug("Working ahead for %s of the run %s.", " and ".join(models), results.run.id)
    _worker().submit(_work, results)


@cache
def _worker() -> ThreadPoolExecutor:
    """One for all visitors: the other cores are for whoever waits."""
    return ThreadPoolExecutor(1, thread_name_prefix="prefetch")


def _work(results: Results) -> None:
    try:
        with signed_in.acting_as(ALONE):  # for all who may open this run; somebody who may did
            for work in list(_of_a_run.values()):
                work(results)
    except (RunError, ModelFileError, OSError):
        LOG.debug("The run %s went away.", results.run.id)
    except Exception:
        LOG.exception("Working ahead failed; the pages will say what is wrong.")
