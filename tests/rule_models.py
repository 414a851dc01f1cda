"""Models made of rules that a test writes down, without a training."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from rugcore import RUGClassifier
from rugcore.rules import Rule, RuleSet
from rugcore.rules.decisions import majority
from rugcore.tables import read_table
from rugcore.tables.schema import Schema


def model_of(
    rules: Sequence[Rule], table: pd.DataFrame, classes: Sequence[Any] = ("grant", "refuse"), share: Any = None
) -> RUGClassifier:
    """Decides by these rules about tables like this one; without a share, all classes are equally frequent."""
    model = RUGClassifier()
    model.classes_ = np.array(list(classes), dtype=object)
    model.class_share_ = np.full(len(classes), 1 / len(classes)) if share is None else np.asarray(share, dtype=float)
    model.default_class_ = model.classes_[majority(model.class_share_)]
    model.schema_ = Schema.of(read_table(table))
    model.n_features_in_ = table.shape[1]
    model.feature_names_in_ = np.array(table.columns, dtype=object)
    model.rules_ = RuleSet(rules)
    model.chances_ = None
    model._prepare()
    return model
