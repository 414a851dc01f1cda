"""Speed against the peer, growth with rows, re-solves, prediction and explanations: ratios within one run."""

import json
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import tables
from rugcore import RUGClassifier, make_loans

SMALL, LARGE = 400_000, 1_600_000


def run(data: Path | None, quick: bool) -> dict[str, Any]:
    repeats = 1 if quick else 3
    sets = tables.large_sets(data)
    cases = [(name, depth) for name in (sets[:2] if quick else sets) for depth in (5, 3)]
    figures: dict[str, Any] = {"fits": [_compare(name, depth, data, repeats) for name, depth in cases]}
    if not quick:
        figures["fits"].append(_compare(f"loans:{SMALL * 5 // 4}", 2, data, repeats))
    _summary(figures["fits"])
    figures["growth"] = _growth(100_000 if quick else SMALL, 400_000 if quick else LARGE)
    figures["prediction"] = _prediction(100_000 if quick else SMALL)
    figures["explanation"] = _explanation()
    figures["first_fit"] = _first_fit()
    return figures


# -- fits against the peer ---------------------------------------------------------------------------------------------


def _compare(name: str, depth: int, data: Path | None, repeats: int) -> dict[str, Any]:
    """Alternate the two, each in its own process; the median counts. The time of all cores together is what to look at
    on a machine that is not idle: waiting for others does not count in it, and a second core does not help.

    Every repeat has another split: how many rules a table takes, and so the time, can differ twofold between splits.
    """
    runs: dict[str, list[dict[str, Any]]] = {"rug": [], "peer": []}
    for repeat in range(repeats):
        seed = ["--seed", str(tables.SPLIT_SEED + repeat)]
        for who, lines in runs.items():
            lines.append(_work(who, name, str(depth), *seed, *(["--data", str(data)] if data else [])))
    own, peer = (_median(runs[who]) for who in ("rug", "peer"))
    result = {"set": name, "depth": depth, "rug": own, "peer": peer}
    result["ratio"], result["core_ratio"] = (peer[kind] / own[kind] for kind in ("seconds", "core_seconds"))
    result["refit_step"], result["refit_double"] = (own[f"refit_{f}"] / own["seconds"] for f in ("1.25", "2"))
    print(
        f"{name:14s} depth {depth}: {own['seconds']:.2f} s against {peer['seconds']:.2f} s = {result['ratio']:.1f}x, "
        f"of all cores {result['core_ratio']:.1f}x  "
        f"accuracy {own['accuracy']:.2f} ({peer['accuracy']:.2f})  rules {own['rules']} ({peer['rules']})  "
        f"objective {own['objective']:.1f}  peak {own['peak_megabytes']:.0f} MB ({peer['peak_megabytes']:.0f})  "
        f"new lambda x1.25 {result['refit_step']:.3f}, x2 {result['refit_double']:.3f} of fit",
        flush=True,
    )
    return result


