"""RUGClassifier as scikit-learn and its users expect it to behave."""

import pickle
from dataclasses import fields
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from rugcore import InputError, Round, RUGClassifier, make_loans
from tests.reading import holds
from tests.tables import mixed_outcome, mixed_table


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return mixed_table(300)


@pytest.fixture(scope="module")
def outcome(table: pd.DataFrame) -> pd.Series:
    return mixed_outcome(table)


@pytest.fixture(scope="module")
def model(table: pd.DataFrame, outcome: pd.Series) -> RUGClassifier:
    return RUGClassifier(max_iter=6, penalty=0.3).fit(table, outcome)


# --- scikit-learn -----------------------------------------------------------------------------------------------


@parametrize_with_checks([RUGClassifier(), RUGClassifier(rule_cost="unit", max_depth=2, weight_threshold=0)])
def test_scikit_learn_s_own_checks(estimator: Any, check: Any) -> None:
    """One exception: chances know more than the margin, so they need not rank rows as `decision_function` does."""
    if check.func.__name__ == "check_decision_proba_consistency":
        pytest.skip("predict_proba is not a function of the margin")
    check(estimator)


def test_a_clone_has_the_settings_and_nothing_learned(model: RUGClassifier) -> None:
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "rules_")


def test_in_a_pipeline(table: pd.DataFrame, outcome: pd.Series) -> None:
    numbers = ["income", "debt ratio"]
    scaled = ColumnTransformer(
        [("scaled", StandardScaler(), numbers)], remainder="passthrough", verbose_feature_names_out=False
    ).set_output(transform="pandas")
    pipeline = make_pipeline(scaled, RUGClassifier(max_iter=4))
    plain = table.astype({"debt ratio": float})
    assert pipeline.fit(plain, outcome).score(plain, outcome) > 0.7
    rules = pipeline[-1].rules_
    assert set(rules.features()) <= set(table.columns)


def test_in_a_grid_search(table: pd.DataFrame, outcome: pd.Series) -> None:
    search = GridSearchCV(RUGClassifier(max_iter=2), {"max_depth": [1, 2], "penalty": [0.3, 3.0]}, cv=2)
    search.fit(table, outcome)
    assert search.best_params_["max_depth"] in (1, 2)
    assert search.best_estimator_.predict(table).shape == (300,)
    assert cross_val_score(RUGClassifier(max_iter=2), table, outcome, cv=2).shape == (2,)


def test_a_pickled_model_predicts_the_same(model: RUGClassifier, table: pd.DataFrame) -> None:
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(table), model.decision_function(table))
    assert again.rules_ == model.rules_


def test_fit_leaves_the_user_s_table_alone(outcome: pd.Series) -> None:
    table = mixed_table(300)
    before, labels = table.copy(deep=True), outcome.copy(deep=True)
    RUGClassifier(max_iter=2).fit(table, outcome).predict(table)
    pd.testing.assert_frame_equal(table, before)
    pd.testing.assert_series_equal(outcome, labels)


# --- What was learned -------------------------------------------------------------------------------------------


def test_rules_say_their_coverage_and_precision(model: RUGClassifier, table: pd.DataFrame, outcome: pd.Series) -> None:
    for rule in model.rules_:
        is_covered = holds(str(rule), table)
        assert rule.coverage == pytest.approx(is_covered.mean())
        assert rule.precision == pytest.approx((outcome[is_covered] == rule.label).mean())
    weights = [rule.weight for rule in model.rules_]
    assert weights == sorted(weights, reverse=True)
    assert min(weights) > 0


def test_coverage_and_precision_count_weights(table: pd.DataFrame, outcome: pd.Series) -> None:
    weight = np.random.default_rng(0).integers(0, 4, len(table)).astype(float)
    model = RUGClassifier(max_iter=3, penalty=0.3).fit(table, outcome, sample_weight=weight)
    for rule in model.rules_:
        is_covered = holds(str(rule), table)
        is_right = is_covered & (outcome == rule.label).to_numpy()
        assert rule.coverage == pytest.approx(weight[is_covered].sum() / weight.sum())
        assert rule.precision == pytest.approx(weight[is_right].sum() / weight[is_covered].sum())


