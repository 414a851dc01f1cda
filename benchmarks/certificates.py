"""A proof of optimality for the master problem of every data set, on the original rows."""

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import tables
from rugcore import RUGClassifier
from rugcore.lp import Certificate, certify_master
from rugcore.tables.matching import RuleMatcher


def run(data: Path | None, quick: bool) -> list[dict[str, Any]]:
    names = sorted(tables.catalog(data)) if data else tables.binary_sets(None)
    results = []
    for name in names[:8] if quick else names:
        split = tables.load(name, data)
        model = RUGClassifier(max_depth=3, solver="highs").fit(split.X_train, split.y_train)
        proof = certificate(model, split)
        print(
            f"{name:20s} primal {proof.primal_violation:.1e}  dual {proof.dual_violation:.1e}  gap {proof.gap:.1e}  "
            f"{'holds' if proof.holds() else 'FAILS'}",
            flush=True,
        )
        results.append({"set": name, "gap": proof.gap, "dual": proof.dual_violation, "holds": proof.holds()})
    print(f"{sum(result['holds'] for result in results)} of {len(results)} certificates hold")
    return results


def certificate(model: RUGClassifier, split: tables.Split) -> Certificate:
    """Coverage comes from the rules in words and the rows of the table, not from what training remembers."""
    rules = model.pool_.rules()
    coverage = RuleMatcher(rules, model.schema_).coverage(model.schema_.read(split.X_train)).tocoo()
    labels = np.array([rule.label for rule in rules])
    is_right = labels[coverage.col] == split.y_train[coverage.row]
    vote = np.where(is_right, 1.0, -1.0 / (len(model.classes_) - 1))
    votes = sparse.csr_array((vote, (coverage.row, coverage.col)), shape=coverage.shape)
    weight = np.ones(len(split.y_train))
    cost = model.penalty * np.array([rule.length / model.max_depth for rule in rules])
    return certify_master(votes, weight, cost, model.pool_.solution.rule_weight, model.pool_.row_duals(weight))
