"""The dictionary of the table that is being set up: recognised by its columns, kept as soon as something is said."""

from collections.abc import Sequence
from dataclasses import replace

from rugboard.runs.dictionaries import KeptDictionary
from rugboard.session.dictionaries import dictionaries
from rugboard.session.server import store
from rugboard.setup.drafts import Draft, TableChoice
from rugcore.dictionary import DataDictionary


def of_table(table: TableChoice) -> KeptDictionary:
    """What is kept for tables with these columns; one that knows nothing, if nobody has said anything yet."""
    names = _column_names(table)
    return dictionaries().find(names) or KeptDictionary(table.name, DataDictionary.blank(names))


def keep(kept: KeptDictionary) -> None:
    dictionaries().keep(kept)


def begin(draft: Draft) -> None:
    """Where nothing is kept for such a table: take what came with the draft, or what is known of a similar table."""
    names = _column_names(draft.table)
    if not names or dictionaries().find(names) is not None:
        return
    if draft.dictionary.columns:
        keep(KeptDictionary(draft.table.name, _about(names, draft.dictionary)))
        return
    found = dictionaries().recognise(names)
    if found is not None:
        known = replace(
            found.kept,
            dictionary=_about(names, found.kept.dictionary),
            taken_from=found.kept.table,
            table=draft.table.name,
            known=len(found.how_far.common),
        )
        keep(known)


def with_dictionary(draft: Draft) -> Draft:
    """The draft with what was last said about its columns, wherever that was."""
    return replace(draft, dictionary=of_table(draft.table).dictionary)


def _about(names: Sequence[str], dictionary: DataDictionary) -> DataDictionary:
    return DataDictionary({name: dictionary.entry(name) for name in names})


def _column_names(table: TableChoice) -> list[str]:
    """None if the table is gone."""
    snapshots = store().snapshots
    return snapshots.column_names(table.snapshot) if snapshots.exists(table.snapshot) else []
