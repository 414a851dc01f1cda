"""A model with directions never rewards a worse value: score, decision and chance are monotone, row by row."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rugcore import (
    FairRUGClassifier,
    RUGClassifier,
    rewarded_against_direction,
)
from rugcore.rules import Interval

FEW = settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
CODES = {"income": {-9.0: "not stated"}}
ROUNDING = 1e-9  # of sums of weights


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, np.ndarray, dict[str, int]]:
    """An outcome that hangs on the columns in ways that the directions may or may not agree with."""
    n_rows = draw(st.integers(40, 150))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    table = pd.DataFrame(
        {
            "income": rng.integers(0, 12, n_rows).astype(float),
            "arrears": rng.integers(0, 6, n_rows).astype(float),
            "age": rng.integers(18, 70, n_rows),
            "job": rng.choice(["yes", "no", "some"], n_rows),
        }
    )
    table.loc[rng.random(n_rows) < 0.15, "income"] = -9.0
    table.loc[rng.random(n_rows) < 0.15, "arrears"] = np.nan
    lead = (
        rng.normal() * table["income"]
        + rng.normal() * table["arrears"].fillna(3)
        + rng.normal() * np.sin(table["income"])
        + 4 * rng.normal() * (table["job"] == "yes")
        + rng.normal(0, 2, n_rows)
    )
    labels = np.where(lead > np.median(lead), "grant", "refuse")
    directions = draw(
        st.fixed_dictionaries({"income": st.sampled_from([-1, 1]), "arrears": st.sampled_from([-1, 0, 1])})
    )
    return table, labels, directions


def assert_monotone(model: Any, table: pd.DataFrame, directions: dict[str, int]) -> None:
    """Every row with every value of a column in turn, from the worst to the best: all numbers, and none that is a code."""
    classes = model.classes_.tolist()
    good = classes.index("grant")
    for column, sign in directions.items():
        if not sign:
            continue
        values = np.arange(-1.5, 13.5, 0.5) * sign
        values = np.sort(values) * sign  # rising from worst to best
        turned = [table.assign(**{column: value}) for value in values]
        for name, found in {
            "score": [model.decision_function(rows) * (1 if good else -1) for rows in turned],
            "decision": [(model.predict(rows) == "grant").astype(float) for rows in turned],
            "chance": [model.predict_proba(rows)[:, good] for rows in turned],
        }.items():
            falls = -np.diff(np.column_stack(found), axis=1)
            assert falls.max() <= ROUNDING, (name, column, [str(rule) for rule in model.rules_])


def assert_rules_keep_to(model: Any, directions: dict[str, int]) -> None:
    for rule in model.rules_:
        for condition in rule.conditions:
            sign = directions.get(condition.feature, 0) * (1 if rule.label == "grant" else -1)
            if sign and isinstance(condition, Interval):
                assert not np.isfinite(condition.upper if sign > 0 else condition.lower), str(rule)
    assert rewarded_against_direction(model, directions, "grant").empty


@FEW
@given(tables(), st.sampled_from(["tree", "exact"]), st.integers(1, 3), st.sampled_from([0.02, 1.0]))
def test_no_model_rewards_a_worse_value(
    drawn: tuple[pd.DataFrame, np.ndarray, dict[str, int]], pricing: str, depth: int, penalty: float
) -> None:
    table, labels, directions = drawn
    fields = {"max_depth": depth, "penalty": penalty, "pricing": pricing, "max_iter": 6, "special_values": CODES}
    model = RUGClassifier(**fields, monotonic_cst=directions, positive_class="grant").fit(table, labels)
    again = model.refit(penalty=3 * penalty, without=model.rules_[:1])
    for one in (model, again):
        assert_rules_keep_to(one, directions)
        assert_monotone(one, table, directions)


@settings(parent=FEW, max_examples=8)
@given(tables(), st.sampled_from(["realised", "proxy"]), st.sampled_from([0.0, 0.1]))
def test_no_fair_model_does_either(
    drawn: tuple[pd.DataFrame, np.ndarray, dict[str, int]], guarantee: str, epsilon: float
) -> None:
    table, labels, directions = drawn
    fields = {"max_depth": 2, "max_iter": 4, "min_cell_size": 2, "epsilon": epsilon, "guarantee": guarantee}
    model = FairRUGClassifier(**fields, special_values=CODES, monotonic_cst=directions, positive_class="grant")
    with pytest.warns() if False else np.errstate():
        model.fit(table, labels, sensitive_features=(table["age"] > 40).map({True: "old", False: "young"}))
    for one in (model, model.refit(epsilon=0.3)):
        assert_rules_keep_to(one, directions)
        assert_monotone(one, table, directions)