@pytest.mark.parametrize("pricing", ["tree", "exact"])
@pytest.mark.parametrize("max_depth", [1, 2])
def test_learned_rules_cover_what_their_text_says_however_they_were_found(
    pricing: str, max_depth: int, table: pd.DataFrame, outcome: pd.Series
) -> None:
    model = RUGClassifier(pricing=pricing, max_depth=max_depth, max_iter=5, penalty=0.1, weight_threshold=0)
    covered = model.fit(table, outcome).covering_rules(table).toarray()
    assert len(model.rules_) > 0
    for number, rule in enumerate(model.rules_):
        np.testing.assert_array_equal(covered[:, number], holds(str(rule), table), str(rule))
        assert rule.coverage == pytest.approx(covered[:, number].mean())
        assert rule.length <= max_depth


def test_decisions_as_a_table_are_the_predictions(model: RUGClassifier, table: pd.DataFrame) -> None:
    some = table.sample(50, random_state=0)
    frame = model.decisions(some).to_frame()
    pd.testing.assert_index_equal(frame.index, some.index)
    assert frame["decision"].tolist() == model.predict(some).tolist()
    scores = frame[[f"score {label}" for label in model.classes_]]
    np.testing.assert_array_equal(scores, model.decision_function(some))


def test_decisions_for_known_coverage_are_those_about_the_rows(model: RUGClassifier, table: pd.DataFrame) -> None:
    about_rows, by_coverage = model.decisions(table), model.decisions_for(model.covering_rules(table))
    for name in ("class_code", "is_tie", "is_uncovered"):
        np.testing.assert_array_equal(getattr(by_coverage, name), getattr(about_rows, name))
    np.testing.assert_allclose(by_coverage.scores, about_rows.scores)


def test_scores_and_shares_add_up_from_the_covering_rules(model: RUGClassifier, table: pd.DataFrame) -> None:
    covered = model.covering_rules(table).toarray()
    classes = model.classes_.tolist()
    scores, votes = np.zeros((300, 3)), np.zeros((300, 3))
    for number, rule in enumerate(model.rules_):
        vector = np.where(np.array(classes) == rule.label, 1.0, -0.5)  # the paper's vector for three classes
        scores += covered[:, [number]] * rule.weight * vector
        votes[:, classes.index(rule.label)] += covered[:, number] * rule.weight
    np.testing.assert_allclose(model.decision_function(table), scores, atol=1e-12)
    is_covered = covered.any(axis=1)
    shares = votes[is_covered] / votes[is_covered].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.decisions(table).shares[is_covered], shares, atol=1e-12)
    np.testing.assert_allclose(model.decisions(table).shares.sum(axis=1), 1.0)


def test_with_two_classes_the_score_is_that_of_the_second(table: pd.DataFrame) -> None:
    model = RUGClassifier(max_iter=3).fit(table, table["income"] > 40_000)
    decisions = model.decisions(table)
    np.testing.assert_array_equal(model.decision_function(table), decisions.scores[:, 1])
    is_decided = ~decisions.is_tie & ~decisions.is_uncovered
    np.testing.assert_array_equal((model.decision_function(table) > 0)[is_decided], model.predict(table)[is_decided])


def test_uncovered_rows_and_ties_go_to_the_more_frequent_class() -> None:
    X = pd.DataFrame({"x": [1.0] * 4 + [2.0] * 6})
    model = RUGClassifier(penalty=0.01).fit(X, ["few"] * 4 + ["many"] * 6)
    blank = pd.DataFrame({"x": [np.nan]})
    assert model.predict(blank).tolist() == ["many"]
    assert model.decisions(blank).is_uncovered.tolist() == [True]
    assert model.explain(blank).is_uncovered
    np.testing.assert_allclose(model.predict_proba(blank), [[0.4, 0.6]])
    tied = pd.DataFrame({"x": [1.0, 1.0, 1.0, 2.0]})
    model.fit(tied, ["b", "a", "a", "b"], sample_weight=[2.0, 1.0, 1.0, 1.0])
    assert model.class_share_.tolist() == [0.4, 0.6]
    assert model.predict(blank).tolist() == ["b"]


