"""The report on the page: a button, the progress, the files, and what is still open in it."""

import streamlit as st

from rugboard.report.job import FORMS, ReportJob, ReportProgress
from rugboard.runs.jobs import CANCELLED, STOPPED, JobProgress
from rugboard.runs.plan import FAIR
from rugboard.runs.results import Results
from rugboard.session import adjustments, server
from rugboard.session.job_progress import start, watch_job
from rugboard.session.page import one_at_a_time
from rugboard.shell.downloads import file_part, show_file
from rugboard.shell.formats import counted
from rugboard.shell.guard import drawer, guarded
from rugboard.shell.text import plain
from rugboard.shell.theme import name_of_model
from rugcore.errors import InputError
from rugcore.report import Grid, ModelReport

QUICK_ROWS = 10_000  # up to so many rows the frontier takes seconds
LABELS = {"pdf": "PDF", "html": "HTML", "docx": "Word", "json": "JSON"}
HELP = {
    "pdf": "To sign and to file: tagged, PDF/A-2a, the same bytes for the same run.",
    "html": "One file that opens without a network.",
    "docx": "To edit.",
    "json": "The numbers, for programs; the other three are made from it.",
}
FRONTIER_HELP = "The same rules weighed for twelve other limits on the gap. Takes minutes on a large table."


def job_of(results: Results, model: str, *, with_frontier: bool = False) -> ReportJob:
    return ReportJob.of(server.store().home, results.run.id, model, with_frontier=with_frontier)


@guarded
def show_report(results: Results, model: str) -> None:
    """The button, the progress, or the files."""
    job = job_of(results, model)
    progress = job.progress()
    with one_at_a_time(), st.container(border=True, key="report_box"):
        if progress.is_under_way:
            watch_job(job, "report", headline, lambda report: report.share)
            return
        _show_start(results, job, progress)
        if job.is_made:
            _show_files(results, job)
    if job.is_made and not progress.is_under_way:
        _show_open_points(job)


def headline(report: ReportProgress) -> str:
    return f"Making the report: {report.step.lower()}" if report.step else "Making the report"


def _show_start(results: Results, job: ReportJob, progress: JobProgress[ReportProgress]) -> None:
    words, button = st.columns([2.6, 1], vertical_alignment="center")
    with words:
        st.markdown(what_there_is(job, progress))
        if any(adjustments.current(results.run.id, name).is_any for name in results.summaries):
            st.caption("It is about the models as trained. Keep re-weighted ones as a run on the page Rules.")
        with_frontier = _ask_frontier(results, job.model)
    label = "Make it again" if job.is_made else "Make the report"
    kind = "secondary" if job.is_made else "primary"
    with button:
        if st.button(label, key="make_report", type=kind, icon=":material/description:", width="stretch"):  # type: ignore[arg-type]
            start(job_of(results, job.model, with_frontier=with_frontier))
            st.rerun()


def _ask_frontier(results: Results, model: str) -> bool:
    if model != FAIR:
        return False
    return bool(
        st.checkbox(
            "With what other limits would cost",
            value=len(results.data.y) <= QUICK_ROWS,
            key="report_frontier",
            persist_state="session",
            help=FRONTIER_HELP,
        )
    )


def what_there_is(job: ReportJob, progress: JobProgress[ReportProgress]) -> str:
    if progress.status == CANCELLED:
        return ":material/cancel: Cancelled."
    if progress.status == STOPPED and progress.report is not None:
        gone = "The process that made it is gone, perhaps because memory or disk were full."
        return f":material/stop_circle: Stopped. {plain(progress.report.error) or gone}"
    if not job.is_made or progress.report is None:
        return f"**Everything about {name_of_model(job.model)} that a validator asks for, in one document.**"
    if progress.report.made_from != job.sources():
        return ":material/update: **Something was added since this report was made.** Make it again to have it in."
    return ":material/check: **The report is up to date.**"


def _show_files(results: Results, job: ReportJob) -> None:
    name = f"report-{file_part(results.run.name)}-{job.model}"
    with st.container(horizontal=True, key="report_files"):
        for form in FORMS:
            content = job.product(form).read_bytes()
            show_file(LABELS[form], content, f"{name}.{form}", f"report_{form}", help_text=HELP[form])


def _show_open_points(job: ReportJob) -> None:
    """What the report itself says it lacks."""
    try:
        report = ModelReport.from_json(job.product("json").read_text(encoding="utf-8"))
    except (OSError, InputError):
        st.caption("The report was made by another version. Make it again to see what is still open in it.")
        return
    tables = [block for block in report.section("brief").blocks if isinstance(block, Grid)]
    if not tables:
        return
    lines = tables[0].rows

    def show() -> None:
        """As a list: a line of a table would cut the sentences off."""
        st.markdown("\n".join(f"- **{plain(section)}** · {plain(missing)}" for section, missing in lines))

    drawer(f"{counted(len(lines), 'open point')} in this report", "report_open", show)
