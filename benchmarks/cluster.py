"""A cluster of two worker processes on this machine against the local fit on the same rows, as ratios within one run.

Rows are written as Parquet, a file at a time, and every fit has a process of its own, so that nobody holds the table
who should not. Fits that are compared take turns: what else the machine does falls on both. Where it does much, the
seconds on the cores (of all processes of a fit) say more than those on the clock, and both are told. Told are the
cluster's time against the local one, the time per row of the longest table against that of a tenth of it, the most
memory that a worker and the driver took, what went over the network, and what becomes of the local fit on the longest
table where it has as much memory as the driver and both workers together.

`python -m benchmarks.cluster WHO FOLDER N_FILES [GIGABYTES [ROUNDS]]` is one such fit, and prints a line of JSON.
"""

import json
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
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
GIGABYTES_PER_WORKER = 2
GIGABYTES_TOGETHER = 3 * GIGABYTES_PER_WORKER  # two workers and the driver
SETTINGS: dict[str, Any] = {"max_depth": 2, "random_state": 0}
BESIDE_LOCAL, SHORT, LONG = 4, 5, 50  # files: 1.6, 2 and 20 million rows
REPEATS = 2
# Pricing rounds where time per row is compared: how many there are until nothing better is found differs from table to
# table, and is not a matter of length.
ROUNDS_BY_LENGTH = 4
CLOCKS = ("seconds", "seconds on cores")


def run(data: Path | None, quick: bool) -> list[dict[str, Any]]:  # noqa: ARG001
    """Quick: one file. Else up to 20 million rows, 5 GB on disk; files that are there already are not written again."""
    folder = Path(tempfile.gettempdir()) / "rug-benchmark-loans"
    folder.mkdir(exist_ok=True)
    write_loans(folder, 1 if quick else LONG)
    lines = _against_local(folder, 1 if quick else BESIDE_LOCAL, 1 if quick else REPEATS)
    if not quick:
        lines.append(measured("local", folder, LONG, GIGABYTES_TOGETHER))
        lines.append(measured("cluster", folder, LONG))
        lines += by_length(folder)
    print(f"The rows are left in {folder}; delete it when you are done.")
    return lines


def write_loans(folder: Path, n_files: int) -> None:
    for number in range(n_files):
        path = folder / f"{number:03}.parquet"
        if not path.exists():
            part = make_loans(ROWS_PER_FILE, n_features=N_FEATURES, random_state=number)
            part.X.assign(outcome=part.y).to_parquet(path.with_suffix(".partial"), row_group_size=100_000)
            path.with_suffix(".partial").rename(path)


def _against_local(folder: Path, n_files: int, repeats: int) -> list[dict[str, Any]]:
    lines = [measured(who, folder, n_files) for _ in range(repeats) for who in ("local", "cluster")]
    for clock in CLOCKS:
        local, cluster = (median(own[clock] for own in lines if own["who"] == who) for who in ("local", "cluster"))
        print(f"{clock} of the cluster against the local fit: {cluster / local:.2f}", flush=True)
    return lines


def by_length(folder: Path) -> list[dict[str, Any]]:
    """The short table before and after the long one, for as many rounds."""
    lines = [measured("cluster", folder, n_files, max_iter=ROUNDS_BY_LENGTH) for n_files in (SHORT, LONG, SHORT)]
    for clock in CLOCKS:
        before, long, after = (own[clock] / own["rows"] for own in lines)
        print(f"{clock} a row, the long table against the short: {2 * long / (before + after):.2f}", flush=True)
    return lines


def measured(
    who: str, folder: Path, n_files: int, gigabytes: float | None = None, max_iter: int | None = None
) -> dict[str, Any]:
    """One fit in a process of its own; where it dies, how."""
    limits = [str(gigabytes or 0), str(max_iter or 0)]
    command = [sys.executable, "-m", "benchmarks.cluster", who, str(folder), str(n_files), *limits]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    line: dict[str, Any] = {"who": who, "rows": n_files * ROWS_PER_FILE, "gigabytes allowed": gigabytes}
    if done.stdout.strip():
        line |= json.loads(done.stdout.splitlines()[-1])
    else:
        line["died"] = done.stderr.strip().splitlines()[-1] if done.stderr else f"exit code {done.returncode}"
    print(pd.Series(line).to_string(), "\n", flush=True)
    return line


# -- one fit -----------------------------------------------------------------------------------------------------------


def main(who: str, folder: str, n_files: str, gigabytes: str = "0", max_iter: str = "0") -> None:
    """Limits of 0 are none."""
    if float(gigabytes):  # of memory that is written to; what libraries only reserve does not count
        most = int(float(gigabytes) * 1e9)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    if int(max_iter):
        SETTINGS["max_iter"] = int(max_iter)
    paths = sorted(Path(folder).glob("*.parquet"))[: int(n_files)]
    (on_cluster if who == "cluster" else on_one_machine)(paths)


def on_one_machine(paths: list[Path]) -> None:
    _warm()
    started = time.perf_counter()
    frame = pd.concat([pd.read_parquet(path) for path in paths], ignore_index=True)
    read = time.perf_counter() - started
    held = start_peak()
    started, worked = time.perf_counter(), time.process_time()
    model = RUGClassifier(**SETTINGS).fit(frame.drop(columns="outcome"), frame["outcome"])
    line = {
        "seconds": time.perf_counter() - started,
        "seconds on cores": time.process_time() - worked,
        "seconds to read": read,
        "megabytes before": held,
        "megabytes": peak_megabytes(),
        "rules": len(model.rules_),
        "objective": model.objective_,
    }
    print(json.dumps(line))


def on_cluster(paths: list[Path]) -> None:
    options = {"n_workers": N_WORKERS, "threads_per_worker": 1, "memory_limit": f"{GIGABYTES_PER_WORKER}GB"}
    options |= {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client, counted() as traffic:
        client.run(_warm)
        started, worked = time.perf_counter(), _worked(client)
        model = DaskRUGClassifier(client=client, **SETTINGS).fit(paths, "outcome")
        seconds, on_cores = time.perf_counter() - started, _worked(client) - worked
        peaks = client.run(peak_megabytes)
        line = {
            "seconds": seconds,
            "seconds on cores": on_cores,
            "worker megabytes": max(peaks.values()),
            "workers at the end": len(peaks),
            "driver megabytes": peak_megabytes(),
            "rules": len(model.rules_),
            "objective": model.objective_,
            "rounds": len(model.history_),
            "questions": len(traffic["asked"]),
            "bytes asked, mean": float(np.mean(traffic["asked"])),
            "bytes answered, mean": float(np.mean(traffic["answered"])),
            "megabytes of all answers": sum(traffic["answered"]) / 1e6,
            "megabytes of all messages": sum(traffic["asked"]) / 1e6,
        }
        print(json.dumps(line), flush=True)  # here already: on a busy machine workers may be slow to leave


def _worked(client: Client) -> float:
    """Seconds that this process, with the scheduler in it, and the workers were on a core."""
    return time.process_time() + sum(client.run(time.process_time).values())


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


if __name__ == "__main__":
    main(*sys.argv[1:])
