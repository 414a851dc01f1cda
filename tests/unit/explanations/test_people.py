"""Similar people, likely changes, the burden of groups, and rules that reward a worse value, by a plain look at all."""

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rugcore import (
    ConfidenceFinder,
    FlipFinder,
    InputError,
    Limit,
    RUGClassifier,
    burden_by_group,
    column_profiles,
    rewarded_against_direction,
    similar_people,
)
from rugcore.explanations.burden import median
from rugcore.rules import Interval, Membership, Rule
from rugcore.tables import is_blank
from tests.rule_models import model_of

NO_RECORD = -9.0


def people(seed: int, n_rows: int = 80) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    months = rng.choice([NO_RECORD, 0.0, 5.0, 12.0, 40.0], n_rows)
    return pd.DataFrame(
        {
            "income": rng.choice([10.0, 20.0, 30.0, 40.0, np.nan], n_rows, p=[0.4, 0.2, 0.2, 0.1, 0.1]),
            "months": months,
            "job": pd.Series(rng.choice(["cook", "nurse", None], n_rows), dtype=object),
            "sex": rng.choice(["f", "m"], n_rows),
        }
    )


RULES = [
    Rule((Interval("income", lower=25.0),), "grant", 2.0),
    Rule((Interval("income", upper=25.0),), "refuse", 1.0),
    Rule((Membership("job", ("nurse",)), Interval("months", lower=3.0)), "grant", 1.5),
    Rule((Membership("sex", ("f",)),), "refuse", 0.3),
]


# --- Similar people ---------------------------------------------------------------------------------------------


def gower(table: pd.DataFrame, here: pd.Series, there: pd.Series) -> float:
    """Cell by cell, as the definition reads."""
    parts = []
    for name in table:
        one, two = here[name], there[name]
        if is_blank(one) or is_blank(two) or name in ("job", "sex"):
            parts.append(float(not (is_blank(one) and is_blank(two)) and one != two))
            continue
        known = table[name].dropna()
        rank = [((known < value).sum() + (known == value).sum() / 2) / len(known) for value in (one, two)]
        parts.append(abs(rank[0] - rank[1]))
    return float(np.mean(parts))


@pytest.mark.parametrize("seed", range(4))
def test_nobody_who_was_approved_is_nearer(seed: int) -> None:
    table = people(seed)
    truth = np.random.default_rng(seed).choice(["grant", "refuse"], len(table))
    model = model_of(RULES, table)
    found = model.decisions(table)
    by_rules = ~(found.is_tie | found.is_uncovered)
    approved = [row for row in range(len(table)) if (found.class_code[row] == 0) & by_rules[row]]
    for row in np.flatnonzero(found.class_code == 1)[:5].tolist():
        for outcomes, candidates in ((None, approved), (truth, [own for own in approved if truth[own] == "grant"])):
            (person,) = similar_people(model, table.iloc[row], table, "grant", y_train=outcomes)
            nearest = min(gower(table, table.iloc[row], table.iloc[own]) for own in candidates)
            assert person.row in candidates
            assert person.distance == pytest.approx(nearest)
            assert person.is_true is (None if outcomes is None else True)


def test_differences_are_those_that_rules_see_and_protected_ones_are_only_counted() -> None:
    table = people(1)
    model = model_of(RULES, table)
    here = {"income": 10.0, "months": 12.0, "job": "cook", "sex": "f"}
    own = table.iloc[:0]
    own.loc[0] = here
    own.loc[1] = {"income": 40.0, "months": 5.0, "job": "cook", "sex": "m"}  # no rule tells 5 months from 12
    (person,) = similar_people(model, here, own, "grant", hidden=["sex"])
    assert str(person) == "income: 40 instead of 10"
    assert person.n_hidden == 1
    (open_person,) = similar_people(model, here, own, "grant")
    assert [item.column for item in open_person.differences] == ["sex", "income"]


