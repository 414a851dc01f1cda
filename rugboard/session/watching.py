"""Looking at a training again and again: one look at the store for all who watch, and the more watch, the slower.

To draw what has changed costs the server about `SECONDS_A_DRAWING` of a core for every watcher. All of them together
may take `SHARE_OF_A_CORE`: one sees a new picture every half second, fifty every sixteen seconds. A page that was left
asks no more, because the browser asks only for what it shows.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Generic, TypeVar

from streamlit.runtime.scriptrunner import get_script_run_ctx

from rugboard.runs.errors import RunError
from rugboard.runs.records import ModelSummary, RoundRecord, Run, Share, may_see
from rugboard.runs.visibility import NO_SUCH_RUN
from rugboard.session import server
from rugboard.session.cache import cached
from rugboard.shell import signed_in

SECONDS_A_DRAWING = 0.025
SHARE_OF_A_CORE = 0.08
SECONDS_A_LOOK_HOLDS = 0.4  # for everybody: less than the shortest time between two drawings
LOOKS_KEPT = 64
AWAY = 2.5  # after so many times between two drawings without one, a watcher is gone

T = TypeVar("T")


@dataclass(frozen=True)
class Look:
    """What the store says of a run that is watched, at one moment."""

    run: Run
    shares: list[Share]
    summaries: dict[str, ModelSummary]
    rounds: list[RoundRecord]


class SharedAnswer(Generic[T]):
    """An answer that is asked for once in a while, whoever wants it meanwhile."""

    def __init__(self, ask: Callable[[], T], clock: Callable[[], float] = time.monotonic) -> None:
        self._ask, self._clock = ask, clock
        self._lock = Lock()
        self._answer: T | None = None
        self._asked = float("-inf")

    def get(self) -> T:
        """An error is not kept: the next one asks again."""
        with self._lock:
            if self._answer is None or self._clock() - self._asked > SECONDS_A_LOOK_HOLDS:
                self._answer = self._ask()
                self._asked = self._clock()
            return self._answer


def look(run_id: str) -> Look:
    """The run as it was less than half a second ago."""
    found = _shared(server.home_root(), run_id).get()
    if not may_see(signed_in.person(), found.run, found.shares):
        raise RunError(NO_SUCH_RUN)
    return found


@cached(entries=LOOKS_KEPT)
def _shared(root: str, run_id: str) -> SharedAnswer[Look]:
    def ask() -> Look:
        store = server.store_of_all(root)  # whoever asks first asks for all; `look` tells who may know
        return Look(store.get(run_id), store.shares(run_id), store.summaries(run_id), store.rounds(run_id))

    return SharedAnswer(ask)


class Watchers:
    """Who watches, and how long each may wait for the next drawing."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._until: dict[str, float] = {}  # by watcher: when they count as gone

    def pace(self, watcher: str, least: float) -> float:
        """Seconds until the next drawing: `least`, or doubled as often as it takes to stay within the share."""
        now = self._clock()
        with self._lock:
            self._until = {other: until for other, until in self._until.items() if until > now}
            n_watchers = len(self._until | {watcher: now})
            seconds = least
            while seconds < n_watchers * SECONDS_A_DRAWING / SHARE_OF_A_CORE:
                seconds *= 2
            self._until[watcher] = now + AWAY * seconds
        return seconds


_WATCHERS = Watchers()


def pace(part: str, least: float) -> float:
    """How many seconds this visitor should wait for the next drawing of a part of the page."""
    context = get_script_run_ctx()
    return _WATCHERS.pace(f"{'' if context is None else context.session_id} {part}", least)