# --- The same again -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_seed_gives_the_same_model(seed: int, table: pd.DataFrame, outcome: pd.Series) -> None:
    one, two = (RUGClassifier(max_iter=5, random_state=seed).fit(table, outcome) for _ in range(2))
    assert one.rules_ == two.rules_
    assert one.objective_ == two.objective_


def test_a_second_fit_of_the_same_model_changes_nothing(table: pd.DataFrame, outcome: pd.Series) -> None:
    model = RUGClassifier(max_iter=4)
    first = model.fit(table, outcome).rules_
    assert model.fit(table, outcome).rules_ == first


def test_a_row_with_weight_two_is_a_row_twice(table: pd.DataFrame, outcome: pd.Series) -> None:
    is_doubled = np.arange(len(table)) % 3 == 0
    twice = RUGClassifier(max_iter=5).fit(
        pd.concat([table, table[is_doubled]]), pd.concat([outcome, outcome[is_doubled]])
    )
    weighted = RUGClassifier(max_iter=5).fit(table, outcome, sample_weight=1.0 + is_doubled)
    assert weighted.objective_ == pytest.approx(twice.objective_)
    np.testing.assert_allclose(weighted.class_share_, twice.class_share_)
    assert [str(rule) for rule in weighted.rules_] == [str(rule) for rule in twice.rules_]
    np.testing.assert_allclose(weighted.rules_.to_frame()["weight"], twice.rules_.to_frame()["weight"])


def test_a_row_without_weight_is_as_good_as_absent(table: pd.DataFrame, outcome: pd.Series) -> None:
    is_kept = np.arange(len(table)) % 4 > 0
    without = RUGClassifier(max_iter=5).fit(table[is_kept], outcome[is_kept])
    weighted = RUGClassifier(max_iter=5).fit(table, outcome, sample_weight=is_kept.astype(float))
    assert weighted.rules_ == without.rules_


def test_equal_weights_are_no_weights(table: pd.DataFrame, outcome: pd.Series) -> None:
    plain = RUGClassifier(max_iter=4).fit(table, outcome)
    weighted = RUGClassifier(max_iter=4).fit(table, outcome, sample_weight=np.ones(len(table)))
    assert plain.rules_ == weighted.rules_


# --- Stopping -----------------------------------------------------------------------------------------------------


def test_the_callback_sees_every_round_and_can_stop(table: pd.DataFrame, outcome: pd.Series) -> None:
    seen: list[Round] = []

    def until_round_two(round_: Round) -> bool:
        seen.append(round_)
        return round_.number < 2

    model = RUGClassifier(callback=until_round_two).fit(table, outcome)
    assert [round_.number for round_ in seen] == [0, 1, 2]
    assert seen == model.history_
    assert model.stop_reason_ == "callback"
    assert len(model.rules_) > 0
    assert model.score(table, outcome) > 0.5


@pytest.mark.parametrize("answer", [None, True, 0, "", 1])
def test_only_false_stops(answer: Any, table: pd.DataFrame, outcome: pd.Series) -> None:
    model = RUGClassifier(max_iter=2, callback=lambda _: answer).fit(table, outcome)
    assert model.stop_reason_ != "callback"


def test_an_error_in_the_callback_is_the_user_s_to_see(table: pd.DataFrame, outcome: pd.Series) -> None:
    def failing(_: Round) -> None:
        raise RuntimeError("the bar broke")

    with pytest.raises(RuntimeError, match="the bar broke"):
        RUGClassifier(callback=failing).fit(table, outcome)


def test_no_time_at_all_still_gives_a_model(table: pd.DataFrame, outcome: pd.Series) -> None:
    model = RUGClassifier(time_limit=0).fit(table, outcome)
    assert model.stop_reason_ == "time_limit"
    assert len(model.history_) == model.n_iter_ == 1
    assert len(model.rules_) > 0
    assert model.score(table, outcome) > 0.5
    assert model.explain(table.iloc[0]).decision in model.classes_


def test_no_rounds_give_the_first_pool(table: pd.DataFrame, outcome: pd.Series) -> None:
    model = RUGClassifier(max_iter=0).fit(table, outcome)
    assert len(model.history_) == 1
    assert model.stop_reason_ == "max_iter"
    assert len(model.rules_) > 0


