"""Gaps over many splits: counted as fairlearn counts them, with intervals that keep their promise."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import MetricFrame
from fairlearn.metrics import count as n_rows_of
from scipy.stats import t as student
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import zero_one_loss

from rugcore import (
    FairnessOverSplits,
    FairRUGClassifier,
    InputError,
    RUGClassifier,
    fairness_over_splits,
    make_loans,
)
from rugcore.selection.over_splits import ABOVE, OPEN, WITHIN
from rugcore.selection.splits import _held_out
from tests.unit.selection.splits_by_hand import over_splits

N_SPLITS = 4
SETTINGS = {"max_depth": 2, "penalty": 3.0, "max_iter": 4}


class Repeats(ClassifierMixin, BaseEstimator):
    """Decides what stands in a column, whatever it was trained on."""

    def fit(self, X: pd.DataFrame, y: Any) -> "Repeats":  # noqa: ARG002
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        return X["decided"].to_numpy()


class AsksForGroups(Repeats):
    """Refuses to work without the groups, as fairlearn's ThresholdOptimizer does."""

    def fit(self, X: pd.DataFrame, y: Any, *, sensitive_features: Any) -> "AsksForGroups":
        assert len(sensitive_features) == len(X)
        super().fit(X, y)
        return self

    def predict(self, X: pd.DataFrame, *, sensitive_features: Any) -> np.ndarray:
        assert len(sensitive_features) == len(X)
        return super().predict(X)


@pytest.fixture(scope="module")
def loans() -> Any:
    return make_loans(900, 8, random_state=2)


@pytest.fixture(scope="module")
def groups() -> pd.Series:
    return pd.Series(np.random.default_rng(1).choice(["a", "b", "c"], 900, p=[0.5, 0.3, 0.2]))


@pytest.fixture(scope="module")
def found(loans: Any, groups: pd.Series) -> FairnessOverSplits:
    model = FairRUGClassifier(epsilon=0.05, min_cell_size=10, **SETTINGS)
    return fairness_over_splits(
        model,
        loans.X,
        loans.y,
        sensitive_features=groups,
        n_splits=N_SPLITS,
        beside={"RUG": RUGClassifier(**SETTINGS)},
        random_state=5,
    )


def people(n_rows: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n_rows)
    return pd.DataFrame({"decided": truth}), truth, rng.choice(["a", "b"], n_rows)


def test_gaps_are_those_of_models_trained_by_hand_and_counted_by_fairlearn(
    loans: Any, groups: pd.Series, found: FairnessOverSplits
) -> None:
    y = np.asarray(loans.y)
    strata = pd.factorize(pd.Series(y, dtype=str) + groups, sort=True)[0]
    rng = np.random.default_rng(5)
    wrong, size, gaps = [], [], []
    for _ in range(N_SPLITS):
        is_test = _held_out(strata, 0.3, rng)
        model = RUGClassifier(**SETTINGS).fit(loans.X[~is_test], y[~is_test])
        counts = MetricFrame(
            metrics={"wrong": lambda t, p: zero_one_loss(t, p, normalize=False), "n": n_rows_of},
            y_true=y[is_test],
            y_pred=model.predict(loans.X[is_test]),
            sensitive_features=groups[is_test],
            control_features=y[is_test],
        ).by_group
        wrong.append(counts["wrong"])
        size.append(counts["n"])
        gaps.append(counts["wrong"] / counts["n"])
    pooled = sum(wrong) / sum(size)
    frame = found.to_frame().query("model == 'RUG'")
    assert len(frame) == 2 * 3
    for line in frame.to_dict("records"):
        first, second = (line["class"], line["first_group"]), (line["class"], line["second_group"])
        assert line["gap"] == pytest.approx(pooled[first] - pooled[second])
        of_splits = [gap[first] - gap[second] for gap in gaps]
        assert (line["lowest"], line["highest"]) == pytest.approx((min(of_splits), max(of_splits)))
        # Nadeau and Bengio, written out.
        error = np.std(of_splits, ddof=1) * np.sqrt(1 / N_SPLITS + 0.3 / 0.7)
        assert line["upper"] >= line["gap"] + student.ppf(0.975, N_SPLITS - 1) * error - 1e-12


