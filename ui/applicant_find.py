"""Find an applicant: queues, filters, a number or an ID, and the way to the previous and the next."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from ui import applicant_known as known
from ui.applicant_filter import Wish, ask_wish, kept
from ui.applicant_known import Chosen
from ui.applicant_list import show_list
from ui.numbers import counted
from ui.runs.results import Results
from ui.text import brief, named, plain

APPLICANT, QUEUE = "applicant", "queue"  # the names in the address
REJECTED, DISAGREE, EVERYONE = "rejected", "disagree", "everyone"
QUEUES = {
    REJECTED: "Rejected, closest decisions first",
    "borderline": "Borderline, smallest margins first",
    "uncovered": "No rule applies",
    "ties": "Ties",
    DISAGREE: "Rules and LightGBM disagree",
    EVERYONE: "Everyone",
}
ROW_NUMBER = "Row number"
_LAST, _MISSED = "_applicant", "_applicant_missed"


@dataclass(frozen=True, eq=False)
class Line:
    """The applicants to go through, and the one that is looked at."""

    rows: np.ndarray
    row: int | None
    id_column: str | None

    @property
    def place(self) -> int | None:
        """Where in the line it is; None if it came from elsewhere."""
        found = np.flatnonzero(self.rows == self.row)
        return int(found[0]) if len(found) else None


# -- without a screen --------------------------------------------------------------------------------------


def queue_rows(chosen: Chosen, queue: str, only_test: bool) -> np.ndarray:
    """The rows of a queue in its order."""
    if queue == EVERYONE:
        return known.rows_asked_for(chosen.results, only_test)
    rows: np.ndarray = getattr(known.queues_of(chosen, only_test, queue == DISAGREE), queue)
    return rows


def found(results: Results, text: str, id_column: str | None) -> int | None:
    """The row with this number or ID; the first, if several have the ID."""
    text = text.strip()
    if id_column is not None:
        rows = np.flatnonzero(known.ids(results, id_column) == text)
        return int(rows[0]) if len(rows) else None
    return known.row_of(results, int(text)) if text.isdecimal() and len(text) < 16 else None


# -- the address -------------------------------------------------------------------------------------------


def in_address(results: Results) -> str | None:
    """The applicant that the address names, or else the one that was looked at last."""
    text = st.query_params.get(APPLICANT)
    return text if text is not None else st.session_state.get(_LAST, {}).get(results.run.id)


def look_at(results: Results, row: int | None) -> None:
    """Name an applicant in the address; None: whoever is first."""
    last = dict(st.session_state.get(_LAST, {}))
    if row is None:
        st.query_params.pop(APPLICANT, None)
        last.pop(results.run.id, None)
    else:
        number = str(known.number_of(results, row))
        last[results.run.id] = number
        if st.query_params.get(APPLICANT) != number:
            st.query_params[APPLICANT] = number
    st.session_state[_LAST] = last


def go_through(results: Results, queue: str) -> None:
    """Begin with another queue, for a page that sends a visitor here."""
    st.session_state[_queue_key(results)] = queue
    look_at(results, None)


def _queue_key(results: Results) -> str:
    return f"applicants_queue_{results.run.id}"


# -- on the screen -----------------------------------------------------------------------------------------


def find(chosen: Chosen) -> Line:
    """Ask whom to look at."""
    results = chosen.results
    with st.container(border=True, key="find", gap="small"):
        queue, rows, filters, by, text = st.columns([2.2, 1.2, 1, 1.2, 1.4], vertical_alignment="bottom")
        name = ask_queue(queue, results)
        only_test = rows.toggle(
            "Test rows only",
            value=True,
            key=f"applicants_test_{results.run.id}",
            on_change=look_at,
            args=(results, None),
            persist_state="session",
            help="Test rows were never seen in training. Switch off to go through all rows of the data.",
        )
        wish = ask_wish(filters, chosen, partial(look_at, results, None))
        id_column = ask_number(by, text, results)
        with st.spinner("Looking through the decisions …"):
            line = kept(chosen, queue_rows(chosen, name, only_test), wish)
        chosen_line = Line(line, row_looked_at(results, line), id_column)
        show_way(results, chosen_line, wish)
        show_list(chosen, line, id_column, partial(look_at, results))
    return chosen_line


def ask_queue(place: Any, results: Results) -> str:
    """The address decides when the page is opened, and then says what was chosen."""
    key = _queue_key(results)
    asked = st.query_params.get(QUEUE)
    st.session_state.setdefault(key, asked if asked in QUEUES else REJECTED)
    name = str(
        place.selectbox(
            "Go through",
            list(QUEUES),
            format_func=QUEUES.__getitem__,
            key=key,
            on_change=look_at,
            args=(results, None),
            persist_state="session",
        )
    )
    if (asked or REJECTED) != name:
        st.query_params[QUEUE] = name
    return name


def row_looked_at(results: Results, line: np.ndarray) -> int | None:
    text = in_address(results)
    row = None if text is None else found(results, text, None)
    if text is not None and row is None:
        st.session_state[_MISSED] = f"The data has no row {brief(text, 20)} with an outcome."
    if row is None and len(line):
        row = int(line[0])
    look_at(results, row)
    return row


def ask_number(by: Any, text: Any, results: Results) -> str | None:
    options = [ROW_NUMBER, *known.other_columns(results)]
    chosen = by.selectbox(
        "Find by",
        options,
        key=f"applicants_id_{results.run.id}",
        persist_state="session",
        help="The row of the data, counted from 1, or any column that the rules do not use, such as a customer number.",
    )
    id_column = None if chosen == ROW_NUMBER else str(chosen)
    key = f"applicants_text_{results.run.id}"
    text.text_input(
        "Number" if id_column is None else "Value",
        placeholder="type and press Enter",
        key=key,
        on_change=_go_to,
        args=(results, id_column, key),
    )
    return id_column


def _go_to(results: Results, id_column: str | None, key: str) -> None:
    text = str(st.session_state.get(key, ""))
    if not text.strip():
        return
    row = found(results, text, id_column)
    if row is None:
        where = "row number" if id_column is None else id_column
        st.session_state[_MISSED] = f"Nobody has the {brief(where, 30)} {brief(text, 30)}."
        return
    st.session_state[key] = ""
    look_at(results, row)


# -- previous and next -------------------------------------------------------------------------------------


def show_way(results: Results, line: Line, wish: Wish) -> None:
    missed = st.session_state.pop(_MISSED, None)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        step_button(results, line, -1, "Previous", ":material/chevron_left:")
        step_button(results, line, 1, "Next", ":material/chevron_right:")
        st.markdown(where(line), width="content")
        if wish.count:
            st.badge(counted(wish.count, "filter"), icon=":material/filter_alt:", color="gray")
        if missed:
            st.markdown(f":orange[:material/search_off:] {plain(missed)}", width="content")


def step_button(results: Results, line: Line, step: int, name: str, icon: str) -> None:
    place = line.place
    target = 0 if place is None else place + step
    st.button(
        name,
        key=f"applicants_{name.lower()}",
        icon=icon,
        disabled=not 0 <= target < len(line.rows) or (place is None and step < 0),
        on_click=look_at,
        args=(results, int(line.rows[target]) if 0 <= target < len(line.rows) else None),
    )


def where(line: Line) -> str:
    if not len(line.rows):
        return "Nobody is like that. Choose another queue, or filter less."
    if line.place is None:
        return f"Not among the {counted(len(line.rows), 'applicant')} of this list."
    return f"**{line.place + 1:,}** of {counted(len(line.rows), 'applicant')}"


def name_of(results: Results, row: int, id_column: str | None) -> str:
    """How the applicant is called; harmless."""
    own = f"Applicant {known.number_of(results, row)}"
    if id_column is None:
        return own
    return f"{own} · {plain(brief(id_column, 30))} {named(known.ids(results, id_column)[row])}"
