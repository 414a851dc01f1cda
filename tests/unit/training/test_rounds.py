"""Fewer rounds where more of them decide people who were held out less well; and who is decided by default."""

import numpy as np
import pandas as pd
import pytest

from rugcore import FairRUGClassifier, RUGClassifier
from rugcore.training.rounds import STOP_REASON, _lead


def noisy(n_rows: int, seed: int, right: float) -> tuple[pd.DataFrame, np.ndarray]:
    """Three classes that one column tells, rightly for a share of the rows; nine columns say nothing."""
    generator = np.random.default_rng(seed)
    X = pd.DataFrame(generator.normal(size=(n_rows, 10)), columns=list("abcdefghij"))
    told = np.digitize(X["a"], [-0.5, 0.5])
    drawn = generator.integers(0, 3, n_rows)
    return X, np.array(["low", "mid", "high"])[np.where(generator.random(n_rows) < right, told, drawn)]


def test_noise_is_learned_for_fewer_rounds_and_others_are_decided_better() -> None:
    X, y = noisy(500, seed=0, right=0.4)
    others, truth = noisy(5_000, seed=1, right=0.4)
    model = RUGClassifier(max_depth=5).fit(X, y)
    assert model.stop_reason_ == STOP_REASON
    assert model.n_iter_ < 16
    every_round = RUGClassifier(max_depth=5, loss="paper").fit(X, y)  # the paper's loss is trained as published
    assert every_round.stop_reason_ != STOP_REASON
    assert model.score(others, truth) > every_round.score(others, truth) + 0.02
    assert model.pool_.certificate()


def test_the_rules_are_those_of_a_training_with_so_many_rounds() -> None:
    X, y = noisy(500, seed=0, right=0.4)
    model = RUGClassifier(max_depth=5).fit(X, y)
    rounds = model.n_iter_ - 1
    assert [str(rule) for rule in RUGClassifier(max_depth=5, max_iter=rounds).fit(X, y).rules_] == [
        str(rule) for rule in model.rules_
    ]


def test_where_there_is_no_noise_no_round_is_spared() -> None:
    X, y = noisy(500, seed=2, right=1.0)
    assert RUGClassifier(max_depth=2).fit(X, y).stop_reason_ != STOP_REASON


def test_two_classes_are_trained_as_told() -> None:
    X, y = noisy(300, seed=0, right=0.2)
    assert RUGClassifier(max_depth=5).fit(X, np.where(y == "low", "low", "other")).stop_reason_ != STOP_REASON


def test_whoever_sets_a_short_limit_gets_no_folds() -> None:
    X, y = noisy(300, seed=0, right=0.2)
    assert RUGClassifier(max_depth=5, time_limit=0.0).fit(X, y).stop_reason_ == "time_limit"


def test_the_standard_error_is_that_of_a_mean_and_weights_count_people() -> None:
    difference = np.array([1.0, -1.0, 0.0, 1.0])
    mean, error = _lead(difference, np.ones(4))
    assert mean == pytest.approx(difference.mean())
    assert error == pytest.approx(difference.std() / 2)
    twice = _lead(np.repeat(difference, 2), np.ones(8))
    assert twice == pytest.approx(_lead(difference, np.full(4, 2.0)))


# --- Whom no rule covers --------------------------------------------------------------------------------------------


def three_with_a_region_of_its_own() -> tuple[pd.DataFrame, np.ndarray]:
    """Most rows are "a", told by the flag; where it is not set no class has half, and "b" is ahead of "c" and "a"."""
    X = pd.DataFrame({"flag": [True] * 600 + [False] * 400})
    return X, np.array(["a"] * 600 + ["a"] * 80 + ["b"] * 170 + ["c"] * 150)


def test_rows_without_a_rule_get_the_class_that_is_common_among_them() -> None:
    X, y = three_with_a_region_of_its_own()
    model = RUGClassifier().fit(X, y)
    decisions = model.decisions(X)
    assert decisions.is_uncovered.tolist() == (~X["flag"]).tolist()
    assert model.default_class_ == "b"
    assert set(model.predict(X)[decisions.is_uncovered]) == {"b"}
    assert model.explain(X.iloc[-1]).decision == "b"
    assert model.predict_proba(X)[-1].argmax() == 1
    assert model.rule_votes_.decisions(model.rule_votes_.cuts.codes(model.schema_.read(X))).class_code[-1] == 1


def test_the_default_class_is_kept_in_files_and_found_again_in_a_refit(tmp_path: object) -> None:
    X, y = three_with_a_region_of_its_own()
    model = RUGClassifier().fit(X, y)
    model.save(f"{tmp_path}/model.json")
    assert RUGClassifier.load(f"{tmp_path}/model.json").predict(X).tolist() == model.predict(X).tolist()
    without = model.refit(without=list(model.rules_))
    assert without.default_class_ == "a"  # nobody is covered, and most of all are "a"


def test_two_classes_and_fair_models_keep_the_most_common_class() -> None:
    X, y = three_with_a_region_of_its_own()
    two = np.where(y == "a", "a", "other")
    assert RUGClassifier(penalty=1e6).fit(X, two).default_class_ == "a"
    groups = np.tile(["one", "two"], len(y) // 2)
    assert FairRUGClassifier(epsilon=0.5).fit(X, y, sensitive_features=groups).default_class_ == "a"
