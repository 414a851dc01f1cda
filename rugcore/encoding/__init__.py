"""A table of numbers, text and gaps as small codes, and codes back as conditions in the user's words."""

from rugcore.encoding.columns import CategoryColumn, Column, NumberColumn
from rugcore.encoding.encoder import EncodedTable, encode
from rugcore.encoding.table import Table, read_table

__all__ = ["CategoryColumn", "Column", "EncodedTable", "NumberColumn", "Table", "encode", "read_table"]
