"""The frontier on the screen: points that come in one after the other, each of which can be chosen."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from rugboard.fairness import frontier, frontier_chart, tables, view
from rugboard.fairness.frontier import Frontier
from rugboard.fairness.limit import FairnessLimit
from rugboard.runs.plan import FAIR
from rugboard.runs.results import Results
from rugboard.session import adjustments, sampled
from rugboard.session.evaluations import Evaluation
from rugboard.shell import charts
from rugboard.shell.formats import counted
from rugboard.shell.guard import guarded
from rugcore.comparison import FairAlternative

SECONDS_BETWEEN_LOOKS = 0.7
FRONTIER_CHART = "fairness-frontier"
_WAS_CHOSEN = "_frontier_was_clicked"


@guarded
def show_frontier(
    results: Results,
    found: tuple[Evaluation, ...],
    limit: FairnessLimit,
    alternatives: tuple[FairAlternative, ...] = (),
) -> None:
    if FAIR not in results.summaries:
        return
    st.subheader("What more fairness would cost", anchor=False)
    sampled.say_so(results)
    st.caption(
        "FairRUG for one allowed gap after the other. Click on a diamond to choose it, here and on Rules.",
        help="The frontier over epsilon: further left the groups are closer together, higher up more decisions are "
        "right. No new rules are looked for; a new training could find some that suit another limit better. On the "
        "test rows a point can lie to the right of what was allowed.",
    )
    work = frontier.frontier(results, adjustments.current(results.run.id, FAIR))
    is_large = len(results.is_test) > frontier.MANY_ROWS
    if is_large and not work.is_begun and not st.button("Draw it", key="draw_frontier", icon=":material/show_chart:"):
        return
    every = None if work.is_complete else SECONDS_BETWEEN_LOOKS
    st.fragment(show_points, run_every=every)(results, work, found, limit, alternatives, every is not None)


@guarded
def show_points(
    results: Results,
    work: Frontier,
    found: tuple[Evaluation, ...],
    limit: FairnessLimit,
    alternatives: tuple[FairAlternative, ...],
    is_watched: bool,
) -> None:
    """The points so far; at the last one the page is drawn again, which ends the watch."""
    work.go_on(results)
    if st.session_state.pop(_WAS_CHOSEN, False) or (is_watched and work.is_complete):
        st.rerun()
    if not work.is_complete:
        n_done, n_all = len(work.points), len(work.epsilons)
        st.progress(n_done / n_all, text=f"{n_done} of {counted(n_all, 'limit')}")
    shown, others = with_chosen(work.points, found), tuple(item for item in found if item.model != FAIR)
    figure = frontier_chart.frontier(shown, others, limit.notion, limit.epsilon, alternatives)
    charts.show(
        figure,
        key=FRONTIER_CHART,
        alt="Right decisions against the largest gap, for one allowed gap after the other",
        on_select=partial(take_clicked_point, results),
        selection_mode="points",
    )
    say_what_it_shows(shown, limit)
    view.show_download("Frontier as CSV", tables.frontier, (tuple(work.points),), limit, "frontier")


def say_what_it_shows(shown: Sequence[Evaluation], limit: FairnessLimit) -> None:
    """Whether another limit would do better, what hides behind a point, and how much the heights are worth."""
    better = frontier_chart.better_choice(shown, limit.notion, limit.epsilon)
    if better:
        st.markdown(f":material/lightbulb: {better}")
    hidden = "Some points hide others: point at one to see its limits. "
    is_hiding = frontier_chart.hides_points(shown, limit.notion)
    st.caption(f"{hidden if is_hiding else ''}{frontier_chart.spread(shown)}")


def with_chosen(points_of: Sequence[Evaluation], found: tuple[Evaluation, ...]) -> tuple[Evaluation, ...]:
    """The points, and the model as it is shown now if its limit is none of theirs."""
    by_epsilon = {item.fit.epsilon: item for item in (*found, *points_of) if item.fit is not None}
    return tuple(by_epsilon[epsilon] for epsilon in sorted(by_epsilon))


def take_clicked_point(results: Results) -> None:
    clicked = st.session_state[FRONTIER_CHART]["selection"]["points"]
    chosen = [point["customdata"][0] for point in clicked if point.get("customdata")]
    if chosen:
        view.choose_epsilon(results, float(chosen[0]))
        st.session_state[_WAS_CHOSEN] = True
