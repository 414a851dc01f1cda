"""Find an applicant: queues, filters, a number or an ID, and the way to the previous and the next."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from ui import applicant_known as known
from ui.applicant_known import Chosen
from ui.numbers import counted
from ui.runs.results import Results
from ui.text import brief, named, plain, value_in_words

APPLICANT = "applicant"  # the name in the address
REJECTED, DISAGREE, EVERYONE = "rejected", "disagree", "everyone"
QUEUES = {
    REJECTED: "Rejected, closest decisions first",
    "borderline": "Borderline, smallest margins first",
    "uncovered": "No rule applies",
    "ties": "Ties",
    DISAGREE: "RUG and LightGBM disagree",
    EVERYONE: "Everyone",
}
NO_FILTER = "any column"
ROW_NUMBER = "Row number"
MOST_VALUES = 200  # of a column that are offered in a list
_LAST, _MISSED = "_applicant", "_applicant_missed"


@dataclass(frozen=True)
class Wish:
    """What an applicant must be like; nothing, by default."""

    decisions: tuple[Any, ...] = ()
    outcomes: tuple[Any, ...] = ()
    groups: tuple[str, ...] = ()
    column: str | None = None
    one_of: tuple[Any, ...] = ()
    between: tuple[float, float] | None = None

    @property
    def count(self) -> int:
        has_column = self.column is not None and (bool(self.one_of) or self.between is not None)
        return sum(map(bool, (self.decisions, self.outcomes, self.groups, has_column)))


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


def kept(chosen: Chosen, rows: np.ndarray, wish: Wish) -> np.ndarray:
    """Those that are as wished, in the same order."""
    data = chosen.results.data
    is_kept = np.ones(len(rows), dtype=bool)
    if wish.decisions:
        numbers = [chosen.classes.index(label) for label in wish.decisions]
        is_kept &= np.isin(known.decisions(chosen).label[rows], numbers)
    if wish.outcomes:
        is_kept &= data.y.iloc[rows].astype(object).isin(wish.outcomes).to_numpy()
    if wish.groups and data.groups is not None:
        is_kept &= data.groups.iloc[rows].isin(wish.groups).to_numpy()
    if wish.column is not None:
        is_kept &= has_value(data.X[wish.column].iloc[rows], wish)
    return rows[is_kept]


def has_value(column: pd.Series, wish: Wish) -> np.ndarray:
    if wish.between is not None:
        found: np.ndarray = column.astype("float64").between(*wish.between).to_numpy()
        return found
    return column.astype(object).isin(wish.one_of).to_numpy() if wish.one_of else np.ones(len(column), dtype=bool)


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
        wish = ask_wish(filters, chosen)
        id_column = ask_number(by, text, results)
        with st.spinner("Looking through the decisions …"):
            line = kept(chosen, queue_rows(chosen, name, only_test), wish)
        chosen_line = Line(line, row_looked_at(results, line), id_column)
        show_way(results, chosen_line, wish)
    return chosen_line


def ask_queue(place: Any, results: Results) -> str:
    return str(
        place.selectbox(
            "Go through",
            list(QUEUES),
            format_func=QUEUES.__getitem__,
            key=f"applicants_queue_{results.run.id}",
            on_change=look_at,
            args=(results, None),
            persist_state="session",
        )
    )


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


# -- filters -----------------------------------------------------------------------------------------------


def ask_wish(place: Any, chosen: Chosen) -> Wish:
    results, run = chosen.results, chosen.results.run.id
    afresh: dict[str, Any] = {"on_change": look_at, "args": (results, None), "persist_state": "session"}
    with place.popover("Filter", icon=":material/filter_alt:", width="stretch", key=f"applicants_filter_{run}"):
        words: dict[str, Any] = {"format_func": lambda value: brief(value_in_words(value), 40), "placeholder": "any"}
        decisions = st.multiselect("Decision", chosen.classes, key=f"applicants_decision_{run}", **words, **afresh)
        outcomes = st.multiselect(
            "Outcome in the data", chosen.classes, key=f"applicants_outcome_{run}", **words, **afresh
        )
        groups = ask_groups(results, words | afresh)
        column, values, between = ask_value(results, afresh)
    return Wish(tuple(decisions), tuple(outcomes), groups, column, values, between)


def ask_groups(results: Results, options: dict[str, Any]) -> tuple[str, ...]:
    groups = results.data.groups
    if groups is None:
        return ()
    label = plain(brief(" / ".join(results.plan.sensitive), 40))
    return tuple(
        st.multiselect(f"Group ({label})", sorted(groups.unique()), key=f"applicants_group_{results.run.id}", **options)
    )


def ask_value(
    results: Results, options: dict[str, Any]
) -> tuple[str | None, tuple[Any, ...], tuple[float, float] | None]:
    """A column and the values that it may have."""
    run, features = results.run.id, list(results.plan.features)
    column = st.selectbox(
        "Column",
        features,
        index=None,
        placeholder=NO_FILTER,
        key=f"applicants_column_{run}",
        persist_state="session",
    )
    if column is None:
        return None, (), None
    place = features.index(column)
    about = known.columns(results)[column]
    if not about.is_number:
        shown = about.facts.categories[:MOST_VALUES]
        values = st.multiselect(
            "Value", shown, format_func=value_in_words, key=f"applicants_value_{run}_{place}", **options
        )
        return column, tuple(values), None
    low, high = st.columns(2)
    lowest = low.number_input("From", value=None, placeholder="any", key=f"applicants_low_{run}_{place}", **options)
    highest = high.number_input("To", value=None, placeholder="any", key=f"applicants_high_{run}_{place}", **options)
    if lowest is None and highest is None:
        return column, (), None
    return column, (), (-np.inf if lowest is None else lowest, np.inf if highest is None else highest)


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
