"""The list of applicants that a visitor goes through, to choose one from."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.applicants import cached
from rugboard.applicants.cached import ChosenModel
from rugboard.session import applicant_address, group_names
from rugboard.shell import theme
from rugboard.shell.formats import counted
from rugboard.shell.guard import drawer
from rugboard.shell.tables import LINE_BY_CLICK, clicked_line
from rugboard.shell.text import brief, value_in_words
from rugboard.shell.theme import OUTSIDE

MOST_LISTED = 500
HEIGHT = 320  # pixels
_WAS_CHOSEN = "_applicant_was_chosen"


def show_list(chosen: ChosenModel, rows: np.ndarray, id_column: str | None, choose: Callable[[int], None]) -> None:
    if not len(rows):
        return
    key = f"applicants_list_{chosen.results.run.id}"
    drawer("Choose from the list", key, lambda: show_table(chosen, rows, id_column, choose))


def show_table(chosen: ChosenModel, rows: np.ndarray, id_column: str | None, choose: Callable[[int], None]) -> None:
    if st.session_state.pop(_WAS_CHOSEN, False):
        st.rerun()  # the whole page is about somebody else now
    listed = rows[:MOST_LISTED]
    # A list of its own for every queue: what was marked in one has no meaning in the next.
    key = f"applicants_table_{hash((chosen.cache_key, listed.tobytes()))}"

    def take() -> None:
        if (place := clicked_line(key)) is not None:
            choose(int(listed[place]))
            st.session_state[_WAS_CHOSEN] = True

    st.caption(in_words(len(rows)))
    st.dataframe(
        frame_of(chosen, listed, id_column),
        key=key,
        hide_index=True,
        height=HEIGHT if len(listed) > 7 else "content",
        column_config=headings(chosen, id_column),
        selection_mode=LINE_BY_CLICK,
        on_select=take,
        alt="Applicants of this list",
    )


def in_words(n_rows: int) -> str:
    choose = "The least sure decisions first. Click on somebody to look at them."
    return choose if n_rows <= MOST_LISTED else f"The first {MOST_LISTED} of {counted(n_rows, 'applicant')}. {choose}"


def frame_of(chosen: ChosenModel, rows: np.ndarray, id_column: str | None) -> pd.DataFrame:
    results, found = chosen.results, cached.taken(cached.decisions(chosen), rows)
    words = [value_in_words(label) for label in chosen.classes]
    columns: dict[str, Any] = {"number": [applicant_address.number_of(results, row) for row in rows.tolist()]}
    if id_column is not None:
        columns["id"] = cached.ids(results, id_column)[rows]
    columns |= {
        "decision": [words[code] for code in found.class_code],
        "chance": 100 * cached.chances(chosen)[rows],
        "outcome": [value_in_words(label) for label in results.data.y.iloc[rows]],
    }
    if results.data.outside is not None:
        columns["other"] = [value_in_words(label) for label in results.data.outside.decided[rows]]
    if results.data.groups is not None:
        columns["group"] = group_names.of_rows(results).iloc[rows].to_numpy()
    notes = np.select([found.is_uncovered, found.is_tie], ["no rule applies", "tie"], "")
    return pd.DataFrame(columns | ({"note": notes} if notes.any() else {}))


def headings(chosen: ChosenModel, id_column: str | None) -> dict[str, Any]:
    chance = "How likely the decision is right, as the model says. The list is sorted by it, lowest first."
    return {
        "number": st.column_config.NumberColumn("Applicant", help="The row of the data, counted from 1.", format="%d"),
        "id": brief(id_column or "", 30),
        "decision": "Decision",
        "chance": st.column_config.NumberColumn("Chance", help=chance, format="%.0f %%"),
        "note": "Note",
        "outcome": "Outcome in the data",
        "other": st.column_config.TextColumn(theme.name_of_model(OUTSIDE), help="What the other model decided."),
        "group": brief(group_names.attribute(chosen.results.plan.sensitive), 30),
    }
