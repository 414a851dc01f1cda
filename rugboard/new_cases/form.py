"""A form for one person, made from the data dictionary and what the training rows tell about each column."""

import math
from typing import Any

import streamlit as st

from rugboard.new_cases.deciding import Decider
from rugboard.session import training_columns
from rugboard.session.dictionaries import expected_effects
from rugboard.session.expectations import in_order
from rugboard.session.training_columns import TrainingColumn
from rugboard.shell.formats import counted
from rugboard.shell.tables import cell_in_words
from rugboard.shell.text import brief, plain, value_in_words
from rugcore.dictionary import ColumnEntry

ACROSS = 3  # fields in a line
NOT_KNOWN = "not known"
A_NUMBER = "a number"
AS_IN_RULES = "%.12g"  # a number without zeros at its end, as the rules write it
STEPS_IN_SPREAD = 20


def ask(decider: Decider) -> dict[str, Any]:
    """The values by the names in the file, None where not known; only of what rules look at."""
    about, used = training_columns.columns(decider.results), decider.used
    values: dict[str, Any] = {}
    for begin in range(0, len(used), ACROSS):
        for place, name in zip(st.columns(ACROSS), used[begin : begin + ACROSS], strict=False):
            raw = decider.dictionary.raw_name(name)
            with place:
                values[raw] = ask_value(decider, name, about[name], decider.dictionary.entry(raw))
    n_others = len(decider.model.schema_.names) - len(used)
    if n_others:
        st.caption(f"{counted(n_others, 'column')} that no rule looks at {'is' if n_others == 1 else 'are'} not asked.")
    return values


def ask_value(decider: Decider, name: str, column: TrainingColumn, entry: ColumnEntry) -> Any:
    key = f"new_{decider.results.run.id}_{decider.model.schema_.names.index(name)}"
    label = plain(brief(name, 60))
    if not column.is_number:
        expected = expected_effects(decider.results).get(name)
        return ask_category(label, key, in_order(column.profile.categories, expected), entry)
    if not entry.special:
        return ask_number(label, key, column, entry)
    kind = ask_kind(label, key, entry)
    if kind == A_NUMBER:
        return ask_number(f"{label}: the number", f"{key}_number", column, entry)
    return next((code for code, meaning in entry.special.items() if meaning == kind), None)


def ask_kind(label: str, key: str, entry: ColumnEntry) -> str | None:
    """A column with special codes: an amount, or one of the codes in words."""
    return st.selectbox(
        label,
        [A_NUMBER, *dict.fromkeys(entry.special.values())],
        index=None,
        placeholder=NOT_KNOWN,
        key=key,
        help=plain(entry.description) or None,
    )


def ask_number(label: str, key: str, column: TrainingColumn, entry: ColumnEntry) -> float | None:
    number = st.number_input(
        label,
        value=None,
        min_value=entry.lowest,
        max_value=entry.highest,
        step=step_of(column),
        format=AS_IN_RULES,
        placeholder=NOT_KNOWN,
        key=key,
        help=help_on_numbers(column, entry),
    )
    return None if number is None else float(number)


def help_on_numbers(column: TrainingColumn, entry: ColumnEntry) -> str | None:
    lines = [plain(entry.description)] if entry.description else []
    if math.isfinite(column.lowest):
        lowest, highest = plain(cell_in_words(column.lowest)), plain(cell_in_words(column.highest))
        lines.append(f"In the training rows: {lowest} to {highest}.")
    return " ".join(lines) or None


def step_of(column: TrainingColumn) -> float:
    """A round number that is worth a click, and not finer than the column."""
    finest = 10.0**-column.profile.decimals
    return max(finest, 10.0 ** math.floor(math.log10(column.profile.spread / STEPS_IN_SPREAD)))


def ask_category(label: str, key: str, categories: list[Any], entry: ColumnEntry) -> Any:
    """What occurs in the training rows; a value with a meaning of its own that does not is unknown to the model."""
    return st.selectbox(
        label,
        categories,
        index=None,
        format_func=lambda value: brief(value_in_words(value), 60),
        placeholder=NOT_KNOWN,
        key=key,
        help=plain(entry.description) or None,
    )
