"""A table of numbers, text and gaps as small codes, and codes back as conditions in the user's words."""

from rugcore.tables.coded_values import are_codes, says_nothing
from rugcore.tables.columns import CategoryColumn, Column, NumberColumn
from rugcore.tables.encoder import EncodedTable, encode
from rugcore.tables.plain_numbers import as_numbers
from rugcore.tables.table import Table, column_names, is_blank, numbers_of, plain_value, read_table

__all__ = [
    "CategoryColumn",
    "Column",
    "EncodedTable",
    "NumberColumn",
    "Table",
    "are_codes",
    "as_numbers",
    "column_names",
    "encode",
    "is_blank",
    "numbers_of",
    "plain_value",
    "read_table",
    "says_nothing",
]
