"""The nearest changes that flip the decision, within what a person can change."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from rugboard.applicants import cached, what_if
from rugboard.applicants.cached import Case
from rugboard.applicants.marks import (
    FOR_NUMBERS,
    FOR_WORDS,
    NEVER,
    UP,
    Marks,
    first_wanted,
    flips_of,
    keep_marks,
    marks_of,
    usual_marks,
    wanted_key,
)
from rugboard.runs.results import Results
from rugboard.session import state
from rugboard.shell.tables import cell_in_words
from rugboard.shell.text import brief, listed, named, plain, value_in_words
from rugcore.explanations import Change, Flip

_OPENING = "_flip_opening"


# -- marks -------------------------------------------------------------------------------------------------


def ask_marks(case: Case) -> Marks:
    """Small tables of the columns that rules look at."""
    results, columns = case.results, cached.columns(case.results)
    names = [name for name in columns if name in case.chosen.model.rules_.features()]
    number, opening = _opening(case, names)
    with st.expander("What can change"):
        if remark := marked_from_names(names, usual_marks(results)):
            st.caption(remark)
        for is_number in (True, False):
            own = [name for name in names if columns[name].is_number == is_number]
            if own:
                ask_some_marks(results, own, opening, _editor(number, is_number), is_number)
        st.caption("Kept for all applicants of this run. No proposal leaves the range of the training rows.")
    return marks_of(results)


def marked_from_names(names: list[str], usual: Marks) -> str:
    """Which columns were not left open to begin with."""
    by_mark = [(may, [name for name in names if usual[name].may == may]) for may in (NEVER, UP)]
    parts = [f"{listed(own)} {may}" for may, own in by_mark if own]
    if not parts:
        return ""
    return f"Marked from their names, or as sensitive: {'; '.join(parts)}. Change here what does not fit."


def ask_some_marks(results: Results, names: list[str], marks: Marks, key: str, is_number: bool) -> None:
    """A table of numbers has more to say than one of words."""
    frame = pd.DataFrame({"column": names, "may": [marks[name].may for name in names]})
    if is_number:
        frame["whole"] = [marks[name].whole for name in names]
    options = FOR_NUMBERS if is_number else FOR_WORDS
    st.data_editor(
        frame,
        key=key,
        hide_index=True,
        height="content",
        disabled=["column"],
        column_config={
            "column": st.column_config.TextColumn("Numbers" if is_number else "Words", width=180),
            "may": st.column_config.SelectboxColumn("This value", options=options, required=True, width=110),
            "whole": st.column_config.CheckboxColumn("Whole", width=75, help="Whole numbers only."),
        },
        on_change=_keep_edits,
        args=(results, names, key),
    )


def _editor(number: int, is_number: bool) -> str:
    return f"marks_{number}_{'numbers' if is_number else 'words'}"


def _keep_edits(results: Results, names: list[str], key: str) -> None:
    keep_marks(results, edited(marks_of(results), names, _edits(key)))


def _edits(key: str) -> Mapping[int, Mapping[str, Any]]:
    """By line of the table: what was changed in it."""
    return (st.session_state.get(key) or {}).get("edited_rows", {})


def edited(marks: Marks, names: list[str], edits: Mapping[int, Mapping[str, Any]]) -> Marks:
    return marks | {names[line]: replace(marks[names[line]], **change) for line, change in edits.items()}


def _opening(case: Case, names: list[str]) -> tuple[int, Marks]:
    """A number for the tables and the marks they begin with.

    A table must begin with the same lines as long as it is shown; it begins afresh where somebody else set the marks
    meanwhile.
    """
    wanted = (case.chosen.cache_key, tuple(names), state.visit())
    held, marks = st.session_state.get(_OPENING), marks_of(case.results)
    if held is None or held[0] != wanted or _shown(case, names, held[1], held[2]) != marks:
        held = (wanted, 0 if held is None else held[1] + 1, marks)
        st.session_state[_OPENING] = held
    return held[1], held[2]


def _shown(case: Case, names: list[str], number: int, marks: Marks) -> Marks:
    """What stands in the tables now."""
    columns = cached.columns(case.results)
    for is_number in (True, False):
        own = [name for name in names if columns[name].is_number == is_number]
        marks = edited(marks, own, _edits(_editor(number, is_number)))
    return marks


# -- proposals ---------------------------------------------------------------------------------------------


def show_flips(case: Case) -> None:
    wanted = ask_wanted(case)
    marks = ask_marks(case)
    found = flips_of(case, wanted, marks)
    if not found.found:
        st.info(
            f"Nothing within three changes turns the decision into {named(value_in_words(wanted))}. Allow more "
            "columns to change, or change more values yourself.",
            icon=":material/block:",
        )
        return
    for number, flip in enumerate(found.found):
        show_flip(case, flip, number)


def ask_wanted(case: Case) -> Any:
    chosen, decision = case.chosen, case.explanation.decision
    others = [label for label in chosen.classes if label != decision]
    first = first_wanted(chosen, decision)
    if len(others) == 1:
        st.caption(f"The smallest changes, one to three at a time, that lead to {named(value_in_words(first))}.")
        return first
    return st.selectbox(
        "What would lead to",
        others,
        index=others.index(first),
        format_func=lambda label: brief(value_in_words(label), 40),
        key=wanted_key(case),
    )


def show_flip(case: Case, flip: Flip, number: int) -> None:
    with st.container(border=True, key=f"flip_{number}"):
        words, apply = st.columns([2, 1], vertical_alignment="center")
        words.markdown("  \n".join(change_in_words(change) for change in flip.changes))
        if flip.is_uncovered or flip.is_tie:
            words.caption("Only by default: " + ("no rule would apply." if flip.is_uncovered else "a tie."))
        apply.button(
            "Apply",
            key=f"apply_{number}",
            on_click=what_if.put,
            args=(case, flip.row),
            width="stretch",
            help="Put these values into the fields on the right.",
        )


def change_in_words(change: Change) -> str:
    before, after = (plain(brief(cell_in_words(value), 40)) for value in (change.before, change.after))
    return f"{plain(brief(change.column, 40))}: {before} → **{after}**"
