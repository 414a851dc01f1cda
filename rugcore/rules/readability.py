"""How much there is to read in a rule model, on given rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from rugcore.rules.rule import Rule

ROUNDING = 1e-9  # shares are sums of weights: a rule for everybody must not fail by its last digits


def interpretability_report(model: Any, X_test: Any) -> pd.Series:
    """How much there is to read in a trained `model`, on the given rows.

    n_rules: rules kept (the paper's NoR). average_rule_length: conditions per rule. rules_per_row and
    rule_length_per_row: how many rules cover a row, and how long those are, averaged over the rows (the length
    over covered rows only). uncovered_share: rows that no rule covers. tie_share: rows decided by the tie rule.
    """
    return interpretability_of(model, model.covering_rules(X_test))


def interpretability_of(model: Any, coverage: sparse.csr_array) -> pd.Series:
    """The same for rows of which it is known which rules cover them."""
    found = reading_of(model.rules_, coverage) | {"tie_share": _mean(model.decisions_for(coverage).is_tie)}
    return pd.Series(found, name="interpretability")


def contrary_rules(model: Any) -> np.ndarray:
    """Which rules vote for an outcome that is rarer among the training rows they apply to than among all of them.

    Training towards parity may need such rules; what they show speaks against their vote.
    """
    share = dict(zip(model.classes_, model.class_share_, strict=True))
    return np.array([rule.precision < share[rule.label] - ROUNDING for rule in model.rules_], dtype=bool)


def reading_of(rules: Sequence[Rule], coverage: sparse.csr_array) -> dict[str, float]:
    """All but the ties, of rules that may have no weights."""
    lengths = np.array([rule.length for rule in rules], dtype=float)
    n_covering = np.diff(coverage.indptr)
    is_covered = n_covering > 0
    mean_length = (coverage @ lengths)[is_covered] / n_covering[is_covered]
    return {
        "n_rules": float(len(rules)),
        "average_rule_length": _mean(lengths),
        "rules_per_row": _mean(n_covering),
        "rule_length_per_row": _mean(mean_length),
        "uncovered_share": _mean(~is_covered),
    }


def _mean(values: np.ndarray) -> float:
    """Undefined for nothing: NaN, never 0."""
    return float(np.mean(values)) if len(values) else float("nan")