def _work(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.worker", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _median(lines: list[dict[str, Any]]) -> dict[str, Any]:
    return {key: None if lines[0][key] is None else statistics.median(line[key] for line in lines) for key in lines[0]}


def _summary(fits: list[dict[str, Any]]) -> None:
    for kind, meaning in (("ratio", "by the clock"), ("core_ratio", "by the time of all cores together")):
        ratios = np.array([fit[kind] for fit in fits])
        print(f"{meaning}: geometric mean {np.exp(np.log(ratios).mean()):.2f}x, least {ratios.min():.1f}x")
    differences = [fit["rug"]["accuracy"] - fit["peer"]["accuracy"] for fit in fits]
    print(f"accuracy against the peer: {np.mean(differences):+.2f} points on average")
    for kind in ("refit_step", "refit_double"):
        shares = [fit[kind] for fit in fits]
        print(f"{kind} / fit: median {statistics.median(shares):.3f}, at most {max(shares):.3f}")
    print(flush=True)


# -- growth ------------------------------------------------------------------------------------------------------------


def _growth(small: int, large: int) -> dict[str, Any]:
    """Fit time and memory with four times the rows, 42 columns, depth 2."""
    lines = {rows: _work_alone(rows) for rows in (small, large)}
    ratio = lines[large]["seconds"] / lines[small]["seconds"]
    input_megabytes = large * 42 * 8 / 2**20
    share = lines[large]["peak_megabytes"] / input_megabytes
    print(f"{large:,} rows take {ratio:.2f} times as long as {small:,}")
    print(f"peak memory above the input at {large:,} x 42: {share:.2f} of the input as float64\n", flush=True)
    return {"time_ratio": ratio, "memory_share": share, "small": lines[small], "large": lines[large]}


def _work_alone(rows: int) -> dict[str, Any]:
    code = (
        "import json, time\n"
        "from benchmarks.worker import start_peak, peak_megabytes\n"
        "from benchmarks import models\n"
        "from rugcore import make_loans\n"
        f"loans = make_loans({rows}, n_features=42, categorical=False, missing=0.0, random_state=0)\n"
        "X, y = loans.X, (loans.y == loans.favourable).to_numpy()\n"
        "models.rug(2).fit(X.iloc[:200], y[:200])\n"
        "before = start_peak()\n"
        "started = time.perf_counter()\n"
        "model = models.rug(2).fit(X, y)\n"
        "seconds = time.perf_counter() - started\n"
        "print(json.dumps({'seconds': seconds, 'peak_megabytes': peak_megabytes() - before}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


# -- using a model -----------------------------------------------------------------------------------------------------


def _seconds(task: Callable[[], Any], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        task()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def _lightgbm(X: Any, y: Any) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=100, verbose=-1).fit(X, y)


def _prediction(rows: int) -> dict[str, float]:
    loans = make_loans(rows, n_features=42, categorical=False, missing=0.0, random_state=0)
    model = RUGClassifier(max_depth=2).fit(loans.X, loans.y)
    values = loans.X.to_numpy()
    trees = _lightgbm(values, loans.y)
    figures = {
        "covering": _seconds(lambda: model.covering_rules(loans.X), 5),
        "predict": _seconds(lambda: model.predict(loans.X), 5),
        "lightgbm": _seconds(lambda: trees.predict(values), 5),
    }
    print(
        f"{rows:,} rows: covering rules {figures['covering'] / figures['lightgbm']:.2f} of LightGBM's predict, ", end=""
    )
    print(f"predict {figures['predict'] / figures['lightgbm']:.2f} of it", flush=True)
    return figures


def _explanation() -> dict[str, float]:
    import shap

    warnings.filterwarnings("ignore", module="shap")
    loans = make_loans(20_000, n_features=42, categorical=False, missing=0.0, random_state=0)
    model = RUGClassifier(max_depth=2).fit(loans.X, loans.y)
    values = loans.X.to_numpy()
    explainer = shap.TreeExplainer(_lightgbm(values, loans.y))
    row = loans.X.iloc[0]
    figures = {
        "rules": _seconds(lambda: model.explain(row), 20),
        "shap": _seconds(lambda: explainer.shap_values(values[:1]), 20),
    }
    print(f"one explanation: {figures['rules'] / figures['shap']:.2f} of one SHAP explanation", flush=True)
    return figures


def _first_fit() -> dict[str, float]:
    """In a fresh process with compiled kernels on disk."""
    code = (
        "import time\n"
        "from rugcore import RUGClassifier, make_loans\n"
        "loans = make_loans(2_000)\n"
        "for _ in range(2):\n"
        "    started = time.perf_counter()\n"
        "    RUGClassifier(max_depth=2).fit(loans.X, loans.y)\n"
        "    print(time.perf_counter() - started)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, second = (float(line) for line in done.stdout.split())
    print(
        f"fresh process, 2,000 rows: first fit {first:.2f} s, second {second:.2f} s: {first / second:.1f}x", flush=True
    )
    return {"first": first, "second": second}
