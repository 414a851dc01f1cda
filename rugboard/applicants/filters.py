"""Which applicants of a list to keep: by decision, outcome, group, or the value of a column."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rugboard.applicants import cached
from rugboard.applicants.cached import ChosenModel
from rugboard.runs.results import Results
from rugboard.session import group_names
from rugboard.shell.text import brief, plain, value_in_words

NO_FILTER = "any column"
MOST_VALUES = 200  # of a column that are offered in a list


@dataclass(frozen=True)
class ApplicantFilter:
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


def kept(chosen: ChosenModel, rows: np.ndarray, chosen_filter: ApplicantFilter) -> np.ndarray:
    """Those that pass the filter, in the same order."""
    data = chosen.results.data
    is_kept = np.ones(len(rows), dtype=bool)
    if chosen_filter.decisions:
        numbers = [chosen.classes.index(label) for label in chosen_filter.decisions]
        is_kept &= np.isin(cached.decisions(chosen).class_code[rows], numbers)
    if chosen_filter.outcomes:
        is_kept &= data.y.iloc[rows].astype(object).isin(chosen_filter.outcomes).to_numpy()
    if chosen_filter.groups and data.groups is not None:
        is_kept &= group_names.of_rows(chosen.results).iloc[rows].isin(chosen_filter.groups).to_numpy()
    if chosen_filter.column is not None:
        is_kept &= has_value(data.X[chosen_filter.column].iloc[rows], chosen_filter)
    return rows[is_kept]


def has_value(column: pd.Series, chosen_filter: ApplicantFilter) -> np.ndarray:
    if chosen_filter.between is not None:
        found: np.ndarray = column.astype("float64").between(*chosen_filter.between).to_numpy()
        return found
    return (
        column.astype(object).isin(chosen_filter.one_of).to_numpy()
        if chosen_filter.one_of
        else np.ones(len(column), dtype=bool)
    )


# -- on the screen -----------------------------------------------------------------------------------------


def ask_filter(place: DeltaGenerator, chosen: ChosenModel, on_change: Callable[[], None]) -> ApplicantFilter:
    """In two columns, so that all of it is seen at once also in a low window."""
    results, run = chosen.results, chosen.results.run.id
    afresh: dict[str, Any] = {"on_change": on_change, "persist_state": "session"}
    words: dict[str, Any] = {"format_func": lambda value: brief(value_in_words(value), 40), "placeholder": "any"}
    with place.popover("Filter", icon=":material/filter_alt:", width="stretch", key=f"applicants_filter_{run}"):
        left, right = st.columns(2)
        decisions = left.multiselect("Decision", chosen.classes, key=f"applicants_decision_{run}", **words, **afresh)
        outcomes = right.multiselect(
            "Outcome in the data", chosen.classes, key=f"applicants_outcome_{run}", **words, **afresh
        )
        with left:
            groups = ask_groups(results, words | afresh)
        with left if results.data.groups is None else right:
            column = ask_column(results, on_change)
        values, between = ask_value(results, column, afresh)
        chosen_filter = ApplicantFilter(tuple(decisions), tuple(outcomes), groups, column, values, between)
        st.button(
            "Clear filters",
            key=f"applicants_clear_{run}",
            icon=":material/filter_alt_off:",
            disabled=not chosen_filter.count and column is None,
            on_click=clear,
            args=(results, on_change),
        )
    return chosen_filter


def clear(results: Results, on_change: Callable[[], None]) -> None:
    """For a callback."""
    run = results.run.id
    for name in ("decision", "outcome", "group"):
        st.session_state[f"applicants_{name}_{run}"] = []
    st.session_state[f"applicants_column_{run}"] = None
    for place in range(len(results.plan.features)):
        for name, nothing in (("value", []), ("low", None), ("high", None)):
            key = f"applicants_{name}_{run}_{place}"
            if key in st.session_state:
                st.session_state[key] = nothing
    on_change()


def ask_groups(results: Results, options: dict[str, Any]) -> tuple[str, ...]:
    if results.data.groups is None:
        return ()
    label = plain(brief(group_names.attribute(results.plan.sensitive), 40))
    return tuple(
        st.multiselect(
            f"Group ({label})", group_names.of_run(results), key=f"applicants_group_{results.run.id}", **options
        )
    )


def ask_column(results: Results, on_change: Callable[[], None]) -> str | None:
    return st.selectbox(
        "Column",
        list(results.plan.features),
        index=None,
        placeholder=NO_FILTER,
        format_func=lambda name: brief(name, 40),
        key=f"applicants_column_{results.run.id}",
        on_change=on_change,
        persist_state="session",
    )


def ask_value(
    results: Results, column: str | None, options: dict[str, Any]
) -> tuple[tuple[Any, ...], tuple[float, float] | None]:
    """The values that a column may have; the place is there before one is chosen, so that nothing jumps."""
    run = results.run.id
    if column is None:
        st.text_input("Value", placeholder="choose a column first", disabled=True, key=f"applicants_no_value_{run}")
        return (), None
    place = list(results.plan.features).index(column)
    about = cached.columns(results)[column]
    if not about.is_number:
        shown = about.profile.categories[:MOST_VALUES]
        values = st.multiselect(
            "Value", shown, format_func=value_in_words, key=f"applicants_value_{run}_{place}", **options
        )
        return tuple(values), None
    low, high = st.columns(2)
    number: dict[str, Any] = {"value": None, "placeholder": "any", "format": "%.12g", **options}
    lowest = low.number_input("From", key=f"applicants_low_{run}_{place}", **number)
    highest = high.number_input("To", key=f"applicants_high_{run}_{place}", **number)
    if lowest is None and highest is None:
        return (), None
    if lowest is not None and highest is not None and lowest > highest:
        st.caption(":orange[:material/warning:] “From” is above “To”: nobody can be like that.")
    return (), (-np.inf if lowest is None else lowest, np.inf if highest is None else highest)
