"""Columns that may be filled in after the decision: no features until somebody has said that they were known before."""

from rugboard.setup import table_dictionary
from rugboard.setup.drafts import TableChoice
from rugboard.setup.table_summary import TableHealth
from rugcore.dictionary import subject_of


def unanswered(table: TableChoice, health: TableHealth) -> tuple[str, ...]:
    """Those about which the question is open; what the columns of the demos are is written in `data/README.md`."""
    if table.demo is not None:
        return ()
    refused = table_dictionary.of_table(table).refused
    answered = {column for column, what in map(subject_of, refused) if what == "left_out"}
    return tuple(name for name in health.asked() if name not in answered)
