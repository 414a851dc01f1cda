"""What if some values were different: a field for every column, and what the models then say."""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rugboard.applicants import cached, shap_values
from rugboard.applicants.cached import Case
from rugboard.applicants.decision_card import has_chances, label_in_colour, rule_in_words
from rugboard.session.adjustments import rule_id
from rugboard.session.training_columns import TrainingColumn
from rugboard.shell import fields
from rugboard.shell.formats import counted
from rugboard.shell.tables import cell_in_words
from rugboard.shell.text import brief, listed, named, plain, value_in_words
from rugboard.shell.theme import name_of_model
from rugcore.explanations import Explanation, ShapExplanation, by_default, in_percent, weights_in_words
from rugcore.rules import Rule, measured
from rugcore.tables import is_blank, plain_value

ACROSS = 3  # fields in a line
SHOWN_CHANGES = 5  # columns whose SHAP value changed most
LEAST_CHANGE = 0.005  # of a SHAP value that is shown with two digits
STEPS_IN_SPREAD = 20
BLANK = "(blank)"
AS_IN_RULES = "%.12g"  # a number without zeros at its end, as the rules write it
_WHOSE = "_whatif"  # whose values stand in the fields
_TIMES = "_whatif_times"  # how often the fields were replaced


@dataclass(frozen=True)
class Turn:
    """What becomes of the decision and its rules."""

    before: Explanation
    after: Explanation
    entering: tuple[Rule, ...]
    leaving: tuple[Rule, ...]

    @property
    def is_flip(self) -> bool:
        return bool(self.before.decision != self.after.decision)


# -- without a screen --------------------------------------------------------------------------------------


def turn(case: Case, cells: dict[str, Any]) -> Turn:
    """The changed values before the same model."""
    after = case.chosen.model.explain(cells)
    old, new = _rules(case.explanation), _rules(after)
    return Turn(
        case.explanation,
        after,
        entering=tuple(rule for own, rule in new.items() if own not in old),
        leaving=tuple(rule for own, rule in old.items() if own not in new),
    )


def _rules(found: Explanation) -> dict[str, Rule]:
    return {rule_id(item.rule): item.rule for item in (*found.rules_for, *found.rules_against)}


def changed(case: Case, cells: dict[str, Any]) -> list[str]:
    """The columns that are not as they were."""
    return [name for name, value in cells.items() if not same(value, case.cells[name])]


def same(value: Any, other: Any) -> bool:
    return (is_blank(value) and is_blank(other)) or bool(value == other)


# -- fields ------------------------------------------------------------------------------------------------


def key_of(case: Case, name: str) -> str:
    """The same for all applicants: a browser fills fields faster than it makes new ones."""
    place = list(case.cells).index(name)
    return f"whatif_{case.results.run.id}_{st.session_state.get(_TIMES, 0)}_{place}"


def put(case: Case, cells: dict[str, Any]) -> None:
    """Fill the fields, for a callback."""
    fields.fill({key_of(case, name): in_field(value, case.cells[name]) for name, value in cells.items()})


def in_field(value: Any, own: Any) -> Any:
    """What a field shows: the applicant's own number without digits that nobody meant, any other one as it is."""
    if is_blank(value):
        return None
    return measured(value) if isinstance(value, float) and same(value, own) else plain_value(value)


def from_field(value: Any, own: Any) -> Any:
    """The other way round: whoever leaves a field as it is leaves the applicant's own number as it is."""
    return own if isinstance(own, float) and value == in_field(own, own) else value


def reset(case: Case) -> None:
    """New fields with the applicant's own values: an old one may hold what its browser refused to send."""
    st.session_state[_TIMES] = st.session_state.get(_TIMES, 0) + 1
    put(case, case.cells)


def ask_cells(case: Case) -> dict[str, Any]:
    """Every value as it is now; those that no rule looks at are a click away."""
    whose = (case.results.run.id, case.row)
    is_new = st.session_state.get(_WHOSE) != whose
    put(case, {name: own for name, own in case.cells.items() if is_new or key_of(case, name) not in st.session_state})
    st.session_state[_WHOSE] = whose
    fields.fill_again()
    used = [name for name in case.cells if name in case.chosen.model.rules_.features()]
    others = [name for name in case.cells if name not in used]
    cells = ask_some(case, used)
    if others:
        with st.expander(f"{counted(len(others), 'more column')} that only LightGBM looks at"):
            cells |= ask_some(case, others)
    return {name: cells[name] for name in case.cells}