def test_what_rules_name_only_together_is_no_difference() -> None:
    """Neither two categories of one condition, nor a blank beside what is said of low numbers."""
    table = people(1)
    rules = [
        Rule((Membership("job", ("cook", "nurse")), Interval("months", lower=3.0)), "grant", 2.0),
        Rule((Interval("income", upper=25.0, or_missing=True),), "refuse", 1.0),
    ]
    model = model_of(rules, table)
    own = table.iloc[:0]
    own.loc[0] = {"income": np.nan, "months": 0.0, "job": "cook", "sex": "f"}
    own.loc[1] = {"income": 10.0, "months": 5.0, "job": "nurse", "sex": "f"}
    (person,) = similar_people(model, own.iloc[0], own, "grant")
    assert str(person) == "months: 5 instead of 0"


def test_nobody_is_similar_where_nobody_is_approved() -> None:
    table = people(2)
    assert similar_people(model_of(RULES[1:2], table), table.iloc[0], table, "grant") == []
    with pytest.raises(InputError, match="positive_class"):
        similar_people(model_of(RULES, table), table.iloc[0], table, "perhaps")


# --- Values and combinations that somebody has --------------------------------------------------------------------


def test_a_special_code_is_neither_proposed_nor_left() -> None:
    table = people(3)
    rules = [
        Rule((Interval("months", upper=3.0),), "grant", 2.0),
        Rule((Interval("months", lower=3.0),), "refuse", 1.0),
    ]
    model = model_of(rules, table)
    row = {"income": 10.0, "months": 12.0, "job": "cook", "sex": "f"}
    codes = {"months": {NO_RECORD: "no such record"}}
    finder = FlipFinder(model, column_profiles(table, codes), table)
    assert [str(flip) for flip in finder.find(row, "grant").found] == ["months: 12 -> 0"]
    least = FlipFinder(model, column_profiles(table[table["months"] != 0], codes)).find(row, "grant")
    assert least.is_impossible
    assert finder.find(row | {"months": NO_RECORD}, "refuse").is_impossible


def test_what_nobody_alike_has_is_not_proposed() -> None:
    """Rich people are all nurses: to a cook nobody proposes riches."""
    rich = pd.DataFrame({"income": [10.0, 30.0] * 150, "job": ["cook", "nurse"] * 150})
    rules = [*RULES[:2], Rule((Membership("job", ("baker",)),), "refuse", 0.1)]
    model = model_of(rules, rich)
    finder = FlipFinder(model, column_profiles(rich), rich)
    found = finder.find({"income": 10.0, "job": "cook"}, "grant")
    assert found.why == "nobody"
    assert str(found) == "Nothing was found that can change, that people alike have, and that leads to grant."
    (flip,) = finder.find({"income": 10.0, "job": "nurse"}, "grant").found
    assert (flip.n_like_that, flip.n_alike) == (150, 150)  # all nurses are equally alike


def test_why_nothing_leads_there_is_known() -> None:
    table = people(4)
    model = model_of(RULES[:2], table)
    finder = FlipFinder(model, column_profiles(table), table)
    row = {"income": 10.0, "months": 12.0, "job": "cook", "sex": "f"}
    assert finder.find(row, "grant", limits={"income": Limit(changeable=False)}).why == "limits"
    assert finder.find(row, "grant", limits={"income": Limit(highest=20.0)}).why == "limits"
    never = model_of([Rule((), "refuse", 9.0), *RULES[:2]], table)
    assert FlipFinder(never, column_profiles(table), table).find(row, "grant").why == "rules"
    assert finder.find(row, "grant").why == ""


# --- Burden -----------------------------------------------------------------------------------------------------