def test_both_models_are_judged_on_the_same_rows(found: FairnessOverSplits) -> None:
    fair, plain = found.models
    assert (fair.name, plain.name) == ("FairRUG", "RUG")
    assert (fair.n == plain.n).all()
    assert found.epsilon == 0.05
    assert found.notion == "dmc"
    difference, lower, upper = found.accuracy_difference("RUG")
    assert difference == pytest.approx(fair.accuracy.mean() - plain.accuracy.mean())
    assert lower < difference < upper
    summary = found.summary().set_index("model")
    within = (np.abs(fair.training_gaps) <= 0.05 + 1e-9).all(axis=1)
    assert summary.loc["FairRUG", "held_on_training_rows"] == within.sum()
    assert summary.loc["FairRUG", "held_on_test_rows"] == (np.abs(fair.split_gaps) <= 0.05).all(axis=1).sum()
    assert summary.loc["RUG", "n_rules"] > 0


def test_every_split_holds_out_the_same_share_of_every_class_in_every_group() -> None:
    strata = np.repeat([0, 1, 2], [100, 50, 3])
    rng = np.random.default_rng(0)
    counts = np.array([np.bincount(strata[_held_out(strata, 0.3, rng)], minlength=3) for _ in range(200)])
    assert set(counts[:, 0]) == {30}
    assert set(counts[:, 1]) == {15}
    assert set(counts[:, 2]) == {0, 1}  # 0.9 of a row: nine times in ten
    assert counts[:, 2].mean() == pytest.approx(0.9, abs=0.07)


# -- intervals ---------------------------------------------------------------------------------------------


def test_intervals_hold_the_true_gap_as_often_as_they_say() -> None:
    """And the usual formula, which takes the splits for independent, does not: they share most of their rows."""
    rng = np.random.default_rng(3)
    truth = 0.1
    is_held, is_held_by_usual = [], []
    for _ in range(400):
        found = over_splits(rates=(0.3, 0.2), sizes=(300, 100), n_splits=12, rng=rng)
        line = found.to_frame().iloc[0]
        is_held.append(line["lower"] <= truth <= line["upper"])
        of_splits = found.models[0].split_gaps[:, 0]
        usual = student.ppf(0.975, 11) * np.std(of_splits, ddof=1) / np.sqrt(12)
        is_held_by_usual.append(abs(of_splits.mean() - truth) <= usual)
    assert np.mean(is_held) >= 0.93
    assert np.mean(is_held_by_usual) < 0.85


def test_splits_that_all_agree_are_not_taken_for_certainty() -> None:
    """Nobody is ever decided wrongly: 40 people cannot show that nobody ever will be."""
    few = over_splits(rates=(0, 0), sizes=(40, 40), n_splits=12)
    assert few.to_frame()["upper"].item() > 0.05
    assert few.verdict(few.models[0]) == OPEN
    many = over_splits(rates=(0, 0), sizes=(2_000, 2_000), n_splits=12)
    assert many.to_frame()["upper"].item() < 0.01
    assert many.verdict(many.models[0]) == WITHIN
    far = over_splits(rates=(1, 0), sizes=(500, 500), n_splits=12)
    assert far.verdict(far.models[0]) == ABOVE
    assert far.n_held(far.models[0]) == 0


def test_one_split_has_no_interval_and_decides_nothing() -> None:
    X, truth, group = people(400)
    found = fairness_over_splits(Repeats(), X, truth, sensitive_features=group, n_splits=1, epsilon=0.5)
    assert found.to_frame()[["lower", "upper"]].isna().all(axis=None)
    assert found.verdict(found.models[0]) == OPEN
    assert "1 split cannot decide anything" in str(found)


