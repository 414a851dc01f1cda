"""One measured fit in a process of its own, so that memory and warm-up of one model do not touch the other's.

`python -m benchmarks.worker WHO SET DEPTH [--seed N] [--data DIR]` prints one line of JSON.
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import models, tables


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("who", choices=["rug", "peer"])
    parser.add_argument("set")
    parser.add_argument("depth", type=int)
    parser.add_argument("--seed", type=int, default=tables.SPLIT_SEED)
    parser.add_argument("--data", type=Path, default=None)
    options = parser.parse_args()
    split = tables.load(options.set, options.data, options.seed)
    measure = _rug if options.who == "rug" else _peer
    print(json.dumps(measure(split, options.depth)))


def _rug(split: tables.Split, depth: int) -> dict[str, Any]:
    """Everything from the user's table on is timed, encoding included."""
    models.rug(depth).fit(split.X_train.iloc[:200], split.y_train[:200])  # load the compiled kernels
    model, spent = _measured(lambda: models.rug(depth).fit(split.X_train, split.y_train))
    scores = models.scores_of_rug(model, split)
    return _line(spent, scores) | {"objective": model.objective_} | _refit_seconds(model)


def _refit_seconds(model: Any) -> dict[str, float]:
    """A step of a slider, and lambda doubled."""
    seconds = {}
    for factor in (1.25, 2.0):
        started = time.perf_counter()
        model.refit(penalty=factor * model.penalty)
        seconds[f"refit_{factor:g}"] = time.perf_counter() - started
    return seconds


def _peer(split: tables.Split, depth: int) -> dict[str, Any]:
    """One-hot encoding, which the peer needs, is not timed."""
    train_rows, test_rows = split.encoded()
    models.peer(depth, seed=0).fit(train_rows[:200], split.y_train[:200])
    model, spent = _measured(lambda: models.peer(depth, seed=0).fit(train_rows, split.y_train))
    return _line(spent, models.scores_of_peer(model, split, test_rows)) | {"objective": None}


def _measured(fit: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """The model, and what it took: seconds on the clock, those of all cores together, and memory."""
    before = start_peak()
    started, started_cores = time.perf_counter(), time.process_time()
    model = fit()
    seconds, core_seconds = time.perf_counter() - started, time.process_time() - started_cores
    return model, {"seconds": seconds, "core_seconds": core_seconds, "peak_megabytes": peak_megabytes() - before}


def _line(spent: dict[str, float], scores: models.Scores) -> dict[str, Any]:
    return spent | {"accuracy": scores.accuracy, "f1": scores.f1, "rules": scores.n_rules}


def start_peak() -> float:
    """Forget the highest memory so far (Linux); returns what is in use now."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def peak_megabytes() -> float:
    return _status("VmHWM")


def _status(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(field)) / 1024


if __name__ == "__main__":
    main()
