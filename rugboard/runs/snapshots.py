"""The data of runs: each table is kept once, as Parquet, under the SHA-256 of its file.

Parquet alone would lose what a rule needs: a category of numbers comes back as plain numbers, and whole numbers with
blanks as fractions. So categories are written as codes, and what a column was stands in the metadata of the file.
"""

import hashlib
import json
import os
import re
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from pandas.api import types

from rugboard.runs.errors import RunError
from rugcore.atomic import PARTIAL, partial_of
from rugcore.errors import InputError
from rugcore.tables import column_names

METADATA = b"rug-columns"
SNAPSHOT_ID = re.compile(r"[0-9a-f]{64}")
PIECE = 2**20
COLUMNS_AT_ONCE = 8  # are in memory twice while they are read; more of a short table, since each look costs time
CELLS_AT_ONCE = 2_000_000
A_DAY = 24 * 3600.0  # how long a table may wait for its first run
CATEGORIES_KEPT = ("string", "boolean", "integer", "floating", "empty")
# How a column of objects is written, by what pandas finds in it; None: as it is.
OBJECTS_KEPT: dict[str, str | None] = {
    "string": "str",
    "boolean": "boolean",
    "integer": "Int64",
    "floating": "Float64",
    "mixed-integer-float": "Float64",
    "decimal": None,
    "empty": None,
    "date": None,
}

UNREADABLE = (OSError, pa.ArrowException)
GONE = "The data of this run is gone or damaged. Load the data again and train again."

ColumnNotes = dict[str, dict[str, Any]]  # by column: what it was before it was written


class Snapshots:
    """The tables in one folder, which must be there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def cache_key(self) -> str:
        """What is worked out from a table holds as long as the folder has it."""
        return str(self._folder)

    def save(self, frame: pd.DataFrame) -> str:
        """Keep a table and return its id. The index is not kept: a row is known by its position."""
        table = _to_arrow(frame)
        partial = partial_of(self._folder / "snapshot")  # what the file is called is only known when it is written
        try:
            pq.write_table(table, partial, compression="zstd")
            snapshot = _digest(partial)
            partial.replace(self.path(snapshot))
        finally:
            partial.unlink(missing_ok=True)
        return snapshot

    def load(self, snapshot: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """The table as it was saved, or some of its columns in the order asked for."""
        wanted = None if columns is None else list(columns)
        names = self.column_names(snapshot)
        for name in wanted or ():
            if name not in names:
                raise RunError(f"The data has no column {name!r}. Choose the columns again.")
        order = names if wanted is None else wanted
        at_once = max(COLUMNS_AT_ONCE, CELLS_AT_ONCE // max(1, self._n_rows(snapshot)))
        portions = [order[begin : begin + at_once] for begin in range(0, len(order), at_once)]
        frames = [_to_pandas(self._read(snapshot, some)) for some in portions or [[]]]
        frame = pd.concat(frames, axis=1) if len(frames) > 1 else frames[0]
        return frame if list(frame.columns) == order else frame[order]  # to choose columns is to copy them

    def _read(self, snapshot: str, columns: list[str]) -> pa.Table:
        try:
            return pq.read_table(self.path(snapshot), columns=columns, partitioning=None)
        except UNREADABLE as error:
            raise RunError(GONE) from error

    def _n_rows(self, snapshot: str) -> int:
        try:
            return int(pq.read_metadata(self.path(snapshot)).num_rows)
        except UNREADABLE as error:
            raise RunError(GONE) from error

    def column_names(self, snapshot: str) -> list[str]:
        """The columns of a table, without reading it."""
        try:
            return list(pq.read_schema(self.path(snapshot)).names)
        except UNREADABLE as error:
            raise RunError(GONE) from error

    def exists(self, snapshot: str) -> bool:
        return self.path(snapshot).is_file()

    def path(self, snapshot: str) -> Path:
        if not SNAPSHOT_ID.fullmatch(snapshot):
            raise RunError("There is no such data. Load the data again.")
        return self._folder / f"{snapshot}.parquet"

    def remove(self, snapshot: str) -> None:
        self.path(snapshot).unlink(missing_ok=True)

    def remove_unused(self, used: Collection[str], since: float) -> None:
        """Drop tables that nobody trained on within a day, and what a crash left half-written.

        Tables from before `since` stay: who used them is not known.
        """
        for path in self._folder.iterdir():
            with suppress(FileNotFoundError):  # somebody else was quicker
                written = path.stat().st_mtime
                is_partial = path.suffix == PARTIAL
                if time.time() - written > A_DAY and (is_partial or since <= written) and path.stem not in used:
                    path.unlink()


def _digest(path: Path) -> str:
    """The SHA-256 of a file that is on the disk for good when this returns."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        os.fsync(file.fileno())
        while piece := file.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()


