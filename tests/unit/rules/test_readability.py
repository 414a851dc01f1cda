"""The numbers about a model, on a model small enough to count by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from rugcore import RUGClassifier, RuleSet, interpretability_report
from rugcore.rules import Interval, Membership, Rule

ROWS = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "c": ["a", "b", "a", "b"]})
A = Membership("c", ("a",))


def model_of(*rules: Rule) -> RUGClassifier:
    """A fitted model whose rules are replaced by these."""
    model = RUGClassifier(max_iter=0).fit(ROWS, ["yes", "no", "yes", "no"])
    model.rules_ = RuleSet(rules)
    model._prepare()
    return model


def test_a_report_worked_out_by_hand() -> None:
    model = model_of(
        Rule((Interval("x", upper=2.0),), "yes", 1.0),  # rows 1 and 2
        Rule((Interval("x", upper=3.0), A), "no", 1.0),  # rows 1 and 3
    )
    report = interpretability_report(model, ROWS)
    assert report.to_dict() == {
        "n_rules": 2,
        "average_rule_length": 1.5,
        "rules_per_row": (2 + 1 + 1 + 0) / 4,
        "rule_length_per_row": pytest.approx((1.5 + 1 + 2) / 3),  # over the three covered rows
        "uncovered_share": 0.25,
        "tie_share": 0.25,  # the first row: one rule for each class
    }


def test_a_model_without_rules_has_no_lengths() -> None:
    report = interpretability_report(model_of(), ROWS)
    assert report["n_rules"] == 0
    assert report["uncovered_share"] == 1.0
    assert math.isnan(report["average_rule_length"])
    assert math.isnan(report["rule_length_per_row"])


def test_a_report_on_other_rows_than_those_of_training() -> None:
    model = model_of(Rule((A,), "yes", 1.0))
    unseen = pd.DataFrame({"x": [9.0, np.nan], "c": ["never seen", None]})
    assert interpretability_report(model, unseen)["uncovered_share"] == 1.0