def test_the_history_tells_the_story(model: RUGClassifier) -> None:
    history = model.history_
    assert [round_.number for round_ in history] == list(range(len(history)))
    objectives = [round_.objective for round_ in history]
    assert all(later <= earlier + 1e-6 for earlier, later in pairwise(objectives))
    seconds = [round_.seconds for round_ in history]
    assert seconds == sorted(seconds)
    assert all(round_.solver == model.solver_ for round_ in history)
    assert all(round_.n_rules_with_weight <= round_.n_rules for round_ in history)
    assert model.objective_ <= objectives[0] + 1e-6
    assert {field.name for field in fields(Round)} >= {
        "objective",
        "n_rules",
        "n_added",
        "best_reduced_cost",
        "seconds",
    }


# --- Settings that change what is kept ------------------------------------------------------------------------------


def test_a_threshold_of_zero_keeps_every_rule_with_weight(table: pd.DataFrame, outcome: pd.Series) -> None:
    everything = RUGClassifier(max_iter=6, penalty=0.3, weight_threshold=0).fit(table, outcome)
    assert len(everything.rules_) == np.count_nonzero(everything.pool_.rule_weight)
    heavy = RUGClassifier(max_iter=6, penalty=0.3, weight_threshold=0.6).fit(table, outcome)
    largest = everything.rules_[0].weight
    kept = [rule for rule in everything.rules_ if rule.weight > 0.6 * largest]
    assert list(heavy.rules_) == kept
    assert 0 < len(heavy.rules_) < len(everything.rules_)


def test_a_higher_penalty_never_gives_a_lower_objective(table: pd.DataFrame, outcome: pd.Series) -> None:
    def objective(penalty: float) -> float:
        return RUGClassifier(max_iter=0, penalty=penalty).fit(table, outcome).history_[-1].objective

    objectives = [objective(penalty) for penalty in (0.0, 0.5, 1.0, 5.0)]
    assert objectives == sorted(objectives)


@pytest.mark.parametrize("max_depth", [1, 2, 3])
def test_no_rule_is_longer_than_asked_for(max_depth: int, table: pd.DataFrame, outcome: pd.Series) -> None:
    model = RUGClassifier(max_depth=max_depth, max_iter=4, penalty=0.1).fit(table, outcome)
    assert max(rule.length for rule in model.rules_) <= max_depth


def test_on_loans_with_known_rules_the_model_is_right_about_nearly_all() -> None:
    loans = make_loans(2_000, noise=0.0, missing=0.0)
    model = RUGClassifier(max_depth=3).fit(loans.X, loans.y)
    fresh = make_loans(1_000, noise=0.0, missing=0.0, random_state=1)
    assert model.score(fresh.X, fresh.y) > 0.95


@pytest.mark.parametrize("seed", range(3))
def test_the_loss_bounds_the_errors_on_training_rows_of_many_classes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 6, (300, 3)).astype(float), columns=["a", "b", "c"])
    y = ((X["a"] + X["b"] + rng.integers(0, 2, 300)) // 3).astype(int).to_numpy()
    model = RUGClassifier(max_depth=2, penalty=0.5, weight_threshold=0.0).fit(X, y)
    decided = model.decisions(X)
    loss = model.pool_.master.cell_loss(model.pool_.solution.rule_weight).sum()
    n_wrong = int(((model.predict(X) != y) & ~decided.is_uncovered & ~decided.is_tie).sum())
    assert loss >= n_wrong - 1e-6


def test_with_two_classes_both_losses_are_the_same() -> None:
    X, y = mixed_table(400), mixed_outcome(mixed_table(400)) == "grant"
    first, second = (RUGClassifier(max_depth=2, loss=loss).fit(X, y) for loss in ("margin", "paper"))
    assert first.rules_ == second.rules_


def test_an_unknown_loss_is_refused() -> None:
    with pytest.raises(InputError, match="Expected loss to be one of margin, paper, but got 'hinge'"):
        RUGClassifier(loss="hinge").fit(mixed_table(50), mixed_outcome(mixed_table(50)))
