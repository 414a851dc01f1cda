"""What the columns mean, one line per column: a table to be edited."""

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from rugboard.session import state
from rugboard.setup import table_dictionary
from rugboard.setup.columns_form import MOST_EDITOR_HEIGHT, Questions
from rugboard.setup.table_summary import TableHealth
from rugboard.shell.text import listed, plain
from rugcore.dictionary import DataDictionary
from rugcore.errors import InputError

EFFECTS = {"unknown": "", "helps": "helps", "harms": "harms"}
CHANGES = {"any": "", "up": "only up", "down": "only down", "never": "never"}
FIELDS = ("label", "unit", "protected", "left_out", "past_fact", "effect", "change", "lowest", "highest")
FOR_NUMBERS = ("effect", "lowest", "highest")
WORDS = {"effect": EFFECTS, "change": CHANGES}  # by field: the words on the screen by what the dictionary says


def ask_meaning(about: Questions, health: TableHealth) -> None:
    """The table; what is changed in it is kept at once."""
    start = _start(about)
    column = st.column_config
    edited = st.data_editor(
        start.frame,
        key=start.key,
        height=min(36 + 36 * len(start.frame), MOST_EDITOR_HEIGHT),
        row_height=36,
        placeholder="",
        column_config={
            "_index": column.TextColumn("Column", width=150, disabled=True),
            "label": column.TextColumn("Label", width=165, help="What rules and reasons call it."),
            "unit": column.TextColumn("Unit", width=70, help="Stands in brackets behind the label: EUR, months, %."),
            "protected": column.CheckboxColumn(
                "Protected", width=80, help="No rule may use it, and no reason may name it: sex, age, origin."
            ),
            "left_out": column.CheckboxColumn(
                "Left out", width=75, help="No rule may use it: an identifier, or known only after the decision."
            ),
            "past_fact": column.CheckboxColumn(
                "Past fact", width=80, help="It has happened and cannot be undone: a bankruptcy, a late payment."
            ),
            "effect": column.SelectboxColumn(
                "More of it",
                width=95,
                options=list(EFFECTS.values()),
                help="For the good outcome: income helps, debt harms. Empty: not known. For numbers.",
            ),
            "change": column.SelectboxColumn(
                "Can change",
                width=105,
                options=list(CHANGES.values()),
                help="What a person can do about it. Empty: anything. Nobody grows younger: only up.",
            ),
            "lowest": column.NumberColumn("From", width=80, help="The lowest number that is possible."),
            "highest": column.NumberColumn("To", width=80, help="The highest number that is possible."),
        },
        alt="What the columns mean",
    )
    st.caption("Double-click a cell to edit it. Meanings of values and special codes are under *One column*.")
    _keep_changes(about, start, edited, health)


# -- where the table begins --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _MeaningStart:
    key: str
    frame: pd.DataFrame


def _start(about: Questions) -> _MeaningStart:
    """It must not change while a person edits; it begins afresh on each visit, and when something else was changed."""
    key = f"{about.key('meaning')}-{state.visit()}-{table_dictionary.edition()}"
    kept = st.session_state.get(f"start of {key}")
    if not isinstance(kept, _MeaningStart):
        known = table_dictionary.of_table(about.opening.table).dictionary
        kept = _MeaningStart(key, frame_of(known, about.shape.columns))
        st.session_state[f"start of {key}"] = kept
        st.session_state[f"last of {key}"] = kept.frame
    return kept


def frame_of(dictionary: DataDictionary, names: tuple[str, ...]) -> pd.DataFrame:
    """One line per column; text, numbers and ticks as the editor takes them."""
    entries = [dictionary.entry(name) for name in names]
    shown = {field: [_on_screen(field, getattr(entry, field)) for entry in entries] for field in FIELDS}
    frame = pd.DataFrame(shown, index=pd.Index(names, dtype=object))
    return frame.astype({"lowest": "float64", "highest": "float64"})


def _on_screen(field: str, value: Any) -> Any:
    return WORDS[field][value] if field in WORDS else value


# -- what was changed --------------------------------------------------------------------------------------


def _keep_changes(about: Questions, start: _MeaningStart, edited: pd.DataFrame, health: TableHealth) -> None:
    last = st.session_state[f"last of {start.key}"]
    kept = table_dictionary.of_table(about.opening.table)
    try:
        new, for_words = with_changes(kept.dictionary, last, edited, health)
    except InputError as error:
        st.error(plain(error), icon=":material/error:")
        return
    if for_words:
        st.warning(
            f"{listed(for_words)} {'holds' if len(for_words) == 1 else 'hold'} words: “more of it” and a range are for "
            "numbers, and were not kept.",
            icon=":material/info:",
        )
    if new != kept.dictionary:
        st.session_state[f"last of {start.key}"] = edited
        table_dictionary.keep(replace(kept, dictionary=new, table=about.opening.table.name))
        st.rerun()


def with_changes(
    dictionary: DataDictionary, before: pd.DataFrame, after: pd.DataFrame, health: TableHealth
) -> tuple[DataDictionary, list[str]]:
    """The dictionary with the cells that were changed; and the columns of words that were treated as numbers.

    Only changed cells count: what somebody else has said meanwhile stays.
    """
    columns, for_words = dict(dictionary.columns), []
    for name in after.index:
        changed = {
            field: after.loc[name, field] for field in FIELDS if _differ(before.loc[name], after.loc[name], field)
        }
        if health.column(name).kind != "number" and set(changed) & set(FOR_NUMBERS):
            for_words.append(str(name))
            changed = {field: value for field, value in changed.items() if field not in FOR_NUMBERS}
        if changed:
            said = {field: _from_screen(field, value) for field, value in changed.items()}
            columns[name] = replace(dictionary.entry(name), **said)
    return DataDictionary(columns), for_words


def _differ(before: pd.Series, after: pd.Series, field: str) -> bool:
    return _from_screen(field, before[field]) != _from_screen(field, after[field])


def _from_screen(field: str, value: Any) -> Any:
    """An empty cell of text is an empty text, of a number none."""
    is_empty = value is None or value != value
    if field in WORDS:
        words = "" if is_empty else str(value)
        return next(said for said, shown in WORDS[field].items() if shown == words)
    if field in ("lowest", "highest"):
        return None if is_empty else float(value)
    if field in ("label", "unit"):
        return "" if is_empty else str(value)
    return bool(value)
