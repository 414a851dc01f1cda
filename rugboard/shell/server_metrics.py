"""/metrics: how the server is doing, as text that Prometheus reads. No names, of people or runs.

Only for those who send the operator's token; without one in the settings there is no such address.
"""

import hmac
import logging
import shutil
import statistics
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route
from streamlit.url_util import make_url_path

from rugboard.people.settings import OperatorSettings
from rugboard.runs.home import Home
from rugboard.runs.records import CANCELLED, FAILED, FINISHED, QUEUED, RUNNING, Run
from rugboard.runs.store import RunStore

A_DAY = 24 * 3600.0
STATUSES = (QUEUED, RUNNING, FINISHED, FAILED, CANCELLED)
MEDIA_TYPE = "text/plain; version=0.0.4"

Samples = Mapping[str, float]  # by labels, as Prometheus writes them


class ErrorCounter(logging.Handler):
    """Counts what the server logs as errors."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.n_errors = 0

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002 - how many, not which
        self.n_errors += 1


ERRORS = ErrorCounter()


def routes() -> list[BaseRoute]:
    logging.getLogger().addHandler(ERRORS)
    return [Route(make_url_path(st.get_option("server.baseUrlPath") or "", "metrics"), _send, methods=["GET"])]


def _send(request: Request) -> Response:
    """Not a coroutine, so that it runs in a thread: it looks at the disk."""
    token = OperatorSettings.current().metrics_token
    sent = request.headers.get("authorization", "")
    if not token or not hmac.compare_digest(sent.encode(), f"Bearer {token}".encode()):
        return PlainTextResponse("Not found", HTTPStatus.NOT_FOUND)
    home = Home.current()
    return PlainTextResponse(
        text_of(_store(str(home.root)).runs(), shutil.disk_usage(home.root).free), 200, media_type=MEDIA_TYPE
    )


@lru_cache(maxsize=2)
def _store(root: str) -> RunStore:
    return RunStore(Home(Path(root)))


def text_of(runs: Iterable[Run], free_bytes: int, now: float | None = None) -> str:
    """All metrics of these runs."""
    runs, now = list(runs), time.time() if now is None else now
    by_status = Counter(run.status for run in runs)
    waits = [now - run.created for run in runs if run.status == QUEUED]
    trained = [run for run in runs if run.started is not None and run.ended is not None and now - run.ended < A_DAY]
    seconds = sorted((run.ended or 0.0) - (run.started or 0.0) for run in trained if run.status == FINISHED)
    lines = [
        *_metric(
            "rug_runs", "Runs that are kept, by status", {f'status="{name}"': by_status[name] for name in STATUSES}
        ),
        *_metric("rug_queue_length", "Runs that wait", {"": by_status[QUEUED]}),
        *_metric(
            "rug_queue_oldest_seconds", "How long the one that waits longest has waited", {"": max(waits, default=0)}
        ),
        *_metric("rug_training_seconds", "Seconds of trainings that ended within a day", _durations(seconds)),
        *_metric("rug_trainings_of_a_day", "Trainings that ended within a day", {"": len(seconds)}),
        *_metric(
            "rug_failed_of_a_day", "Trainings that failed within a day", {"": sum(r.status == FAILED for r in trained)}
        ),
        *_metric("rug_errors_total", "Errors in the server's log since it started", {"": ERRORS.n_errors}, "counter"),
        *_metric("rug_disk_free_bytes", "Room left on the disk of the runs", {"": free_bytes}),
    ]
    return "\n".join(lines) + "\n"


def _durations(seconds: list[float]) -> Samples:
    if not seconds:
        return {}
    return {'quantile="0.5"': statistics.median(seconds), 'quantile="1"': seconds[-1]}


def _metric(name: str, what: str, samples: Samples, kind: str = "gauge") -> list[str]:
    values = [
        f"{name}{{{labels}}} {value:.15g}" if labels else f"{name} {value:.15g}" for labels, value in samples.items()
    ]
    return [f"# HELP {name} {what}", f"# TYPE {name} {kind}", *values]
