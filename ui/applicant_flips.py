"""The nearest changes that flip the decision, within what a person can change."""

import re
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from rugcore.flips import Flip, Flips, Limit
from ui import applicant_known as known
from ui import applicant_whatif, state
from ui.applicant_known import Case, Chosen, Column
from ui.runs.results import Results
from ui.tables import cell_in_words
from ui.text import brief, named, plain, value_in_words

ANY, UP, DOWN, NEVER = "may change", "only up", "only down", "cannot change"
DIRECTIONS = {ANY: "any", UP: "up", DOWN: "down"}
AGE = re.compile(r"\bage\b", re.IGNORECASE)  # nobody grows younger
KEPT = 200
_MARKS, _OPENING = "_flip_marks", "_flip_opening"


@dataclass(frozen=True)
class Mark:
    """What a visitor says about a column."""

    may: str = ANY
    whole: bool = False


Marks = dict[str, Mark]


# -- without a screen --------------------------------------------------------------------------------------


def usual_marks(results: Results) -> Marks:
    """What is sensible unless somebody says otherwise: nobody changes what they are, or grows younger."""
    return {name: _usual(name, column, results) for name, column in known.columns(results).items()}


def _usual(name: str, column: Column, results: Results) -> Mark:
    whole = column.is_number and column.facts.is_whole
    if name in results.plan.sensitive:
        return Mark(NEVER, whole)
    return Mark(UP if column.is_number and AGE.search(name) else ANY, whole)


def limits_of(marks: Marks, columns: dict[str, Column]) -> dict[str, Limit]:
    return {name: _limit(mark, columns[name]) for name, mark in marks.items()}


def _limit(mark: Mark, column: Column) -> Limit:
    if not column.is_number:
        return Limit(changeable=mark.may != NEVER, may_become_blank=False)
    return Limit(
        changeable=mark.may != NEVER,
        direction=DIRECTIONS.get(mark.may, "any"),  # type: ignore[arg-type]
        whole=mark.whole,
        lowest=column.lowest,
        highest=column.highest,
        may_become_blank=False,
    )


def flips_of(case: Case, wanted: Any, marks: Marks) -> Flips:
    """Proposals that rules decide; where there are none, those that lead to the wanted outcome by default."""
    said = tuple((name, mark.may, mark.whole) for name, mark in marks.items())
    return _flips(*case.chosen.key, case.row, repr(wanted), said, case, wanted, marks)


@st.cache_resource(show_spinner=False, max_entries=KEPT)
def _flips(
    run_id: str,  # noqa: ARG001
    model: str,  # noqa: ARG001
    change: str,  # noqa: ARG001
    row: int,  # noqa: ARG001
    aim: str,  # noqa: ARG001
    said: tuple[tuple[str, str, bool], ...],  # noqa: ARG001
    _case: Case,
    _wanted: Any,
    _marks: Marks,
) -> Flips:
    finder = known.finder(_case.chosen)
    limits = limits_of(_marks, known.columns(_case.results))
    found = finder.find(_case.cells, _wanted, limits=limits, by_default=False)
    return found if found.found else finder.find(_case.cells, _wanted, limits=limits)


def first_wish(chosen: Chosen, decision: Any) -> Any:
    """What a change is to lead to: the favourable outcome, or away from it."""
    if decision != chosen.favourable:
        return chosen.favourable
    return next(label for label in chosen.classes if label != decision)


# -- marks -------------------------------------------------------------------------------------------------


def marks_of(results: Results) -> Marks:
    """As this visitor has set them."""
    held = st.session_state.get(_MARKS, {}).get(results.run.id)
    return dict(held) if held is not None else usual_marks(results)


def ask_marks(case: Case) -> Marks:
    """A small table of the columns that rules look at."""
    results = case.results
    names = [name for name in known.columns(results) if name in case.chosen.model.rules_.features()]
    key, marks = _opening(case, names)
    with st.expander("What can change", icon=":material/lock:"):
        edited = st.data_editor(
            pd.DataFrame(
                {
                    "column": names,
                    "may": [marks[name].may for name in names],
                    "whole": [marks[name].whole for name in names],
                }
            ),
            key=key,
            hide_index=True,
            height="content",
            disabled=["column"],
            column_config={
                "column": st.column_config.TextColumn("Column", width=195),
                "may": st.column_config.SelectboxColumn(
                    "This value", options=[ANY, UP, DOWN, NEVER], required=True, width=110
                ),
                "whole": st.column_config.CheckboxColumn("Whole", width=60, help="Whole numbers only."),
            },
        )
        st.caption("Up, down and whole are for numbers. No proposal leaves the range of the training rows.")
    new = marks_of(results) | {
        str(name): Mark(str(may), bool(whole))
        for name, may, whole in zip(edited["column"], edited["may"], edited["whole"], strict=True)
    }
    st.session_state[_MARKS] = st.session_state.get(_MARKS, {}) | {results.run.id: new}
    return new


def _opening(case: Case, names: list[str]) -> tuple[str, Marks]:
    """A key for the editor and the marks it begins with: it must begin with the same table as long as it is shown."""
    wanted = (case.chosen.key, tuple(names), state.visit())
    held = st.session_state.get(_OPENING)
    if held is None or held[0] != wanted:
        number = 0 if held is None else held[1] + 1
        held = (wanted, number, marks_of(case.results))
        st.session_state[_OPENING] = held
    return f"marks_{held[1]}", held[2]


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
    first = first_wish(chosen, decision)
    if len(others) == 1:
        st.caption(f"The smallest changes, one to three at a time, that lead to {named(value_in_words(first))}.")
        return first
    return st.selectbox(
        "What would lead to",
        others,
        index=others.index(first),
        format_func=lambda label: brief(value_in_words(label), 40),
        key=f"wanted_{case.results.run.id}_{case.row}",
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
            on_click=applicant_whatif.put,
            args=(case, flip.row),
            width="stretch",
            help="Put these values into the fields on the right.",
        )


def change_in_words(change: Any) -> str:
    before, after = (plain(brief(cell_in_words(value), 40)) for value in (change.before, change.after))
    return f"{plain(brief(change.column, 40))}: {before} → **{after}**"
