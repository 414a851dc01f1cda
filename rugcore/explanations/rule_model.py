"""What explanations need to know of a model made of rules, whichever estimator learned it."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import pandas as pd
from scipy import sparse

from rugcore.attribution import Fared, Reference, RuleVotes
from rugcore.errors import InputError
from rugcore.explanations.explanation import Explanation
from rugcore.rules.decisions import Decisions
from rugcore.rules.ruleset import RuleSet
from rugcore.tables import validation
from rugcore.tables.schema import Schema
from rugcore.tables.table import positional_names
from rugcore.training.chances import Chances


class RuleModel(Protocol):
    """A trained model: its rules, its classes, the columns it was trained on, and its decisions."""

    rules_: RuleSet
    classes_: np.ndarray
    class_share_: np.ndarray
    schema_: Schema
    chances_: Chances | None

    @property
    def rule_votes_(self) -> RuleVotes: ...

    @property
    def reference_(self) -> Reference | None: ...

    @property
    def fared_(self) -> Fared | None: ...

    def decisions(self, X: Any) -> Decisions: ...

    def decisions_for(self, coverage: sparse.csr_array) -> Decisions: ...

    def explain(self, row: Any) -> Explanation: ...

    def predict(self, X: Any) -> np.ndarray: ...

    def predict_proba(self, X: Any) -> np.ndarray: ...

    def covering_rules(self, X: Any) -> sparse.csr_array: ...


def codes_of(model: RuleModel, X: Any) -> np.ndarray:
    """The rows of a table as the rules of the model see them."""
    return model.rule_votes_.cuts.codes(validation.table_to_predict(model, X))


def table_of_cells(model: RuleModel, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows given as values by column, as a table that the model takes."""
    schema = model.schema_
    columns = {
        name: pd.Series([row[name] for row in rows], dtype=float if kind == "number" else object)
        for name, kind in zip(schema.names, schema.kinds, strict=True)
    }
    frame = pd.DataFrame(columns)
    if list(schema.names) == positional_names(len(schema.names)) and not hasattr(model, "feature_names_in_"):
        frame.columns = pd.RangeIndex(len(schema.names))  # trained on an array: scikit-learn warns of names
    return frame


def reference_for(model: RuleModel, background: Any = None) -> Reference:
    """Those that applicants are compared with, by what the model decides about them: the training rows, or others."""
    if background is not None:
        return model.rule_votes_.reference(codes_of(model, background))
    if model.reference_ is None:
        raise InputError(
            "Expected people to compare applicants with, but this model does not know its training rows: it was read "
            "from a file of an earlier version, or refitted after it was read. Pass them as background=X_train."
        )
    return model.reference_
