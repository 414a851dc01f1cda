"""Where the rows come from: a Dask frame, or Parquet files. Either way, one recipe for the table of every partition."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd
from dask import dataframe as dd
from dask import delayed

from rugcore.errors import InputError
from rugcore.readers.parquet import ParquetPart, parquet_parts

# So many cells of a table are read as one partition: 80 MB as plain numbers, and a few times that while it is read.
CELLS_PER_PARTITION = 10_000_000


@dataclass(frozen=True)
class Piece:
    """What came of one partition: the columns to learn from, and beside them outcome, weights and groups."""

    features: pd.DataFrame
    target: pd.Series
    weight: pd.Series | None
    sensitive: pd.DataFrame | pd.Series | None


@dataclass(frozen=True)
class Source:
    """A recipe for the piece of every partition, what a refusal calls it, and an empty table with the columns."""

    pieces: list[Any]  # dask.delayed
    names: list[str]
    features: pd.DataFrame  # without rows


def read_source(X: Any, y: Any, sample_weight: Any = None, sensitive_features: Any = None) -> Source:
    """The target, the weights and the groups are names of columns of X, which are then not learned from, or series."""
    if isinstance(X, dd.DataFrame):
        frames, empty = X.to_delayed(), X._meta
        names = [f"partition {number}" for number in range(len(frames))]
    else:
        parts = parts_of_parquet(paths_of(X))
        frames, empty = [delayed(ParquetPart.read)(part) for part in parts], parts[0].empty()
        names = [str(part) for part in parts]
    beside = {"target": y, "weight": sample_weight, "sensitive": sensitive_features}
    by_name = {role: given for role, given in beside.items() if _is_by_name(given)}
    taken = [name for given in by_name.values() for name in _as_list(given)]
    for name in taken:
        if name not in empty.columns:
            raise InputError(f"Expected a column {name!r} in the table, but it has {_listed(empty.columns)}.")
    series = {role: _delayed(given, role, len(frames)) for role, given in beside.items() if role not in by_name}
    pieces = [
        delayed(_piece)(frame, by_name, taken, *(own[number] for own in series.values()), roles=list(series))
        for number, frame in enumerate(frames)
    ]
    return Source(pieces, names, empty.drop(columns=taken))


def parts_of_parquet(paths: Sequence[Path]) -> list[ParquetPart]:
    """The files cut into what is read together; only their ends are looked at."""
    return parquet_parts(paths, CELLS_PER_PARTITION)


def frame_of_parquet(paths: Any) -> dd.DataFrame:
    """Parquet files as a Dask frame, read as `read_source` reads them."""
    parts = parts_of_parquet(paths_of(paths))
    return dd.from_map(ParquetPart.read, parts, meta=parts[0].empty(), enforce_metadata=False)


def _piece(
    frame: pd.DataFrame, by_name: dict[str, Any], taken: list[str], *series: pd.Series | None, roles: list[str]
) -> Piece:
    beside = dict(zip(roles, series, strict=True)) | {role: frame[given] for role, given in by_name.items()}
    return Piece(frame.drop(columns=taken), **beside)


def _is_by_name(given: Any) -> bool:
    return isinstance(given, str) or (
        isinstance(given, list | tuple) and bool(given) and all(isinstance(name, str) for name in given)
    )


def _as_list(given: Any) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _delayed(given: Any, role: str, n_partitions: int) -> Sequence[Any]:
    if given is None and role != "target":
        return [None] * n_partitions
    if not isinstance(given, dd.Series | dd.DataFrame):
        raise InputError(
            f"Expected the {role} as the name of a column, or as a Dask series beside a Dask frame, but got "
            f"{type(given).__name__}. Put it into the table as a column, and give its name."
        )
    if given.npartitions != n_partitions:
        raise InputError(
            f"Expected the {role} in as many partitions as the table, {n_partitions}, but it has {given.npartitions}. "
            "Take it from the same frame, or give the name of a column."
        )
    parts: Sequence[Any] = given.to_delayed()
    return parts


def paths_of(given: Any) -> list[Path]:
    """The files meant: a folder, whose Parquet files are read in the order of their names, a file, or a list."""
    if isinstance(given, str | PathLike):
        path = Path(given)
        found = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
        if not found:
            raise InputError(f"Expected Parquet files in the folder {path}, but there are none that end in .parquet.")
        return found
    if isinstance(given, list | tuple) and given and all(isinstance(item, str | PathLike) for item in given):
        return [path for item in given for path in paths_of(item)]
    raise InputError(
        "Expected a dask.dataframe, a folder of Parquet files, or a list of such files, but got "
        f"{type(given).__name__}. A table in memory needs no cluster: use RUGClassifier or FairRUGClassifier."
    )


def _listed(names: Sequence[Any], most: int = 8) -> str:
    shown = ", ".join(repr(str(name)) for name in list(names)[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
