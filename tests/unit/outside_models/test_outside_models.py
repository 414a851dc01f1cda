"""Rules that imitate another model, how true they are to it, and audits of what it decided."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from rugcore import InputError, RUGClassifier, audit, audit_decisions, surrogate_rules

QUICK: dict[str, Any] = {"max_depth": 2, "max_iter": 5, "n_folds": 3}


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    n = 600
    return pd.DataFrame(
        {"income": rng.integers(10, 90, n), "debt": rng.random(n).round(3), "sex": rng.choice(["f", "m"], n)}
    )


@pytest.fixture(scope="module")
def numbers(people: pd.DataFrame) -> pd.DataFrame:
    return people[["income", "debt"]]


def rule_of_thumb(table: pd.DataFrame) -> np.ndarray:
    return np.where((table["income"] > 40) & (table["debt"] <= 0.6), "yes", "no")


# -- imitation ---------------------------------------------------------------------------------------------


def test_rules_find_a_model_that_is_made_of_rules(people: pd.DataFrame, numbers: pd.DataFrame) -> None:
    model = surrogate_rules(numbers, rule_of_thumb, sensitive_features=people["sex"], **QUICK)
    assert isinstance(model, RUGClassifier)
    assert model.fidelity_.overall["rate"] > 0.97
    assert model.fidelity_.on_training > 0.99
    assert set(model.rules_.features()) == {"income", "debt"}


def test_decisions_functions_and_classifiers_are_imitated_alike(numbers: pd.DataFrame) -> None:
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(numbers, rule_of_thumb(numbers))
    asked = [surrogate_rules(numbers, what, **QUICK) for what in (tree, tree.predict, tree.predict(numbers).tolist())]
    assert asked[0].rules_ == asked[1].rules_ == asked[2].rules_
    assert asked[0].fidelity_.to_frame().equals(asked[2].fidelity_.to_frame())


def test_scores_are_cut_where_it_is_said(numbers: pd.DataFrame) -> None:
    scores = (numbers["income"] / 100).to_numpy() + 0.001
    for cut_off, labels in ((None, None), (0.3, ("poor", "rich"))):
        model = surrogate_rules(numbers, scores, cut_off=cut_off, labels=labels, **QUICK)
        low, high = labels or (0, 1)
        expected = np.where(scores >= (cut_off or 0.5), high, low)
        assert (model.predict(numbers) == expected).mean() > 0.99
        assert set(model.classes_.tolist()) == {low, high}
    chances = np.column_stack([1 - scores, scores])
    assert (surrogate_rules(numbers, lambda _: chances, **QUICK).predict(numbers) == (scores >= 0.5)).mean() > 0.99


def test_the_chances_of_a_classifier_can_be_cut_elsewhere(numbers: pd.DataFrame) -> None:
    logistic = LogisticRegression().fit(numbers, rule_of_thumb(numbers))
    model = surrogate_rules(numbers, logistic, cut_off=0.2, **QUICK)
    expected = np.where(logistic.predict_proba(numbers)[:, 1] >= 0.2, "yes", "no")
    assert model.classes_.tolist() == ["no", "yes"]
    assert (model.predict(numbers) == expected).mean() == model.fidelity_.on_training


def test_fidelity_is_counted_on_rows_held_out_with_intervals(people: pd.DataFrame, numbers: pd.DataFrame) -> None:
    """The sums of the parts are those of the whole, and the intervals those of scipy."""
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(len(numbers)) < 0.2, "maybe", rule_of_thumb(numbers))
    found = surrogate_rules(numbers, noisy, sensitive_features=people["sex"], **QUICK).fidelity_
    frame = found.to_frame()
    assert list(frame["what"].unique()) == ["overall", "class", "group"]
    for what in ("class", "group"):
        part = frame[frame["what"] == what]
        assert part[["n", "agree"]].sum().tolist() == [600, found.overall["agree"]]
    for line in frame.itertuples():
        expected = binomtest(int(line.agree), int(line.n)).proportion_ci(0.95, "wilson")
        np.testing.assert_allclose([line.lower, line.upper], [expected.low, expected.high], atol=1e-12)
    assert found.overall["rate"] <= found.on_training  # noise cannot be foreseen
    assert found.always_usual == pd.Series(noisy).value_counts(normalize=True).iloc[0]
    assert "agree on" in str(found)
    assert "group m" in str(found)


def test_noise_that_cannot_be_foreseen_is_not_called_fidelity(numbers: pd.DataFrame) -> None:
    coin = np.random.default_rng(1).choice(["heads", "tails"], len(numbers))
    found = surrogate_rules(numbers, coin, max_depth=3, penalty=0.1, n_folds=3).fidelity_
    assert found.on_training > 0.65
    assert 0.4 < found.overall["rate"] < 0.6


@pytest.mark.parametrize(
    ("decisions", "options", "sentence"),
    [
        (np.ones(600), {}, "two different decisions"),
        (["yes"] * 599 + ["no"], {}, "at least twice"),
        (["yes", "no"], {}, "X has 600 rows"),
        (np.linspace(-5, 900.5, 600), {}, "Pass cut_off"),
        (["yes", "no"] * 300, {"cut_off": 0.5}, "Leave out cut_off"),
        ([0.5, None] * 300, {}, "300 of 600 are blank"),
        (np.ones((600, 3)), {}, "shape"),
        (["yes", "no"] * 300, {"n_folds": 1}, "n_folds"),
    ],
)
def test_what_cannot_be_imitated_is_refused(
    numbers: pd.DataFrame, decisions: Any, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        surrogate_rules(numbers, decisions, **options)


# -- audits ------------------------------------------------------------------------------------------------


def test_an_audit_of_scores_is_that_of_the_decisions_they_make(people: pd.DataFrame, numbers: pd.DataFrame) -> None:
    truth = rule_of_thumb(numbers)
    scores = (numbers["income"] / 100).to_numpy() + 0.001
    who = {"sensitive_features": people["sex"], "positive_class": "yes"}
    expected = audit(truth, np.where(scores >= 0.4, "yes", "no"), **who)
    pd.testing.assert_frame_equal(audit_decisions(truth, scores, cut_off=0.4, **who).gaps, expected.gaps)
    risk = audit_decisions(truth, 1 - scores, cut_off=0.6 + 1e-12, above="no", **who)
    others = audit(truth, np.where(1 - scores >= 0.6 + 1e-12, "no", "yes"), **who)
    pd.testing.assert_frame_equal(risk.gaps, others.gaps)


def test_an_audit_asks_classifiers_and_takes_decisions_as_they_are(people: pd.DataFrame, numbers: pd.DataFrame) -> None:
    truth = rule_of_thumb(numbers)
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(numbers, truth)
    who = {"sensitive_features": people["sex"], "positive_class": "yes"}
    expected = audit(truth, tree.predict(numbers), epsilon=0.1, **who).to_frame()
    for what in (tree, tree.predict, tree.predict(numbers)):
        found = audit_decisions(truth, what, X=numbers, epsilon=0.1, **who).to_frame()
        pd.testing.assert_frame_equal(found, expected)
    cut = audit_decisions(truth, tree, X=numbers, cut_off=0.99, **who)
    chances = tree.predict_proba(numbers)[:, 1]
    by_hand = audit(truth, np.where(chances >= 0.99, "yes", "no"), **who)
    pd.testing.assert_frame_equal(cut.groups, by_hand.groups)


def test_an_audit_says_what_it_needs(people: pd.DataFrame, numbers: pd.DataFrame) -> None:
    truth, scores = rule_of_thumb(numbers), numbers["debt"].to_numpy()
    with pytest.raises(InputError, match="which one high scores stand for"):
        audit_decisions(truth, scores, sensitive_features=people["sex"])
    with pytest.raises(InputError, match="Pass X="):
        audit_decisions(truth, rule_of_thumb, sensitive_features=people["sex"])
    zero_one = (truth == "yes").astype(int)
    found = audit_decisions(zero_one, scores, sensitive_features=people["sex"])
    assert found.positive_class == 1
