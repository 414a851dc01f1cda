"""What explanations need to know of a model made of rules, whichever estimator learned it."""

from typing import Any, Protocol

import numpy as np
from scipy import sparse

from rugcore.explanations.explanation import Explanation
from rugcore.rules.decisions import Decisions
from rugcore.rules.ruleset import RuleSet
from rugcore.tables.schema import Schema


class RuleModel(Protocol):
    """A trained model: its rules, its classes, the columns it was trained on, and its decisions."""

    rules_: RuleSet
    classes_: np.ndarray
    class_share_: np.ndarray
    schema_: Schema

    def decisions(self, X: Any) -> Decisions: ...

    def decisions_for(self, coverage: sparse.csr_array) -> Decisions: ...

    def explain(self, row: Any) -> Explanation: ...

    def predict(self, X: Any) -> np.ndarray: ...

    def covering_rules(self, X: Any) -> sparse.csr_array: ...
