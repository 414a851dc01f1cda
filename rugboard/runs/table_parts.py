"""Reading a table that stays where it lies, part by part."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rugboard.runs.data_folders import DataFolders
from rugboard.runs.plan import LargeTable, Place
from rugcore.errors import InputError

if TYPE_CHECKING:
    from rugcore.dask import ParquetPart

MOST_SAMPLED = 50_000  # rows: what the pages hold in memory, and draw and decide while somebody waits
SEED = 0
CHANGED = "The files in {place} are not those that the sample was taken from. Load the folder again on the page Data."


@dataclass(frozen=True)
class TablePart:
    """Rows that are read together, and the number of the first of them."""

    rows: "ParquetPart"
    start: int

    def __str__(self) -> str:
        """Without where on the machine the file is."""
        groups = self.rows.row_groups
        return f"{Path(self.rows.path).name}, row group {groups[0]}" + (f" to {groups[-1]}" if len(groups) > 1 else "")


def parts_of(paths: Sequence[Path]) -> list[TablePart]:
    """Only the ends of the files are read."""
    from rugcore.dask import parts_of_parquet

    found = parts_of_parquet(paths)
    starts = accumulate((part.n_rows for part in found), initial=0)
    return [TablePart(part, start) for part, start in zip(found, starts, strict=False)]


def described(place: Place, paths: Sequence[Path], parts: Sequence[TablePart]) -> LargeTable:
    """The table as it is now."""
    n_rows = sum(part.rows.n_rows for part in parts)
    n_sampled = min(n_rows, MOST_SAMPLED)
    return LargeTable(place.folder, place.names, len(paths), n_rows, n_sampled, SEED, fingerprint(paths))


def fingerprint(paths: Sequence[Path]) -> str:
    """Other files, or the same ones written again, have another."""
    stats = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
    return hashlib.sha256(json.dumps(stats).encode()).hexdigest()


def opened(table: LargeTable, folders: DataFolders) -> list[TablePart]:
    """The rows of a table that somebody has chosen before; refused if it is not what it was then."""
    paths = folders.files(table.place)
    if fingerprint(paths) != table.fingerprint:
        raise InputError(CHANGED.format(place=table.place))
    return parts_of(paths)


def draw_sample(table: LargeTable, parts: Sequence[TablePart], tell: Callable[[int], None]) -> pd.DataFrame:
    """The sampled rows, read part by part; `tell` hears how many parts are done."""
    chosen, found = table.sampled_rows(), []
    for number, part in enumerate(parts):
        first, last = np.searchsorted(chosen, [part.start, part.start + part.rows.n_rows])
        if last > first:
            found.append(part.rows.read().iloc[chosen[first:last] - part.start])
        tell(number + 1)
    return pd.concat(found, ignore_index=True)
