"""One round of exact pricing against the integer program of the paper's section 3.3 on HiGHS.

For every class and length l, over binary conditions p and rows i that violate p (b_i = 1: row i is not covered):

    maximise    -sum_i value_i b_i
    subject to  sum of z_p over the conditions that row i violates >= b_i     for every row i
                z_p <= b_i                                                    for every p that row i violates
                sum_p z_p = l,  b and z binary
"""

import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import LinearConstraint, milp

from benchmarks import tables
from rugcore.generation.costs import CostModel
from rugcore.generation.exact import ExactPricer, Literal, find_literals
from rugcore.generation.rows import RowBlock
from rugcore.generation.seam import CodePatterns
from rugcore.tables import encode, read_table

DEPTH = 3
SECONDS_FOR_A_PROGRAM = 60.0
SETS = ("tictactoe", "liver", "transfusion", "hearts", "banknote", "diabetes")


def run(data: Path | None, quick: bool) -> list[dict[str, Any]]:
    """At duals as they stand after the first rounds: uniform, because any vertex would favour one of the two."""
    names = SETS if data else tables.binary_sets(None)
    results = []
    for name in names[:2] if quick else names:
        split = tables.load(name, data)
        encoded = encode(read_table(split.X_train), np.ones(len(split.y_train)), np.random.RandomState(0), max_bins=10)
        classes = np.unique(split.y_train, return_inverse=True)[1]
        rows = RowBlock(encoded.codes, classes, np.ones(len(classes)), int(classes.max()) + 1)
        rows.signature = np.arange(len(classes), dtype=np.int32)
        results.append({"set": name} | _race(encoded.columns, rows))
        print("  ".join(f"{key} {value}" for key, value in results[-1].items()), flush=True)
    ratios = [result["times"] for result in results]
    print(f"geometric mean: at least {np.exp(np.mean(np.log(ratios))):.0f} times")
    return results


def _race(columns: Any, rows: RowBlock) -> dict[str, Any]:
    dual = np.random.default_rng(0).uniform(0, 1, rows.n_rows)
    pricer = ExactPricer(columns, CostModel(1.0, DEPTH, by_length=True), DEPTH)
    pricer.price(rows, dual, dual)  # compiled
    started = time.perf_counter()
    pricer.price(rows, dual, dual)
    by_search = time.perf_counter() - started
    literals, patterns = find_literals(columns, rows.present_codes()), rows.code_patterns(dual)
    started = time.perf_counter()
    n_ended = 0
    for class_code in range(rows.n_classes):
        for length in range(1, DEPTH + 1):
            value = patterns.values(class_code, 1.0)
            n_ended += best_by_integer_program(patterns, literals, value, length, SECONDS_FOR_A_PROGRAM) is not None
    by_program = time.perf_counter() - started
    return {
        "search_s": round(by_search, 4),
        "program_s": round(by_program, 1),
        "programs_solved": f"{n_ended} of {rows.n_classes * DEPTH} within {SECONDS_FOR_A_PROGRAM:.0f} s",
        "times": round(by_program / by_search),
    }


def best_by_integer_program(
    patterns: CodePatterns, literals: list[Literal], value: np.ndarray, length: int, seconds: float = np.inf
) -> float | None:
    """The most that a rule of exactly so many conditions collects; None where the time was not enough."""
    violated = sparse.csr_array([~literal.allowed()[patterns.codes[literal.feature]] for literal in literals])
    n_literals, n_patterns = violated.shape
    p, i = violated.nonzero()
    pairs = np.arange(len(p))
    ones = np.ones(len(p))
    each = sparse.csr_array((ones, (pairs, p)), shape=(len(p), n_literals))
    row = sparse.csr_array((ones, (pairs, i)), shape=(len(p), n_patterns))
    count = sparse.csr_array(np.concatenate([np.ones(n_literals), np.zeros(n_patterns)])[None])
    constraints = [
        LinearConstraint(sparse.hstack([violated.T.astype(float), -sparse.eye_array(n_patterns)]), 0, np.inf),
        LinearConstraint(sparse.hstack([each, -row]), -np.inf, 0),
        LinearConstraint(count, length, length),
    ]
    cost = np.concatenate([np.zeros(n_literals), value])
    limit = {} if np.isinf(seconds) else {"time_limit": seconds}
    answer = milp(cost, constraints=constraints, integrality=np.ones(len(cost)), bounds=(0, 1), options=limit)
    return float(value.sum() - answer.fun) if answer.status == 0 else None
