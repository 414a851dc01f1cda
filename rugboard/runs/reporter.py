"""How a worker tells the store how far its run is, and hears from it whether to go on."""

import time
from collections.abc import Callable

from rugboard.runs.plan import FAIR, RUG, Plan
from rugboard.runs.store import RunStore
from rugcore.generation import Round

SECONDS_BETWEEN_REPORTS = 0.25  # an eye does not see more, and the store is for everybody
TITLES = {RUG: "RUG", FAIR: "FairRUG"}


class Cancelled(Exception):  # noqa: N818 - no error, but what a person wants
    """The run is to stop."""


class Reporter:
    """Tells the store how far the run is, and hears from it whether to go on."""

    def __init__(self, store: RunStore, run_id: str, plan: Plan) -> None:
        self._store = store
        self._run_id = run_id
        self._plan = plan
        self._waiting: list[Round] = []  # rounds that the store does not know yet
        self._last_report = 0.0

    def enter(self, phase: str, progress: float) -> None:
        if not self._store.report(self._run_id, phase, progress):
            raise Cancelled

    def watch(self, model: str) -> Callable[[Round], bool]:
        """A callback for the training of one model."""

        def on_round(done: Round) -> bool:
            self._waiting.append(done)
            if time.monotonic() - self._last_report < SECONDS_BETWEEN_REPORTS:
                return True
            return self._send(model, done.number / max(self._plan.most_rounds(model), 1))

        return on_round

    def begin(self, model: str) -> None:
        self._send_or_stop(model, 0.0)

    def complete(self, model: str) -> None:
        """Send what is left of a model's rounds."""
        self._send_or_stop(model, 1.0)

    def _send_or_stop(self, model: str, share: float) -> None:
        if not self._send(model, share):
            raise Cancelled

    def _send(self, model: str, share: float) -> bool:
        """Report that a share of this model's rounds is done; False if the run is to stop."""
        progress = (self._plan.models.index(model) + min(share, 1.0)) / len(self._plan.models)
        goes_on = self._store.report(self._run_id, f"Training {TITLES[model]}", progress, model, self._waiting)
        self._waiting = []
        self._last_report = time.monotonic()
        return goes_on
