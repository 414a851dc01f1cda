"""Parts of the page Fairness: the slider, tables with their download, verdict cards."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal

import pandas as pd
import streamlit as st

from ui import fairness_frontier, resolved
from ui.downloads import file_part, show_file, to_csv
from ui.fairness_standing import TEST, TRAINING, Standing, epsilon_now
from ui.fairness_words import (
    ABOVE,
    ABOVE_PERHAPS,
    INTERVAL_HELP,
    UNKNOWN,
    WITHIN,
    WITHIN_PERHAPS,
    Worst,
    certainty,
    interval,
    on_training_rows,
    verdict,
)
from ui.look import name_of_model
from ui.numbers import NOTHING, counted, percent, points, short
from ui.resolved import AS_TRAINED
from ui.runs.plan import FAIR
from ui.runs.results import Results

ROW_HEIGHT = 36
COUNT_WIDTH = 70
MOST_LINES = 12  # of a table; a longer one scrolls
TABLES_KEPT = 64  # as files; small

Make = Callable[[Any], pd.DataFrame]


# -- the allowed gap ---------------------------------------------------------------------------------------


def ask_epsilon(results: Results) -> None:
    """The slider says what the visitor's adjustment says, and changes it."""
    trained, key = results.plan.epsilon, _slider(results)
    chosen = epsilon_now(results)
    if st.session_state.get(key) != chosen:
        st.session_state[key] = chosen
    st.select_slider(
        "Largest allowed gap",
        fairness_frontier.steps(trained, chosen),
        format_func=lambda gap: f"{points(gap)} · as trained" if gap == trained else points(gap),
        key=key,
        on_change=lambda: choose_epsilon(results, float(st.session_state[key])),
        help="Epsilon: how far the error rates of two groups may lie apart on the training rows. Move it, and the "
        "rules that training found are weighed anew, here and on the page Rules; the run stays as it is.",
    )


def _slider(results: Results) -> str:
    return f"fairness_epsilon_{results.run.id}"


def choose_epsilon(results: Results, epsilon: float) -> None:
    """For this page and for all others."""
    change = resolved.adjustment(results.run.id, FAIR)
    resolved.adjust(results, FAIR, replace(change, epsilon=epsilon))


def show_changes(results: Results) -> None:
    """Says that a model is not shown as it was trained, and how to get back."""
    changed = {model: resolved.adjustment(results.run.id, model) for model in results.summaries}
    changed = {model: change for model, change in changed.items() if change.is_any}
    if not changed:
        return
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        words = "; ".join(
            f"{name_of_model(model)} with {_change_in_words(change)}" for model, change in changed.items()
        )
        st.caption(f":material/tune: Weighed anew from the rules that training found: {words}.", width="stretch")
        st.button("Back to as trained", key="as_trained", icon=":material/undo:", on_click=_undo, args=(results,))


def _change_in_words(change: resolved.Adjustment) -> str:
    parts = [
        *([f"a largest allowed gap of {points(change.epsilon)}"] if change.epsilon is not None else []),
        *([f"a price of a rule of {short(change.penalty)}"] if change.penalty is not None else []),
        *([f"{counted(len(change.without), 'rule')} left out"] if change.without else []),
    ]
    return " and ".join(parts)


def _undo(results: Results) -> None:
    for model in results.summaries:
        resolved.adjust(results, model, AS_TRAINED)


# -- verdicts ----------------------------------------------------------------------------------------------

TRAINING_HELP = (
    "Counted on the rows that the model learned from. FairRUG's limit is about these rows; there is no chance in it."
)
BADGES = {
    WITHIN: ("Within the limit", "green", ":material/check:"),
    WITHIN_PERHAPS: ("Within, not certain", "green", ":material/check:"),
    ABOVE_PERHAPS: ("Above, perhaps by chance", "orange", ":material/question_mark:"),
    ABOVE: ("Above the limit", "red", ":material/close:"),
    UNKNOWN: ("Not estimable", "gray", ":material/remove:"),
}


def show_verdict(standing: Standing, notion: str, epsilon: float, classes: Sequence[Any]) -> None:
    """The card of one model: the gap on training rows and on test rows, and what it means."""
    with st.container(border=True, height="stretch", gap="small", key=f"verdict_{standing.model}"):
        _show_head(standing, notion, epsilon)
        training, test = st.columns(2)
        with training:
            gap = standing.gap(TRAINING, notion)
            show_metric("Gap, training rows", points(gap), "exact", TRAINING_HELP)
        with test:
            show_metric("Gap, test rows", *_gap_with_interval(standing, notion), INTERVAL_HELP)
        st.markdown(verdict(standing, notion, epsilon, classes))
        st.caption(on_training_rows(standing, notion, epsilon, classes))
        st.caption(
            f"Right decisions: {percent(standing.accuracy[TEST])} on the test rows, "
            f"{percent(standing.accuracy[TRAINING])} on the training rows."
        )


def _show_head(standing: Standing, notion: str, epsilon: float) -> None:
    worst = Worst.of(standing, TEST, notion)
    found = UNKNOWN if worst is None else certainty(worst.gap, worst.lower, worst.upper, epsilon)
    words, colour, icon = BADGES[found]
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", gap="small"):
        st.markdown(f"**{standing.name}**", width="content")
        st.badge(words, color=colour, icon=icon, help="On the test rows.")  # type: ignore[arg-type]


def _gap_with_interval(standing: Standing, notion: str) -> tuple[str, str]:
    worst = Worst.of(standing, TEST, notion)
    return (NOTHING, "not estimable") if worst is None else (points(worst.gap), interval(worst.lower, worst.upper))


def show_metric(label: str, number: str, second: str | None, help_text: str) -> None:
    st.metric(label, number, second, delta_color="off", delta_arrow="off", help=help_text)


# -- tables ------------------------------------------------------------------------------------------------


def show_table(
    frame: pd.DataFrame, headings: Mapping[str, tuple[str, str | None]], key: str, alt: str, width: int | None = None
) -> None:
    """A table to read. `headings` are the title and the help of each column; `width` is for those with an interval."""
    widths = dict.fromkeys(headings, width) | {"group": None, "n": COUNT_WIDTH}
    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        height=ROW_HEIGHT * (min(len(frame), MOST_LINES) + 1) + 2,
        row_height=ROW_HEIGHT,
        column_order=[name for name in headings if name in frame.columns],
        column_config={
            name: st.column_config.Column(title, help=help_text, width=widths[name])
            for name, (title, help_text) in headings.items()
        },
        alt=alt,
    )


def show_download(label: str, make: Make, of: Any, results: Results, name: str, *, is_main: bool = False) -> None:
    """The table that `make` makes of standings, as CSV."""
    whole_name = f"{file_part(results.run.name)}-{name}.csv"
    kind: Literal["secondary", "tertiary"] = "secondary" if is_main else "tertiary"
    show_file(label, _as_csv(make, of), whole_name, f"download_{name}", kind=kind)


@lru_cache(maxsize=TABLES_KEPT)
def _as_csv(make: Make, of: Any) -> bytes:
    return to_csv(make(of))
