"""A comparison while it runs: which model is at it, which are done, and a way to stop."""

from collections.abc import Callable, Mapping

import streamlit as st

from rugboard.compare.job import Job
from rugboard.compare.report import Report
from rugboard.runs.jobs import STOPPING, JobProgress
from rugboard.session import server
from rugboard.shell.formats import duration, percent
from rugboard.shell.guard import guarded

SECONDS_BETWEEN_LOOKS = 0.5

ShowMore = Callable[[Report], None]


def job_of(name: str) -> Job:
    return Job(server.store().home, name)


def watch(job: Job, models: Mapping[str, str], more: ShowMore, key: str = "comparison") -> None:
    """Follow a comparison; when it is over, the whole page is drawn again. `models` are the names by key."""
    _watch(job, models, more, key)


@st.fragment(run_every=SECONDS_BETWEEN_LOOKS)
@guarded
def _watch(job: Job, models: Mapping[str, str], more: ShowMore, key: str) -> None:
    progress = job.progress()
    if not progress.is_under_way:
        st.rerun()
    report = progress.report or Report()
    with st.container(border=True, key=f"{key}_progress"):
        _show_head(job, progress, report, models, key)
        st.progress(len(report.lines) / max(len(models), 1))
        _show_models(report, models)
    more(report)


def _show_head(job: Job, progress: JobProgress[Report], report: Report, models: Mapping[str, str], key: str) -> None:
    is_stopping = progress.status == STOPPING
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f":material/hourglass_top: {headline(report, models, is_stopping=is_stopping)}", width="content")
        label = "Stopping …" if is_stopping else "Cancel"
        if st.button(label, key=f"cancel_{key}", icon=":material/stop_circle:", disabled=is_stopping):
            server.store().refuse_to_readers()
            job.cancel()
            st.rerun()


def headline(report: Report, models: Mapping[str, str], *, is_stopping: bool = False) -> str:
    if is_stopping:
        return "Stopping"
    if report.is_waiting:
        return "Waiting for another comparison to end"
    if not report.now:
        return "Reading the data"
    return f"Now training: {models.get(report.now, report.now)} ({len(report.lines) + 1} of {len(models)})"


def _show_models(report: Report, models: Mapping[str, str]) -> None:
    """One place per model: waiting, at it, or done."""
    for place, (model, name) in zip(st.columns(len(models)), models.items(), strict=True):
        with place:
            st.markdown(state_of(report, model, name))


def state_of(report: Report, model: str, name: str) -> str:
    line = report.line(model)
    if line is not None and line.error:
        return f":material/error: **{name}**  \ncould not be trained"
    if line is not None:
        return f":material/check: **{name}**  \n{percent(line.accuracy)}, {duration(line.seconds)}"
    return f":material/sync: **{name}**  \ntraining" if report.now == model else f":gray[{name}  \nwaiting]"
