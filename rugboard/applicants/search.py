"""Find an applicant: queues, filters, a number or an ID, and the way to the previous and the next."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rugboard.applicants import cached
from rugboard.applicants.cached import ChosenModel
from rugboard.applicants.filters import ApplicantFilter, ask_filter, kept
from rugboard.applicants.listing import show_list
from rugboard.runs.results import Results
from rugboard.session import applicant_address
from rugboard.session.applicant_address import DIFFER, DISAGREE, QUEUE
from rugboard.session.evaluations import LIGHTGBM
from rugboard.shell.formats import counted
from rugboard.shell.text import brief, named, plain
from rugboard.shell.theme import OUTSIDE
from rugcore.explanations import MOST_BORDERLINE

REJECTED, BORDERLINE, EVERYONE = "rejected", "borderline", "everyone"
QUEUES = {
    REJECTED: "Rejected",
    BORDERLINE: f"Borderline: the {MOST_BORDERLINE} least sure",
    "uncovered": "No rule applies",
    "ties": "Ties",
    DISAGREE: "Rules and LightGBM disagree",
    DIFFER: "Rules and the other model differ",
    EVERYONE: "Everyone",
}
BESIDE = {DISAGREE: LIGHTGBM, DIFFER: OUTSIDE}  # queues that need another model
ABOUT_QUEUES = (
    "Rejected: any other outcome than the favourable one. Borderline: of the decisions that rules made, the "
    f"{MOST_BORDERLINE} least sure."
)
SORTED_BY = "sorted by the chance that the decision is right, lowest first"
ROW_NUMBER = "Row number"
MOST_NAMED = 8  # applicants with the same ID


@dataclass(frozen=True, eq=False)
class ApplicantQueue:
    """The applicants to go through, and the one that is looked at."""

    rows: np.ndarray
    row: int | None
    id_column: str | None

    @property
    def place(self) -> int | None:
        """Where in the queue it is; None if it came from elsewhere."""
        found = np.flatnonzero(self.rows == self.row)
        return int(found[0]) if len(found) else None


# -- without a screen --------------------------------------------------------------------------------------


def queues_for(results: Results) -> list[str]:
    """Those that make sense for a run."""
    return [queue for queue in QUEUES if queue != DIFFER or results.data.outside is not None]


def queue_rows(chosen: ChosenModel, queue: str, only_test: bool) -> np.ndarray:
    """The rows of a queue in its order."""
    found = cached.queues_of(chosen, only_test, BESIDE.get(queue, ""))
    rows: np.ndarray = found.disagree if queue in BESIDE else getattr(found, queue)
    return rows


def counts(chosen: ChosenModel, is_kept: np.ndarray, only_test: bool) -> dict[str, int]:
    """How many there are in every queue; not where LightGBM would have to be trained first."""
    cheap = [queue for queue in queues_for(chosen.results) if queue != DISAGREE]
    return {queue: int(is_kept[queue_rows(chosen, queue, only_test)].sum()) for queue in cheap}


def found(results: Results, text: str, id_column: str | None) -> list[int]:
    """The rows with this number or ID, in the order of the table."""
    text = text.strip()
    if id_column is not None:
        return [int(row) for row in np.flatnonzero(cached.ids(results, id_column) == text)]
    row = applicant_address.row_of(results, int(text)) if text.isdecimal() and len(text) < 16 else None
    return [] if row is None else [row]


def several_in_words(results: Results, rows: list[int], text: str, id_column: str) -> str:
    """That more than one row has an ID, and how to find the others."""
    others = [f"{applicant_address.number_of(results, row)}" for row in rows[1:]]
    more = f" and {len(others) - MOST_NAMED:,} more" if len(others) > MOST_NAMED else ""
    who = (
        f"The other is applicant {others[0]}"
        if len(others) == 1
        else "The others are applicants " + ", ".join(others[:MOST_NAMED])
    )
    return f"{len(rows):,} rows have the {brief(id_column, 30)} {brief(text, 30)}; this is the first. {who}{more}."


# -- another list, another applicant: for callbacks ---------------------------------------------------------


def start_over(results: Results) -> None:
    """With the first of another list, for a callback: what was searched for in the old one is over."""
    st.session_state[_text_key(results)] = ""
    applicant_address.look_at(results, None)


def go_to(results: Results, row: int | None) -> None:
    """The same with somebody of the list."""
    st.session_state[_text_key(results)] = ""
    applicant_address.look_at(results, row)


def _text_key(results: Results) -> str:
    return f"applicants_text_{results.run.id}"


# -- on the screen -----------------------------------------------------------------------------------------


def find(chosen: ChosenModel) -> ApplicantQueue:
    """Ask whom to look at."""
    results = chosen.results
    with st.container(border=True, key="find", gap="small"):
        queue, rows, filters, by, text = st.columns([2.2, 1.2, 1, 1.2, 1.4], vertical_alignment="bottom")
        only_test = ask_rows(rows, results)
        chosen_filter = ask_filter(filters, chosen, partial(start_over, results))
        with st.spinner("Looking through the decisions …"):
            is_kept = np.zeros(len(results.is_test), dtype=bool)
            is_kept[kept(chosen, cached.rows_of(results, only_test), chosen_filter)] = True
            how_many = counts(chosen, is_kept, only_test)
            name = ask_queue(queue, results, how_many)
            queued = queue_rows(chosen, name, only_test)
        queued = queued[is_kept[queued]]
        id_column = ask_number(by, text, results)
        place_of_message = st.container()
        chosen_queue = ApplicantQueue(queued, row_looked_at(results, queued), id_column)
        with place_of_message:
            show_message(results)
        show_way(results, chosen_queue, chosen_filter)
        if not how_many[REJECTED] and not chosen_filter.count:
            st.caption(f":material/info: {NOBODY_REJECTED}")
        show_list(chosen, queued, id_column, partial(go_to, results))
    return chosen_queue


def ask_rows(place: DeltaGenerator, results: Results) -> bool:
    return bool(
        place.toggle(
            "Test rows only",
            value=True,
            key=f"applicants_test_{results.run.id}",
            on_change=start_over,
            args=(results,),
            persist_state="session",
            help="Test rows were never seen in training. Switch off to go through all rows of the data.",
        )
    )


def ask_queue(place: DeltaGenerator, results: Results, how_many: dict[str, int]) -> str:
    """The address decides when the page is opened, and then says what was chosen."""
    key = applicant_address.queue_key(results)
    in_address = st.query_params.get(QUEUE)
    held = st.session_state.get(key, in_address)
    # Set again each time: the browser knows an option by its words, and these change with the counts.
    possible = queues_for(results)
    st.session_state[key] = held if held in possible else first_queue(how_many)
    name = str(
        place.selectbox(
            "Go through",
            possible,
            format_func=lambda queue: QUEUES[queue] + (f" ({how_many[queue]:,})" if queue in how_many else ""),
            key=key,
            on_change=start_over,
            args=(results,),
            persist_state="session",
            help=ABOUT_QUEUES,
        )
    )
    if (in_address or REJECTED) != name:
        st.query_params[QUEUE] = name
    return name


def row_looked_at(results: Results, queue: np.ndarray) -> int | None:
    text = applicant_address.in_address(results)
    rows = [] if text is None else found(results, text, None)
    row = rows[0] if rows else int(queue[0]) if len(queue) else None
    applicant_address.look_at(results, row)
    if text is not None and not rows:
        instead = " The first of the list is shown instead." if len(queue) else ""
        why = "the data has no row of this number with an outcome"
        applicant_address.leave_message(
            results, ":material/search_off:", f"Applicant {brief(text, 20)} does not exist: {why}.{instead}"
        )
    return row


def ask_number(by: DeltaGenerator, text: DeltaGenerator, results: Results) -> str | None:
    options = [ROW_NUMBER, *cached.other_columns(results)]
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
    applicant_address.drop_message()
    text = str(st.session_state.get(_text_key(results), "")).strip()
    if not text:
        return
    rows = found(results, text, id_column)
    if not rows:
        where = "row number" if id_column is None else id_column
        applicant_address.leave_message(
            results, ":material/search_off:", f"Nobody has the {brief(where, 30)} {brief(text, 30)}."
        )
        return
    go_to(results, rows[0])
    if id_column is not None and len(rows) > 1:
        applicant_address.leave_message(results, ":material/group:", several_in_words(results, rows, text, id_column))


def show_message(results: Results) -> None:
    """Below the field of the search, which is at the right."""
    if (message := applicant_address.message(results)) is not None:
        icon, text = message
        with st.container(horizontal=True, horizontal_alignment="right"):
            st.markdown(f":orange[{icon}] {plain(text)}", width="content")


# -- previous and next -------------------------------------------------------------------------------------


def show_way(results: Results, queue: ApplicantQueue, chosen_filter: ApplicantFilter) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        step_button(results, queue, -1, "Previous", ":material/chevron_left:")
        step_button(results, queue, 1, "Next", ":material/chevron_right:")
        st.markdown(where(queue, chosen_filter), width="content")
        if chosen_filter.count:
            st.badge(counted(chosen_filter.count, "filter"), icon=":material/filter_alt:", color="gray")


def step_button(results: Results, queue: ApplicantQueue, step: int, name: str, icon: str) -> None:
    place = queue.place
    target = 0 if place is None else place + step
    st.button(
        name,
        key=f"applicants_{name.lower()}",
        icon=icon,
        disabled=not 0 <= target < len(queue.rows) or (place is None and step < 0),
        on_click=go_to,
        args=(results, int(queue.rows[target]) if 0 <= target < len(queue.rows) else None),
    )


NOBODY_REJECTED = (
    "The rules reject nobody here. Look at the borderline cases, or at “Chances and cut-off” on the page Compare."
)


def first_queue(how_many: Mapping[str, int]) -> str:
    """The rejected, who are owed reasons; where there are none, those for whom it is closest."""
    return next((queue for queue in (REJECTED, BORDERLINE) if how_many.get(queue)), EVERYONE)


def where(queue: ApplicantQueue, chosen_filter: ApplicantFilter) -> str:
    if not len(queue.rows):
        return f"Nobody is like that. Choose another queue{', or filter less' if chosen_filter.count else ''}."
    if queue.place is None:
        return f":material/search: Found outside this list of {counted(len(queue.rows), 'applicant')}."
    return f"**{queue.place + 1:,}** of {counted(len(queue.rows), 'applicant')}, {SORTED_BY}"


def name_of(results: Results, row: int, id_column: str | None) -> str:
    """How the applicant is called; escaped."""
    own = f"Applicant {applicant_address.number_of(results, row)}"
    if id_column is None:
        return own
    return f"{own} · {plain(brief(id_column, 30))} {named(cached.ids(results, id_column)[row])}"
