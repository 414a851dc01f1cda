"""Whatever the table: no condition that excludes nobody, no two rules that are one, no rule that nobody could sign."""

import warnings
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rugcore import FairnessWarning, FairRUGClassifier, RUGClassifier, list_demos, load_demo
from rugcore.rules.conditions import Condition, Interval, IsMissing, Membership
from rugcore.rules.rule import Rule
from rugcore.tables.matching import RuleMatcher
from rugcore.tables.validation import table_to_predict
from rugcore.training.settings import sensible_support
from tests.reading import fits_in_gap, significant_digits

FEW = settings(max_examples=25)


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, np.ndarray]:
    """Coarse columns with blanks, so that equal rows, idle conditions and twins are common."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_rows, n_classes = draw(st.integers(30, 250)), draw(st.integers(2, 3))
    X = pd.DataFrame(
        {
            "a": rng.integers(0, 6, n_rows),
            "b": rng.choice(["x", "y", "z", None], n_rows),
            "c": np.where(rng.random(n_rows) < 0.2, np.nan, rng.integers(0, 3, n_rows)),
        }
    )
    X["d"] = X["a"] + rng.integers(0, 2, n_rows)
    y = (X["a"].to_numpy() // 2 + (X["b"] == "x") + rng.integers(0, 2, n_rows)) % n_classes
    y[:n_classes] = np.arange(n_classes)
    return X, y


def covered(model: Any, rules: list[Rule], X: pd.DataFrame) -> np.ndarray:
    return RuleMatcher(rules, model.schema_).coverage(table_to_predict(model, X)).toarray()


def idle_conditions(model: Any, X: pd.DataFrame) -> list[str]:
    """Conditions without which their rule covers the same rows."""
    found = []
    for rule in model.rules_:
        without = [replace(rule, conditions=_others(rule, one)) for one in rule.conditions if len(rule.conditions) > 1]
        if without:
            is_same = (covered(model, without, X) == covered(model, [rule], X)).all(axis=0)
            found += [f"{one} in {rule}" for one, same in zip(rule.conditions, is_same, strict=True) if same]
    return found


def _others(rule: Rule, one: Condition) -> tuple[Condition, ...]:
    return tuple(condition for condition in rule.conditions if condition is not one)


def mergeable_pairs(model: Any, X: pd.DataFrame) -> list[tuple[str, str]]:
    """Two rules of a class that differ in one column, where one condition could say what both say."""
    return [
        (str(first), str(second))
        for first, second in combinations(model.rules_, 2)
        if first.label == second.label and _are_one(model, first, second, X)
    ]


def _are_one(model: Any, first: Rule, second: Rule, X: pd.DataFrame) -> bool:
    ours, theirs = ({condition.feature: condition for condition in rule.conditions} for rule in (first, second))
    differing = [feature for feature in ours if ours[feature] != theirs.get(feature)]
    if ours.keys() != theirs.keys() or len(differing) != 1:
        return False
    one, other = ours[differing[0]], theirs[differing[0]]
    alone = covered(model, [replace(first, conditions=(condition,)) for condition in (one, other)], X)
    is_everybody = len(ours) == 1 and bool(alone.any(axis=1).all())  # that would be no rule
    return not is_everybody and not alone.all(axis=1).any() and _is_sayable(one, other)


def _is_sayable(one: Condition, other: Condition) -> bool:
    if isinstance(one, Interval) and isinstance(other, Interval):
        return one.upper == other.lower or other.upper == one.lower
    return isinstance(one, Membership | IsMissing) or isinstance(other, Membership | IsMissing)


def needless_digits(model: Any, X: pd.DataFrame) -> list[str]:
    """Conditions with a bound that could be said with fewer digits, and would part the same rows."""
    intervals = {one for rule in model.rules_ for one in rule.conditions if isinstance(one, Interval)}
    return [str(one) for one in intervals for bound in (one.lower, one.upper) if _is_long(bound, X[one.feature])]


def _is_long(bound: float, values: pd.Series) -> bool:
    if not np.isfinite(bound):
        return False
    digits = significant_digits(repr(float(bound)))
    below, above = float(values[values <= bound].max()), float(values[values > bound].min())
    return digits > 1 and fits_in_gap(digits - 1, below, above)


def assert_tidy(model: Any, X: pd.DataFrame) -> None:
    assert idle_conditions(model, X) == []
    assert mergeable_pairs(model, X) == []
    assert needless_digits(model, X) == []


def assert_supported(model: Any, X: pd.DataFrame, least: float) -> None:
    assert (covered(model, list(model.rules_), X).sum(axis=0) >= least - 1e-9).all()


def assert_sound(model: Any, X: pd.DataFrame, y: Any, least: float) -> None:
    assert_supported(model, X, least)
    y = np.asarray(y)
    for rule, lines in zip(model.rules_, covered(model, list(model.rules_), X).T, strict=True):
        share = (y == rule.label).mean()
        standard_error = np.sqrt(share * (1 - share) / lines.sum())
        assert (y[lines] == rule.label).mean() > share + standard_error


@FEW
@given(table=tables(), depth=st.integers(1, 4), penalty=st.sampled_from([0.1, 1.0, 3.0]))
def test_rules_of_random_tables_are_tidy_and_sound(
    table: tuple[pd.DataFrame, np.ndarray], depth: int, penalty: float
) -> None:
    X, y = table
    model = RUGClassifier(max_depth=depth, penalty=penalty, max_iter=5).fit(X, y)
    assert_tidy(model, X)
    assert_sound(model, X, y, sensible_support(len(y)))
    again = model.refit(penalty=penalty / 2)
    assert_tidy(again, X)
    assert_sound(again, X, y, sensible_support(len(y)))


@FEW
@given(table=tables(), rule_cost=st.sampled_from(["length", "unit"]), penalty=st.sampled_from([0.0, 1.0]))
def test_tidy_whatever_rules_cost_and_however_they_are_found(
    table: tuple[pd.DataFrame, np.ndarray], rule_cost: str, penalty: float
) -> None:
    X, y = table
    found = RUGClassifier(max_depth=2, penalty=penalty, rule_cost=rule_cost, max_iter=4, pricing="exact").fit(X, y)
    assert_tidy(found, X)
    found = RUGClassifier(max_depth=3, penalty=penalty, rule_cost=rule_cost, max_iter=4, loss="paper").fit(X, y)
    assert_tidy(found, X)


@FEW
@given(table=tables(), guarantee=st.sampled_from(["realised", "proxy"]), epsilon=st.sampled_from([0.0, 0.02, 0.2]))
def test_fair_rules_are_tidy(table: tuple[pd.DataFrame, np.ndarray], guarantee: str, epsilon: float) -> None:
    X, y = table
    group = np.where(X["d"] > X["a"], "p", "q")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        model = FairRUGClassifier(epsilon=epsilon, guarantee=guarantee, max_iter=4, min_cell_size=1)
        model.fit(X, y, sensitive_features=group)
        for one in (model, model.refit(penalty=0.5)):
            assert_tidy(one, X)
            assert_supported(one, X, sensible_support(len(y)))


@pytest.mark.parametrize("name", list_demos())
def test_rules_of_every_demo_are_tidy_and_sound(name: str) -> None:
    demo = load_demo(name)
    X, y = demo.X.head(4_000), demo.y.head(4_000)
    model = RUGClassifier(penalty=3.0, max_depth=4).fit(X, y)
    for one in (model, model.refit(penalty=1.0)):
        assert_tidy(one, X)
        assert_sound(one, X, y, sensible_support(len(y)))


@pytest.mark.parametrize("name", list_demos())
def test_fair_rules_of_every_demo_are_tidy(name: str) -> None:
    demo = load_demo(name)
    X, y = demo.X.head(800).drop(columns=demo.sensitive), demo.y.head(800)
    model = FairRUGClassifier(epsilon=0.05, max_depth=2, penalty=3.0, max_iter=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        model.fit(X, y, sensitive_features=demo.X[demo.sensitive].head(800))
        for one in (model, model.refit(penalty=1.0)):
            assert_tidy(one, X)
            assert_supported(one, X, sensible_support(len(y)))


def test_a_smallest_number_of_people_is_kept_to() -> None:
    demo = load_demo("hmda")
    model = RUGClassifier(min_support=100).fit(demo.X, demo.y)
    assert_sound(model, demo.X, demo.y, 100)
    assert min(rule.coverage for rule in RUGClassifier(min_support=0).fit(demo.X, demo.y).rules_) * len(demo.y) < 100
