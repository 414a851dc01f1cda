"""Which applicants of a list to keep: by decision, outcome, group, or the value of a column."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from ui import applicant_known as known
from ui.applicant_known import Chosen
from ui.runs.results import Results
from ui.text import brief, plain, value_in_words

NO_FILTER = "any column"
MOST_VALUES = 200  # of a column that are offered in a list


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


# -- on the screen -----------------------------------------------------------------------------------------


def ask_wish(place: Any, chosen: Chosen, on_change: Callable[[], None]) -> Wish:
    results, run = chosen.results, chosen.results.run.id
    afresh: dict[str, Any] = {"on_change": on_change, "persist_state": "session"}
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
