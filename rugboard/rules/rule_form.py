"""A form for a rule that somebody writes or edits, in the labels of the data dictionary."""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import streamlit as st

from rugboard.rules import proposal as proposals
from rugboard.rules.preview import protected_columns
from rugboard.rules.proposal import WrittenRule
from rugboard.runs.results import Results
from rugboard.session import training_columns
from rugboard.session.adjustments import rule_id
from rugboard.session.training_columns import TrainingColumn
from rugboard.shell.tables import cell_in_words
from rugboard.shell.text import brief, plain, value_in_words
from rugcore.errors import InputError
from rugcore.governance import written_rule
from rugcore.rules import Condition, Interval, IsMissing, IsSpecial, Membership, Rule, SpecialCodes

MOST_COLUMNS = 6
BLANK = "not known"
IS, IS_NOT = "is", "is not"
AS_IN_RULES = "%.12g"
LEAST_FLOOR, MOST_FLOOR = 0.001, 1e6
_FORM, _OPENED = "_rule_form", "_rule_forms_opened"


@dataclass(frozen=True)
class OpenForm:
    """A form that is open, for a new rule or for one to edit; its number makes the fields begin afresh."""

    number: int
    editing: Rule | None = None


def open_form(run_id: str, model: str, editing: Rule | None = None) -> None:
    forms = dict(st.session_state.get(_FORM, {}))
    number = st.session_state.get(_OPENED, 0) + 1
    st.session_state[_OPENED] = number
    st.session_state[_FORM] = forms | {(run_id, model): OpenForm(number, editing)}


def close_form(run_id: str, model: str) -> None:
    st.session_state[_FORM] = {**st.session_state.get(_FORM, {}), (run_id, model): None}


def form_of(run_id: str, model: str) -> OpenForm | None:
    return st.session_state.get(_FORM, {}).get((run_id, model))


def show_form(results: Results, model: str, form: OpenForm) -> None:
    """The fields; a rule that makes sense goes into the proposal."""
    run_id = results.run.id
    with st.container(border=True, key="rule_form"):
        st.markdown("**Edit a rule**" if form.editing else "**Write a rule**")
        key = f"rule_form_{form.number}"
        names = ask_columns(results, form, key)
        given = [ask_condition(results, name, form, f"{key}_{results.plan.features.index(name)}") for name in names]
        label, least = ask_outcome(results, model, form, key)
        with st.container(horizontal=True):
            is_done = st.button("Propose this rule", key=f"{key}_done", type="primary", icon=":material/check:")
            st.button("Close", key=f"{key}_close", on_click=close_form, args=(run_id, model))
        if is_done:
            take(results, model, form, given, label, least)


def take(results: Results, model: str, form: OpenForm, given: list["GivenCondition"], label: Any, least: float) -> None:
    """Into the proposal, or a sentence about what is wrong with it."""
    run_id, solved = results.run.id, results.model(model)
    try:
        rule = Rule(tuple(own.condition() for own in given), label)
        rule = written_rule(
            rule, solved.schema_, solved.classes_.tolist(), solved._directions, protected_columns(results)
        )
        if form.editing is not None and rule_id(rule) == rule_id(form.editing):
            raise InputError("This is the rule as it was. Change something about it, or close the form.")
    except InputError as error:
        st.error(plain(error), icon=":material/error:")
        return
    written = WrittenRule(rule, least, form.editing)
    proposals.propose(run_id, model, proposals.current(run_id, model).writing(written))
    close_form(run_id, model)
    st.rerun()


# -- what is asked ---------------------------------------------------------------------------------------------


def ask_columns(results: Results, form: OpenForm, key: str) -> list[str]:
    forbidden = protected_columns(results)
    offered = [name for name in results.plan.features if name not in forbidden]
    own = [name for name in (form.editing.features if form.editing else ()) if name in offered]
    return st.multiselect(
        "Columns",
        offered,
        own,
        format_func=lambda name: brief(name, 60),
        key=f"{key}_columns",
        max_selections=MOST_COLUMNS,
        placeholder="What the rule looks at",
        help="Take a column away to drop its condition. Protected columns are not offered.",
    )


@dataclass(frozen=True)
class GivenCondition:
    """What was filled in about a column."""

    name: str
    lower: float | None = None
    upper: float | None = None
    codes: tuple[float, ...] = ()
    values: tuple[Any, ...] = ()
    is_number: bool = True
    negated: bool = False
    or_missing: bool = False
    specials: SpecialCodes = ()
    before: Condition | None = None  # of a rule that is edited: kept where nothing is said

    def condition(self) -> Condition:
        """An `InputError` where nothing is said."""
        if self.is_number and (self.lower is not None or self.upper is not None):
            lower = -math.inf if self.lower is None else self.lower
            upper = math.inf if self.upper is None else self.upper
            return Interval(self.name, lower, upper, self.or_missing, self.specials, self.codes)
        if self.codes:
            return IsSpecial(
                self.name, tuple(own for own in self.specials if own.number in self.codes), self.or_missing
            )
        if self.values:
            return Membership(self.name, self.values, self.negated, self.or_missing)
        if self.before is not None and not _can_be_said(self.before):
            return self.before
        if self.or_missing:
            return IsMissing(self.name)
        raise InputError(f"Say which values of {self.name!r} the rule is about, or take the column away.")


def _can_be_said(condition: Condition) -> bool:
    """Whether the fields can say it; "is known" they cannot."""
    if isinstance(condition, Interval):
        return condition.is_bounded
    return not (isinstance(condition, Membership) and not condition.values)


