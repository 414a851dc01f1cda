"""The plan in the making: a half-made draft lives as long as the browser tab."""

import streamlit as st

from rugboard.session import state
from rugboard.setup import table_dictionary
from rugboard.setup.drafts import ColumnChoices, Draft, TrainingSettings, draft_of

_DRAFT, _OPENING, _NUMBER = "_draft", "_opening_draft", "_draft_number"


def draft() -> Draft | None:
    """What was chosen so far; a visitor who comes by a link to a run begins with that run's plan."""
    kept = st.session_state.get(_DRAFT)
    if isinstance(kept, Draft):
        return table_dictionary.with_dictionary(kept)
    looked_at = state.run_if_any()
    if looked_at is not None:
        open_draft(draft_of(looked_at.plan))
        return draft()
    return None


def opening() -> Draft | None:
    """The draft as it was opened: where the widgets begin."""
    kept = st.session_state.get(_OPENING)
    return kept if isinstance(kept, Draft) else None


def draft_number() -> int:
    """Part of the key of every widget that belongs to a draft, so that a new draft has new widgets."""
    return int(st.session_state.get(_NUMBER, 0))


def open_draft(new: Draft) -> None:
    table_dictionary.begin(new)
    st.session_state[_DRAFT] = st.session_state[_OPENING] = new
    st.session_state[_NUMBER] = draft_number() + 1


def keep_columns(columns: ColumnChoices) -> None:
    kept = draft()
    if kept is not None:
        st.session_state[_DRAFT] = kept.with_columns(columns)


def keep_settings(settings: TrainingSettings) -> None:
    kept = draft()
    if kept is not None:
        st.session_state[_DRAFT] = kept.with_settings(settings)
