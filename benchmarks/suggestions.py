"""Are suggestions right? Special codes planted in columns of many shapes, columns without any, and public tables.

Of planted codes as many as possible should be found, and of honest columns none should be doubted. What is said about
the demos, and with `--data DIR` about the data sets of the paper, is listed for a person to judge.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.tables import catalog, table
from rugcore import list_demos, load_demo, suggest
from rugcore.dictionary.special_codes import special_codes

SHARES = (0.02, 0.1, 0.3)  # of the rows that have the planted code
ROWS = (300, 3_000)
# Codes that people plant into columns of such a shape. A 0 among incomes cannot be told from an income of nothing.
CODES: dict[str, tuple[float, ...]] = {
    "income": (-1, -9, 9_999_999, 999_999),
    "age": (-1, -9, 999),
    "percent": (-9, 999, -1, 666),
    "months": (-7, -8, -9, 9_999, 999),
    "count": (99, 98, -1, -9),
    "heavy tail": (999, -9),
    "ratio": (-9, 99, 999, 9.99, -1),
    "likert": (9, 99, -9, 8),
    "score": (0, -1, 9_999),
    "zero inflated": (-9, 9_999_999, -1),
    "years": (99, -1, -8, 999),
}


def run(data: Path | None, quick: bool) -> dict[str, Any]:
    """Planted and honest columns, then what is suggested about public tables."""
    seeds = range(3 if quick else 20)
    figures = {"planted": _planted(seeds), "honest": _honest(range(20 if quick else 200))}
    planted, honest = figures["planted"], figures["honest"]
    print(f"planted codes found: {planted['found']:,} of {planted['columns']:,}; others named: {planted['others']:,}")
    print(f"honest columns doubted: {honest['doubted']:,} of {honest['columns']:,}\n")
    said = [{"table": name, "column": s.column, "what": s.what, "why": s.why} for name, s in _on_tables(data)]
    for line in said:
        print(f"{line['table']}: {line['column']}: {line['what']}. {line['why']}")
    print(f"\n{dict(Counter(line['what'] for line in said))}")
    return figures | {"tables": said}


def _planted(seeds: range) -> dict[str, int]:
    n_found = n_others = n_columns = 0
    for rng, n_rows in ((np.random.default_rng(seed), n) for seed in seeds for n in ROWS):
        for shape, code, share in ((s, c, p) for s, codes in CODES.items() for c in codes for p in SHARES):
            numbers = honest_columns(rng, n_rows)[shape]
            numbers[rng.random(n_rows) < share] = code
            found = {item.value for item in special_codes({shape: numbers}).get(shape, ())}
            n_columns += 1
            n_found += code in found
            n_others += len(found - {code})
    return {"columns": n_columns, "found": n_found, "others": n_others}


def _honest(seeds: range) -> dict[str, int]:
    tables = [honest_columns(np.random.default_rng(1_000 + seed), ROWS[seed % len(ROWS)]) for seed in seeds]
    return {
        "columns": sum(len(columns) for columns in tables),
        "doubted": sum(len(special_codes(columns)) for columns in tables),
    }


def honest_columns(rng: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    """Numbers of many shapes without any code, also such as are easily taken for some."""
    return {
        "income": rng.lognormal(10.5, 0.6, n).round(),
        "age": rng.integers(18, 91, n).astype(float),
        "age to 99": np.minimum(rng.normal(60, 20, n).round().clip(18), 99),
        "percent": rng.integers(0, 101, n).astype(float),
        "months": rng.gamma(2, 40, n).round(),
        "count": rng.poisson(3, n).astype(float),
        "heavy tail": rng.negative_binomial(0.5, 0.05, n).astype(float),
        "heavier tail": (rng.pareto(1.2, n) * 1_000).round(),
        "ratio": rng.beta(2, 4, n).round(3),
        "likert": rng.integers(1, 6, n).astype(float),
        "score": rng.normal(680, 60, n).round(),
        "zero inflated": np.where(rng.random(n) < 0.6, 0, rng.lognormal(8, 1, n).round()),
        "loan or none": np.where(rng.random(n) < 0.4, 0.0, rng.choice(np.arange(1_000, 41_000, 500), n)),
        "years": rng.integers(0, 40, n).astype(float),
        "balance": rng.normal(500, 2_000, n).round(),
        "temperature": rng.normal(8, 6, n).round(),
        "scale": rng.integers(-3, 4, n).astype(float),
        "sign": rng.integers(-1, 2, n).astype(float),
        "longitude": rng.normal(-3, 2, n).round(2),
        "latitude": rng.normal(50, 4, n).round(4),
        "price": rng.choice([4.99, 9.99, 19.99, 49.99, 99.99], n),
        "whole price": rng.choice([9, 19, 49, 99, 999], n).astype(float),
        "year": rng.integers(1950, 2000, n).astype(float),
        "capped": np.minimum(rng.lognormal(3, 1, n).round(), 99),
        "hour": rng.integers(0, 24, n).astype(float),
        "rooms": rng.poisson(2, n) + 1.0,
        "change": rng.normal(0, 3, n).round(),
    }


def _on_tables(data: Path | None) -> Iterator[tuple[str, Any]]:
    """Without lowest numbers and tidier names, of which there are many, and about which there is little to judge."""
    for name in list_demos():
        demo = load_demo(name)
        found = suggest(demo.X.assign(**{demo.target: demo.y}), demo.target, demo.favourable)
        yield from ((name, item) for item in found if item.what not in ("lowest", "label"))
    for name in sorted(catalog(data)) if data else ():
        X, y = table(name, data)
        found = suggest(X.assign(target=y), "target", pd.Series(y).max())
        yield from ((f"{name} (paper)", item) for item in found if item.what not in ("lowest", "label"))