# -- the rest ----------------------------------------------------------------------------------------------


def test_small_groups_are_not_estimable() -> None:
    X, truth, group = people(400)
    group = np.where(np.arange(400) < 20, "rare", group)
    found = fairness_over_splits(Repeats(), X, truth, sensitive_features=group, n_splits=3, epsilon=0.1)
    frame = found.to_frame()
    is_rare = (frame["first_group"] == "rare") | (frame["second_group"] == "rare")
    assert frame.loc[is_rare, "gap"].isna().all()
    assert (frame.loc[is_rare, "not_estimable"] == "fewer than 30 rows").all()
    assert frame.loc[~is_rare, "gap"].notna().all()
    assert {key.group for key in found.not_estimable} == {"rare"}
    assert "Not estimable, because of fewer than 30 rows: rare (0), rare (1)." in str(found)


def test_models_that_want_the_groups_get_them() -> None:
    X, truth, group = people(200)
    found = fairness_over_splits(AsksForGroups(), X, truth, sensitive_features=group, n_splits=2)
    assert found.to_frame()["gap"].tolist() == [0.0, 0.0]
    assert np.isnan(found.summary()["n_rules"]).all()


def test_pieces_join_to_the_whole_and_survive_json(found: FairnessOverSplits) -> None:
    again = FairnessOverSplits.from_dict(json.loads(json.dumps(found.to_dict())))
    pd.testing.assert_frame_equal(again.to_frame(), found.to_frame())
    twice = FairnessOverSplits.joined([found, again])
    assert twice.n_splits == 2 * N_SPLITS
    assert twice.models[0].gaps == pytest.approx(found.models[0].gaps)
    single = FairnessOverSplits.joined([found])
    assert str(single) == str(found)
    X, truth, group = people(200)
    other = fairness_over_splits(Repeats(), X, truth, sensitive_features=group, n_splits=1)
    with pytest.raises(InputError, match="same models"):
        FairnessOverSplits.joined([found, other])


def test_a_callback_ends_it_with_what_is_there() -> None:
    X, truth, group = people(200)
    seen = []

    def stop_after_two(done: int, total: int) -> bool:
        seen.append((done, total))
        return done < 2

    found = fairness_over_splits(Repeats(), X, truth, sensitive_features=group, n_splits=9, callback=stop_after_two)
    assert seen == [(1, 9), (2, 9)]
    assert (found.n_splits, found.n_asked) == (2, 9)
    assert "2 random splits (9 were asked for)" in str(found)


def test_it_is_shown_as_a_table_and_strangers_names_do_nothing() -> None:
    X, truth, group = people(200)
    group = np.where(group == "a", "<b>a</b>", group)
    found = fairness_over_splits(Repeats(), X, truth, sensitive_features=group, n_splits=2, epsilon=0.02)
    assert "<b>a</b>" not in found._repr_html_()
    assert "&lt;b&gt;a&lt;/b&gt;" in found._repr_html_()
    assert "A gap of at most 2 points on new people" in str(found)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"n_splits": 0}, "n_splits to be a whole number, 1 or more"),
        ({"test_size": 1.0}, "test_size to be a share between 0 and 1"),
        ({"fairness": "eop", "positive_class": 7}, "positive_class to be one of the classes 0, 1"),
        ({"sensitive_features": ["a"] * 200}, "at least two groups"),
        ({"model": "rug"}, "a classifier with fit and predict"),
        ({"beside": {"model": Repeats()}}, "other names than 'model'"),
        ({"callback": 3}, "callback to be a function"),
        ({"epsilon": 2.0}, "epsilon to be a number from 0 to 1"),
    ],
)
def test_bad_input_is_one_sentence(change: dict[str, Any], sentence: str) -> None:
    X, truth, group = people(200)
    given: dict[str, Any] = {"model": Repeats(), "X": X, "y": truth, "sensitive_features": group, "n_splits": 2}
    with pytest.raises(InputError, match=sentence):
        fairness_over_splits(**given | change)
