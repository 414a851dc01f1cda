"""What a person could do about a decision, within what can change, and somebody alike for whom it went well."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd
import streamlit as st

from rugboard.applicants import cached, what_if
from rugboard.applicants.cached import Case
from rugboard.applicants.marks import (
    DOWN,
    FOR_NUMBERS,
    FOR_WORDS,
    NEVER,
    UP,
    Marks,
    expected_of,
    flips_of,
    is_fixed,
    keep_marks,
    marks_of,
    reasons_of,
    similar_of,
    unsaid,
    usual_marks,
)
from rugboard.runs.results import Results
from rugboard.session import state
from rugboard.session.expectations import ExpectedEffect
from rugboard.shell.formats import counted
from rugboard.shell.tables import cell_in_words
from rugboard.shell.text import brief, listed, named, plain, value_in_words
from rugcore.explanations import NOT_YET, Change, Difference, Flip, by_default
from rugcore.rules import number_in_words

MOST_SHOWN = 3  # ways there
LONGEST = 80  # of a name or a value
NOT_DECIDED = "No rule decided: until a person has, nothing can be said about changes."
_OPENING = "_flip_opening"


# -- marks -------------------------------------------------------------------------------------------------


def ask_marks(case: Case) -> Marks:
    """Small tables of the columns that rules look at."""
    results, columns = case.results, cached.columns(case.results)
    used = [name for name in columns if name in case.chosen.model.rules_.features()]
    fixed = [name for name in used if is_fixed(name, results)]
    names = [name for name in used if name not in fixed]
    number, opening = _opening(case, names)
    with st.expander("What can change"):
        if fixed:
            st.caption(f"Protected or past, so it stays: {listed(fixed)}. The page Data says so.")
        open_ones = unsaid(results, names, marks_of(results))
        if open_ones:
            st.caption(f"{not_said(open_ones)} Say so here if they can.")
        if remark := marked_from_names([name for name in names if name not in open_ones], usual_marks(results)):
            st.caption(remark)
        for is_number in (True, False):
            own = [name for name in names if columns[name].is_number == is_number]
            if own:
                ask_some_marks(results, own, opening, _editor(number, is_number), is_number)
        st.caption(
            "Kept for all runs on such a table. Only what people in training have is proposed, numbers but for "
            "rounding."
        )
    return marks_of(results)


def not_said(names: list[str]) -> str:
    return f"Nobody has said whether people can change {listed(names)}: that stays as it is."


def marked_from_names(names: list[str], usual: Marks) -> str:
    """Which columns were not left open to begin with."""
    by_mark = [(may, [name for name in names if usual[name].may == may]) for may in (NEVER, UP, DOWN)]
    parts = [f"{listed(own)} {may}" for may, own in by_mark if own]
    if not parts:
        return ""
    return f"As the dictionary says, or else names and rows: {'; '.join(parts)}. Change here what does not fit."


def ask_some_marks(results: Results, names: list[str], marks: Marks, key: str, is_number: bool) -> None:
    """A table of numbers has more to say than one of words."""
    frame = pd.DataFrame({"column": names, "may": [marks[name].may for name in names]})
    if is_number:
        frame["whole"] = [marks[name].whole for name in names]
    if any(cached.columns(results)[name].has_blanks for name in names):
        frame["fill"] = [marks[name].fill for name in names]
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
            "fill": st.column_config.CheckboxColumn("Fill in", width=75, help="A blank may be filled in."),
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


def show_advice(case: Case) -> None:
    """What a person could do, and somebody alike for whom it went well; nothing for a favourable decision."""
    wanted = named(value_in_words(case.chosen.favourable))
    if case.explanation.decision == case.chosen.favourable:
        is_open = bool(by_default(case.explanation))
        st.caption(NOT_DECIDED if is_open else f"The decision is {wanted}: nothing needs to change.")
        return
    st.caption(
        f"The smallest changes, one to three at a time, after which rules decide {wanted} and the model is not called "
        "uncertain; it was asked about each. “People alike” are the training people nearest in everything else that "
        "rules look at."
    )
    marks = ask_marks(case)
    found = flips_of(case, marks)
    if found.found and reasons_of(case).status == "manual review":
        st.caption(f":orange[:material/person_alert:] {NOT_YET}")
    if not found.found:
        st.info(" ".join([plain(found), *why_so_little(case)]), icon=":material/block:")
    for number, flip in enumerate(found.found[:MOST_SHOWN]):
        show_flip(case, flip, number)
    show_similar(case)
    show_defects(case)


def why_so_little(case: Case) -> list[str]:
    """That more might be proposed if somebody said what can change."""
    used = [name for name in cached.columns(case.results) if name in case.chosen.model.rules_.features()]
    names = unsaid(case.results, used, marks_of(case.results))
    return [f"{not_said(names)} “What can change” is the place to say so."] if names else []


def show_flip(case: Case, flip: Flip, number: int) -> None:
    with st.container(border=True, key=f"flip_{number}"):
        words, apply = st.columns([3, 1], vertical_alignment="center")
        words.markdown("  \n".join(change_in_words(case, change) for change in flip.changes))
        if flip.follows:
            words.caption(
                f"With it, {'; '.join(change_in_words(case, change, in_full=False) for change in flip.follows)}."
            )
        words.caption(" ".join([flip_in_words(flip), *flip.consequences]))
        apply.button(
            "Apply",
            key=f"apply_{number}",
            on_click=what_if.put,
            args=(case, flip.row),
            width="stretch",
            help="Put these values into the fields of “What if?”.",
        )


def flip_in_words(flip: Flip) -> str:
    """How usual it is, and what became of people who were decided so."""
    if flip.is_uncovered or flip.is_tie:
        then = "no rule would apply" if flip.is_uncovered else "the rules would balance"
        return f":orange[:material/warning:] {then.capitalize()} then: a person would have to decide."
    usual = f"{flip.n_like_that:,} of {flip.n_alike:,} people alike are there or beyond."
    return " ".join(filter(None, (usual, flip.people_in_words)))


def change_in_words(case: Case, change: Change, in_full: bool = True) -> str:
    """What is proposed is written in full: a digit less might undo it; what is worked out from it, nobody enters."""
    before = case.in_words(change.column, change.before)
    is_exact = in_full and isinstance(change.after, float)
    after = number_in_words(change.after) if is_exact else cell_in_words(change.after)
    return (
        f"{plain(brief(change.column, LONGEST))}: {plain(brief(before, LONGEST))} → **{plain(brief(after, LONGEST))}**"
    )


# -- somebody alike ----------------------------------------------------------------------------------------


def show_similar(case: Case) -> None:
    wanted = named(value_in_words(case.chosen.favourable))
    st.markdown(f"**Somebody alike who was decided {wanted}**")
    found = similar_of(case)
    if found is None:
        st.caption(f"Rules decide nobody {wanted} in the training data who was so in the data too.")
        return
    st.markdown("\n".join(f"- {difference_in_words(item)}" for item in found.differences) or "No difference to name.")
    st.caption(
        f"An applicant from the training data whom the model decides {wanted}, and who was so in the data: the most "
        "similar one, and all in which rules see a difference. These are another person's values: not for a letter. "
        f"{found.hidden_in_words}"
    )


def difference_in_words(item: Difference) -> str:
    told = (item.meaning(value) or cell_in_words(value) for value in (item.theirs, item.here))
    theirs, here = (plain(brief(text, LONGEST)) for text in told)
    return f"{plain(brief(item.column, LONGEST))}: **{theirs}** instead of {here}"


# -- for the model's owner ---------------------------------------------------------------------------------


def show_defects(case: Case) -> None:
    """Rules that reward a worse value: never advice, and for the model's owner to know."""
    expected = expected_of(case)
    found = cached.rewarded(case.chosen, tuple((name, own.said) for name, own in expected.items()))
    if found.empty:
        return
    rules = counted(len(found), "rule")
    with st.expander(f"For the model's owner: {rules} {'rewards' if len(found) == 1 else 'reward'} a worse value"):
        st.caption(
            "Never proposed as advice. Say on the page Data what should help or harm, train with directions, and the "
            "model cannot do this."
        )
        by_column = [(name, found[found["column"] == name]) for name in found["column"].unique().tolist()]
        st.markdown("\n".join(f"- {defect_in_words(lines, expected[name])}" for name, lines in by_column))


def defect_in_words(lines: pd.DataFrame, expected: ExpectedEffect) -> str:
    """Of one column: the rules that look at it the wrong way round, and for how many people they do so together.

    Somewhere among its values, that is: few of these people may stand where a worse one than their own would help.
    """
    line = lines.iloc[0]
    does = "help" if line["more of it should"] == "helps" else "harm"
    name = named(line["column"])
    what = f"more of {name}"
    if expected.order:
        worst, best = (named(value_in_words(expected.order[place])) for place in (0, -1))
        what = f"a better {name} (from {worst} to {best})"
    said = {
        "dictionary": f"{what[0].upper()}{what[1:]} should {does}",
        "words": f"By its words, {what} should {does}",
        "name": f"By its name, {what} should {does}",
        "rows": f"In the rows, {what} {does}s",
    }[expected.source]
    votes = [
        f"“if {plain(rule)}, then {plain(label)}”"
        for rule, label in zip(lines["rule"], lines["votes for"], strict=True)
    ]
    rules = "the rule" if len(votes) == 1 else "the rules"
    rows = counted(int(line["people"]), "training row")
    wrong = f"for {rows}, all else as it is, some worse value scores higher than a better one"
    return f"{said}, but {wrong}, through {rules} {'; '.join(votes)}."
