"""Find an applicant: queues, filters, a number or an ID, and the way to the previous and the next."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from rugboard.applicants import cached as known
from rugboard.applicants.cached import Chosen
from rugboard.applicants.filters import Wish, ask_wish, kept
from rugboard.applicants.listing import show_list
from rugboard.runs.results import Results
from rugboard.shell.formats import counted
from rugboard.shell.text import brief, named, plain
from rugcore.explanations import MOST_BORDERLINE

APPLICANT, QUEUE = "applicant", "queue"  # the names in the address
REJECTED, DISAGREE, EVERYONE = "rejected", "disagree", "everyone"
QUEUES = {
    REJECTED: "Rejected, closest decisions first",
    "borderline": f"Borderline, the {MOST_BORDERLINE} closest decisions",
    "uncovered": "No rule applies",
    "ties": "Ties",
    DISAGREE: "Rules and LightGBM disagree",
    EVERYONE: "Everyone",
}
ABOUT_QUEUES = (
    "Rejected: any other outcome than the favourable one; those whom no rule decided come last. Borderline: rules "
    "decided, but their weights for the decision and for the next outcome differ least; only the "
    f"{MOST_BORDERLINE} closest are listed."
)
ROW_NUMBER = "Row number"
MOST_NAMED = 8  # applicants with the same ID
_LAST, _SAID = "_applicant", "_applicant_said"


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


def counts(chosen: Chosen, is_kept: np.ndarray, only_test: bool) -> dict[str, int]:
    """How many there are in every queue; not where LightGBM would have to be asked first."""
    cheap = [queue for queue in QUEUES if queue != DISAGREE]
    return {queue: int(is_kept[queue_rows(chosen, queue, only_test)].sum()) for queue in cheap}


def found(results: Results, text: str, id_column: str | None) -> list[int]:
    """The rows with this number or ID, in the order of the table."""
    text = text.strip()
    if id_column is not None:
        return [int(row) for row in np.flatnonzero(known.ids(results, id_column) == text)]
    row = known.row_of(results, int(text)) if text.isdecimal() and len(text) < 16 else None
    return [] if row is None else [row]


def several_in_words(results: Results, rows: list[int], text: str, id_column: str) -> str:
    """That more than one row has an ID, and how to find the others."""
    others = [f"{known.number_of(results, row)}" for row in rows[1:]]
    more = f" and {len(others) - MOST_NAMED:,} more" if len(others) > MOST_NAMED else ""
    who = (
        f"The other is applicant {others[0]}"
        if len(others) == 1
        else "The others are applicants " + ", ".join(others[:MOST_NAMED])
    )
    return f"{len(rows):,} rows have the {brief(id_column, 30)} {brief(text, 30)}; this is the first. {who}{more}."


# -- the address -------------------------------------------------------------------------------------------


def in_address(results: Results) -> str | None:
    """The applicant that the address names, or else the one that was looked at last."""
    text = st.query_params.get(APPLICANT)
    return text if text is not None else st.session_state.get(_LAST, {}).get(results.run.id)


def look_at(results: Results, row: int | None) -> None:
    """Name an applicant in the address; None: whoever is first."""
    last = dict(st.session_state.get(_LAST, {}))
    if row is None or last.get(results.run.id) != str(known.number_of(results, row)):
        st.session_state.pop(_SAID, None)  # it was about somebody else
    if row is None:
        st.query_params.pop(APPLICANT, None)
        last.pop(results.run.id, None)
    else:
        number = str(known.number_of(results, row))
        last[results.run.id] = number
        if st.query_params.get(APPLICANT) != number:
            st.query_params[APPLICANT] = number
    st.session_state[_LAST] = last


def begin_anew(results: Results) -> None:
    """With the first of another list, for a callback: what was searched for in the old one is over."""
    st.session_state[_text_key(results)] = ""
    look_at(results, None)


def go_to(results: Results, row: int | None) -> None:
    """The same with somebody of the list."""
    st.session_state[_text_key(results)] = ""
    look_at(results, row)


def _say(results: Results, icon: str, text: str) -> None:
    """Until somebody else is looked at."""
    st.session_state[_SAID] = (results.run.id, icon, text)


def go_through(results: Results, queue: str) -> None:
    """Begin with another queue, for a page that sends a visitor here."""
    st.session_state[_queue_key(results)] = queue
    look_at(results, None)


def _queue_key(results: Results) -> str:
    return f"applicants_queue_{results.run.id}"


def _text_key(results: Results) -> str:
    return f"applicants_text_{results.run.id}"


# -- on the screen -----------------------------------------------------------------------------------------


def find(chosen: Chosen) -> Line:
    """Ask whom to look at."""
    results = chosen.results
    with st.container(border=True, key="find", gap="small"):
        queue, rows, filters, by, text = st.columns([2.2, 1.2, 1, 1.2, 1.4], vertical_alignment="bottom")
        only_test = ask_rows(rows, results)
        wish = ask_wish(filters, chosen, partial(begin_anew, results))
        with st.spinner("Looking through the decisions …"):
            is_kept = np.zeros(len(results.is_test), dtype=bool)
            is_kept[kept(chosen, known.rows_asked_for(results, only_test), wish)] = True
            name = ask_queue(queue, results, counts(chosen, is_kept, only_test))
            line = queue_rows(chosen, name, only_test)
        line = line[is_kept[line]]
        id_column = ask_number(by, text, results)
        said = st.container()
        chosen_line = Line(line, row_looked_at(results, line), id_column)
        with said:
            show_said(results)
        show_way(results, chosen_line, wish)
        show_list(chosen, line, id_column, partial(go_to, results))
    return chosen_line


def ask_rows(place: Any, results: Results) -> bool:
    return bool(
        place.toggle(
            "Test rows only",
            value=True,
            key=f"applicants_test_{results.run.id}",
            on_change=begin_anew,
            args=(results,),
            persist_state="session",
            help="Test rows were never seen in training. Switch off to go through all rows of the data.",
        )
    )


def ask_queue(place: Any, results: Results, how_many: dict[str, int]) -> str:
    """The address decides when the page is opened, and then says what was chosen."""
    key = _queue_key(results)
    asked = st.query_params.get(QUEUE)
    held = st.session_state.get(key, asked)
    # Said anew each time: the browser knows an option by its words, and these change with the counts.
    st.session_state[key] = held if held in QUEUES else REJECTED
    name = str(
        place.selectbox(
            "Go through",
            list(QUEUES),
            format_func=lambda queue: QUEUES[queue] + (f" ({how_many[queue]:,})" if queue in how_many else ""),
            key=key,
            on_change=begin_anew,
            args=(results,),
            persist_state="session",
            help=ABOUT_QUEUES,
        )
    )
    if (asked or REJECTED) != name:
        st.query_params[QUEUE] = name
    return name


def row_looked_at(results: Results, line: np.ndarray) -> int | None:
    text = in_address(results)
    rows = [] if text is None else found(results, text, None)
    row = rows[0] if rows else int(line[0]) if len(line) else None
    look_at(results, row)
    if text is not None and not rows:
        instead = " The first of the list is shown instead." if len(line) else ""
        why = "the data has no row of this number with an outcome"
        _say(results, ":material/search_off:", f"Applicant {brief(text, 20)} does not exist: {why}.{instead}")
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
    text.text_input(
        "Number" if id_column is None else "Value",
        placeholder="type and press Enter",
        key=_text_key(results),
        on_change=_search,
        args=(results, id_column),
    )
    return id_column


def _search(results: Results, id_column: str | None) -> None:
    st.session_state.pop(_SAID, None)
    text = str(st.session_state.get(_text_key(results), "")).strip()
    if not text:
        return
    rows = found(results, text, id_column)
    if not rows:
        where = "row number" if id_column is None else id_column
        _say(results, ":material/search_off:", f"Nobody has the {brief(where, 30)} {brief(text, 30)}.")
        return
    go_to(results, rows[0])
    if id_column is not None and len(rows) > 1:
        _say(results, ":material/group:", several_in_words(results, rows, text, id_column))


def show_said(results: Results) -> None:
    """Below the field of the search, which is at the right."""
    run, icon, text = st.session_state.get(_SAID, (None, "", ""))
    if run == results.run.id:
        with st.container(horizontal=True, horizontal_alignment="right"):
            st.markdown(f":orange[{icon}] {plain(text)}", width="content")


# -- previous and next -------------------------------------------------------------------------------------


def show_way(results: Results, line: Line, wish: Wish) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        step_button(results, line, -1, "Previous", ":material/chevron_left:")
        step_button(results, line, 1, "Next", ":material/chevron_right:")
        st.markdown(where(line, wish), width="content")
        if wish.count:
            st.badge(counted(wish.count, "filter"), icon=":material/filter_alt:", color="gray")


def step_button(results: Results, line: Line, step: int, name: str, icon: str) -> None:
    place = line.place
    target = 0 if place is None else place + step
    st.button(
        name,
        key=f"applicants_{name.lower()}",
        icon=icon,
        disabled=not 0 <= target < len(line.rows) or (place is None and step < 0),
        on_click=go_to,
        args=(results, int(line.rows[target]) if 0 <= target < len(line.rows) else None),
    )


def where(line: Line, wish: Wish) -> str:
    if not len(line.rows):
        return f"Nobody is like that. Choose another queue{', or filter less' if wish.count else ''}."
    if line.place is None:
        return f":material/search: Found outside this list of {counted(len(line.rows), 'applicant')}."
    return f"**{line.place + 1:,}** of {counted(len(line.rows), 'applicant')}"


def name_of(results: Results, row: int, id_column: str | None) -> str:
    """How the applicant is called; harmless."""
    own = f"Applicant {known.number_of(results, row)}"
    if id_column is None:
        return own
    return f"{own} · {plain(brief(id_column, 30))} {named(known.ids(results, id_column)[row])}"