def ask_some(case: Case, names: list[str]) -> dict[str, Any]:
    all_columns = cached.columns(case.results)
    cells: dict[str, Any] = {}
    for begin in range(0, len(names), ACROSS):
        for place, name in zip(st.columns(ACROSS), names[begin : begin + ACROSS], strict=False):
            with place:
                cells[name] = ask_cell(case, name, all_columns[name])
                show_mark(cells[name], case.cells[name], all_columns[name])
    return cells


def show_mark(value: Any, own: Any, column: TrainingColumn) -> None:
    """Below a field that was changed."""
    if not same(value, own):
        st.caption(f":orange[:material/edit: was {plain(brief(in_words(own, column), 40))}]")


def in_words(value: Any, column: TrainingColumn) -> str:
    """A value; of a special code, what it stands for."""
    return column.meanings.get(value) or cell_in_words(value)


def ask_cell(case: Case, name: str, column: TrainingColumn) -> Any:
    """A field that suits the column."""
    key, own = key_of(case, name), case.cells[name]
    label = plain(brief(name, 40))
    if column.profile.kind == "blank":
        st.text_input(label, value="", placeholder=BLANK, disabled=True, key=key)
        return own
    return ask_number(label, key, own, column) if column.is_number else ask_category(label, key, own, column)


def ask_number(label: str, key: str, own: float, column: TrainingColumn) -> float:
    codes = "".join(f" {plain(cell_in_words(code))}: {plain(meaning)}." for code, meaning in column.meanings.items())
    number = st.number_input(
        label,
        value=None,
        step=step_of(column),
        format=AS_IN_RULES,
        key=key,
        placeholder=BLANK,
        help=f"{' to '.join(plain(cell_in_words(end)) for end in column.possible)}.{codes} "
        f"Was {plain(in_words(own, column))}.",
    )
    return math.nan if number is None else float(from_field(number, own))


def step_of(column: TrainingColumn) -> float:
    """A round number that is worth a click, and not finer than the column."""
    finest = 10.0**-column.profile.decimals
    worth = 10.0 ** math.floor(math.log10(column.profile.spread / STEPS_IN_SPREAD))
    return max(finest, worth)


def ask_category(label: str, key: str, own: Any, column: TrainingColumn) -> Any:
    options = list(column.profile.categories)
    if not is_blank(own) and own not in options:
        options.append(own)
    return st.selectbox(
        label,
        options,
        index=None,
        format_func=lambda value: brief(value_in_words(value), 60),
        key=key,
        placeholder=BLANK,
        help=f"Was {named(cell_in_words(own))}.",
    )


# -- what comes out ----------------------------------------------------------------------------------------


def refusal(column: str, value: Any, about: TrainingColumn) -> str:
    """Why nothing can be said about a value, or nothing: the model never saw the like of it."""
    name = named(column)
    if is_blank(value):
        return "" if about.has_blanks else f"{name} is never blank in the training rows: enter a value."
    if not about.is_number:
        return "" if value in about.profile.categories else f"No training row has this value in {name}."
    if value in about.meanings:
        return ""
    if about.profile.is_whole and value != math.floor(value):
        return f"{name} holds whole numbers only: {plain(cell_in_words(value))} is none."
    least, most = about.possible
    if least <= value <= most:
        return ""
    lowest, highest = plain(cell_in_words(least)), plain(cell_in_words(most))
    return f"{name} lies between {lowest} and {highest}: nothing can be said about {plain(cell_in_words(value))}."


def refusals(case: Case, cells: dict[str, Any], names: list[str]) -> list[str]:
    """Of the values that were changed; what the applicant has is taken as it is."""
    about = cached.columns(case.results)
    found = (refusal(name, cells[name], about[name]) for name in names if about[name].profile.kind != "blank")
    return [sentence for sentence in found if sentence]


