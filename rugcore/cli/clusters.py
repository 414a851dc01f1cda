"""`train --dask`: learn from Parquet files that need not fit into one process."""

import argparse
import warnings
from contextlib import AbstractContextManager
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np

from rugcore.errors import FairnessWarning, InputError


def add_dask(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="train on a Dask cluster: the address of its scheduler, or 'local' for one on this machine; FILE is then "
        "a Parquet file, a folder of them, or a pattern such as 'loans/*.parquet', which the workers must see, too",
    )


def files_meant(text: str) -> list[str]:
    """A pattern as the files that it fits, in the order of their names; anything else as it is."""
    if Path(text).exists():
        return [text]
    found = sorted(glob(text, recursive=True))  # noqa: PTH207 - a Path cannot say where an absolute pattern begins
    if not found:
        raise InputError(f"Expected Parquet files, but none fits {text!r}.")
    return found


def connected(address: str) -> AbstractContextManager[Any]:
    """A client of the cluster; one that was started here ends with it."""
    from rugcore.dask import connected

    return connected(address)


def trained_on_cluster(options: argparse.Namespace, settings: dict[str, Any], client: Any) -> Any:
    """The model of all rows, as one that needs no cluster."""
    from rugcore.dask import DaskFairRUGClassifier, DaskRUGClassifier
    from rugcore.dask.sources import frame_of_parquet

    frame = frame_of_parquet(files_meant(options.file))
    for name in (options.target, *options.drop, *options.sensitive):
        if name not in frame.columns:
            raise InputError(f"Expected a column {name!r} in {options.file}, but there is none.")
    kept_out = [] if options.sensitive_in_rules else options.sensitive
    X = frame.drop(columns=[*dict.fromkeys([options.target, *options.drop, *kept_out])])
    groups = {"sensitive_features": frame[options.sensitive]} if options.sensitive else {}
    kind = DaskFairRUGClassifier if options.sensitive else DaskRUGClassifier
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)  # what was reached is printed in any case
        return kind(client=client, **settings).fit(X, frame[options.target], **groups).to_local()


def refuse_with_cluster(options: argparse.Namespace) -> None:
    if options.dictionary:
        raise InputError("Expected no --dictionary with --dask: name special codes and directions one by one.")


def classes_of(options: argparse.Namespace, client: Any) -> list[Any]:
    """The values of the target, to find the favourable one by its name."""
    from rugcore.dask.sources import frame_of_parquet

    target = frame_of_parquet(files_meant(options.file))[options.target]
    return np.sort(client.compute(target.drop_duplicates()).result().dropna().to_numpy()).tolist()
