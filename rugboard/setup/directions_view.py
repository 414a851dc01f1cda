"""Directions on the page Train: which the dictionary gives, whether rules are to keep to them, and what that costs."""

from contextlib import suppress

import streamlit as st

from rugboard.runs.jobs import FINISHED, STOPPED
from rugboard.session import server
from rugboard.session.job_progress import watch_job
from rugboard.setup import current_draft
from rugboard.setup.directions_job import DirectionsJob, DirectionsReport
from rugboard.setup.directions_words import cost_in_words, directions_in_words
from rugboard.setup.drafts import Draft
from rugboard.shell.formats import counted
from rugboard.shell.text import plain
from rugcore.errors import InputError

HELP = (
    "No rule then asks for less of what should help: a better value never makes a decision worse. What helps, what "
    "harms, and which categories are better is said on the page Data, under Meaning."
)


def ask_directions(draft: Draft, n_outcomes: int) -> bool:
    """Whether to keep to them; offered only where there are any, and where they can be kept."""
    directions = draft.directions()
    if not directions:
        return draft.settings.keep_directions
    if n_outcomes != 2:
        st.caption(f"Directions are for two outcomes; there are {n_outcomes} here, so that they are not kept.")
        return False
    n_columns = counted(len(directions), "column")
    keep = st.toggle(
        f"Keep directions: {n_columns}",
        draft.settings.keep_directions,
        key=f"keep_directions-{current_draft.draft_number()}",
        persist_state="session",
        help=HELP,
    )
    st.caption(directions_in_words(directions))
    return bool(keep)


def ask_cost(draft: Draft) -> None:
    """What directions cost, measured when somebody asks; what is known already is shown at once."""
    if not draft.is_ready or not draft.directions() or not draft.settings.keep_directions:
        return
    with suppress(InputError):  # said where somebody presses Train
        _show_cost(draft, DirectionsJob.of(server.store().home, draft.to_plan()))


def _show_cost(draft: Draft, job: DirectionsJob) -> None:
    progress = job.progress()
    if progress.is_under_way:
        watch_job(job, "directions", _headline, lambda report: report.share)
        return
    if progress.status == FINISHED and progress.report is not None:
        st.caption(f":material/balance: {cost_in_words(progress.report)}")
        return
    if progress.status == STOPPED and progress.report is not None and progress.report.error:
        st.caption(plain(progress.report.error))
    if st.button("What do directions cost?", key="directions_cost", icon=":material/balance:", type="tertiary"):
        server.store().refuse_to_readers()
        job.begin(draft.to_plan())
        st.rerun()


def _headline(report: DirectionsReport) -> str:
    return f"With and without: {report.n_trained} of {2 * report.n_folds} trained"