def show_refused(case: Case, sentences: list[str]) -> None:
    """No decision about what cannot be."""
    with st.container(border=True, key="whatif_answer"):
        words, way_back = st.columns([3, 1], vertical_alignment="center")
        words.markdown("**No decision about these values**")
        show_way_back(way_back, case)
        for sentence in sentences:
            st.markdown(f":orange[:material/warning:] {sentence}")


def show_way_back(place: DeltaGenerator, case: Case) -> None:
    place.button("Reset", key="whatif_reset", icon=":material/undo:", on_click=reset, args=(case,), width="stretch")


def show_answer(case: Case, now: Turn, names: list[str], cells: dict[str, Any]) -> None:
    """The decision with the values as they are in the fields, and the way back."""
    with st.container(border=True, key="whatif_answer"):
        words, way_back = st.columns([3, 1], vertical_alignment="center")
        with words:
            st.caption(f"With {_changes(names)}, {name_of_model(case.chosen.name)} decides")
            st.html(label_in_colour(now.after.decision, case, "1.4rem"))
        show_way_back(way_back, case)
        st.markdown(verdict(now) if names else "Change a value, or apply a proposal, and see what becomes of it.")
        if names and has_chances(case) and not by_default(now.after):
            st.caption(f"The model is {in_percent(cached.confidence(case, cells).chance)} sure.")
        for own in cached.finder(case.chosen).left_behind(case.cells, cells):
            st.caption(
                f":orange[:material/warning:] {plain(own.column)} is worked out from other columns: with these values "
                f"it would be {plain(cell_in_words(own.after))}."
            )


def _changes(names: list[str]) -> str:
    return "the values as they are" if not names else f"{listed(names, 3)} changed"


def verdict(now: Turn) -> str:
    was = named(value_in_words(now.before.decision))
    flips = f":material/swap_horiz: **The decision flips**: it was {was}." if now.is_flip else "The decision stays."
    return f"{flips} {weights_in_words(now.after)}{'; decided by default' if by_default(now.after) else ''}."


def show_difference(case: Case, now: Turn, cells: dict[str, Any]) -> None:
    """Rules that come and go, and LightGBM's new mind."""
    rules, black_box = st.columns(2, gap="medium")
    with rules:
        show_rules("Rules that enter", now.entering)
        show_rules("Rules that leave", now.leaving)
    with black_box:
        show_shap_change(case, cells)


def show_rules(heading: str, rules: tuple[Rule, ...]) -> None:
    if rules:
        st.markdown(f"**{heading}**\n" + "\n".join(f"- {rule_in_words(rule)}" for rule in rules))
    else:
        st.markdown(f"**{heading}**: none")


def show_shap_change(case: Case, cells: dict[str, Any]) -> None:
    before, after = shap_values.explained(case), shap_values.explained(case, cells)
    same_as_before = after.predicted == before.predicted
    was = "as before" if same_as_before else f"and not {named(value_in_words(before.predicted))} as before"
    score = f"its score for {named(value_in_words(after.towards))}"
    st.markdown(
        f"**LightGBM** decides {named(value_in_words(after.predicted))} {was}; {score} goes from "
        f"{before.output:+.2f} to {after.output:+.2f}."
    )
    frame = shap_changes(before, after)
    if not frame.empty:
        number = st.column_config.NumberColumn
        st.dataframe(
            frame,
            key="whatif_shap",
            hide_index=True,
            height="content",
            column_config={
                "column": st.column_config.TextColumn("SHAP value of", width=150),
                "before": number("Before", format="%+.2f", width=60),
                "after": number("Now", format="%+.2f", width=60),
            },
            alt="SHAP values that changed most",
        )


def shap_changes(before: ShapExplanation, after: ShapExplanation) -> pd.DataFrame:
    """The columns whose part changed most."""
    old = {item.column: item.amount for item in before.contributions}
    lines = [(item.column, old[item.column], item.amount) for item in after.contributions]
    lines = [line for line in lines if abs(line[2] - line[1]) >= LEAST_CHANGE]
    lines.sort(key=lambda line: -abs(line[2] - line[1]))
    return pd.DataFrame(lines[:SHOWN_CHANGES], columns=["column", "before", "after"])
