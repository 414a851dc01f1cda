"""Which applicant and which queue a visitor looks at: in the address, for any page to set."""

import numpy as np
import streamlit as st

from rugboard.runs.results import Results

APPLICANT, QUEUE = "applicant", "queue"  # the names in the address
DISAGREE = "disagree"  # the queue of those whom the rules and LightGBM decide differently
DIFFER = "differ"  # of those whom another model, known from the table, decides differently
_LAST, _MESSAGE = "_applicant", "_applicant_said"


# -- how an applicant is called ----------------------------------------------------------------------------


def number_of(results: Results, row: int) -> int:
    """The row of the table as a person counts, from 1."""
    return int(results.data.rows[row]) + 1


def row_of(results: Results, number: int) -> int | None:
    """The other way round; None where the table has no such row, or not its outcome."""
    rows = results.data.rows
    place = int(np.searchsorted(rows, number - 1))
    return place if place < len(rows) and rows[place] == number - 1 else None


def positions_of_test_rows(results: Results) -> np.ndarray:
    """The places of the test rows in the run's table."""
    return np.flatnonzero(results.is_test)


# -- whom to look at ---------------------------------------------------------------------------------------


def in_address(results: Results) -> str | None:
    """The applicant that the address names, or else the one that was looked at last."""
    text = st.query_params.get(APPLICANT)
    return text if text is not None else st.session_state.get(_LAST, {}).get(results.run.id)


def look_at(results: Results, row: int | None) -> None:
    """Name an applicant in the address; None: whoever is first."""
    last = dict(st.session_state.get(_LAST, {}))
    if row is None or last.get(results.run.id) != str(number_of(results, row)):
        st.session_state.pop(_MESSAGE, None)  # it was about somebody else
    if row is None:
        st.query_params.pop(APPLICANT, None)
        last.pop(results.run.id, None)
    else:
        number = str(number_of(results, row))
        last[results.run.id] = number
        if st.query_params.get(APPLICANT) != number:
            st.query_params[APPLICANT] = number
    st.session_state[_LAST] = last


def go_through(results: Results, queue: str) -> None:
    """Begin with another queue, for a page that sends a visitor here."""
    st.session_state[queue_key(results)] = queue
    look_at(results, None)


def queue_key(results: Results) -> str:
    return f"applicants_queue_{results.run.id}"


# -- a message about the one looked at ---------------------------------------------------------------------


def leave_message(results: Results, icon: str, text: str) -> None:
    """Until somebody else is looked at."""
    st.session_state[_MESSAGE] = (results.run.id, icon, text)


def message(results: Results) -> tuple[str, str] | None:
    """Its icon and its text."""
    run, icon, text = st.session_state.get(_MESSAGE, (None, "", ""))
    return (icon, text) if run == results.run.id else None


def drop_message() -> None:
    st.session_state.pop(_MESSAGE, None)
