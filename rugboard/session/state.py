"""What the dashboard remembers of a visitor, with names and types.

The address names the run (`?run=...`) and the page, so that a refresh or another browser shows the same. What is not
worth an address, such as a half-made plan, lives as long as the browser tab.
"""

from uuid import uuid4

import streamlit as st

from rugboard.runs.errors import RunError
from rugboard.runs.records import Run
from rugboard.session.drafts import Columns, Draft, Settings, draft_of
from rugboard.session.server import store

RUN = "run"  # the name in the address

_RUN, _VISITOR, _PAGE, _VISIT = "_run", "_visitor", "_page", "_visit"
_DRAFT, _OPENING, _NUMBER = "_draft", "_opening_draft", "_draft_number"


# -- the address -------------------------------------------------------------------------------------------


def follow_address(page: str) -> None:
    """Call once at the start of each script run: the address decides, and is completed where it says nothing."""
    in_address = st.query_params.get(RUN)
    if in_address is not None:
        st.session_state[_RUN] = in_address
    elif (chosen := run_id()) is not None:
        st.query_params[RUN] = chosen
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE] = page
        st.session_state[_VISIT] = visit() + 1


def is_routed() -> bool:
    """Whether app.py has seen this visitor."""
    return _PAGE in st.session_state


def visit() -> int:
    """Counts the page switches; part of the key of a widget that is to begin anew on each visit."""
    return int(st.session_state.get(_VISIT, 0))


def visitor() -> str:
    """A name for this browser tab, so that nobody's queue holds up another's."""
    return str(st.session_state.setdefault(_VISITOR, str(uuid4())))


# -- the run that is looked at -----------------------------------------------------------------------------


def run_id() -> str | None:
    chosen = st.session_state.get(_RUN)
    return chosen if isinstance(chosen, str) else None


def run() -> Run | None:
    """The run that is looked at, as it is now; a `RunError` says that it does not exist."""
    chosen = run_id()
    return None if chosen is None else store().get(chosen)


def run_if_any() -> Run | None:
    """Like `run`, for pages that go on without one."""
    try:
        return run()
    except RunError:
        return None


def look_at(chosen: str) -> None:
    """Make a run the one that is looked at."""
    st.session_state[_RUN] = chosen
    st.query_params[RUN] = chosen


def look_away() -> None:
    st.session_state.pop(_RUN, None)
    st.query_params.pop(RUN, None)


# -- the plan in the making --------------------------------------------------------------------------------


def draft() -> Draft | None:
    """What was chosen so far; a visitor who comes by a link to a run begins with that run's plan."""
    kept = st.session_state.get(_DRAFT)
    if isinstance(kept, Draft):
        return kept
    looked_at = run_if_any()
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
    st.session_state[_DRAFT] = st.session_state[_OPENING] = new
    st.session_state[_NUMBER] = draft_number() + 1


def keep_columns(columns: Columns) -> None:
    kept = draft()
    if kept is not None:
        st.session_state[_DRAFT] = kept.with_columns(columns)


def keep_settings(settings: Settings) -> None:
    kept = draft()
    if kept is not None:
        st.session_state[_DRAFT] = kept.with_settings(settings)


def drop_draft() -> None:
    st.session_state.pop(_DRAFT, None)
    st.session_state.pop(_OPENING, None)
