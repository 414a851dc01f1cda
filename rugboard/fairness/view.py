"""Parts of the page Fairness: the slider, tables with their download, verdict cards."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal

import pandas as pd
import streamlit as st

from rugboard.fairness import frontier
from rugboard.fairness.limit import PROXY, Asked, change_in_words
from rugboard.fairness.words import (
    ABOVE,
    ABOVE_PERHAPS,
    AS_FAR_AS_MEASURED,
    INTERVAL_HELP,
    UNKNOWN,
    WITHIN,
    WITHIN_PERHAPS,
    Worst,
    certainty,
    exactly,
    interval,
    on_training_rows,
    verdict,
)
from rugboard.runs.plan import FAIR
from rugboard.runs.results import Results
from rugboard.session import adjusted_models
from rugboard.session.adjusted_models import AS_TRAINED
from rugboard.session.evaluations import TEST, TRAINING, Compared, Standing, epsilon_now
from rugboard.shell.downloads import show_file, to_csv
from rugboard.shell.formats import NOTHING, percent, points
from rugboard.shell.theme import name_of_model

ROW_HEIGHT = 36
COUNT_WIDTH = 70
MOST_LINES = 12  # of a table; a longer one scrolls
TABLES_KEPT = 64  # as files; small

Make = Callable[..., pd.DataFrame]


# -- the allowed gap ---------------------------------------------------------------------------------------


def ask_epsilon(results: Results) -> None:
    """The slider says what the visitor's adjustment says, and changes it."""
    trained, key = results.plan.epsilon, _slider(results)
    chosen = epsilon_now(results)
    if st.session_state.get(key) != chosen:
        st.session_state[key] = chosen
    st.select_slider(
        "Largest allowed gap",
        frontier.steps(trained, chosen),
        format_func=lambda gap: f"{points(gap)} · as trained" if gap == trained else points(gap),
        key=key,
        on_change=lambda: choose_epsilon(results, float(st.session_state[key])),
        help="Epsilon: how far the error rates of two groups may lie apart. Move it, and the rules that training found "
        "are weighed anew, here and on the page Rules; the run stays as it is. All models are held against it.",
    )


def _slider(results: Results) -> str:
    return f"fairness_epsilon_{results.run.id}"


def choose_epsilon(results: Results, epsilon: float) -> None:
    """For this page and for all others."""
    change = adjusted_models.adjustment(results.run.id, FAIR)
    adjusted_models.adjust(results, FAIR, replace(change, epsilon=epsilon))


def show_changes(results: Results) -> None:
    """Says that a model is not shown as it was trained, and how to get back."""
    if _changed(results):
        _show_state(results, _weighed_anew(results), is_changed=True)


def show_state(results: Results) -> None:
    """The same, with a line of the same height where nothing is changed: moving the slider must not move the page."""
    if _changed(results):
        _show_state(results, _weighed_anew(results), is_changed=True)
    else:
        _show_state(results, ":material/check: Shown as trained.", is_changed=False)


def _changed(results: Results) -> dict[str, adjusted_models.Adjustment]:
    changes = {model: adjusted_models.adjustment(results.run.id, model) for model in results.summaries}
    return {model: change for model, change in changes.items() if change.is_any}


def _weighed_anew(results: Results) -> str:
    changes = _changed(results).items()
    words = "; ".join(f"{name_of_model(model)} with {change_in_words(change)}" for model, change in changes)
    return f":material/tune: Weighed anew from the rules that training found: {words}."


def _show_state(results: Results, text: str, *, is_changed: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.caption(text, width="stretch")
        st.button(
            "Back to as trained",
            key="as_trained",
            icon=":material/undo:",
            on_click=_undo,
            args=(results,),
            disabled=not is_changed,
        )


def _undo(results: Results) -> None:
    for model in results.summaries:
        adjusted_models.adjust(results, model, AS_TRAINED)


# -- verdicts ----------------------------------------------------------------------------------------------

TRAINING_HELP = "Counted on the rows that the model learned from; there is no chance in it."
EVIDENCE_HELP = (
    "What the rows kept from training say about others. Cannot be told: the 95 % interval lies on both sides of the "
    "limit."
)
PROMISE_HELP = {
    "realised": "FairRUG's limit is about its decisions on the training rows, where the gap is counted exactly.",
    PROXY: "FairRUG's limit is about losses in its optimisation; of its decisions it promised nothing.",
}
NO_PROMISE_HELP = "This model was asked for nothing; the gap on the training rows is counted exactly."

Badge = tuple[str, Literal["green", "blue", "gray", "red"], str]


def promise(standing: Standing, notion: str, epsilon: float) -> Badge:
    """The first verdict: whether what was promised about the training rows was kept."""
    side = exactly(standing.gap(TRAINING, notion), epsilon)
    if side == UNKNOWN:
        return "Training: not estimable", "gray", ":material/remove:"
    if standing.fit is None or standing.fit.guarantee == PROXY:
        return f"Training: {side}, not promised", "gray", ":material/remove:"
    if side == ABOVE:
        return "Promise not kept", "red", ":material/close:"
    if Compared.of(standing.audits[TRAINING], notion).lacking:
        return f"Promise kept {AS_FAR_AS_MEASURED}", "blue", ":material/rule:"
    return "Promise kept", "green", ":material/check:"


def evidence(standing: Standing, notion: str, epsilon: float) -> Badge:
    """The second verdict: what the test rows say about new people."""
    worst = Worst.of(standing, TEST, notion)
    found = UNKNOWN if worst is None else certainty(worst.gap, worst.lower, worst.upper, epsilon)
    if found == WITHIN and Compared.of(standing.audits[TEST], notion).lacking:
        return f"Test: within {AS_FAR_AS_MEASURED}", "blue", ":material/rule:"
    return EVIDENCE[found]


EVIDENCE: dict[str, Badge] = {
    WITHIN: ("Test: within the limit", "green", ":material/check:"),
    WITHIN_PERHAPS: ("Test: cannot be told", "gray", ":material/question_mark:"),
    ABOVE_PERHAPS: ("Test: cannot be told", "gray", ":material/question_mark:"),
    ABOVE: ("Test: above the limit", "red", ":material/close:"),
    UNKNOWN: ("Test: not estimable", "gray", ":material/remove:"),
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
    promise_help = NO_PROMISE_HELP if standing.fit is None else PROMISE_HELP[standing.fit.guarantee]
    found = ((promise(standing, notion, epsilon), promise_help), (evidence(standing, notion, epsilon), EVIDENCE_HELP))
    st.markdown(f"**{standing.name}**")
    with st.container(gap="xsmall"):  # one below the other, so that the numbers of all cards stand at the same height
        for (words, colour, icon), help_text in found:
            st.badge(words, color=colour, icon=icon, help=help_text)


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


def show_download(
    label: str, make: Make, of: tuple[Any, ...], asked: Asked, name: str, *, is_main: bool = False
) -> None:
    """The table that `make` makes of standings, as CSV."""
    kind: Literal["secondary", "tertiary"] = "secondary" if is_main else "tertiary"
    show_file(label, _as_csv(make, of), f"{asked.file_name}-{name}.csv", f"download_{name}", kind=kind)


@lru_cache(maxsize=TABLES_KEPT)
def _as_csv(make: Make, of: tuple[Any, ...]) -> bytes:
    return to_csv(make(*of))
