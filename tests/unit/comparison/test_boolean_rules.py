"""Boolean rule sets against brute force: every rule, and every list of rules, of tiny tables."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

from rugcore.comparison import BooleanRulesClassifier, compare
from rugcore.comparison.boolean_master import BooleanMaster
from rugcore.errors import InputError
from rugcore.generation.exact import find_literals
from rugcore.generation.rows import RowBlock
from rugcore.lp.solvers.highs import HighsSolver
from rugcore.tables import encode, read_table

EPSILON = 0.1


def tiny(seed: int, n_rows: int = 40) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.integers(0, 4, n_rows).astype(float), "b": rng.choice(["x", "y", "z"], n_rows)})
    y = (((X["a"] > 1) & (X["b"] != "x")) ^ (rng.random(n_rows) < 0.2)).to_numpy().astype(int)
    return X, y, rng.integers(0, 2, n_rows)


def every_rule(X: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Whom every rule of up to two conditions covers, and its cost; one for every different coverage and cost."""
    encoded = encode(read_table(X), np.ones(len(X)), np.random.RandomState(0), max_bins=10)
    present = RowBlock(encoded.codes, np.zeros(len(X), dtype=int), np.ones(len(X)), 2).present_codes()
    literals = find_literals(encoded.columns, present)
    found = {}
    for size in (1, 2):
        for rule in itertools.combinations(literals, size):
            covered = np.all([one.allowed()[encoded.codes[one.feature]] for one in rule], axis=0)
            cost = 1 + len({one.feature for one in rule})
            found[covered.tobytes()] = (covered, min(cost, found.get(covered.tobytes(), (None, 9))[1]))
    return np.array([covered for covered, _ in found.values()]), np.array([cost for _, cost in found.values()])


def hamming(covers: np.ndarray, y: np.ndarray) -> float:
    """Of the lists whose rules cover rows so often."""
    return float(np.where(y == 1, covers == 0, covers).sum())


def gaps(covers: np.ndarray, y: np.ndarray, groups: np.ndarray, notion: str) -> float:
    """The larger difference between the two groups that the program bounds."""
    missed, covered = covers == 0, covers
    found = [abs(missed[(y == 1) & (groups == 0)].mean() - missed[(y == 1) & (groups == 1)].mean())]
    if notion == "dmc":
        found.append(abs(covered[(y == 0) & (groups == 0)].mean() - covered[(y == 0) & (groups == 1)].mean()))
    return max(found)


