"""How sure a decision is: the people behind it counted by hand, and the interval held against scipy's."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

from rugcore import ConfidenceFinder, InputError, RUGClassifier, make_loans
from rugcore.explanations import Confidence, people_behind, record_in_words
from rugcore.explanations.confidence import in_percent
from rugcore.rules import Interval, Rule


@pytest.fixture(scope="module")
def loans() -> tuple[RUGClassifier, pd.DataFrame, pd.Series]:
    data = make_loans(600, random_state=3)
    X = data.X.drop(columns=data.sensitive)
    return RUGClassifier(random_state=0).fit(X.iloc[:300], data.y.iloc[:300]), X.iloc[300:], data.y.iloc[300:]


def test_the_people_behind_a_decision(loans: tuple[RUGClassifier, pd.DataFrame, pd.Series]) -> None:
    model, X, y = loans
    finder = ConfidenceFinder(model, X, y)
    decided, chances = model.predict(X), model.predict_proba(X).max(axis=1)
    for place in range(0, len(X), 15):
        found = finder.find(X.iloc[place], without=place)
        away = np.abs(chances - chances[place])
        alike = [own for own in range(len(X)) if own != place and decided[own] == decided[place] and away[own] <= 0.1]
        ordered = sorted(alike, key=lambda own: away[own])
        alike = [own for own in alike if len(alike) <= 100 or away[own] <= away[ordered[99]]]
        assert found.chance == pytest.approx(chances[place])
        assert found.n == len(alike)
        assert found.n_right == sum(y.iloc[own] == decided[own] for own in alike)
        expected = binomtest(found.n_right, found.n).proportion_ci(0.95, method="wilson")
        assert (found.lower, found.upper) == pytest.approx((expected.low, expected.high))
        assert found.lower <= found.share <= found.upper


@pytest.mark.parametrize(
    ("found", "grade"),
    [
        (Confidence(0.9, 60, 54, 0.80, 0.95), "clear"),
        (Confidence(0.9, 64, 49, 0.65, 0.85), "likely"),  # which people do not bear out
        (Confidence(0.52, 60, 54, 0.80, 0.95), "uncertain"),  # the model itself might as well say otherwise
        (Confidence(0.65, 60, 54, 0.80, 0.95), "likely"),  # it is not sure
        (Confidence(0.9, 60, 42, 0.57, 0.80), "likely"),  # the people are not
        (Confidence(0.9, 12, 12, 0.76, 1.0), "likely"),  # they are few
        (Confidence(0.9, 60, 33, 0.42, 0.67), "uncertain"),
        (Confidence(0.9, 0, 0, 0.0, 1.0), "uncertain"),
    ],
)
def test_clear_is_only_what_is_clear(found: Confidence, grade: str) -> None:
    assert found.grade == grade


def test_it_is_said_with_the_number_of_people() -> None:
    assert str(Confidence(0.904, 60, 54, 0.80, 0.95)) == (
        "The model is 90 % sure. Of 60 test people decided alike, 54 turned out so: 90 % (95 % interval 80 % to 95 %)."
    )
    assert "nobody can tell" in str(Confidence(0.9, 0, 0, 0.0, 1.0))
    assert str(Confidence(0.5003, 17, 6, 0.17, 0.59, is_even=True)).startswith("The model is at best 50 % sure. Of 17")
    assert [in_percent(share) for share in (0.0, 0.001, 0.5, 0.999, 1.0)] == ["0 %", "1 %", "50 %", "99 %", "100 %"]


def test_a_rule_says_how_many_people_it_rests_on() -> None:
    rule = Rule((Interval("income", lower=1.0),), "yes", 1.0, coverage=0.39, precision=0.841)
    assert people_behind(rule, 800) == 312
    assert record_in_words(rule, 800) == "right for 84 % of 312 training people"
    assert record_in_words(rule, 50) == "right for 84 % of only 20 training people"
    assert record_in_words(Rule((), "yes", 1.0), 800) == ""
    usual = {"yes": 0.3, "no": 0.7}
    assert record_in_words(rule, 800, usual) == "right for 84 % of 312 training people"
    seldom = Rule((), "yes", 1.0, coverage=0.5, precision=0.42)
    assert record_in_words(seldom, 800, usual) == "right for 42 % of 400 training people; of all, 30 % are yes"
    assert record_in_words(seldom, 800, {"yes": 0.46}) == (
        "right for 42 % of 400 training people; of all, 46 % are yes, so that it only takes back what other rules say"
    )


def test_whether_the_other_outcome_is_as_likely_is_known_of_two(
    loans: tuple[RUGClassifier, pd.DataFrame, pd.Series],
) -> None:
    """Chances keep the decided class first by a trifle, even where the evidence speaks for the other one."""
    finder = ConfidenceFinder(*loans)
    label = finder._classes[0]
    assert [finder.of_decision(label, chance).is_even for chance in (0.5, 0.5005, 0.51)] == [True, True, False]


def test_one_outcome_a_row(loans: tuple[RUGClassifier, pd.DataFrame, pd.Series]) -> None:
    model, X, y = loans
    with pytest.raises(InputError, match="one outcome a row"):
        ConfidenceFinder(model, X, y[:-1])


def test_nobody_may_be_rejected_and_nobody_held_out(loans: tuple[RUGClassifier, pd.DataFrame, pd.Series]) -> None:
    model, X, y = loans
    assert ConfidenceFinder(model, X, y).find_many(X[:0]) == []
    alone = ConfidenceFinder(model, X[:0], y[:0]).find_many(X[:2])
    assert [sure.n for sure in alone] == [0, 0]