def test_the_burden_of_groups_by_hand() -> None:
    """Of the poor some may earn more; whose income may not rise has no way."""
    table = people(5, 200)
    model = model_of(RULES[:2], table)
    found = burden_by_group(model, table, table["sex"], positive_class="grant", X_train=table)
    decided = model.predict(table) == "refuse"
    profile = column_profiles(table)["income"]
    for line in found.itertuples():
        own = table["income"][decided & (table["sex"] == line.group)]
        costs = np.sort([np.inf if math.isnan(value) else profile.steps(value, 30.0) for value in own])
        assert (line.n_rejected, line.n, line.no_way) == (len(own), len(own), own.isna().mean())
        assert line.median_cost == pytest.approx(costs[(len(own) - 1) // 2])
        assert line.median_cost_lower <= line.median_cost <= line.median_cost_upper
    stuck = burden_by_group(
        model,
        table,
        table["sex"],
        positive_class="grant",
        X_train=table,
        limits={"income": Limit(direction="down")},
        most_rows=10,
    )
    assert (stuck["n"] == 10).all()
    assert (stuck["n_rejected"] == found["n_rejected"]).all()
    assert stuck["no_way"].min() > 0.5
    assert np.isinf(stuck["median_cost"]).all()
    assert ((stuck["no_way_lower"] < stuck["no_way"]) & (stuck["no_way"] <= stuck["no_way_upper"])).all()


def test_no_way_counts_after_which_the_people_held_out_leave_the_decision_uncertain() -> None:
    """As where one person is looked at: half of those who were granted it did not turn out so."""
    table = people(5, 300)
    model = RUGClassifier(max_depth=1).fit(table, np.where(table["income"] > 25, "grant", "refuse"))
    decided = model.predict(table)
    as_decided, by_turns = pd.Series(decided), np.where(np.arange(len(table)) % 2, decided, "refuse")
    settings: dict[str, Any] = {"positive_class": "grant", "X_train": table}
    plain = burden_by_group(model, table, table["sex"], **settings)
    sure = burden_by_group(model, table, table["sex"], **settings, people=ConfidenceFinder(model, table, as_decided))
    pd.testing.assert_frame_equal(sure, plain)
    unsure = burden_by_group(model, table, table["sex"], **settings, people=ConfidenceFinder(model, table, by_turns))
    assert (plain["no_way"] < 1).all()
    assert (unsure["no_way"] == 1).all()


def test_the_interval_of_a_median_keeps_its_promise() -> None:
    """Over all orders of n coins: the median lies between the two ends in at least 95 of 100 samples."""
    rng = np.random.default_rng(0)
    for size in (6, 15, 50):
        samples = np.sort(rng.random((4000, size)), axis=1)
        ends = np.array([median(line, 0.95)[1:] for line in samples])
        assert ((ends[:, 0] <= 0.5) & (ends[:, 1] >= 0.5)).mean() > 0.94
    assert np.isnan(median(np.arange(5.0), 0.95)[1:]).all()


# --- Directions -------------------------------------------------------------------------------------------------


def rewarded(model: RUGClassifier, table: pd.DataFrame, name: str, sign: int) -> int:
    """Every number that occurs is tried for everybody."""
    tried = np.sort(table[name].dropna().unique())[:: 1 if sign > 0 else -1]
    changed = [model.decisions(table.assign(**{name: value})).scores[:, 0] for value in tried]
    best = np.maximum.accumulate(np.array(changed), axis=0)
    return int((best - np.array(changed) > 1e-9).any(axis=0).sum())


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("seed", range(3))
def test_people_whom_a_worse_value_would_help_are_counted(seed: int, sign: int) -> None:
    table = people(seed)
    wrong: list[Any] = [
        Rule((Interval("income", upper=15.0), Membership("job", ("cook",))), "grant", 1.0),
        Rule((Interval("income", lower=35.0),), "refuse", 0.5),
    ]
    model = model_of([*RULES, *wrong], table)
    found = rewarded_against_direction(model, {"income": sign}, "grant", table)
    assert found["people"].unique().tolist() == [rewarded(model, table, "income", sign)]
    against = {str(rule) for rule in (wrong if sign > 0 else RULES[:2])}
    assert set(found["rule"]) == against


def test_rules_that_make_up_for_each_other_reward_nobody() -> None:
    table = people(0)
    twins = [
        Rule((Interval("income", lower=25.0),), "grant", 1.0),
        Rule((Interval("income", upper=25.0),), "grant", 1.0),
    ]
    model = model_of(twins, table)
    assert len(rewarded_against_direction(model, {"income": 1}, "grant")) == 1
    assert rewarded_against_direction(model, {"income": 1}, "grant", table).empty
    assert rewarded_against_direction(model, {"income": 0}, "grant", table).empty
    for wrong in ({"job": 1}, {"income": 2}, {"nothing": 1}):
        with pytest.raises(InputError):
            rewarded_against_direction(model, wrong, "grant")
