"""What fairness costs: the same rules re-weighted for one allowed gap after the other, in the background.

A page that draws the points asks for them every half second. The work pauses when nobody asks any more, and goes on
where it stopped when somebody does.
"""

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from threading import Condition, Lock

from rugboard.runs.plan import FAIR
from rugboard.runs.results import Results
from rugboard.session import evaluations
from rugboard.session.adjustments import Adjustment
from rugboard.session.cache import cached
from rugboard.session.evaluations import Evaluation
from rugcore.estimators import EPSILONS

FRONTIERS_KEPT = 16  # small: numbers, no models
PATIENCE = 5.0  # seconds after the last look until the work pauses
MANY_ROWS = 100_000  # beyond, a point takes seconds: only if somebody wants it


class Frontier:
    """The points of one model by their allowed gap; those next to where a visitor begins are made first."""

    def __init__(self, change: Adjustment, epsilons: tuple[float, ...], start: float) -> None:
        self.epsilons = epsilons
        self._order = sorted(epsilons, key=lambda epsilon: abs(epsilons.index(epsilon) - epsilons.index(start)))
        self._change = change
        self._points: dict[float, Evaluation] = {}
        self._task: Future[None] | None = None
        self._last_look = 0.0
        self._lock = Lock()

    @property
    def points(self) -> list[Evaluation]:
        """Those that are there."""
        return [self._points[epsilon] for epsilon in self.epsilons if epsilon in self._points]

    @property
    def is_complete(self) -> bool:
        return len(self._points) == len(self.epsilons)

    @property
    def is_begun(self) -> bool:
        return self._task is not None

    def go_on(self, results: Results) -> None:
        """Somebody is looking: begin, or go on after a pause. What went wrong in the background is raised here."""
        self._last_look = time.monotonic()
        with self._lock:
            if self._task is not None and self._task.done():
                self._task.result()
            if not self.is_complete and (self._task is None or self._task.done()):
                self._task = _worker().submit(self._work, results)

    def _work(self, results: Results) -> None:
        for epsilon in self._order:
            if time.monotonic() - self._last_look > PATIENCE:
                return
            _wait_until_free()
            if epsilon not in self._points:
                self._points[epsilon] = _point(results, self._change, epsilon)


# -- visitors first ----------------------------------------------------------------------------------------

_waiting: list[object] = []  # one entry per visitor
_somebody_left = Condition()


@contextmanager
def held() -> Iterator[None]:
    """While somebody waits for the page, no new point is begun: both at once would take twice as long."""
    visitor = object()
    _waiting.append(visitor)
    try:
        yield
    finally:
        with _somebody_left:
            _waiting.remove(visitor)
            _somebody_left.notify_all()


def _wait_until_free() -> None:
    with _somebody_left:
        _somebody_left.wait_for(lambda: not _waiting, timeout=PATIENCE)


# -- points ------------------------------------------------------------------------------------------------


def _point(results: Results, change: Adjustment, epsilon: float) -> Evaluation:
    other = None if epsilon == results.plan.epsilon else epsilon
    return evaluations.evaluate(results, FAIR, replace(change, epsilon=other))


@cache
def _worker() -> ThreadPoolExecutor:
    """One for all visitors: the other cores are for training and for whoever moves a slider."""
    return ThreadPoolExecutor(1, thread_name_prefix="frontier")


def frontier(results: Results, change: Adjustment) -> Frontier:
    """Of the fair model under a visitor's lambda and without the rules that were left out; once for everybody."""
    return _frontier(results, replace(change, epsilon=None))


@cached(entries=FRONTIERS_KEPT)
def _frontier(results: Results, change: Adjustment) -> Frontier:
    trained = results.plan.epsilon
    return Frontier(change, steps(trained), trained)


def steps(*more: float) -> tuple[float, ...]:
    """The allowed gaps that are tried, and those that somebody chose."""
    return tuple(sorted({*EPSILONS, *more}))
