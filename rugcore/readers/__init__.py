"""Tables from strangers' files: CSV, Parquet and spreadsheets, from a path or from uploaded bytes.

Nothing in a file is run, and nothing is guessed in silence: what was not plain is told in `ReadTable.notes`, and
what cannot be read for certain is refused with an `InputError` that names the file and the line or the column.
"""

from rugcore.readers.columns import MAX_COLUMNS, ReadTable, remarks
from rugcore.readers.content import MAX_BYTES
from rugcore.readers.reading import read_file, read_table_file

__all__ = ["MAX_BYTES", "MAX_COLUMNS", "ReadTable", "read_file", "read_table_file", "remarks"]