def ask_condition(results: Results, name: str, form: OpenForm, key: str) -> GivenCondition:
    column = training_columns.columns(results)[name]
    own = [condition for condition in (form.editing.conditions if form.editing else ()) if condition.feature == name]
    before = own[0] if own else None
    ask = ask_numbers if column.is_number else ask_values
    return ask(results, name, column, before, key)


def ask_numbers(
    results: Results, name: str, column: TrainingColumn, before: Condition | None, key: str
) -> GivenCondition:
    specials = results.rug.schema_.specials.get(name, ())
    lower, upper, also = st.columns([1, 1, 1.4], vertical_alignment="bottom")
    bounds = (before.lower, before.upper) if isinstance(before, Interval) else (-math.inf, math.inf)
    first, second = (None if math.isinf(bound) else float(bound) for bound in bounds)
    label, help_text = plain(brief(name, 40)), range_in_words(column)
    options: dict[str, Any] = {"format": AS_IN_RULES, "placeholder": "any", "help": help_text}
    above = lower.number_input(f"{label}: more than", value=first, key=f"{key}_above", **options)
    up_to = upper.number_input(f"{label}: up to", value=second, key=f"{key}_up_to", **options)
    codes: tuple[float, ...] = ()
    or_missing = False
    if specials or column.has_blanks:
        codes, or_missing = ask_also(also, specials, column, before, key)
    return GivenCondition(
        name, above, up_to, codes, is_number=True, or_missing=or_missing, specials=specials, before=before
    )


def ask_also(
    place: Any, specials: SpecialCodes, column: TrainingColumn, before: Condition | None, key: str
) -> tuple[tuple[float, ...], bool]:
    """Special codes and blanks beside a range, or alone."""
    codes = named_codes(specials)
    blank = word_for_blanks(codes)
    options = [*codes, *([blank] if column.has_blanks else [])]
    chosen = [text for text, number in codes.items() if before is not None and before.holds(number)]
    if before is not None and _lets_in_blanks(before) and column.has_blanks:
        chosen.append(blank)
    said = place.multiselect(
        "or", options, chosen, format_func=lambda text: brief(text, 40), key=f"{key}_also", placeholder="nothing else"
    )
    return tuple(codes[text] for text in said if text in codes), blank in said


def named_codes(specials: SpecialCodes) -> dict[str, float]:
    """Special codes by what they mean; two that mean the same are told apart by their numbers."""
    meanings = [own.meaning for own in specials]
    return {
        own.meaning if meanings.count(own.meaning) == 1 else f"{own.meaning} ({own.number:g})": own.number
        for own in specials
    }


def word_for_blanks(taken: Collection[object]) -> str:
    """What blank cells are called beside values or codes, one of which may be called so itself."""
    return BLANK if BLANK not in taken else f"{BLANK} (blank cell)"


def _lets_in_blanks(condition: Condition) -> bool:
    return isinstance(condition, IsMissing) or condition.or_missing


def range_in_words(column: TrainingColumn) -> str | None:
    if not math.isfinite(column.lowest):
        return None
    return f"In the training rows: {plain(cell_in_words(column.lowest))} to {plain(cell_in_words(column.highest))}."


def ask_values(
    results: Results,  # noqa: ARG001 - as `ask_numbers`
    name: str,
    column: TrainingColumn,
    before: Condition | None,
    key: str,
) -> GivenCondition:
    way, values = st.columns([1, 2.4], vertical_alignment="bottom")
    own = before if isinstance(before, Membership) else None
    label = plain(brief(name, 40))
    negated = way.selectbox(label, [IS, IS_NOT], index=int(own is not None and own.negated), key=f"{key}_way") == IS_NOT
    blank = word_for_blanks(column.profile.categories)
    offered = [*column.profile.categories, *([blank] if column.has_blanks else [])]
    chosen = [value for value in (own.values if own else ()) if value in column.profile.categories]
    if (
        before is not None
        and column.has_blanks
        and _lets_in_blanks(before) != (negated and isinstance(before, IsMissing))
    ):
        chosen.append(blank)
    said = values.multiselect(
        "Values",
        offered,
        chosen,
        format_func=lambda value: brief(value_in_words(value), 60),
        key=f"{key}_values",
        placeholder="choose values",
        help=f"“{blank}” lets in blank cells as well, also behind “{IS_NOT}”.",
    )
    listed = tuple(value for value in said if value != blank)
    return GivenCondition(
        name, values=listed, is_number=False, negated=negated, or_missing=blank in said, before=before
    )


def ask_outcome(results: Results, model: str, form: OpenForm, key: str) -> tuple[Any, float]:
    """What the rule votes for, and whether it must have a say."""
    classes = results.model(model).classes_.tolist()
    label_place, must_place, least_place = st.columns([1.2, 1.4, 1], vertical_alignment="bottom")
    place = classes.index(form.editing.label) if form.editing else 0
    label = label_place.selectbox(
        "Then the rule votes for",
        classes,
        index=place,
        format_func=lambda own: brief(value_in_words(own), 60),
        key=f"{key}_label",
    )
    must = must_place.checkbox(
        "It must have a say",
        key=f"{key}_must",
        help="Otherwise the linear program gives it a weight only if it is worth its price.",
    )
    if not must:
        return label, 0.0
    usual = max(form.editing.weight, LEAST_FLOOR) if form.editing and form.editing.weight > 0 else 1.0
    least = least_place.number_input(
        "with a weight of at least", LEAST_FLOOR, MOST_FLOOR, float(usual), key=f"{key}_least", format=AS_IN_RULES
    )
    return label, float(least)
