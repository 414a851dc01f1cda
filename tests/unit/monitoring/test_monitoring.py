"""A model then and now: what is counted, what is said, and what is left unsaid."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from rugcore import RUGClassifier, error_rate_gap
from rugcore.errors import InputError
from rugcore.fairness.intervals import newcombe
from rugcore.monitoring import Period, monitor
from rugcore.monitoring.shares import ShareThenAndNow, share_table
from rugcore.rules import Rule
from rugcore.rules.conditions import Interval
from tests.rule_models import model_of


def applicants(n_rows: int, seed: int, shift: float = 0.0, noise: float = 0.1) -> tuple[pd.DataFrame, np.ndarray]:
    generator = np.random.default_rng(seed)
    X = pd.DataFrame({"income": generator.normal(50 + shift, 10, n_rows), "debt": generator.normal(20, 5, n_rows)})
    is_good = (X["income"] > 48) ^ (generator.random(n_rows) < noise)
    return X, np.where(is_good, "grant", "refuse")


def grant_from_48() -> RUGClassifier:
    X, _ = applicants(10, 0)
    rules = [
        Rule((Interval("income", lower=48.0),), "grant", 1.0),
        Rule((Interval("income", upper=48.0),), "refuse", 1.0),
    ]
    return model_of(rules, X)


def test_nothing_is_said_about_people_of_the_same_kind() -> None:
    n_alarms = 0
    for seed in range(30):
        then, now = applicants(800, 2 * seed), applicants(500, 2 * seed + 1)
        n_alarms += not monitor(grant_from_48(), Period(*then), Period(*now)).is_steady
    assert n_alarms <= 5  # one in twenty a table, four tables, most of them dependent


def test_a_shift_of_a_column_is_found_in_column_rules_and_decisions() -> None:
    then, now = applicants(800, 0), applicants(500, 1, shift=10.0)
    found = monitor(grant_from_48(), Period(*then), Period(*now))
    assert not found.is_steady
    assert found.columns.iloc[0]["column"] == "income"
    said = str(found)
    assert "income has moved far" in said
    assert "People are decided grant more often" in said
    assert "right less often" not in said  # the rules are as right as before
    assert "debt" not in said


def test_mistakes_are_found_where_outcomes_are_known() -> None:
    then, now = applicants(800, 0), applicants(500, 1, noise=0.35)
    model = grant_from_48()
    found = monitor(model, Period(*then), Period(*now))
    assert "Decisions are right less often" in str(found)
    line = found.decisions.set_index("what").loc["decided as it turned out"]
    rates = [float((model.predict(X) == y).mean()) for X, y in (now, then)]
    each = 1 - 0.05 / len(found.decisions)
    assert line["change"] == pytest.approx(rates[0] - rates[1])
    assert (line["low"], line["high"]) == pytest.approx(newcombe((rates[0], rates[1]), (500, 800), each))
    assert monitor(model, Period(then[0]), Period(now[0])).right is None


def test_every_rule_is_counted_as_the_rows_say() -> None:
    (X, y), (newer, outcome) = applicants(300, 0), applicants(200, 1, shift=5.0)
    model = grant_from_48()
    found = monitor(model, Period(X, y), Period(newer, outcome))
    assert found.right is not None
    for number, rule in enumerate(model.rules_):
        covered = [model.covering_rules(people)[:, [number]].toarray().ravel() for people in (X, newer)]
        assert found.rules.loc[number, ["then", "now"]].tolist() == pytest.approx([c.mean() for c in covered])
        right = [(truth[own] == rule.label).mean() for own, truth in zip(covered, (y, outcome), strict=True)]
        assert found.right.loc[number, ["then", "now"]].tolist() == pytest.approx(right)


def test_people_whose_outcome_is_not_known_yet_count_where_they_can() -> None:
    (X, y), (newer, outcome) = applicants(300, 0), applicants(200, 1)
    partly: Any = pd.Series(outcome, dtype=object)
    partly[50:] = None
    found = monitor(grant_from_48(), Period(X, y), Period(newer, partly)).decisions.set_index("what")
    assert found.loc["decided as it turned out", "n_now"] == 50
    assert found.loc["decided grant", "n_now"] == 200


def test_gaps_are_those_of_the_audit_and_held_against_epsilon() -> None:
    (X, y), (newer, outcome) = applicants(600, 0), applicants(600, 1)
    groups = np.tile(["a", "b"], 300)
    worse = np.where((groups == "b") & (newer["income"] < 52), "grant", outcome)
    model = grant_from_48()
    found = monitor(model, Period(X, y, groups), Period(newer, worse, groups), epsilon=0.1)
    assert found.gaps is not None
    expected = error_rate_gap(worse, model.predict(newer), sensitive_features=groups)
    assert found.gaps.loc["dmc", "gap_now"] == pytest.approx(expected)
    assert "The gap between groups (equal mistakes for every outcome) is" in str(found)
    assert "gap" not in str(monitor(model, Period(X, y, groups), Period(newer, worse, groups)))


def test_shares_hold_together_and_nobody_is_no_share() -> None:
    items = [ShareThenAndNow("a", (10, 100), (30, 100)), ShareThenAndNow("b", (0, 0), (3, 10))]
    frame = share_table(items, 0.95)
    assert frame.loc[0, ["low", "high"]].tolist() == pytest.approx(newcombe((0.3, 0.1), (100, 100), 0.975))
    assert frame.loc[1, ["then", "change", "low", "high"]].isna().all()


@pytest.mark.parametrize(
    ("newer", "outcomes", "said"),
    [
        (applicants(5, 1)[0], ["grant"] * 4, "one outcome per person"),
        (applicants(5, 1)[0], ["grant"] * 4 + ["maybe"], "found maybe"),
        (applicants(0, 1)[0], None, "none now"),
    ],
)
def test_bad_input_gets_a_sentence(newer: pd.DataFrame, outcomes: Any, said: str) -> None:
    X, y = applicants(20, 0)
    with pytest.raises(InputError, match=said):
        monitor(grant_from_48(), Period(X, y), Period(newer, outcomes))


@pytest.mark.parametrize("n_rows", [1, 3, 12])
def test_of_a_handful_of_people_nobody_is_told_to_train_again_or_to_be_calm(n_rows: int) -> None:
    """A file of three says neither that the model holds nor that it does not."""
    then, now = applicants(800, 0), applicants(n_rows, 1)
    groups = [np.where(np.arange(len(X)) % 2, "a", "b") for X, _ in (then, now)]
    found = monitor(
        grant_from_48(), Period(*then, groups[0]), Period(*now, groups[1]), positive_class="grant", epsilon=0.02
    )
    assert not found.is_steady
    assert found.verdict[0].startswith("Nothing is sure to have moved, but not all can be told")
    assert "train again" not in str(found)
    assert "Keep the model" not in str(found)
    assert "(equal mistakes for every outcome) cannot be measured now" in str(found)


def test_a_gap_is_a_finding_only_beyond_chance_and_is_told_in_points() -> None:
    """Groups that fare alike but for chance, and groups of whom one is decided wrongly far more often."""
    then, now = applicants(800, 0, noise=0.1), applicants(800, 1, noise=0.1)
    groups = [np.where(np.arange(len(X)) % 2, "a", "b") for X, _ in (then, now)]
    model = grant_from_48()
    calm = monitor(model, Period(*then, groups[0]), Period(*now, groups[1]), positive_class="grant", epsilon=1e-4)
    assert calm.verdict[0].startswith("Nothing is sure")
    assert calm.verdict[1].endswith("0.0 points are allowed. That may be chance.")
    wrong = np.where((groups[1] == "a") & (np.arange(800) % 3 == 0), "grant", now[1])
    found = monitor(
        model, Period(*then, groups[0]), Period(now[0], wrong, groups[1]), positive_class="grant", epsilon=0.02
    )
    said = [line for line in found.verdict if "gap between groups" in line]
    gap = 100 * found.gaps.loc[found.gaps["matters"], "gap_now"].item()  # type: ignore[index, union-attr]
    assert len(said) == 1
    assert f"is {gap:.1f} points now" in said[0]
    assert "chance" not in said[0]
    assert "train again" in found.verdict[0]


def test_columns_that_are_missing_are_named() -> None:
    then, now = applicants(100, 0), applicants(100, 1)
    model = RUGClassifier(max_depth=1, max_iter=1).fit(*then)
    with pytest.raises(InputError, match="income"):
        monitor(model, Period(*then), Period(now[0].drop(columns="income"), now[1]))
