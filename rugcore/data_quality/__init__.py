"""What a person should know about a table before training on it: blanks, identifiers, leaks, tiny groups.

Everything is counted in a pass or two over each column. Counts are exact; only the search for leaks looks at a sample
of a large table, and says so.
"""

from rugcore.data_quality.bands import band_edges, bands, in_order_of_bands
from rugcore.data_quality.columns import is_name_of_identifier
from rugcore.data_quality.findings import QUESTIONS, ColumnKind, Finding, Severity, Topic
from rugcore.data_quality.groups import MIN_CELL_SIZE, Group, TinyCell
from rugcore.data_quality.report import (
    ColumnHealth,
    Health,
    examine,
    findings_on_duplicates,
    with_few_revealing,
    with_later_names,
)

__all__ = [
    "MIN_CELL_SIZE",
    "QUESTIONS",
    "ColumnHealth",
    "ColumnKind",
    "Finding",
    "Group",
    "Health",
    "Severity",
    "TinyCell",
    "Topic",
    "band_edges",
    "bands",
    "examine",
    "findings_on_duplicates",
    "in_order_of_bands",
    "is_name_of_identifier",
    "with_few_revealing",
    "with_later_names",
]
