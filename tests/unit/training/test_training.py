"""Training as a whole: certificates, monotone objectives, properties, planted rules."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rugcore import InputError, RUGClassifier, load_demo, make_loans
from rugcore.lp import certify_master
from rugcore.rules import Rule


def coverage_of(rules: list[Rule], X: pd.DataFrame) -> np.ndarray:
    """Which rows each rule covers, one condition at a time."""
    columns = {}
    for name in X:
        values = X[name].astype(object).to_numpy(copy=True)
        values[X[name].isna().to_numpy()] = None
        is_number = pd.api.types.is_numeric_dtype(X[name])
        columns[name] = X[name].to_numpy(float, na_value=np.nan) if is_number else values
    return np.column_stack([np.all([c.covers(columns[c.feature]) for c in rule.conditions], axis=0) for rule in rules])


def certificate_on_the_table(model: RUGClassifier, X: pd.DataFrame, y: pd.Series, weight: np.ndarray):
    """On the rows as the user gave them, with coverage computed from the rules in words."""
    rules = model.pool_.rules()
    is_right = np.array([rule.label for rule in rules])[None, :] == np.asarray(y)[:, None]
    wrong_vote = 1.0 / (len(model.classes_) - 1) if model.loss == "paper" else 1.0
    vote = np.where(is_right, 1.0, -wrong_vote)
    costs = np.array([rule.length / model.max_depth if model.rule_cost == "length" else 1.0 for rule in rules])
    return certify_master(
        coverage_of(rules, X) * vote,
        weight,
        model.penalty * costs,
        np.array([rule.weight for rule in rules]),
        model.pool_.row_duals(weight),
    )


@pytest.mark.parametrize("demo", ["hmda", "credit_data", "compas"])
@pytest.mark.parametrize("rule_cost", ["length", "unit"])
def test_weights_are_optimal_on_the_original_rows(demo: str, rule_cost: str) -> None:
    data = load_demo(demo)
    X, y = data.X.iloc[:1500], data.y.iloc[:1500]
    model = RUGClassifier(rule_cost=rule_cost, max_depth=3).fit(X, y)
    assert certificate_on_the_table(model, X, y, np.ones(len(y))).holds()
    assert model.pool_.certificate().holds()


@pytest.mark.parametrize("solver", ["highs", "gurobi"])
@pytest.mark.parametrize("loss", ["margin", "paper"])
def test_weights_are_optimal_with_many_classes_and_sample_weights(solver: str, loss: str) -> None:
    data = make_loans(600, missing=0.1, random_state=3)
    y = data.y.where(data.X["income"] > data.X["income"].median(), "late")
    weight = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    model = RUGClassifier(max_depth=2, solver=solver, loss=loss, penalty=0.5).fit(data.X, y, sample_weight=weight)
    assert model.solver_ == solver
    has_weight = weight > 0
    X, y = data.X[has_weight], y[has_weight]
    assert certificate_on_the_table(model, X, y, weight[has_weight]).holds()


def test_solvers_agree_on_objectives() -> None:
    data = load_demo("hmda")
    X, y = data.X.iloc[:800], data.y.iloc[:800]
    first = [RUGClassifier(solver=name, max_iter=0).fit(X, y).objective_ for name in ("highs", "gurobi")]
    assert first[0] == pytest.approx(first[1])


def test_objective_never_rises_and_no_rule_stands_twice() -> None:
    data = load_demo("compas")
    model = RUGClassifier(max_depth=4, max_iter=25).fit(data.X, data.y)
    objectives = [round_.objective for round_ in model.history_]
    assert all(later <= earlier + 1e-6 for earlier, later in itertools.pairwise(objectives))
    assert objectives[-1] < objectives[0]
    rules = [(rule.conditions, rule.label) for rule in model.pool_.rules()]
    assert len(set(rules)) == len(rules)


def test_converged_means_that_no_leaf_improves() -> None:
    X = pd.DataFrame({"income": [1.0, 2, 3, 4]})
    model = RUGClassifier(max_depth=1, max_iter=50).fit(X, [0, 0, 1, 1])
    assert model.stop_reason_ == "converged"
    assert model.history_[-1].n_added == 0
    # Two rules of length 1 with weight 1 each and no loss.
    assert model.objective_ == pytest.approx(2.0)
    assert sorted(str(rule) for rule in model.rules_) == ["income <= 2", "income > 2"]


def small_problem(seed: int, n_rows: int = 80) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "income": rng.integers(1, 9, n_rows),
            "debt": np.where(rng.random(n_rows) < 0.1, np.nan, rng.integers(1, 9, n_rows)),
            "purpose": rng.choice(["car", "home", "travel"], n_rows),
        }
    )
    y = np.where(rng.random(n_rows) < 0.15, 1, (X["income"] > 4) & (X["purpose"] != "car"))
    return X, y


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_shuffling_the_rows_changes_nothing(seed: int) -> None:
    X, y = small_problem(seed)
    order = np.random.default_rng(seed).permutation(len(y))
    first = RUGClassifier(max_depth=2).fit(X, y)
    second = RUGClassifier(max_depth=2).fit(X.iloc[order], y[order])
    assert first.rules_.to_frame().round(9).equals(second.rules_.to_frame().round(9))
    assert first.objective_ == pytest.approx(second.objective_)


@settings(max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_a_row_twice_is_a_row_of_weight_two(seed: int) -> None:
    X, y = small_problem(seed)
    count = np.random.default_rng(seed).integers(0, 3, len(y))
    weighted = RUGClassifier(max_depth=2).fit(X, y, sample_weight=count.astype(float))
    repeated = RUGClassifier(max_depth=2).fit(X.loc[X.index.repeat(count)], np.repeat(y, count))
    assert weighted.objective_ == pytest.approx(repeated.objective_)
    assert weighted.rules_.to_frame().round(9).equals(repeated.rules_.to_frame().round(9))


@pytest.mark.parametrize("rule_cost", ["length", "unit"])
def test_planted_rules_are_recovered(rule_cost: str) -> None:
    loans = make_loans(20_000, noise=0.05, missing=0.0, random_state=1)
    model = RUGClassifier(max_depth=2, rule_cost=rule_cost, penalty=10, max_iter=30).fit(loans.X, loans.y)
    fresh = make_loans(20_000, noise=0.0, missing=0.0, random_state=2)
    assert model.score(fresh.X, fresh.y) > 0.99  # the truth, although one training label in twenty was false
    defaulted = [rule for rule in model.rules_ if rule.label == loans.planted[0].label]
    coverage = coverage_of(defaulted, fresh.X)
    for planted in loans.planted:
        matches = planted.matches(fresh.X)
        overlap = (coverage & matches[:, None]).sum(axis=0) / (coverage | matches[:, None]).sum(axis=0)
        assert overlap.max() > 0.9, f"no learned rule is like {planted}"


def test_refit_with_another_lambda_is_the_optimum_of_the_same_pool() -> None:
    data = load_demo("hmda")
    model = RUGClassifier(max_depth=3).fit(data.X, data.y)
    before = model.rules_
    stricter = model.refit(penalty=20.0)
    assert model.rules_ == before
    assert model.penalty == 1.0
    assert stricter.penalty == 20.0
    assert len(stricter.rules_) < len(before)
    assert certificate_on_the_table(stricter, data.X, data.y, np.ones(len(data.y))).holds()
    assert model.refit().objective_ == pytest.approx(model.objective_)


def test_refit_without_a_rule_leaves_it_out() -> None:
    data = load_demo("hmda")
    model = RUGClassifier(max_depth=2).fit(data.X, data.y)
    vetoed = model.rules_[0]
    other = model.refit(without=vetoed)
    assert other.rules_ == model.refit(without=[vetoed]).rules_
    assert str(vetoed) not in [str(rule) for rule in other.pool_.rules() if rule.label == vetoed.label]
    assert other.objective_ >= model.objective_ - 1e-9
    assert certificate_on_the_table(other, data.X, data.y, np.ones(len(data.y))).holds()


def test_refit_refuses_what_it_cannot_do(tmp_path) -> None:
    X, y = small_problem(0)
    model = RUGClassifier(max_depth=2).fit(X, y)
    with pytest.raises(InputError, match="no rule"):
        model.refit(without=[replace(model.rules_[0], label="nobody")])
    with pytest.raises(InputError, match="as they stand in rules_"):
        model.refit(without=["income <= 3"])
    with pytest.raises(InputError, match="penalty"):
        model.refit(penalty=-1)
    model.save(tmp_path / "model.json")
    with pytest.raises(InputError, match="loaded from a file"):
        RUGClassifier.load(tmp_path / "model.json").refit(penalty=2)
