"""What one column means in detail: a description, meanings of values, special codes, and the words of reasons."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rugboard.setup import table_dictionary, table_summary
from rugboard.setup.columns_form import Questions
from rugboard.setup.table_summary import TableHealth
from rugboard.shell.text import brief, named, plain
from rugcore.data_quality import ColumnHealth
from rugcore.dictionary import ColumnEntry, value_text
from rugcore.errors import InputError
from rugcore.explanations import DEFAULT_WORDING, ColumnWording, check_template

MOST_MEANINGS = 40  # values of a column whose meanings are asked one by one
FINDINGS = {
    "high": "when high",
    "low": "when low",
    "middle": "when lower and higher would both help",
    "value": "when it has a certain value",
    "missing": "when missing",
    "known": "when known",
}
OF_NUMBERS, OF_WORDS = ("high", "low", "middle", "missing", "known"), ("value", "missing", "known")


def ask_detail(about: Questions, health: TableHealth) -> None:
    """One column at a time; kept when the button is pressed."""
    kept = table_dictionary.of_table(about.opening.table)
    name = st.selectbox(
        "Column",
        about.shape.columns,
        format_func=lambda name: brief(shown_with_raw(kept.dictionary.shown_name(name), name)),
        key=about.key("detail"),
        persist_state="session",
    )
    entry, column = kept.dictionary.entry(name), health.column(name)
    with st.form(f"{about.key('detail_form')}-{name}-{table_dictionary.edition()}", border=False):
        new = _ask(about, entry, column)
        if st.form_submit_button("Keep", icon=":material/check:", key=f"{about.key('keep_detail')}-{name}"):
            _keep(about, name, new)


def shown_with_raw(shown: str, raw: str) -> str:
    """A column by its label and its name in the file, once if they are the same."""
    return raw if shown == raw else f"{shown} · {raw}"


def _ask(about: Questions, entry: ColumnEntry, column: ColumnHealth) -> dict[str, Any]:
    key = f"{column.name}-{table_dictionary.edition()}"
    description = st.text_area(
        "Description",
        entry.description,
        key=f"{about.key('description')}-{key}",
        height=68,
        placeholder="For whoever reads it",
    )
    left, right = st.columns(2, gap="large")
    with left:
        meanings, order = _ask_meanings(about, entry, column, key)
    with right:
        special = _ask_special(about, entry, column, key)
    with st.expander("Words of reasons"):
        wording = _ask_wording(about, entry, column, key)
    return {"description": description, "meanings": meanings, "special": special, "wording": wording, "order": order}


def _ask_meanings(
    about: Questions, entry: ColumnEntry, column: ColumnHealth, key: str
) -> tuple[Mapping[str, str] | None, Mapping[str, float] | None]:
    """Meanings, and places from the worst to the best, by the value as text; None: not asked, as there are too many."""
    known = dict(entry.values)
    values = dict.fromkeys((*known, *table_summary.common_values(about.snapshot, column.name, MOST_MEANINGS)))
    if column.n_distinct > MOST_MEANINGS and not known and not entry.order:
        st.caption(f"It has {column.n_distinct:,} different values, too many to name each.")
        return None, None
    st.caption("What its values mean, and which are better, if they go from worst to best:")
    values = dict.fromkeys((*entry.order, *values))
    places = [float(entry.order.index(value) + 1) if value in entry.order else np.nan for value in values]
    frame = pd.DataFrame(
        {"value": list(values), "meaning": [known.get(value, "") for value in values], "place": places}
    )
    edited = st.data_editor(
        frame,
        key=f"{about.key('meanings')}-{key}",
        hide_index=True,
        height=min(36 * (len(frame) + 1), 300),
        row_height=36,
        placeholder="",
        disabled=["value"],
        column_config={
            "value": st.column_config.TextColumn("Value", width=110),
            "meaning": st.column_config.TextColumn("Meaning", width=200, help="With a meaning, it is a category."),
            "place": st.column_config.NumberColumn("Place", width=70, help="1 is the worst. Empty: neither.", step=1),
        },
        alt="Meanings of values, and their places from worst to best",
    )
    pairs = zip(edited["value"], edited["meaning"], strict=True)
    meanings = {str(value): str(meaning).strip() for value, meaning in pairs if _is_text(meaning)}
    numbered = zip(edited["value"], edited["place"], strict=True)
    return meanings, {str(value): float(place) for value, place in numbered if not pd.isna(place)}


def _ask_special(about: Questions, entry: ColumnEntry, column: ColumnHealth, key: str) -> dict[float, str] | None:
    if column.kind != "number":
        st.caption("Special codes are for columns of numbers.")
        return None
    st.caption("Numbers that are no amounts, such as -9 for “no such record”:")
    frame = pd.DataFrame({"code": list(entry.special), "meaning": list(entry.special.values())})
    edited = st.data_editor(
        frame.astype({"code": "float64", "meaning": "str"}),
        key=f"{about.key('special')}-{key}",
        num_rows="dynamic",
        hide_index=True,
        row_height=36,
        placeholder="",
        column_config={
            "code": st.column_config.NumberColumn("Special code", width=110, help="A number that is no amount: -9."),
            "meaning": st.column_config.TextColumn("Meaning", width=240, help="“no such record”"),
        },
        alt="Special codes",
    )
    pairs = zip(edited["code"], edited["meaning"], strict=True)
    return {float(code): str(meaning).strip() for code, meaning in pairs if code == code and _is_text(meaning)}


def _ask_wording(about: Questions, entry: ColumnEntry, column: ColumnHealth, key: str) -> ColumnWording:
    st.caption("`{column}` stands for the label, `{value}` for the applicant's own value. Empty: the usual words.")
    texts = {}
    for finding in OF_NUMBERS if column.kind == "number" else OF_WORDS:
        texts[finding] = st.text_input(
            FINDINGS[finding],
            getattr(entry.wording, finding),
            key=f"{about.key('wording')}-{key}-{finding}",
            placeholder=getattr(DEFAULT_WORDING, finding),
        )
    return replace(entry.wording, **texts)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _keep(about: Questions, name: str, new: dict[str, Any]) -> None:
    kept = table_dictionary.of_table(about.opening.table)
    try:
        entry = with_detail(kept.dictionary.entry(name), **new)
        changed = kept.dictionary.with_entry(name, entry)
    except InputError as error:
        st.error(plain(error), icon=":material/error:")
        return
    table_dictionary.keep(replace(kept, dictionary=changed, table=about.opening.table.name))
    table_dictionary.begin_edition()
    st.toast(f"Kept what is said about {named(name)}.", icon=":material/check:")
    st.rerun()


def with_detail(
    entry: ColumnEntry,
    description: str,
    meanings: Mapping[str, str] | None,
    special: Mapping[float, str] | None,
    wording: ColumnWording,
    order: Mapping[str, float] | None = None,
) -> ColumnEntry:
    """The entry with what was typed; refused with an `InputError` if it makes no sense.

    `order` has a place for every value that has one: 1 is the worst.
    """
    for text in vars(wording).values():
        if isinstance(text, str):
            check_template(text)
    own = {value_text(value): meaning for value, meaning in (meanings or {}).items()}
    return replace(
        entry,
        description=description.strip(),
        values=dict(entry.values) if meanings is None else own,
        special=dict(entry.special) if special is None else dict(special),
        wording=wording,
        order=entry.order if order is None else _ordered(order),
    )


def _ordered(places: Mapping[str, float]) -> tuple[str, ...]:
    values = tuple(sorted(places, key=places.__getitem__))
    for worse, better in pairwise(values):
        if places[worse] == places[better]:
            raise InputError(
                f"Expected every value to have a place of its own, but {worse!r} and {better!r} are both at "
                f"{places[worse]:g}. 1 is the worst; leave it empty where a value is neither better nor worse."
            )
    return values
