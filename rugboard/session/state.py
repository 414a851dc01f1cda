"""What the dashboard remembers of a visitor, with names and types.

The address names the run (`?run=...`) and the page, so that a refresh or another browser shows the same. What is not
worth an address lives as long as the browser tab.
"""

from typing import Protocol

import streamlit as st

from rugboard.runs.errors import RunError
from rugboard.runs.records import Run
from rugboard.session.server import store
from rugboard.shell import guard, signed_in

RUN = "run"  # the name in the address

_RUN, _VISIT = "_run", "_visit"
_HELD = "_held_"  # how the names of what is held for one visit begin


# -- the address -------------------------------------------------------------------------------------------


def follow_address(page: str) -> None:
    """Call once at the start of each script run: the address decides, and is completed where it says nothing."""
    in_address = st.query_params.get(RUN)
    if in_address is not None:
        st.session_state[_RUN] = in_address
    elif (chosen := run_id()) is not None:
        st.query_params[RUN] = chosen
    if guard.is_new_page(page):
        st.session_state[_VISIT] = visit() + 1
        for key in [str(key) for key in st.session_state if str(key).startswith(_HELD)]:
            st.session_state.pop(key).drop()


def visit() -> int:
    """Counts the page switches; part of the key of a widget that begins afresh on each visit."""
    return int(st.session_state.get(_VISIT, 0))


class Droppable(Protocol):
    """What must not stay in memory when a visitor leaves the page."""

    def drop(self) -> None: ...


def hold(name: str, thing: Droppable) -> None:
    """Hold something about people until the visitor leaves the page."""
    drop_held(name)
    st.session_state[_HELD + name] = thing


def held(name: str) -> Droppable | None:
    return st.session_state.get(_HELD + name)


def drop_held(name: str) -> None:
    if (thing := st.session_state.pop(_HELD + name, None)) is not None:
        thing.drop()


# -- the run that is looked at -----------------------------------------------------------------------------


def run_id() -> str | None:
    chosen = st.session_state.get(_RUN)
    return chosen if isinstance(chosen, str) else None


def run() -> Run | None:
    """The run that is looked at, as it is now; a `RunError` says that it does not exist."""
    chosen = run_id()
    return None if chosen is None else store().get(chosen)


def check_run() -> None:
    """Whether the run that is looked at may still be seen: it may be shared no longer."""
    if not signed_in.person().sees_all:
        run()


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
