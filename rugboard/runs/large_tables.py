"""Tables that stay where they lie: Parquet in a named folder, of which a run keeps a sample of rows for its pages.

A row is known by its number over all files in the order of their names. Which rows are in the sample, and which are
kept from training for the test, follows from that number and a seed alone, and not from how the table is cut up.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rugboard.runs.data_folders import DataFolders, Place
from rugcore.errors import InputError

if TYPE_CHECKING:
    from rugcore.dask import ParquetPart

MOST_SAMPLED = 50_000  # rows: what the pages hold in memory, and draw and decide while somebody waits
SEED = 0
CHANGED = "The files in {place} are not those that the sample was taken from. Load the folder again on the page Data."


@dataclass(frozen=True)
class LargeTable:
    """Which table, what it was when its sample was drawn, and how that was drawn."""

    folder: str
    names: tuple[str, ...]
    n_files: int
    n_rows: int
    n_sampled: int
    seed: int
    fingerprint: str  # of the files

    @classmethod
    def read(cls, content: Any) -> "LargeTable":
        """From what a plan or a draft keeps; refused if it is something else."""
        try:
            counts = {name: int(content[name]) for name in ("n_files", "n_rows", "n_sampled", "seed")}
            names = tuple(map(str, content["names"]))
            return cls(folder=str(content["folder"]), names=names, fingerprint=str(content["fingerprint"]), **counts)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError("What this run says about its table is damaged. Load the folder again.") from error

    @property
    def place(self) -> Place:
        return Place(self.folder, self.names)

    @property
    def is_sampled(self) -> bool:
        """Whether there are more rows than the pages have."""
        return self.n_sampled < self.n_rows

    def sampled_rows(self) -> np.ndarray:
        """The numbers of the rows in the sample, in order; every row is equally likely to be one."""
        chosen = np.random.default_rng(self.seed).choice(self.n_rows, self.n_sampled, replace=False, shuffle=False)
        return np.sort(chosen)


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


def is_test(rows: np.ndarray, seed: int, share: float) -> np.ndarray:
    """Which rows are kept from training, by their numbers: each with this chance, whatever the others are.

    The number is stirred by splitmix64 (Steele, Lea and Flood, 2014), which makes of neighbours, and of neighbouring
    seeds, what no test tells from chance.
    """
    stirred = _splitmix64(np.asarray(rows, dtype=np.uint64) ^ _splitmix64(np.uint64(seed)))
    chances: np.ndarray = (stirred >> np.uint64(11)) * 2.0**-53  # as many bits as a fraction has
    return chances < share


def _splitmix64(numbers: Any) -> Any:
    with np.errstate(over="ignore"):  # counting on from zero is what it rests on
        mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))
