"""How many training rows a rule covers, and how often it is right about them: what its line in a table says."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from rugcore.rules.rule import Rule
from rugcore.rules.ruleset import RuleSet


def with_reach(rules: Sequence[Rule], covers: sparse.csr_array, labels: np.ndarray) -> RuleSet:
    """`covers` has a line for every row and a column for every rule; `labels` are the true classes of the rows."""
    by_rule = covers.tocsc()
    found = []
    for number, rule in enumerate(rules):
        own = labels[by_rule.indices[by_rule.indptr[number] : by_rule.indptr[number + 1]]]
        precision = float(np.mean(own == rule.label)) if len(own) else float("nan")
        found.append(replace(rule, coverage=len(own) / len(labels), precision=precision))
    return RuleSet(found)
