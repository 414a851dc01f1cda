"""What every page has: a heading, a line that says which run is looked at, and kind empty states."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rugboard.runs.errors import RunError
from rugboard.runs.records import CANCELLED, FAILED, FINISHED, QUEUED, RUNNING, Run
from rugboard.runs.results import Results
from rugboard.session import adjustments, prefetch, server, sharing, state
from rugboard.session.keeping import origin_in_words
from rugboard.shell import formats
from rugboard.shell.text import named, plain
from rugboard.shell.theme import name_of_model

START, DATA, TRAIN, RULES, APPLICANTS, FAIRNESS, RUNS = (
    f"pages/{name}.py" for name in ("start", "data", "train", "rules", "applicants", "fairness", "runs")
)


# -- what is looked at -------------------------------------------------------------------------------------

STATUS_WORDS = {
    QUEUED: ("Waiting", "gray", ":material/hourglass_empty:"),
    RUNNING: ("Training", "blue", ":material/sync:"),
    FINISHED: ("Trained", "green", ":material/check:"),
    FAILED: ("Failed", "red", ":material/error:"),
    CANCELLED: ("Cancelled", "gray", ":material/cancel:"),
}


def show_status(run: Run) -> None:
    words, colour, icon = STATUS_WORDS[run.status]
    st.badge(words, color=colour, icon=icon)  # type: ignore[arg-type]


def title(text: str, line: str) -> None:
    """The heading of a page and one line that says what it is for."""
    st.title(text, anchor=False)
    st.caption(line)


def show_run_line(run: Run) -> None:
    """Which run the page is about."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{plain(run.name)}**", width="content")
        show_status(run)
        st.caption(_description(run) + sharing.told(run), width="content", help=origin_in_words(run.plan) or None)


def _description(run: Run) -> str:
    plan = run.plan.shown()
    groups = f" · groups by {' and '.join(named(name) for name in plan.sensitive)}" if plan.sensitive else ""
    origin = "" if plan.origin is None else f" · kept from {named(plan.origin.name)}"
    return f"outcome {named(plan.target)}{groups}{origin} · {formats.ago(run.ended or run.started or run.created)}"


def one_at_a_time() -> DeltaGenerator:
    """A place for what a run shows while it trains or afterwards: the one goes at once when the other comes."""
    return st.empty().container()


# -- empty states ------------------------------------------------------------------------------------------


def empty_state(sentence: str, link: str, label: str, icon: str = ":material/info:") -> None:
    """Why there is nothing to see, and where to go."""
    with st.container(border=True, horizontal_alignment="center", gap="small"):
        st.space("small")
        st.markdown(f"{icon} {sentence}", width="content", text_alignment="center")
        st.page_link(link, label=label, icon=":material/arrow_forward:", query_params=address())
        st.space("small")


def address() -> dict[str, str]:
    """What a link to another page must say in the address to stay with the run."""
    chosen = state.run_id()
    return {} if chosen is None else {state.RUN: chosen}


def link(page: str, label: str, icon: str | None = None) -> None:
    """A link to another page that stays with the run."""
    st.page_link(page, label=label, icon=icon, query_params=address())


def results_or_stop(model: str | None = None) -> Results:
    """The run that is looked at, opened; where there is nothing to open, say so kindly and end the page.

    With `model` ("rug" or "fair") that model must be there.
    """
    run = run_or_stop()
    show_run_line(run)
    trained = server.store().summaries(run.id)
    if not trained:
        _no_model_yet(run)
        st.stop()
    if model is not None and model not in trained:
        empty_state(f"This run has no {name_of_model(model)} model.", TRAIN, "Train one")
        st.stop()
    results = server.results(run.id)
    adjustments.write_address(run.id)
    prefetch.look_ahead(run, results)
    return results


def run_or_stop() -> Run:
    """The run that is looked at; without one, say what to do and end the page."""
    try:
        run = state.run()
    except RunError as error:
        empty_state(plain(error), START, "Choose another run", ":material/search_off:")
        st.stop()
    if run is None and server.store().runs():
        empty_state("No run is chosen. Open one from the list of runs, or train a new one.", START, "Choose a run")
        st.stop()
    if run is None:
        empty_state("No model yet. Choose data and train one; the demo takes a few seconds.", START, "Go to Start")
        st.stop()
    return run


def _no_model_yet(run: Run) -> None:
    if not run.is_over:
        empty_state("This run is still training.", TRAIN, "Watch it", ":material/hourglass_top:")
    elif run.status == FAILED:
        empty_state(f"This run failed. {plain(run.error or '')}", TRAIN, "Change the settings", ":material/error:")
    else:
        empty_state("This run was cancelled, so there is no model.", TRAIN, "Train again")