def best_list(X: pd.DataFrame, y: np.ndarray, complexity: float, may_be: Any = lambda _: True) -> float:
    coverage, cost = every_rule(X)
    best = hamming(np.zeros(len(y)), y)
    for size in range(1, int(complexity) // 2 + 1):
        for chosen in itertools.combinations(range(len(cost)), size):
            covers = coverage[list(chosen)].sum(axis=0)
            if cost[list(chosen)].sum() <= complexity and may_be(covers):
                best = min(best, hamming(covers, y))
    return best


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_is_the_linear_program_over_all_rules_and_the_list_obeys_it(seed: int) -> None:
    X, y, _ = tiny(seed)
    model = BooleanRulesClassifier(5, max_depth=2, positive_class=1).fit(X, y)
    coverage, cost = every_rule(X)
    is_positive = y == 1
    n_positive = int(is_positive.sum())
    peer = linprog(
        np.concatenate([np.ones(n_positive), coverage[:, ~is_positive].sum(axis=1)]),
        A_ub=np.vstack(
            [
                -np.hstack([np.eye(n_positive), coverage[:, is_positive].T]),
                np.concatenate([np.zeros(n_positive), cost])[None],
            ]
        ),
        b_ub=np.concatenate([-np.ones(n_positive), [5.0]]),
    )
    assert model.lower_bound_ == pytest.approx(peer.fun, abs=1e-4)
    best = best_list(X, y, 5)
    assert model.lower_bound_ <= best + 1e-6
    assert model.loss_ >= best - 1e-6  # never better than the proven optimum
    assert model.loss_ <= best + 1  # column generation proves the bound, not the list
    covers = np.asarray(model.covering_rules(X).sum(axis=1)).ravel()
    assert hamming(covers, y) == pytest.approx(model.loss_)
    assert sum(1 + rule.length for rule in model.rules_) <= 5
    np.testing.assert_array_equal(model.predict(X), covers > 0)


@pytest.mark.parametrize("notion", ["eop", "dmc"])
@pytest.mark.parametrize("seed", range(3))
def test_a_fair_list_keeps_its_gap_and_is_never_better_than_the_best_fair_one(seed: int, notion: str) -> None:
    X, y, groups = tiny(seed)
    model = BooleanRulesClassifier(4, max_depth=2, fairness=notion, epsilon=EPSILON, positive_class=1)
    model.fit(X, y, sensitive_features=groups)
    covers = np.asarray(model.covering_rules(X).sum(axis=1)).ravel()
    assert gaps(covers, y, groups, notion) <= EPSILON + 1e-6
    assert hamming(covers, y) == pytest.approx(model.loss_)
    best = best_list(X, y, 4, lambda own: gaps(own, y, groups, notion) <= EPSILON + 1e-9)
    assert model.lower_bound_ - 1e-6 <= best <= model.loss_ + 1e-6


def test_a_simple_truth_is_found_in_words() -> None:
    X = pd.DataFrame({"income": np.arange(40.0), "purpose": ["car", "home"] * 20})
    y = np.where((X["income"] > 19) & (X["purpose"] == "car"), "good", "bad")
    model = BooleanRulesClassifier(positive_class="good").fit(X, y)
    assert [str(rule) for rule in model.rules_] == ["income > 19 and purpose is car"]
    assert model.loss_ == model.lower_bound_ == 0
    assert model.score(X, y) == 1.0
    turned = BooleanRulesClassifier(positive_class="bad").fit(X, y)
    assert turned.score(X, y) == 1.0
    assert {rule.label for rule in turned.rules_} == {"bad"}
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert (proba[y == "good", 1] > 0.5).all()


def test_it_stands_in_a_comparison_with_its_size_and_time() -> None:
    X, y, groups = tiny(1)
    lists = {"list": BooleanRulesClassifier(5, max_depth=2)}
    (row,) = compare(lists, X, y, X, y, sensitive_features=groups, positive_class=1)
    rare = int(np.mean(y) <= 0.5)
    assert row.model.positive_class_ == rare
    assert row.accuracy == row.model.score(X, y)
    assert (row.size.unit, row.size.count) == ("rules", len(row.model.rules_))
    assert row.size.uncovered_share == pytest.approx(np.mean(row.model.predict(X) != rare))
    assert row.fit_seconds > 0
    for rule, covered in zip(row.model.rules_, row.model.covering_rules(X).toarray().T, strict=True):
        assert rule.coverage == pytest.approx(covered.mean())
        assert rule.precision == pytest.approx(np.mean(y[covered] == rule.label))
    fair = {"fair": BooleanRulesClassifier(4, max_depth=2, fairness="eop", epsilon=EPSILON, positive_class=1)}
    with pytest.raises(InputError, match="training_groups"):
        list(compare(fair, X, y, X, y))
    (row,) = compare(fair, X, y, X, y, sensitive_features=groups, training_groups=groups, positive_class=1)
    assert gaps(row.model.predict(X), y, groups, "eop") <= EPSILON + 1e-6


@pytest.mark.parametrize("notion", [None, "eop", "dmc"])
def test_the_point_that_the_integer_program_starts_from_is_one_of_it(notion: str | None) -> None:
    rng = np.random.default_rng(3)
    weight, is_positive, groups = rng.integers(1, 4, 60).astype(float), rng.random(60) < 0.5, rng.integers(0, 2, 60)
    fair = () if notion is None else (groups, 0.2, notion == "dmc")
    master = BooleanMaster(weight, is_positive, 9.0, HighsSolver(), *fair)
    coverage = (rng.random((60, 12)) < 0.15) | (is_positive[:, None] & (rng.random((60, 12)) < 0.3))
    master.add(coverage, rng.integers(2, 5, 12).astype(float))
    program, start = master.program(), master._greedy_set()
    program = program if notion is None else master._linked(program)
    activity = program.matrix @ start
    assert (activity >= program.row_lower - 1e-9).all()
    assert (activity <= program.row_upper + 1e-9).all()
    assert ((start >= program.lower) & (start <= program.upper)).all()
    assert master.best_set(None).objective <= program.cost @ start < weight[is_positive].sum()  # better than no rule


def test_out_of_time_the_bound_is_still_one() -> None:
    X, y, _ = tiny(0)
    model = BooleanRulesClassifier(5, max_depth=2, positive_class=1, time_limit=0.0).fit(X, y)
    assert model.lower_bound_ <= best_list(X, y, 5) + 1e-6


def test_what_makes_no_sense_is_refused() -> None:
    X, y, _ = tiny(0)
    with pytest.raises(InputError, match="two classes"):
        BooleanRulesClassifier().fit(X, np.arange(40) % 3)
    with pytest.raises(InputError, match="complexity"):
        BooleanRulesClassifier(1).fit(X, y)
    with pytest.raises(InputError, match="sensitive_features"):
        BooleanRulesClassifier(fairness="eop").fit(X, y)
