"""A run while it trains: how far each model is, what it costs round by round, and a way to stop it."""

from collections.abc import Callable

import streamlit as st

from rugboard.runs.records import QUEUED, Run
from rugboard.session import server
from rugboard.session.training import runner
from rugboard.setup import charts as setup_charts
from rugboard.setup.scorecard import show_cards
from rugboard.shell import charts
from rugboard.shell.formats import counted
from rugboard.shell.guard import guarded

SECONDS_BETWEEN_LOOKS = 0.5

ShowMore = Callable[[Run], None]


def watch(run: Run, more: ShowMore, *, side_by_side: bool) -> None:
    """Follow a run that is not over; when it is, the whole page is drawn again. `more` is shown below the cards."""
    _watch(run.id, more, side_by_side)


@st.fragment(run_every=SECONDS_BETWEEN_LOOKS)
@guarded
def _watch(run_id: str, more: ShowMore, side_by_side: bool) -> None:
    run = server.store().get(run_id)
    if run.is_over:
        st.rerun()
    _show_head(run)
    show_cards(run, side_by_side=side_by_side)
    more(run)


def _show_head(run: Run) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f":material/hourglass_top: {_headline(run)}", width="content")
        is_stopping = run.cancel_asked is not None
        label = "Stopping …" if is_stopping else "Cancel"
        if st.button(label, key="cancel", icon=":material/stop_circle:", disabled=is_stopping):
            runner().cancel(run.id)
            st.rerun(scope="fragment")


def _headline(run: Run) -> str:
    if run.cancel_asked is not None:
        return "Stopping"
    if run.status == QUEUED:
        n_before = sum(other.created < run.created for other in server.store().runs(status=QUEUED))
        return "Waiting for a free core" + (f", behind {counted(n_before, 'other run')}" if n_before else "")
    return run.phase or "Starting"


def show_live_objective(run: Run) -> None:
    """The cost of the models, round by round."""
    st.caption(
        "What the rules and their mistakes cost so far. It falls as better rules are found.",
        help="The objective of the linear program: the price of the rules plus the loss on the training rows.",
    )
    figure = setup_charts.objective(server.store().rounds(run.id), run.plan.max_iter)
    charts.show(figure, key="live_objective", alt="Cost by round")
