"""Parquet: what its schema promises is checked before anything is read."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from rugcore.errors import InputError
from rugcore.readers.columns import ReadTable, header_of, listed, refuse_no_rows, without_empty_unnamed
from rugcore.readers.content import Content, refuse_size

ROWS_AT_A_TIME = 65_536
DAMAGED = (pa.ArrowException, OSError, UnicodeDecodeError)
ROW_LABELS = "__index_level_0__"  # what pandas calls row labels without a name


def read_parquet(content: Content, text_columns: Collection[str] = ()) -> ReadTable:
    """Numbers, text, categories and true/false as they are; dates as text."""
    try:
        file = pq.ParquetFile(pa.BufferReader(content.data))
        schema, names = file.schema_arrow, file.schema_arrow.names
    except DAMAGED as error:
        raise _unreadable(content.name, error) from error
    header = header_of(names, content.name)
    for name, field in zip(header.names, schema, strict=True):
        _refuse_type(_plain_type(field.type), name, content.name)
    table = _with_plain_numbers(_read(file, content)).rename_columns(header.names)
    refuse_no_rows(table.num_rows, content.name)
    frame, notes = without_empty_unnamed(_to_pandas(table, content), header, content.name)
    frame, more_notes = _with_readable_dates(frame, table.schema)
    return ReadTable(*_without_row_labels(_as_text(frame, text_columns), (*notes, *more_notes)))


def _unreadable(name: str, error: Exception) -> InputError:
    reason = str(error).partition("\n")[0].rstrip(".")
    return InputError(
        f"{name} is not a Parquet file that can be read ({reason}). It may be damaged or cut short; fetch or "
        "save it again."
    )


def _plain_type(arrow_type: Any) -> Any:
    return arrow_type.value_type if pa.types.is_dictionary(arrow_type) else arrow_type


def _refuse_type(arrow_type: Any, name: str, file_name: str) -> None:
    types = pa.types
    is_text = types.is_string(arrow_type) or types.is_large_string(arrow_type) or types.is_string_view(arrow_type)
    is_number = types.is_integer(arrow_type) or types.is_floating(arrow_type) or types.is_decimal(arrow_type)
    is_other = types.is_boolean(arrow_type) or types.is_temporal(arrow_type) or types.is_null(arrow_type)
    if not (is_text or is_number or is_other):
        raise InputError(
            f"Expected numbers, text, dates or true/false in column {name!r} of {file_name}, but it holds "
            f"{arrow_type}. Spread it over plain columns, or drop it."
        )


def _read(file: Any, content: Content) -> Any:
    """A few rows at a time: a small file may unfold to a table of any size."""
    batches, n_bytes = [], 0
    try:
        for batch in file.iter_batches(batch_size=ROWS_AT_A_TIME):
            n_bytes += batch.nbytes
            refuse_size(content.name, n_bytes, " when unpacked")
            batches.append(batch)
        table = pa.Table.from_batches(batches, file.schema_arrow)
        table.validate(full=True)  # text that is no text, say
        return table
    except DAMAGED as error:
        raise _unreadable(content.name, error) from error


def _to_pandas(table: Any, content: Content) -> pd.DataFrame:
    try:
        frame: pd.DataFrame = table.to_pandas(ignore_metadata=True)
        for name in (field.name for field in table.schema if pa.types.is_temporal(_plain_type(field.type))):
            frame[name].astype("str")  # some can be held and not be written
    except (pa.ArrowException, OverflowError, ValueError) as error:
        raise InputError(
            f"{content.name} holds dates or times that cannot be read, such as those outside the years 1 to 9999 "
            f"({str(error).rstrip('.')}). Correct them, leave them blank, or write them as text."
        ) from error
    return frame


def _with_plain_numbers(table: Any) -> Any:
    """Decimals as ordinary numbers; pandas would keep each as an object."""
    for position, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type):
            table = table.set_column(position, field.name, table.column(position).cast(pa.float64()))
    return table


def _with_readable_dates(frame: pd.DataFrame, schema: Any) -> tuple[pd.DataFrame, list[str]]:
    dates = [
        field.name for field in schema if field.name in frame.columns and pa.types.is_temporal(_plain_type(field.type))
    ]
    return _as_text(frame, dates), [f"Dates and times were kept as text: {listed(dates)}."] if dates else []


def _as_text(frame: pd.DataFrame, names: Collection[str]) -> pd.DataFrame:
    return frame.astype({name: "str" for name in names if name in frame.columns})


def _without_row_labels(frame: pd.DataFrame, notes: tuple[str, ...]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    if ROW_LABELS not in frame.columns:
        return frame, notes
    return frame.drop(columns=ROW_LABELS), (*notes, "The row labels that pandas had stored were left out.")


# -- a part at a time, for tables that need not fit into one process ------------------------------------------------


@dataclass(frozen=True)
class ParquetPart:
    """Some row groups of a file, with the columns to read in their order."""

    path: str
    row_groups: tuple[int, ...]
    names: tuple[str, ...]
    n_rows: int

    def __str__(self) -> str:
        first, last = self.row_groups[0], self.row_groups[-1]
        return f"{self.path}, row group {first}" if first == last else f"{self.path}, row groups {first} to {last}"

    def read(self) -> pd.DataFrame:
        """As `read_parquet` would: decimals as numbers, dates as text."""
        return self._as_frame(list(self.row_groups))

    def empty(self) -> pd.DataFrame:
        """The columns without rows."""
        return self._as_frame([])

    def _as_frame(self, row_groups: list[int]) -> pd.DataFrame:
        try:
            with pq.ParquetFile(self.path) as file:
                table = _with_plain_numbers(file.read_row_groups(row_groups, columns=list(self.names)))
        except DAMAGED as error:
            raise _unreadable(self.path, error) from error
        frame, _ = _with_readable_dates(table.to_pandas(ignore_metadata=True), table.schema)
        return frame[list(self.names)]


def parquet_parts(paths: Sequence[Path], most_cells: int) -> list[ParquetPart]:
    """The row groups of all files, together as long as they have at most so many cells.

    Only the ends of the files are looked at. Files that differ in columns are refused.
    """
    parts: list[ParquetPart] = []
    names: tuple[str, ...] = ()
    for path in paths:
        metadata, schema = _footer(path)
        own = tuple(name for name in schema.names if name != ROW_LABELS)
        header_of(list(own), str(path))
        names = names or own
        if set(own) != set(names):
            odd = sorted(set(own) ^ set(names))[0]
            has, lacks = (path, paths[0]) if odd in own else (paths[0], path)
            raise InputError(f"Expected the same columns in all files, but {has} has {odd!r} and {lacks} does not.")
        for field in schema:
            _refuse_type(_plain_type(field.type), field.name, str(path))
        n_rows = [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]
        parts += [
            ParquetPart(str(path), group, names, sum(n_rows[number] for number in group))
            for group in _together([own * len(names) for own in n_rows], most_cells)
        ]
    if not parts:
        raise InputError(f"Expected rows, but {paths[0]} and the other files have none.")
    return parts


def _footer(path: Path) -> tuple[Any, Any]:
    try:
        with pq.ParquetFile(path) as file:
            return file.metadata, file.schema_arrow
    except DAMAGED as error:
        raise _unreadable(str(path), error) from error


def _together(sizes: Sequence[int], most: int) -> list[tuple[int, ...]]:
    """Neighbours, as many as fit; one that does not fit stands alone."""
    found: list[list[int]] = []
    room = 0
    for number, size in enumerate(sizes):
        if not found or size > room:
            found.append([])
            room = most
        found[-1].append(number)
        room -= size
    return [tuple(group) for group in found]
