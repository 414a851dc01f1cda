"""Demographic and predictive parity in training: what is promised is what fairlearn counts on the training rows."""

import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import MetricFrame, demographic_parity_difference, selection_rate
from sklearn.metrics import precision_score

from rugcore import (
    FairnessWarning,
    FairRUGClassifier,
    RUGClassifier,
    audit,
    fairness_frontier,
    fairness_over_splits,
    rule_gaps,
)
from rugcore.errors import InputError
from rugcore.estimators import load_model

NOTIONS = ("demographic_parity", "predictive_parity")
SETTINGS: dict[str, Any] = {"max_depth": 2, "max_iter": 4, "random_state": 0}


def people(n_rows: int = 1600, seed: int = 0, n_classes: int = 2) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Group f has less of what the outcome depends on, and its outcome is noisier."""
    rng = np.random.default_rng(seed)
    who = np.where(rng.random(n_rows) < 0.45, "f", "m")
    income = np.round(rng.normal(0.7 * (who == "m")), 1)
    age = np.round(rng.normal(size=n_rows), 1)
    noise = rng.normal(size=n_rows) * np.where(who == "f", 1.6, 0.7)
    score = income + 0.5 * age + noise
    cuts = [0.3] if n_classes == 2 else [-1.0, 0.3]
    return pd.DataFrame({"income": income, "age": age}), np.digitize(score, cuts), who


def gap_of(notion: str, y: np.ndarray, decided: np.ndarray, who: np.ndarray, positive: int = 1) -> float:
    """By fairlearn, one class against the rest."""
    true, given = (y == positive).astype(int), (decided == positive).astype(int)
    if notion == "demographic_parity":
        return float(demographic_parity_difference(true, given, sensitive_features=who))
    frame = MetricFrame(metrics=precision_score, y_true=true, y_pred=given, sensitive_features=who)
    return float(frame.difference())


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("notion", NOTIONS)
def test_the_gap_that_is_promised_is_the_one_fairlearn_counts(notion: str, n_classes: int) -> None:
    X, y, who = people(n_classes=n_classes)
    plain = RUGClassifier(**SETTINGS).fit(X, y)
    positive = n_classes - 1
    epsilon = 0.03 if n_classes == 2 or notion == "demographic_parity" else 0.12
    model = FairRUGClassifier(fairness=notion, epsilon=epsilon, positive_class=positive, **SETTINGS)
    model.fit(X, y, sensitive_features=who)
    decided = model.predict(X)
    assert gap_of(notion, y, plain.predict(X), who, positive) > epsilon + 0.01  # there was something to do
    assert model.fairness_.realised_gap == pytest.approx(gap_of(notion, y, decided, who, positive))
    assert model.fairness_.met
    assert model.fairness_.realised_gap <= epsilon
    assert model.fairness_.accuracy == pytest.approx(np.mean(decided == y))
    assert len(np.unique(decided)) > 1  # to select everybody, or nobody, is no answer


@pytest.mark.parametrize("notion", NOTIONS)
def test_equal_shares_are_told_from_the_side_of_those_who_get_less(notion: str) -> None:
    X, y, who = people()
    model = FairRUGClassifier(fairness=notion, epsilon=1.0, **SETTINGS).fit(X, y, sensitive_features=who)
    (contrast,) = model.fairness_.contrasts
    decided = model.predict(X)
    if notion == "demographic_parity":
        rates = {group: 1 - selection_rate(y[who == group], decided[who == group]) for group in ("f", "m")}
    else:
        rates = {group: 1 - precision_score(y[who == group], decided[who == group]) for group in ("f", "m")}
    assert contrast.realised_gap == pytest.approx(rates[contrast.first] - rates[contrast.second])
    assert contrast.lp_gap is None
    assert model.fairness_.lp_gap is None
    assert "linear program" not in str(model.fairness_)
    assert model.fairness_._repr_html_()


@pytest.mark.parametrize("notion", NOTIONS)
def test_the_papers_constraint_does_not_exist_and_that_is_said(notion: str) -> None:
    X, y, who = people(200)
    model = FairRUGClassifier(fairness=notion, guarantee="proxy", **SETTINGS)
    with pytest.raises(InputError, match=r"There is no such constraint for it\.$"):
        model.fit(X, y, sensitive_features=who)


@pytest.mark.parametrize("notion", NOTIONS)
def test_they_need_a_positive_class(notion: str) -> None:
    X, y, who = people(300)
    model = FairRUGClassifier(fairness=notion, **SETTINGS)
    with pytest.raises(InputError, match=f"Expected positive_class, because fairness='{notion}'"):
        model.fit(X, np.array(["no", "yes"])[y], sensitive_features=who)


def test_a_model_that_selects_nobody_keeps_no_promise_about_its_selection() -> None:
    """All decisions are alike, so every other gap is 0; of the precision nothing is known."""
    X, _, who = people(400)
    y = (np.arange(400) % 20 == 0).astype(int)  # nothing to learn
    model = FairRUGClassifier(fairness="predictive_parity", epsilon=1.0, penalty=50.0, **SETTINGS)
    with pytest.warns(FairnessWarning, match="cannot be told"):
        model.fit(X, y, sensitive_features=who)
    assert not model.predict(X).any()
    assert np.isnan(model.fairness_.realised_gap)
    assert not model.fairness_.met
    assert model.fairness_.expected_gap is None
    assert "too few people are decided so" in str(model.fairness_)
    assert audit(y, model.predict(X), sensitive_features=who).gaps["gap"]["demographic_parity"] == 0


@pytest.mark.parametrize("notion", NOTIONS)
def test_what_was_reached_survives_a_file(notion: str, tmp_path: Path) -> None:
    X, y, who = people(600)
    model = FairRUGClassifier(fairness=notion, **SETTINGS).fit(X, y, sensitive_features=who)
    model.save(tmp_path / "model.json")
    same = load_model(tmp_path / "model.json")
    assert isinstance(same, FairRUGClassifier)
    assert same.fairness_ == model.fairness_
    unknown = FairRUGClassifier(fairness="predictive_parity", penalty=50.0, **SETTINGS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        unknown.fit(X, (np.arange(600) % 20 == 0).astype(int), sensitive_features=who)
    unknown.save(tmp_path / "unknown.json")
    again = load_model(tmp_path / "unknown.json")
    assert isinstance(again, FairRUGClassifier)
    assert np.isnan(again.fairness_.realised_gap)
    assert not again.fairness_.met


@pytest.mark.parametrize("notion", NOTIONS)
def test_a_frontier_ends_at_plain_rug(notion: str) -> None:
    X, y, who = people(1_000)
    asked = {"sensitive_features": who, "epsilons": [0.02, 0.1, 1.0], "fairness": notion}
    points = list(fairness_frontier(X, y, **asked, **SETTINGS))
    for point in points:
        assert point.gap == pytest.approx(gap_of(notion, y, point.model.predict(X), who))
        assert point.met == (point.gap <= point.epsilon)
    assert [point.met for point in points[1:]] == [True, True]
    accuracies = [min(point.accuracy, points[-1].accuracy) for point in points]
    assert accuracies == sorted(accuracies)


@pytest.mark.parametrize("notion", NOTIONS)
def test_splits_count_what_fairlearn_counts(notion: str) -> None:
    X, y, who = people(900)
    model = FairRUGClassifier(fairness=notion, epsilon=0.05, **SETTINGS)
    beside = {"RUG": RUGClassifier(**SETTINGS)}
    found = fairness_over_splits(model, X, y, sensitive_features=who, n_splits=2, beside=beside)
    rug = found.model("RUG")
    assert [key.group for key in rug.keys] == ["f", "m"]
    assert rug.gaps.shape == (1,)
    lines = found.to_frame()
    assert (lines["not_estimable"] == "").all()
    assert lines["gap"].abs().max() < 0.6
    # The sign: group f is selected less often, and its selection is wrong more often.
    assert rug.gaps[0] > 0


@pytest.mark.parametrize("notion", NOTIONS)
def test_what_a_rule_pushes_is_the_gap_with_it_minus_the_gap_without(notion: str) -> None:
    X, y, who = people(700)
    model = RUGClassifier(**SETTINGS).fit(X, y)
    found = rule_gaps(model, X, y, sensitive_features=who, fairness=notion, min_cell_size=1)
    assert found["gap"][0] == pytest.approx(gap_of(notion, y, model.predict(X), who))
    coverage = np.asarray(model.covering_rules(X).toarray(), dtype=bool)
    label = np.array([rule.label for rule in model.rules_])
    weight = np.array([rule.weight for rule in model.rules_])
    usual = int(np.bincount(y).argmax())
    for rule in range(min(len(weight), 4)):
        kept = np.arange(len(weight)) != rule
        votes = np.array([coverage[:, kept] @ (weight[kept] * (label[kept] == k)) for k in (0, 1)])
        is_close = np.isclose(votes[0], votes[1])
        decided = np.where(is_close, usual, votes.argmax(axis=0))
        assert found["gap_without"][rule] == pytest.approx(gap_of(notion, y, decided, who), nan_ok=True)


# --- A promise about new people -----------------------------------------------------------------------------------


@pytest.mark.parametrize("notion", NOTIONS)
def test_a_confident_promise_is_tested_on_rows_kept_apart(notion: str) -> None:
    X, y, who = people(6000)
    model = FairRUGClassifier(fairness=notion, guarantee="confident", epsilon=0.35, **SETTINGS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        model.fit(X, y, sensitive_features=who)
    rates = {rate.group: rate for rate in model.fairness_.assured_rates}
    assert set(rates) == {"f", "m"}
    n_kept = sum(round(0.4 * np.sum((who == group) & (y == label))) for group, label in product("fm", (0, 1)))
    if notion == "demographic_parity":
        assert sum(rate.n_rows for rate in rates.values()) == n_kept
    else:  # those selected among them
        assert sum(rate.n_rows for rate in rates.values()) < n_kept
    assert model.fairness_.assured
    far = people(200_000, seed=99)
    assert gap_of(notion, far[1], model.predict(far[0]), far[2]) <= 0.35
