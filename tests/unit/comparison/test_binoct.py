"""Trees by integer program against brute force: every tree of depth 1 and 2 over the values of tiny tables."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.tree import DecisionTreeClassifier

from rugcore.comparison import BinOCTClassifier, binoct, compare, tree_rules
from rugcore.comparison.binoct import TreeProgram, bits_of, cut_of, ranges_of
from rugcore.errors import InputError
from rugcore.lp.integer import IntegerSolution
from rugcore.tables import encode, read_table


def tiny(seed: int, n_rows: int = 24, n_classes: int = 2, has_blanks: bool = False) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.integers(0, 5, n_rows).astype(float), "b": rng.choice(["x", "y", "z"], n_rows)})
    y = ((X["a"] > 2) ^ (X["b"] == "x") ^ (rng.random(n_rows) < 0.1)).to_numpy().astype(int)
    y[rng.random(n_rows) < 0.2] = n_classes - 1
    if has_blanks:
        X.loc[rng.random(n_rows) < 0.2, "a"] = np.nan
    return X, y


def every_answer(X: pd.DataFrame) -> list[np.ndarray]:
    """What all rows answer to every question that one may ask, read off the values themselves."""
    found = [X["b"] == value for value in ("x", "y", "z")] + [X["a"].isna()]
    for value in range(5):
        found += [X["a"] <= value, (X["a"] <= value) | X["a"].isna()]
    return [answers.to_numpy() for answers in found]


def fewest_mistakes(X: pd.DataFrame, y: np.ndarray, depth: int) -> int:
    mistakes = len(y) - max(np.bincount(y)) if len(y) else 0
    if depth == 0 or not mistakes:
        return mistakes
    return min(
        fewest_mistakes(X[yes], y[yes], depth - 1) + fewest_mistakes(X[~yes], y[~yes], depth - 1)
        for yes in every_answer(X)
    )


@pytest.mark.parametrize(("depth", "n_classes"), [(1, 2), (1, 3), (2, 2), (2, 3)])
@pytest.mark.parametrize("has_blanks", [False, True])
def test_the_tree_is_the_best_of_all(depth: int, n_classes: int, has_blanks: bool) -> None:
    X, y = tiny(depth + 3 * n_classes, n_classes=n_classes, has_blanks=has_blanks)
    best = fewest_mistakes(X, y, depth)
    model = BinOCTClassifier(depth).fit(X, y)
    assert (model.stop_reason_, model.loss_, model.lower_bound_) == ("optimal", best, best)
    assert (model.predict(X) != y).sum() == best
    np.testing.assert_array_equal(np.asarray(model.covering_rules(X).sum(axis=1)).ravel(), 1)
    assert all(rule.length <= depth for rule in model.rules_)
    np.testing.assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X))


def test_greed_is_beaten() -> None:
    """Of two columns that only matter together, neither helps alone, and a third one helps a little."""
    X = pd.DataFrame({"a": [0, 0, 1, 1] * 6, "b": [0, 1, 0, 1] * 6, "c": [0, 1, 1, 0] * 5 + [1, 1, 1, 1]})
    X["c"] = np.where(np.arange(24) % 4 == 3, 1 - X["c"], X["c"])
    y = (X["a"] ^ X["b"]).to_numpy()
    model = BinOCTClassifier(2).fit(X, y)
    assert model.loss_ == 0
    assert {str(rule) for rule in model.rules_} == {
        "a <= 0 and b <= 0", "a <= 0 and b > 0", "a > 0 and b <= 0", "a > 0 and b > 0"
    }  # fmt: skip
    assert DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y).score(X, y) < 1


@pytest.mark.parametrize("n_questions", range(1, 12))
def test_the_bits_of_a_cut_decide_about_every_place(n_questions: int) -> None:
    for cut in range(n_questions):
        bits = bits_of(cut, n_questions)
        assert cut_of(np.array(bits), n_questions) == cut
        said: dict[int, bool] = {}
        for one in ranges_of(n_questions):
            if list(one.bits) == bits[: len(one.bits)]:
                said |= dict.fromkeys(range(one.first, one.last + 1), one.answer)
        assert said == {place: place <= cut for place in range(n_questions + 1)}


def test_the_point_of_a_tree_satisfies_the_program_and_costs_its_mistakes() -> None:
    X, y = tiny(5, n_classes=3)
    encoded = encode(read_table(X), np.ones(len(X)), np.random.RandomState(0), max_bins=10)
    patterns = tree_rules.Patterns.of(encoded.columns, encoded.codes, y, None)
    program = TreeProgram(patterns, 2)
    tree = tree_rules.greedy_tree(patterns, 2)
    point, linear = program.point_of(tree), program.linear
    activity = linear.matrix @ point
    assert (activity >= linear.row_lower - 1e-9).all()
    assert (activity <= linear.row_upper + 1e-9).all()
    assert ((point >= linear.lower) & (point <= linear.upper)).all()
    assert linear.cost @ point == patterns.mistakes(tree)
    assert patterns.mistakes(program.tree_of(point)) == patterns.mistakes(tree)
    peer = milp(
        linear.cost,
        integrality=program.is_integer.astype(int),
        bounds=Bounds(linear.lower, linear.upper),
        constraints=LinearConstraint(linear.matrix, linear.row_lower, linear.row_upper),
    )
    assert peer.fun == pytest.approx(fewest_mistakes(X, y, 2))  # another front door of the solver, without a start


def test_without_time_or_room_the_bound_is_still_one(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = tiny(1)
    best = fewest_mistakes(X, y, 2)
    hurried = BinOCTClassifier(2, time_limit=0.0).fit(X, y)
    monkeypatch.setattr(binoct, "MOST_ENTRIES", 10)
    cramped = BinOCTClassifier(2).fit(X, y)
    for model in (hurried, cramped):
        assert model.lower_bound_ <= best <= model.loss_
    assert (hurried.stop_reason_ == "optimal") == (hurried.loss_ == hurried.lower_bound_)
    assert cramped.stop_reason_ == "too large"


def test_where_not_even_the_relaxation_was_solved_nobody_is_known_to_be_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """HiGHS then has minus infinity as its bound: this ended in an error on a busy machine."""
    X, y = tiny(1)
    monkeypatch.setattr(
        binoct, "solve_integer", lambda *args, start: IntegerSolution(start, float(args[0].cost @ start), -np.inf)
    )
    model = BinOCTClassifier(max_depth=1, time_limit=60).fit(X, y)
    assert model.stop_reason_ == "time limit"
    assert 0 <= model.lower_bound_ <= fewest_mistakes(X, y, 1) <= model.loss_


def test_what_was_never_seen_is_decided_all_the_same() -> None:
    X, y = tiny(2)
    model = BinOCTClassifier(2).fit(X, y)
    new = pd.DataFrame({"a": [99.0, np.nan, -5.0], "b": ["x", "y", "never seen"]})
    assert set(model.predict(new)) <= set(model.classes_)
    assert model.predict_proba(new).sum(axis=1) == pytest.approx(1)
    constant = BinOCTClassifier(2).fit(pd.DataFrame({"a": [1.0] * 5}), [0, 0, 1, 1, 1])
    assert [str(rule) for rule in constant.rules_] == ["always"]
    np.testing.assert_array_equal(constant.predict(pd.DataFrame({"a": [1.0, 7.0]})), [1, 1])
    assert (constant.loss_, constant.lower_bound_, constant.stop_reason_) == (2, 2, "optimal")


def test_it_stands_in_a_comparison_with_its_leaves() -> None:
    X, y = tiny(1)
    (row,) = compare({"tree": BinOCTClassifier(1)}, X, y, X, y, positive_class=1)
    assert (row.size.unit, row.size.count, row.size.rules_per_row) == ("leaves", len(row.model.rules_), 1.0)
    assert row.fit_seconds > 0
    assert sum(rule.coverage for rule in row.model.rules_) == pytest.approx(1.0)
    assert sum(rule.coverage * rule.precision for rule in row.model.rules_) == pytest.approx(row.accuracy)
    with pytest.raises(InputError, match="max_depth"):
        BinOCTClassifier(0).fit(X, y)
