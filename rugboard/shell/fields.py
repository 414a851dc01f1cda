"""Fields whose values come from elsewhere: from the address, from another page, from a button.

Streamlit can set a field through the session, and says so to the browser once. If the page is drawn anew before the
browser has heard of it, the field shows what it showed before, or its first value, and the next click sends that back
as if somebody had chosen it. Nobody may decide on a model that nobody asked for, so here are two ways around it.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

_EDITIONS = "_field_editions"
_ARRIVING = "_fields_arriving"


class Field(NamedTuple):
    """The key of a field, and the value that it starts with."""

    key: str
    start: Any


def field_showing(name: str, value: Any) -> Field:
    """A field that shows this value: the one that is there if it does, or else a new one, which starts with it."""
    editions: dict[str, tuple[int, Any]] = st.session_state.get(_EDITIONS, {})
    edition, start = editions.get(name, (0, value))
    shown = st.session_state.get(_key(name, edition), start)
    if shown != value:
        edition, start = edition + 1, value
    elif _key(name, edition) not in st.session_state:
        start = value
    st.session_state[_EDITIONS] = {**editions, name: (edition, start)}
    return Field(_key(name, edition), start)


def value_of(name: str) -> Any:
    """What a field of `field_showing` says; for its callback."""
    edition, start = st.session_state.get(_EDITIONS, {}).get(name, (0, None))
    return st.session_state.get(_key(name, edition), start)


def _key(name: str, edition: int) -> str:
    return f"{name}_{edition}" if edition else name


# -- many fields that are quicker to fill than to replace --------------------------------------------------------------


class Arriving(NamedTuple):
    """A value that the browser may not have heard of, and what it may show instead."""

    value: Any
    before: tuple[Any, ...]


def fill(values: Mapping[str, Any]) -> None:
    """Set fields by their keys, before they are drawn; `fill_again` must follow, also in the runs to come."""
    arriving: dict[str, Arriving] = dict(st.session_state.get(_ARRIVING, {}))
    for key, value in values.items():
        earlier = arriving.get(key, Arriving(None, ()))
        arriving[key] = Arriving(value, (*earlier.before, st.session_state.get(key)))
        st.session_state[key] = value
    st.session_state[_ARRIVING] = arriving


def fill_again() -> None:
    """Set once more what may have got lost, but not what somebody has typed meanwhile."""
    for key, (value, before) in st.session_state.get(_ARRIVING, {}).items():
        if st.session_state.get(key) in (value, *before):
            st.session_state[key] = value


def have_arrived() -> None:
    """At the end of what draws the fields, where a run that is broken off never comes."""
    st.session_state[_ARRIVING] = {}
