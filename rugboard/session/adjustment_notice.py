"""A line that says that models are not shown as trained, and the way back."""

import streamlit as st

from rugboard.runs.results import Results
from rugboard.session import adjustments
from rugboard.session.adjustments import AS_TRAINED, Adjustment
from rugboard.shell.formats import counted, points, short
from rugboard.shell.theme import name_of_model


def change_in_words(change: Adjustment) -> str:
    """What differs from the model as it was trained, or nothing."""
    parts = [
        *([f"a largest allowed gap of {points(change.epsilon)}"] if change.epsilon is not None else []),
        *([f"a price of a rule of {short(change.penalty)}"] if change.penalty is not None else []),
        *([f"{counted(len(change.without), 'rule')} left out"] if change.without else []),
    ]
    return " and ".join(parts)


def show_changes(results: Results) -> None:
    """Says that a model is not shown as it was trained, and how to get back."""
    if _changed(results):
        _show_state(results, _reweighted(results), is_changed=True)


def show_state(results: Results) -> None:
    """The same, with a line of the same height where nothing is changed: moving the slider must not move the page."""
    if _changed(results):
        _show_state(results, _reweighted(results), is_changed=True)
    else:
        _show_state(results, ":material/check: Shown as trained.", is_changed=False)


def _changed(results: Results) -> dict[str, adjustments.Adjustment]:
    changes = {model: adjustments.current(results.run.id, model) for model in results.summaries}
    return {model: change for model, change in changes.items() if change.is_any}


def _reweighted(results: Results) -> str:
    changes = _changed(results).items()
    words = "; ".join(f"{name_of_model(model)} with {change_in_words(change)}" for model, change in changes)
    return f":material/tune: Re-weighted from the rules that training found: {words}."


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
        adjustments.adjust(results, model, AS_TRAINED)