# -- to Parquet --------------------------------------------------------------------------------------------


def _to_arrow(frame: pd.DataFrame) -> pa.Table:
    names = column_names(frame)
    notes: ColumnNotes = {}
    written = {
        name: _written(frame.iloc[:, position].reset_index(drop=True), name, notes)
        for position, name in enumerate(names)
    }
    plain = pd.DataFrame(written, index=pd.RangeIndex(len(frame)), copy=False)
    table = pa.Table.from_pandas(plain, preserve_index=False)
    return table.replace_schema_metadata({**table.schema.metadata, METADATA: json.dumps(notes).encode()})


def _written(column: pd.Series, name: str, notes: ColumnNotes) -> pd.Series:
    """A column as Parquet keeps it; what it was before goes into `notes`."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        notes[name] = _notes_on_categories(column.dtype, name)
        return column.cat.codes
    if not types.is_object_dtype(column.dtype):
        _refuse_unknown(column, name)
        return column
    notes[name] = {"was": "object"}
    inferred = types.infer_dtype(column, skipna=True)
    if inferred not in OBJECTS_KEPT:
        raise InputError(
            f"Expected column {name!r} to hold one kind of value, but it holds {inferred} values. Make it all "
            "numbers or all text."
        )
    return _as_one_kind(column, name, OBJECTS_KEPT[inferred])


def _as_one_kind(column: pd.Series, name: str, dtype: str | None) -> pd.Series:
    if dtype is None:
        return column
    try:
        return column.astype(dtype)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"Column {name!r} holds numbers that are too large to be kept. Make them text.") from error


def _notes_on_categories(dtype: pd.CategoricalDtype, name: str) -> dict[str, Any]:
    inferred = types.infer_dtype(dtype.categories, skipna=True)
    if inferred not in CATEGORIES_KEPT:
        raise InputError(
            f"Expected the categories of column {name!r} to be text, numbers or true/false, but they are {inferred}. "
            "Turn them into text first."
        )
    return {
        "was": "category",
        "categories": dtype.categories.tolist(),
        "of": str(dtype.categories.dtype),
        "ordered": bool(dtype.ordered),
    }


def _refuse_unknown(column: pd.Series, name: str) -> None:
    try:
        pa.Array.from_pandas(column.iloc[:1])
    except (pa.ArrowException, TypeError) as error:
        raise InputError(f"Column {name!r} holds {column.dtype}, which cannot be kept. Drop it.") from error


# -- and back ----------------------------------------------------------------------------------------------


def _to_pandas(table: pa.Table) -> pd.DataFrame:
    notes: Mapping[str, Any] = json.loads((table.schema.metadata or {}).get(METADATA, b"{}"))
    # Column by column, each freed as it is converted: a large table is not in memory twice.
    frame = table.to_pandas(split_blocks=True, self_destruct=True)
    for name in frame.columns.intersection(list(notes)):
        frame[name] = _restored(frame[name], notes[name])
    return frame


def _restored(column: pd.Series, notes: Mapping[str, Any]) -> pd.Series:
    if notes["was"] == "category":
        categories = pd.Index(notes["categories"], dtype=notes["of"])
        codes = pd.Categorical.from_codes(column.to_numpy(), categories=categories, ordered=notes["ordered"])
        return pd.Series(codes, index=column.index)
    objects = column.astype(object)
    return objects.where(column.notna(), None)
