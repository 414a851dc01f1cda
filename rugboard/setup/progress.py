"""A run while it trains: how far each model is, what it costs round by round, and a way to stop it."""

from collections.abc import Callable

import streamlit as st

from rugboard.runs.records import QUEUED, Run
from rugboard.session import server, watching
from rugboard.setup import charts as setup_charts
from rugboard.setup.scorecard import show_cards
from rugboard.shell import charts
from rugboard.shell.formats import counted
from rugboard.shell.guard import guarded

SECONDS_WHILE_TRAINING, SECONDS_WHILE_WAITING = 0.5, 2.0  # between two drawings, if few are watching

ShowMore = Callable[[Run], None]


def watch(run: Run, more: ShowMore, *, side_by_side: bool) -> None:
    """Follow a run that is not over; when it is, the whole page is drawn again. `more` is shown below the cards."""
    seconds = _pace(run)
    st.fragment(_watch, run_every=seconds)(run.id, more, side_by_side, seconds)


def _pace(run: Run) -> float:
    return watching.pace("progress", SECONDS_WHILE_WAITING if run.status == QUEUED else SECONDS_WHILE_TRAINING)


@guarded
def _watch(run_id: str, more: ShowMore, side_by_side: bool, seconds: float) -> None:
    run = watching.look(run_id).run
    if run.is_over or not seconds / 2 <= _pace(run) <= seconds:
        st.rerun()  # what comes next, or the same at another pace
    _show_head(run)
    show_cards(run, side_by_side=side_by_side)
    more(run)


def _show_head(run: Run) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f":material/hourglass_top: {_headline(run)}", width="content")
        is_stopping = run.cancel_asked is not None
        label = "Stopping …" if is_stopping else "Cancel"
        if st.button(label, key="cancel", icon=":material/stop_circle:", disabled=is_stopping):
            server.store().ask_to_cancel(run.id)
            st.rerun(scope="fragment")


def _headline(run: Run) -> str:
    if run.cancel_asked is not None:
        return "Stopping"
    if run.status == QUEUED:
        n_before = server.store().place_in_line(run.id)
        return "Waiting for a free core" + (f", behind {counted(n_before, 'other run')}" if n_before else "")
    return run.phase or "Starting"


def show_live_objective(run: Run) -> None:
    """The cost of the models, round by round."""
    st.caption(
        "What the rules and their mistakes cost so far. It falls as better rules are found.",
        help="The objective of the linear program: the price of the rules plus the loss on the training rows.",
    )
    figure = setup_charts.objective(watching.look(run.id).rounds, run.plan.max_iter)
    charts.show(figure, key="live_objective", alt="Cost by round")
