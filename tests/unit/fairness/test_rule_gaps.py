"""Which rules make the gap, and what tells the groups apart: against decisions made again, and scikit-learn."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from rugcore import FairRUGClassifier, RUGClassifier, error_rate_gap, load_demo, make_loans, rule_gaps, stand_ins


@pytest.fixture(scope="module")
def loans() -> Any:
    return make_loans(900, 8, random_state=3)


@pytest.fixture(scope="module")
def groups() -> pd.Series:
    return pd.Series(np.random.default_rng(1).choice(["a", "b", "c"], 900, p=[0.5, 0.3, 0.2]))


@pytest.fixture(scope="module", params=["rug", "fair"])
def model(request: pytest.FixtureRequest, loans: Any, groups: pd.Series) -> Any:
    if request.param == "rug":
        return RUGClassifier(max_depth=2, max_iter=5).fit(loans.X, loans.y)
    return FairRUGClassifier(max_depth=2, max_iter=5, epsilon=0.1).fit(loans.X, loans.y, sensitive_features=groups)


def test_a_rule_pushes_the_gap_as_far_as_decisions_without_it_say(model: Any, loans: Any, groups: pd.Series) -> None:
    found = rule_gaps(model, loans.X, loans.y, sensitive_features=groups)
    coverage = model.covering_rules(loans.X)

    def gap_of(decided: np.ndarray) -> float:
        return error_rate_gap(loans.y, decided, sensitive_features=groups)

    whole = model.predict(loans.X)
    assert len(found) == len(model.rules_) > 2
    assert found["gap"].unique() == pytest.approx([gap_of(whole)])
    for rule in range(len(model.rules_)):
        others = coverage.toarray()
        others[:, rule] = False
        decided = model.classes_[model.decisions_for(type(coverage)(others)).class_code]
        assert found["gap_without"][rule] == pytest.approx(gap_of(decided))
        assert found["pushes"][rule] == pytest.approx(gap_of(whole) - gap_of(decided))
        assert found["n_changed"][rule] == (decided != whole).sum()
    assert (found["n_changed"] > 0).any()
    assert (found["pushes"] != 0).any()


def test_a_rule_tells_groups_apart_as_well_as_scikit_learn_says(model: Any, loans: Any, groups: pd.Series) -> None:
    found = rule_gaps(model, loans.X, loans.y, sensitive_features=groups)
    coverage = model.covering_rules(loans.X).toarray()
    for rule, line in enumerate(found.to_dict("records")):
        areas = {}
        for first, second in combinations("abc", 2):
            is_meant = groups.isin([first, second]).to_numpy()
            area = roc_auc_score(groups[is_meant] == first, coverage[is_meant, rule])
            areas[first, second] = max(area, 1 - area)
        assert line["tells"] == pytest.approx(max(areas.values()))
        pair = tuple(sorted([line["told_first"], line["told_second"]]))
        assert areas[pair] == pytest.approx(max(areas.values()))


def test_the_only_rule_is_the_whole_gap() -> None:
    """It covers one group alone, and it is always wrong there: without it there is neither error nor gap."""
    X = pd.DataFrame({"group": ["a"] * 60 + ["b"] * 60})
    y = np.array(["yes"] * 50 + ["no"] * 70)
    model = RUGClassifier(max_depth=1, weight_threshold=0.0).fit(X, y)
    assert len(model.rules_) >= 1
    frame = rule_gaps(model, X, y, sensitive_features=X["group"], fairness="odm")
    assert frame["gap"].iloc[0] == pytest.approx(10 / 60)
    assert frame["tells"].max() == 1.0


def test_groups_too_small_to_be_compared_have_no_numbers(model: Any, loans: Any, groups: pd.Series) -> None:
    found = rule_gaps(model, loans.X, loans.y, sensitive_features=groups, min_cell_size=10_000)
    assert found[["gap", "gap_without", "pushes", "tells"]].isna().all(axis=None)
    assert found["told_first"].isna().all()


# -- columns -----------------------------------------------------------------------------------------------


def people(n_rows: int = 3_000) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    is_first = rng.random(n_rows) < 0.4
    table = pd.DataFrame(
        {
            "noise": rng.normal(size=n_rows),
            "shifted": rng.normal(size=n_rows) + is_first,
            "far out": rng.normal(size=n_rows) * np.where(is_first, 5, 1),  # who is far out on either side
            "job": np.where(rng.random(n_rows) < 0.8, np.where(is_first, "nurse", "miner"), "clerk"),
            "many": rng.choice([f"street {number}" for number in range(1_500)], n_rows),
            "blank for one": np.where(is_first, np.nan, rng.normal(size=n_rows)),
        }
    )
    return table, np.where(is_first, "women", "men")


def test_columns_tell_groups_apart_as_well_as_scikit_learn_says() -> None:
    table, who = people()
    found = stand_ins(table, who).set_index("column")
    is_woman = who == "women"
    assert found.loc["shifted", "tells"] == pytest.approx(roc_auc_score(is_woman, table["shifted"]))
    assert found.loc["shifted", "by"] == "order"
    # Known from how the columns were made: a distance from the middle, 4 of 5 jobs, who is blank.
    assert found.loc["far out", "tells"] == pytest.approx(roc_auc_score(is_woman, table["far out"].abs()), abs=0.02)
    assert found.loc["far out", "by"] == "values"
    assert found.loc["job", "tells"] == pytest.approx(1 - 0.2 * 0.2 / 2, abs=0.01)  # two clerks: a coin decides
    assert found.loc["blank for one", "tells"] == 1.0
    assert found.loc[:, "tells"].is_monotonic_decreasing
    assert set(found["first_group"]) == {"men"}


def test_a_column_about_nothing_tells_nothing_however_many_values_it_has() -> None:
    """Learned and tried on the same people, 1,500 streets would tell everybody apart."""
    table, who = people()
    found = stand_ins(table, who).set_index("column")["tells"]
    assert found["noise"] < 0.55
    assert found["many"] < 0.55


def test_of_three_groups_the_pair_is_named_that_is_told_apart_best() -> None:
    rng = np.random.default_rng(1)
    who = rng.choice(["a", "b", "c"], 900)
    table = pd.DataFrame({"number": rng.normal(size=900) + 3 * (who == "b")})
    line = stand_ins(table, who).iloc[0]
    assert "b" in (line["first_group"], line["second_group"])
    assert line["tells"] > 0.95
    lonely = stand_ins(table, np.where(np.arange(900) < 5, "few", "all")).iloc[0]
    assert np.isnan(lonely["tells"])
    assert lonely["first_group"] is None


def test_the_order_of_rows_hardly_matters_and_the_attribute_itself_tells_all() -> None:
    demo = load_demo("hmda")
    found = stand_ins(demo.X, demo.X[demo.sensitive]).set_index("column")["tells"]
    assert found[demo.sensitive] == 1.0
    shuffled = demo.X.sample(frac=1, random_state=0)
    again = stand_ins(shuffled, shuffled[demo.sensitive]).set_index("column")["tells"]
    assert (found - again).abs().max() < 0.05
