"""“Find good settings” on the page Train: the search, its curve, and one click that takes a setting over."""

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from rugboard.runs.jobs import CANCELLED, FINISHED, JobProgress
from rugboard.session import server
from rugboard.session.job_progress import watch_job
from rugboard.session.page import one_at_a_time
from rugboard.setup import current_draft, search_words
from rugboard.setup.drafts import Draft
from rugboard.setup.search_chart import settings_curve
from rugboard.setup.search_job import GRID, SearchJob, SearchReport
from rugboard.shell import charts
from rugboard.shell.guard import guarded
from rugboard.shell.text import plain
from rugcore.errors import InputError
from rugcore.selection import SettingsCurve, SettingsPoint

CHART = "settings-curve"
MOST_RULES = 500
HELP = (
    "The training rows are cut into five parts. With longest rules from 1 to 5 and prices from 0.3 to 30, RUG is "
    "trained without each part in turn and judged on it: 125 trainings. The test rows stay untouched. FairRUG takes "
    "the same settings. ± is one standard error."
)
_SHOWN, _CLICKED = "_search_shown", "_search_clicked"  # which search is open; its point that was clicked


def job_of(draft: Draft) -> SearchJob:
    return SearchJob.of(server.store().home, draft.to_plan())


def ask_search(draft: Draft) -> None:
    """The button; what is known already is shown at once."""
    if not st.button(
        "Find good settings",
        key="find_settings",
        icon=":material/search_insights:",
        width="stretch",
        help="Try longest rules and prices, and see how many rules are worth it.",
    ):
        return
    job = job_of(draft)
    if job.progress().status != FINISHED:
        server.store().refuse_to_readers()
        job.begin(draft.to_plan())
    st.session_state[_SHOWN] = job.name
    st.session_state.pop(_CLICKED, None)
    st.rerun()


@guarded
def show_search() -> None:
    """A search that is under way, or the one that is open; else nothing."""
    draft = current_draft.draft()
    if draft is None or not draft.is_ready:
        return
    with suppress(InputError):  # said where somebody presses a button, not before
        _show_search(draft, job_of(draft))


def _show_search(draft: Draft, job: SearchJob) -> None:
    progress = job.progress()
    with one_at_a_time():
        if progress.is_under_way:
            st.session_state[_SHOWN] = job.name
            with st.container(border=True, key="search_progress"):
                watch_job(job, "search", headline, lambda report: report.share, _show_curve_so_far)
        elif st.session_state.get(_SHOWN) == job.name:
            with st.container(border=True, key="search"):
                _show_head()
                _show_end(job, draft, progress)


def headline(report: SearchReport) -> str:
    if not report.n_rows:
        return "Reading the data"
    return f"Looking for good settings: {search_words.how_far(len(report.points), len(GRID))}"


def _show_head() -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown("**How many rules are worth it?**", width="content", help=HELP)
        st.button("Close", key="close_search", icon=":material/close:", type="tertiary", on_click=close)


def close() -> None:
    st.session_state.pop(_SHOWN, None)


def _show_end(job: SearchJob, draft: Draft, progress: JobProgress[SearchReport]) -> None:
    report = progress.report or SearchReport()
    if progress.status != FINISHED:
        st.markdown(how_it_ended(progress, report))
        if st.button("Go on", key="go_on_search", icon=":material/play_arrow:"):
            server.store().refuse_to_readers()
            job.begin(draft.to_plan())
            st.rerun()
    if report.points:
        _show_choice(report)


def how_it_ended(progress: JobProgress[SearchReport], report: SearchReport) -> str:
    done = search_words.how_far(len(report.points), len(GRID))
    if progress.status == CANCELLED:
        return f":material/cancel: Cancelled with {done}."
    reason = plain(report.error) or "The process that trained them is gone, perhaps because memory or disk were full."
    return f":material/stop_circle: Stopped with {done}. {reason}"


# -- the curve ---------------------------------------------------------------------------------------------


def _show_curve_so_far(report: SearchReport) -> None:
    if report.points:
        curve = report.curve(None)
        figure = settings_curve(curve, curve.recommended, report.most_common)
        charts.show(figure, key="settings-curve-so-far", alt="Right decisions against rules, so far")


def _show_choice(report: SearchReport) -> None:
    about = st.number_input(
        "About how many rules do you want to read?",
        1,
        MOST_RULES,
        None,
        placeholder="as few as are worth it",
        key="about_n_rules",
        persist_state="session",
        on_change=forget_click,
    )
    curve = report.curve(None if about is None else float(about))
    chosen = chosen_point(curve)
    charts.show(
        settings_curve(curve, chosen, report.most_common),
        key=CHART,
        alt="Right decisions against the number of rules, for every setting tried",
        on_select=take_click,
        selection_mode="points",
    )
    st.markdown(search_words.what_it_brings(curve, chosen))
    if warning := search_words.warning_in_words(chosen, report.most_common):
        st.warning(warning, icon=":material/warning:")
    st.caption(f"{search_words.why_this_one(curve, chosen)} Click on another point to choose it.")
    st.button(
        "Take these settings",
        type="primary",
        key="take_settings",
        icon=":material/check:",
        on_click=take,
        args=(chosen,),
    )


def chosen_point(curve: SettingsCurve) -> SettingsPoint:
    """The one that was clicked, or the recommended one."""
    clicked = st.session_state.get(_CLICKED)
    found = [point for point in curve.points if (point.depth, point.penalty) == clicked]
    return found[0] if found else curve.recommended


def take_click() -> None:
    clicked = st.session_state[CHART]["selection"]["points"]
    chosen = [point["customdata"] for point in clicked if point.get("customdata")]
    if chosen:
        st.session_state[_CLICKED] = (int(chosen[0][0]), float(chosen[0][1]))


def forget_click() -> None:
    st.session_state.pop(_CLICKED, None)


def take(point: SettingsPoint) -> None:
    """Into the form: it begins again with these settings, and with everything else as it was."""
    draft = current_draft.draft()
    if draft is None:
        return
    settings = replace(draft.settings, max_depth=point.depth, penalty=float(point.penalty))
    current_draft.open_draft(draft.with_settings(settings))
    close()
    st.toast(f"{search_words.heading(point)}: taken over. Press Train.", icon=":material/check:")
