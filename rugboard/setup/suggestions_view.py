"""What a dictionary could say about the columns: each suggestion with its reason, accepted or refused by one click."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import groupby
from typing import Any, Final

import streamlit as st

from rugboard.runs.dictionaries import KeptDictionary
from rugboard.setup import current_draft, questions, table_dictionary, table_summary
from rugboard.setup.columns_form import Questions
from rugboard.setup.drafts import ColumnChoices
from rugboard.shell.formats import counted, short
from rugboard.shell.text import brief, named, plain
from rugcore.dictionary import (
    SUGGESTION_ORDER,
    ColumnEntry,
    Suggestion,
    accepted,
    suggest_from_labels,
    value_text,
)

TITLES: Final = {
    "protected": "Protected: no rule may use it, no reason may name it",
    "left_out": "Left out: no rule may use it",
    "special": "Codes, not amounts",
    "past_fact": "Past facts: nobody can undo them",
    "effect": "Directions: what more of it does for the good outcome",
    "order": "Orders: which values are better for the good outcome",
    "values": "What values mean",
    "lowest": "Ranges",
    "label": "Labels",
}
SHORT: Final = {
    "protected": "protected",
    "left_out": "to leave out",
    "special": "with codes",
    "past_fact": "past",
    "effect": "with a direction",
    "order": "in an order",
    "values": "in words",
    "lowest": "with a range",
    "label": "with a label",
}
FEW = 4  # suggestions that are all shown at once
HEIGHT = 460  # pixels of the list of more than that
FOLDED: Final = ("values", "lowest", "label")  # many, and of little consequence


def ask_suggestions(about: Questions, columns: ColumnChoices) -> None:
    """The open ones, the most important first."""
    kept = table_dictionary.of_table(about.opening.table)
    made = [
        *table_summary.suggestions(about.snapshot, columns.target, columns.favourable),
        *suggest_from_labels(kept.dictionary),
    ]
    made.sort(key=lambda suggestion: SUGGESTION_ORDER.index(suggestion.what))
    found = open_suggestions(made, kept, columns)
    if not found:
        st.caption("All suggestions are answered; Meaning shows what was said." if made else "Nothing to suggest.")
    else:
        _show_head(about, found)
        height: Any = HEIGHT if len(found) > FEW else "content"
        with st.container(border=True, height=height, key="suggestions"):
            for what, alike in groupby(found, key=lambda suggestion: suggestion.what):
                _show_kind(about, what, list(alike))
    _offer_refused(about, kept)


def open_suggestions(made: Sequence[Suggestion], kept: KeptDictionary, columns: ColumnChoices) -> list[Suggestion]:
    """Neither accepted nor refused. About a column that rules do not use, nothing more is asked; nor whether to use one
    of which somebody has said how to read it.
    """
    known = kept.dictionary
    unused = {name for name, entry in known.columns.items() if entry.protected or entry.left_out}
    return [
        suggestion
        for suggestion in made
        if suggestion.key not in kept.refused
        and (suggestion.column != columns.target or suggestion.what == "values")
        and suggestion.column not in unused
        and not (suggestion.what == "left_out" and suggestion.column in columns.kinds)
        and not _is_said(suggestion, kept)
    ]


def _is_said(suggestion: Suggestion, kept: KeptDictionary) -> bool:
    """Whether somebody has said something about it, be it that or something else."""
    said = getattr(kept.dictionary.entry(suggestion.column), suggestion.what)
    if suggestion.what in ("special", "values"):
        return set(suggestion.value) <= set(said)
    return bool(said != getattr(ColumnEntry(), suggestion.what))


# -- on the screen -----------------------------------------------------------------------------------------


def _show_head(about: Questions, found: Sequence[Suggestion]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.markdown(f"{counts_in_words(found)}. Only you know whether they are right.", width="content")
        with st.popover(f"Accept all {len(found)}", key=_key("all", "popover", found[0])):
            st.markdown("They change what rules may use and what people are told. Read them first.")
            if st.button(f"Yes, accept {len(found)}", key="accept_all", type="primary", icon=":material/done_all:"):
                accept(about, found)


def counts_in_words(found: Sequence[Suggestion]) -> str:
    """What there is to answer: the list below is longer than its window."""
    counts = Counter(suggestion.what for suggestion in found)
    return f"From names and values: {', '.join(f'{n} {SHORT[what]}' for what, n in counts.items())}"


def _show_kind(about: Questions, what: str, alike: Sequence[Suggestion]) -> None:
    if what not in FOLDED:
        st.markdown(f"**{TITLES[what]}**")
        _show_lines(about, alike)
        return
    with st.expander(f"{TITLES[what]}: {counted(len(alike), 'suggestion')}", key=f"{about.key('folded')}-{what}"):
        if st.button(f"Accept these {len(alike)}", key=f"accept_{what}", icon=":material/done_all:"):
            accept(about, alike)
        _show_lines(about, alike)


def _show_lines(about: Questions, alike: Sequence[Suggestion]) -> None:
    for suggestion in alike:
        words, answers = st.columns([3, 1], vertical_alignment="center", gap="small")
        with words:
            st.markdown(f"{in_words(suggestion)}  \n:gray[{plain(suggestion.why)}]")
            said = _with_meanings(suggestion)
        with answers, st.container(horizontal=True, vertical_alignment="center"):
            if st.button("Accept", key=_key("accept", suggestion.key), icon=":material/check:"):
                accept(about, [said])
            if st.button("Refuse", key=_key("refuse", suggestion.key), type="tertiary"):
                refuse(about, suggestion)


def _with_meanings(suggestion: Suggestion) -> Suggestion:
    """What a code or a value means is for a person to say; else it is called as suggested."""
    if suggestion.what not in ("special", "values"):
        return suggestion
    said = {}
    with st.container(horizontal=True):
        for code, usual in suggestion.value.items():
            typed = st.text_input(
                f"What {value_text(code)} means",
                key=_key("meaning", suggestion.key, value_text(code)),
                placeholder=f"{value_text(code)} means {usual if suggestion.what == 'values' else '…'}",
                label_visibility="collapsed",
                width=260,
            )
            said[code] = str(typed or "").strip() or usual
    return replace(suggestion, value=said)


def in_words(suggestion: Suggestion) -> str:
    """What would be said, in a line."""
    name, value = named(suggestion.column), suggestion.value
    if suggestion.what == "special":
        return f"{name}: {', '.join(plain(value_text(code)) for code in value)}"
    if suggestion.what == "values":
        return f"{name}: {', '.join(f'{plain(own)} is {named(meaning)}' for own, meaning in value.items())}"
    if suggestion.what == "effect":
        return f"{name} {value}"
    if suggestion.what == "order":
        return f"{name}, from the worst to the best: {', '.join(named(brief(own, 40)) for own in value)}"
    if suggestion.what == "lowest":
        return f"{name} from {short(value)}"
    return f"{name} as {named(value)}" if suggestion.what == "label" else name


def _offer_refused(about: Questions, kept: KeptDictionary) -> None:
    if kept.refused and st.button(
        f"Offer again what was refused ({len(kept.refused)})",
        key="offer_again",
        type="tertiary",
        icon=":material/undo:",
    ):
        _keep(about, replace(kept, refused=()))


def _key(*parts: object) -> str:
    """Of a widget: column names may hold anything."""
    return f"{parts[0]}_{sha256(repr(parts).encode()).hexdigest()[:16]}"


# -- answers -----------------------------------------------------------------------------------------------


def accept(about: Questions, chosen: Sequence[Suggestion]) -> None:
    kept = table_dictionary.of_table(about.opening.table)
    dictionary = kept.dictionary
    for suggestion in chosen:
        dictionary = accepted(dictionary, suggestion)
    _keep(about, replace(kept, dictionary=dictionary))


def refuse(about: Questions, suggestion: Suggestion) -> None:
    kept = table_dictionary.of_table(about.opening.table)
    if suggestion.what == "left_out":
        _use_if_asked(about, suggestion.column)
    _keep(about, replace(kept, refused=(*kept.refused, suggestion.key)))


def _use_if_asked(about: Questions, column: str) -> None:
    """A column that was known before the decision is a feature like any other."""
    draft = current_draft.draft()
    if draft is None or draft.columns.features is None or column in draft.columns.features:
        return
    health = table_summary.health(about.snapshot, draft.columns.target)
    if column in questions.unanswered(about.opening.table, health) and column not in draft.columns.kept_out:
        current_draft.keep_columns(replace(draft.columns, features=(*draft.columns.features, column)))


def _keep(about: Questions, new: KeptDictionary) -> None:
    table_dictionary.keep(replace(new, table=about.opening.table.name))
    table_dictionary.begin_edition()
    st.rerun()
