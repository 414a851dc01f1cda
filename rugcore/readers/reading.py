"""From a file, whatever it is, to a table."""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pandas as pd

from rugcore.errors import missing_package
from rugcore.readers.columns import ReadTable
from rugcore.readers.content import Content, kind_of, opened, unpacked
from rugcore.readers.delimited import read_delimited
from rugcore.readers.excel import read_excel
from rugcore.readers.single_precision import without_noise

NAMES_OF_KINDS = {"parquet": "a Parquet file", "excel": "a spreadsheet", "text": "a text file"}
ENDINGS = {
    "parquet": (".parquet", ".pq"),
    "excel": (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
    "text": (".csv", ".tsv", ".txt", ".tab", ".dat", ""),
}


def read_file(path: str | Path, text_columns: Collection[str] = ()) -> pd.DataFrame:
    """The table alone; see `read_table_file`, which also says what was not plain about the file."""
    return read_table_file(path, text_columns=text_columns).frame


def read_table_file(
    source: bytes | str | Path,
    name: str | None = None,
    *,
    sheet: str | None = None,
    text_columns: Collection[str] = (),
) -> ReadTable:
    """Read a table from a path, or from the bytes of an upload, which need the `name` that the file had.

    The content decides what the file is. An empty field is a blank, and all else is what it says (`None` and `NA`
    are text). `sheet` chooses a sheet of a spreadsheet. What stands in `text_columns` is text even if it looks like
    numbers.
    """
    content, notes = unpacked(opened(source, name))
    kind = kind_of(content)
    if kind == "parquet":
        table = _read_parquet(content, text_columns)
    elif kind == "excel":
        table = read_excel(content, sheet, text_columns)
    else:
        table = read_delimited(content, text_columns)
    frame, noise = without_noise(table.frame)
    return replace(table, frame=frame, notes=(*notes, *_note_on_name(content, kind), *table.notes, *noise))


def _read_parquet(content: Content, text_columns: Collection[str]) -> ReadTable:
    try:
        from rugcore.readers.parquet import read_parquet  # needs pyarrow, which not everybody has
    except ImportError as error:
        raise missing_package("Reading Parquet files", "parquet") from error
    return read_parquet(content, text_columns)


def _note_on_name(content: Content, kind: str) -> list[str]:
    ending = content.ending
    if ending in ENDINGS[kind] or not any(ending in endings for endings in ENDINGS.values()):
        return []
    return [f"The name ends in {ending!r}, but the content is {NAMES_OF_KINDS[kind]} and was read as such."]
