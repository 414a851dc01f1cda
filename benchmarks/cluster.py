"""A cluster of two worker processes on this machine against the local fit on the same rows, as ratios within one run.

Rows are written as Parquet, a file at a time, so that this process never holds the table. Of the cluster are told: its
time against the local one, the time per row against that of the smallest table, the most memory that a worker and the
driver took, and what went over the network for each question asked of the rows.
"""

import pickle
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

from benchmarks.worker import peak_megabytes, start_peak
from rugcore import RUGClassifier, make_loans
from rugcore.dask import DaskRUGClassifier
from rugcore.dask.cluster import Cluster

N_FEATURES = 42
ROWS_PER_FILE = 400_000
N_WORKERS = 2
MEMORY_PER_WORKER = "2GB"
SETTINGS: dict[str, Any] = {"max_depth": 2, "random_state": 0}
# The local fit is run up to here; beyond, its memory is told from what it took per row.
MOST_ROWS_LOCAL = 1_600_000


def run(data: Path | None, quick: bool) -> list[dict[str, Any]]:  # noqa: ARG001
    """Quick: one small table. Else 1.6, 2 and 20 million rows: some 7 GB on disk."""
    sizes = [100_000] if quick else [1_600_000, 2_000_000, 20_000_000]
    lines: list[dict[str, Any]] = []
    for n_rows in sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_loans(Path(folder), n_rows)
            line = {"rows": n_rows, **on_cluster(Path(folder))}
            if n_rows <= MOST_ROWS_LOCAL:
                line |= on_one_machine(Path(folder))
                line["ratio"] = line["seconds"] / line["local seconds"]
            lines.append(line)
            line["per row, against the first"] = (line["seconds"] / n_rows) / (lines[0]["seconds"] / lines[0]["rows"])
            print(pd.Series(line).to_string(), flush=True)
    return lines


def write_loans(folder: Path, n_rows: int) -> None:
    for number, start in enumerate(range(0, n_rows, ROWS_PER_FILE)):
        part = make_loans(min(ROWS_PER_FILE, n_rows - start), n_features=N_FEATURES, random_state=number)
        part.X.assign(outcome=part.y).to_parquet(folder / f"{number:03}.parquet", row_group_size=100_000)


def on_one_machine(folder: Path) -> dict[str, float]:
    frame = pd.concat([pd.read_parquet(path) for path in sorted(folder.glob("*.parquet"))], ignore_index=True)
    before = start_peak()
    started = time.perf_counter()
    model = RUGClassifier(**SETTINGS).fit(frame.drop(columns="outcome"), frame["outcome"])
    return {
        "local seconds": time.perf_counter() - started,
        "local megabytes": peak_megabytes() - before,
        "local rules": len(model.rules_),
    }


def on_cluster(folder: Path) -> dict[str, float]:
    options = {"n_workers": N_WORKERS, "threads_per_worker": 1, "memory_limit": MEMORY_PER_WORKER}
    options |= {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client, counted() as traffic:
        client.run(_warm)
        started = time.perf_counter()
        model = DaskRUGClassifier(client=client, **SETTINGS).fit(folder, "outcome")
        seconds = time.perf_counter() - started
        peaks = client.run(_peak_megabytes)
    return {
        "seconds": seconds,
        "worker megabytes": max(peaks.values()),
        "driver megabytes": _peak_megabytes(),
        "rules": len(model.rules_),
        "rounds": len(model.history_),
        "questions": len(traffic["asked"]),
        "bytes asked, mean": float(np.mean(traffic["asked"])),
        "bytes answered, mean": float(np.mean(traffic["answered"])),
        "megabytes of all answers": sum(traffic["answered"]) / 1e6,
        "megabytes of all messages": sum(traffic["asked"]) / 1e6,
    }


@contextmanager
def counted() -> Iterator[dict[str, list[int]]]:
    """How many bytes each message to the partitions has, and each answer that came to the driver."""
    traffic: dict[str, list[int]] = {"asked": [], "answered": []}
    share, result = Cluster.share, Cluster.result

    def counted_share(self: Cluster, message: Any) -> Any:
        traffic["asked"].append(len(pickle.dumps(message)))
        return share(self, message)

    def counted_result(self: Cluster, future: Any) -> Any:
        found = result(self, future)
        traffic["answered"].append(len(pickle.dumps(found)))
        return found

    Cluster.share, Cluster.result = counted_share, counted_result  # type: ignore[method-assign]
    try:
        yield traffic
    finally:
        Cluster.share, Cluster.result = share, result  # type: ignore[method-assign]


def _warm() -> None:
    """Load the compiled loops."""
    X = np.random.RandomState(0).rand(64, 2)
    RUGClassifier(max_depth=2, max_iter=1).fit(X, X[:, 0] > X[:, 1])


def _peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
