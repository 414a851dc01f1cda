"""The nearest changes that flip the decision, within what a person can change."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from rugboard.applicants import cached as known
from rugboard.applicants import saved, what_if
from rugboard.applicants.cached import Case, Chosen, Column
from rugboard.runs.results import Results
from rugboard.session import state
from rugboard.shell.tables import cell_in_words
from rugboard.shell.text import brief, listed, named, plain, value_in_words
from rugcore.explanations import Flip, Flips, Limit

ANY, UP, DOWN, NEVER = "may change", "only up", "only down", "cannot change"
DIRECTIONS = {ANY: "any", UP: "up", DOWN: "down"}
FOR_NUMBERS, FOR_WORDS = [ANY, UP, DOWN, NEVER], [ANY, NEVER]
# Words in the name of a column that tell what a person is and should not be advised to change.
GIVEN = {
    *("sex", "gender", "race", "racial", "ethnic", "ethnicity", "nation", "nationality", "native", "birth", "origin"),
    *("religion", "religious", "marital", "married", "relationship", "disability", "disabled"),
}
GROWING = {"age"}  # nobody grows younger
KEPT = 200
_OPENING = "_flip_opening"


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
    return Mark(NEVER if name in results.plan.sensitive else may_by_name(name, column.is_number), whole)


def may_by_name(name: str, is_number: bool) -> str:
    """What the name of a column suggests."""
    words = words_of(name)
    if words & GIVEN:
        return NEVER
    return (UP if is_number else NEVER) if words & GROWING else ANY  # bands of age cannot go up, being words


def words_of(name: str) -> set[str]:
    """Whole words, also of a name like applicantAge or native_country: "mortgage" says nothing of age."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return {word.lower() for word in re.findall(r"[^\W\d_]+", parted)}


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
    """As they were set for the run; whatever nobody set is as usual."""
    usual = usual_marks(results)
    own = _read(saved.read(results, saved.MARKS))
    columns = known.columns(results)
    return usual | {name: fitting(mark, columns[name]) for name, mark in own.items() if name in columns}


def keep_marks(results: Results, marks: Marks) -> None:
    """Only what is not as usual."""
    usual = usual_marks(results)
    own = {name: asdict(mark) for name, mark in marks.items() if mark != usual.get(name)}
    saved.keep(results, saved.MARKS, json.dumps(own, ensure_ascii=False, indent=1))


def _read(text: str | None) -> Marks:
    """Nothing where the file is damaged."""
    try:
        content = json.loads(text or "{}")
        return {str(name): Mark(str(item["may"]), bool(item["whole"])) for name, item in content.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def fitting(mark: Mark, column: Column) -> Mark:
    """What makes no sense for a column has no effect: words go neither up nor down, and are not whole."""
    if column.is_number:
        return mark if mark.may in FOR_NUMBERS else replace(mark, may=ANY)
    return Mark(mark.may if mark.may in FOR_WORDS else ANY)


def ask_marks(case: Case) -> Marks:
    """Small tables of the columns that rules look at."""
    results, columns = case.results, known.columns(case.results)
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

    A table must begin with the same lines as long as it is shown; it begins anew where somebody else set the marks
    meanwhile.
    """
    wanted = (case.chosen.key, tuple(names), state.visit())
    held, marks = st.session_state.get(_OPENING), marks_of(case.results)
    if held is None or held[0] != wanted or _shown(case, names, held[1], held[2]) != marks:
        held = (wanted, 0 if held is None else held[1] + 1, marks)
        st.session_state[_OPENING] = held
    return held[1], held[2]


def _shown(case: Case, names: list[str], number: int, marks: Marks) -> Marks:
    """What stands in the tables now."""
    columns = known.columns(case.results)
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
    first = first_wish(chosen, decision)
    if len(others) == 1:
        st.caption(f"The smallest changes, one to three at a time, that lead to {named(value_in_words(first))}.")
        return first
    return st.selectbox(
        "What would lead to",
        others,
        index=others.index(first),
        format_func=lambda label: brief(value_in_words(label), 40),
        key=_wanted_key(case),
    )


def wanted_of(case: Case) -> Any:
    """What the visitor asked for, as far as it makes sense."""
    first = first_wish(case.chosen, case.explanation.decision)
    asked = st.session_state.get(_wanted_key(case), first)
    return asked if asked in case.chosen.classes and asked != case.explanation.decision else first


def _wanted_key(case: Case) -> str:
    return f"wanted_{case.results.run.id}_{case.row}"


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


def change_in_words(change: Any) -> str:
    before, after = (plain(brief(cell_in_words(value), 40)) for value in (change.before, change.after))
    return f"{plain(brief(change.column, 40))}: {before} → **{after}**"
