"""A job beside the training while it runs: what it is at, how far it is, and a way to stop."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from rugboard.runs.jobs import CANCELLED, NOTHING_YET, STOPPED, STOPPING, BackgroundJob, JobProgress
from rugboard.session import server
from rugboard.shell.guard import guarded
from rugboard.shell.text import plain

SECONDS_BETWEEN_LOOKS = 0.5
GONE = "The process that worked on it ended without a word; perhaps memory or disk were full, or somebody ended it."

ShowMore = Callable[[Any], None]


def watch_job(
    job: BackgroundJob[Any],
    key: str,
    headline: Callable[[Any], str],
    share: Callable[[Any], float],
    more: ShowMore | None = None,
) -> None:
    """Follow a job; when it is over, the whole page is drawn again. What is asked of the report may be asked early."""
    _watch(job, key, headline, share, more)


@st.fragment(run_every=SECONDS_BETWEEN_LOOKS)
@guarded
def _watch(
    job: BackgroundJob[Any],
    key: str,
    headline: Callable[[Any], str],
    share: Callable[[Any], float],
    more: ShowMore | None,
) -> None:
    progress = job.progress()
    if not progress.is_under_way:
        st.rerun()
    report = progress.report or job.new_report()
    is_stopping = progress.status == STOPPING
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        words = "Stopping" if is_stopping else "Waiting for its turn" if report.is_waiting else headline(report)
        st.markdown(f":material/hourglass_top: {words}", width="content")
        label = "Stopping …" if is_stopping else "Cancel"
        if st.button(label, key=f"cancel_{key}", icon=":material/stop_circle:", disabled=is_stopping):
            server.store().refuse_to_readers()
            job.cancel()
            st.rerun()
    st.progress(min(max(share(report), 0.0), 1.0))
    if more is not None:
        more(report)


def start(job: BackgroundJob[Any]) -> None:
    """Begin, or go on; not for those who only read."""
    server.store().refuse_to_readers()
    job.start()


def how_it_ended(progress: JobProgress[Any], done: str) -> str:
    """Why a job is not finished, and how far it came; nothing where nobody has begun, or nothing can be read."""
    if progress.status == CANCELLED:
        return f":material/cancel: Cancelled {done}."
    if progress.status != STOPPED:
        return ""
    reason = plain(progress.report.error) if progress.report else ""
    return f":material/stop_circle: Stopped {done}. {reason or GONE}"


def lost(progress: JobProgress[Any]) -> str:
    """That what was found before cannot be read; nothing where nobody has begun."""
    return "" if progress.status == NOTHING_YET else "What was found before cannot be read. "
