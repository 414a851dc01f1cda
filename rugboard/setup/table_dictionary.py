"""The dictionary of the table that is being set up: recognised by its columns, kept as soon as something is said."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from rugboard.runs.dictionaries import Dictionaries, KeptDictionary
from rugboard.session.server import store
from rugboard.setup.drafts import Draft, TableChoice
from rugcore.dictionary import DataDictionary

_EDITION = "_dictionary_edition"


def of_table(table: TableChoice) -> KeptDictionary:
    """What is kept for tables with these columns; one that knows nothing, if nobody has said anything yet."""
    names = _column_names(table)
    return _all_kept().find(names) or KeptDictionary(table.name, DataDictionary.blank(names))


def keep(kept: KeptDictionary) -> None:
    _all_kept().keep(kept)


def edition() -> int:
    """Part of the key of every widget that shows the dictionary: it counts the changes made elsewhere than there."""
    return int(st.session_state.get(_EDITION, 0))


def begin_edition() -> None:
    """Let the widgets begin again with what is kept now."""
    st.session_state[_EDITION] = edition() + 1


def begin(draft: Draft) -> None:
    """Take what is kept for such a table; or else what came with the draft, or what is known of a similar table."""
    names = _column_names(draft.table)
    if not names:
        return
    kept = _all_kept().find(names)
    if kept is None and draft.dictionary.columns:
        keep(KeptDictionary(draft.table.name, _about(names, draft.dictionary)))
        return
    found = None if kept is not None else _all_kept().recognise(names)
    if found is not None:
        keep(_taken_over(found.kept, draft.table, names, len(found.how_far.common)))
    elif kept is not None and kept.table != draft.table.name:
        keep(_taken_over(kept, draft.table, names, len(names)))


def _taken_over(kept: KeptDictionary, table: TableChoice, names: Sequence[str], known: int) -> KeptDictionary:
    about = _about(names, kept.dictionary)
    return replace(kept, dictionary=about, taken_from=kept.table, table=table.name, known=known)


def with_dictionary(draft: Draft) -> Draft:
    """The draft with what was last said about its columns, wherever that was."""
    return replace(draft, dictionary=of_table(draft.table).dictionary)


def _about(names: Sequence[str], dictionary: DataDictionary) -> DataDictionary:
    return DataDictionary({name: dictionary.entry(name) for name in names})


def _column_names(table: TableChoice) -> list[str]:
    """None if the table is gone."""
    snapshots = store().snapshots
    return snapshots.column_names(table.snapshot) if snapshots.exists(table.snapshot) else []


def _all_kept() -> Dictionaries:
    own = store()
    return Dictionaries(own.home, own.person.id)
