"""One of a few things to look at, side by side; what was chosen stays while the browser tab is open."""

from collections.abc import Callable, Sequence

import streamlit as st


def ask_one(
    label: str, options: Sequence[str], key: str, words: Callable[[str], str] = str, first: str | None = None
) -> str:
    """Nothing is asked where there is only one; `first` is chosen if nobody has chosen yet, else the first."""
    begin = options[0] if first is None else first
    if len(options) == 1:
        return begin
    chosen = st.segmented_control(
        label,
        list(options),
        default=begin,
        required=True,
        format_func=words,
        key=key,
        persist_state="session",
        label_visibility="collapsed",
        width="content",
    )
    return str(chosen or begin)
