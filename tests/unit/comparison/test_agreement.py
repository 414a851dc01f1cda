"""Agreement and importance on hand-made cases, and decisions that differ."""

import numpy as np
import pandas as pd
import pytest

from rugcore import InputError, PeerClassifier, RUGClassifier, ShapExplainer, ShapExplanation, attribute
from rugcore.comparison import (
    Contribution,
    RuleExplainer,
    agreement,
    agreement_over,
    differences,
    global_importance,
    rule_importance,
    shap_sample,
)
from rugcore.explanations.explanation import Explanation, explain_row
from rugcore.rules import Interval, Membership, Rule
from tests.rule_models import model_of
from tests.tables import mixed_outcome, mixed_table

TABLE = mixed_table(200)
OUTCOME = mixed_outcome(TABLE)


@pytest.fixture(scope="module")
def rug() -> RUGClassifier:
    return RUGClassifier(max_iter=4, penalty=0.3).fit(TABLE, OUTCOME)


@pytest.fixture(scope="module")
def explainer() -> ShapExplainer:
    return ShapExplainer(PeerClassifier(settings={"n_estimators": 10}).fit(TABLE, OUTCOME), TABLE)


@pytest.fixture(scope="module")
def by_rules(rug: RUGClassifier) -> RuleExplainer:
    return RuleExplainer(rug, TABLE)


# --- One row by hand --------------------------------------------------------------------------------------------


RULES = [
    Rule((Interval("income", upper=20.0),), "refuse", 0.6),
    Rule((Interval("income", upper=30.0), Interval("debt", lower=5.0)), "refuse", 0.6),
    Rule((Membership("job", ("nurse",)),), "grant", 0.5),
]
CELLS = {"income": 10.0, "debt": 9.0, "job": "nurse", "age": 30.0}
OTHER = pd.DataFrame([{"income": 50.0, "debt": 1.0, "job": "cook", "age": 50.0}])
HAND = model_of(RULES, pd.concat([pd.DataFrame([CELLS]), OTHER]), share=(0.6, 0.4))


def by_hand() -> Explanation:
    return HAND.explain(CELLS)


def rules_by_hand(towards: str = "refuse") -> ShapExplanation:
    """Against one who meets no condition: income adds 0.6 + 0.3, debt 0.3 (a rule of two), job takes 0.5."""
    return RuleExplainer(HAND, OTHER).explain(CELLS, towards)


def shap_by_hand(towards: str = "refuse", **amounts: float) -> ShapExplanation:
    items = [Contribution(name, None, amount) for name, amount in amounts.items()]
    items.sort(key=lambda item: -abs(item.amount))
    return ShapExplanation("refuse", towards, 0.0, tuple(items), sum(amounts.values()))


def amounts(found: ShapExplanation) -> dict[str, float]:
    return {item.column: item.amount for item in found.contributions}


def test_values_of_rules_by_hand() -> None:
    expected = {"income": 0.9, "job": -0.5, "debt": 0.3, "age": 0.0}
    assert amounts(rules_by_hand()) == pytest.approx(expected)
    assert amounts(rules_by_hand("grant")) == pytest.approx({name: -amount for name, amount in expected.items()})
    assert list(amounts(rules_by_hand())) == ["income", "job", "debt", "age"]


def test_agreement_by_hand() -> None:
    found = agreement(by_hand(), rules_by_hand(), shap_by_hand(income=2.0, age=1.5, job=0.7, debt=0.1), k=3)
    assert found.by_rules == ("income", "job", "debt")
    assert found.by_shap == ("income", "age", "job")
    assert found.shared == ("income", "job")
    assert found.same_sign == ("income",)  # job speaks for a refusal in SHAP, against it in the rules
    assert found.share == pytest.approx(2 / 3)
    assert found.sign_agreement == pytest.approx(1 / 2)
    assert found.same_decision


def test_agreement_does_not_depend_on_the_class_it_is_seen_from() -> None:
    one = agreement(by_hand(), rules_by_hand(), shap_by_hand(income=2.0, age=1.5, job=0.7), k=3)
    other = agreement(by_hand(), rules_by_hand("grant"), shap_by_hand("grant", income=-2.0, age=-1.5, job=-0.7), k=3)
    assert one == other


def test_top_k_cuts_both_sides() -> None:
    found = agreement(by_hand(), rules_by_hand(), shap_by_hand(job=-2.0, income=1.0), k=1)
    assert (found.by_rules, found.by_shap, found.shared) == (("income",), ("job",), ())
    assert found.share == 0
    assert np.isnan(found.sign_agreement)


def test_columns_without_an_effect_are_not_named() -> None:
    found = agreement(by_hand(), rules_by_hand(), shap_by_hand(income=1.0, debt=0.0), k=5)
    assert found.by_shap == ("income",)


def test_without_rules_there_is_nothing_to_agree_on() -> None:
    bare = explain_row({"income": 1.0}, [], np.array(["grant", "refuse"], dtype=object), np.array([0.6, 0.4]))
    found = agreement(bare, rules_by_hand(), shap_by_hand(income=1.0))
    assert found.by_rules == ()
    assert np.isnan(found.share)
    assert not found.same_decision


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(InputError, match="k"):
        agreement(by_hand(), rules_by_hand(), shap_by_hand(income=1.0), k=0)
    with pytest.raises(InputError, match="one class"):
        agreement(by_hand(), rules_by_hand("grant"), shap_by_hand("refuse", income=1.0))


# --- Many rows --------------------------------------------------------------------------------------------------


def test_a_sample_holds_the_agreement_of_its_rows(
    rug: RUGClassifier, by_rules: RuleExplainer, explainer: ShapExplainer
) -> None:
    found = agreement_over(by_rules, explainer, TABLE, n=40, k=3)
    assert (found.n, found.n_total, found.is_sample) == (40, len(TABLE), True)
    for row, own in zip(found.rows, found.agreements, strict=True):
        explanation = rug.explain(TABLE.iloc[row])
        both = [one.explain(TABLE.iloc[row], explanation.decision) for one in (by_rules, explainer)]
        assert own == agreement(explanation, *both, 3)
    assert found.distribution().sum() == sum(bool(own.by_rules) for own in found.agreements)
    assert list(found.distribution().index) == [0, 1, 2, 3]


def test_rows_that_differ_most_come_first(by_rules: RuleExplainer, explainer: ShapExplainer) -> None:
    found = agreement_over(by_rules, explainer, TABLE, n=60)
    frame = found.to_frame()
    share = {row: own.share for row, own in zip(found.rows, found.agreements, strict=True)}
    assert frame["share"].dropna().is_monotonic_increasing
    assert frame["share"].isna().to_numpy().argmax() in (0, frame["share"].notna().sum())
    assert frame["share"].tolist() == pytest.approx([share[row] for row in frame["row"]], nan_ok=True)


def test_a_table_without_names() -> None:
    numbers = np.random.default_rng(0).normal(size=(150, 3))
    y = numbers[:, 0] > 0
    explainer = ShapExplainer(PeerClassifier(settings={"n_estimators": 5}).fit(numbers, y), numbers)
    found = agreement_over(RuleExplainer(RUGClassifier().fit(numbers, y), numbers), explainer, numbers, n=20)
    assert found.to_frame()["share"].min() == 1.0  # there is only one column to name
    assert explainer.sample(numbers).importance().index[0] == "x0"


# --- Importance -------------------------------------------------------------------------------------------------


FOUR_ROWS = pd.DataFrame(
    {
        "income": [10.0, 10.0, 25.0, 50.0],
        "debt": [9.0, 1.0, 1.0, 1.0],
        "age": [20.0, 30.0, 40.0, 50.0],
        "job": ["cook", "nurse", "cook", "nurse"],
    }
)


def test_rule_importance_by_hand() -> None:
    """Income alone decides a rule of weight 1 that covers half of the rows: everybody is 1/2 away from the mean.

    Debt alone decides one of weight 2 that covers the first row: it is 3/2 away, the others 1/2: 3/4 on average. Age is
    asked about by a rule that covers everybody, and tells nobody apart.
    """
    rules = [
        Rule((Interval("income", upper=20.0),), "refuse", 1.0),
        Rule((Interval("debt", lower=5.0),), "grant", 2.0),
        Rule((Interval("age", lower=18.0),), "grant", 9.0),
    ]
    found = rule_importance(model_of(rules, FOUR_ROWS), FOUR_ROWS)
    assert found.to_dict() == pytest.approx({"debt": 0.6, "income": 0.4, "age": 0.0, "job": 0.0})


def test_rule_importance_is_the_mean_size_of_shapley_values(rug: RUGClassifier) -> None:
    values = [attribute(rug, TABLE, TABLE, towards=label) for label in rug.classes_]
    assert max(own.mean().abs().max() for own in values) < 1e-12  # compared with each other, they are centred
    total = sum(own.abs().mean() for own in values)
    assert rule_importance(rug, TABLE).to_dict() == pytest.approx((total / total.sum()).to_dict())
    assert rule_importance(rug, TABLE).is_monotonic_decreasing


def test_importance_does_not_depend_on_the_portions(rug: RUGClassifier, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rule_importance(rug, TABLE)
    monkeypatch.setattr("rugcore.comparison.importance.ROWS_AT_ONCE", 7)
    pd.testing.assert_series_equal(rule_importance(rug, TABLE), whole)


def test_without_rules_no_column_matters() -> None:
    assert rule_importance(model_of([], TABLE), TABLE).to_dict() == dict.fromkeys(TABLE, 0.0)


def test_a_sample_for_importance_is_compared_with_itself(explainer: ShapExplainer) -> None:
    sample = shap_sample(explainer.model, TABLE)
    assert sample.n == len(TABLE)
    assert np.abs(sample.values.mean(axis=0)).max() < 1e-9


def test_global_importance_sets_both_side_by_side(rug: RUGClassifier, explainer: ShapExplainer) -> None:
    frame = global_importance(rug, explainer.sample(TABLE, 50), TABLE)
    assert set(frame.index) == set(TABLE.columns)
    assert frame.sum().tolist() == pytest.approx([1.0, 1.0])
    assert frame.attrs == {"is_sample": True, "n": 50, "n_total": len(TABLE)}


# --- Decisions that differ --------------------------------------------------------------------------------------


def test_differences_by_group() -> None:
    first = ["yes", "no", "no", "yes", "no"]
    second = np.array(["yes", "yes", "no", "no", "yes"])
    groups = pd.Series(["a", "a", "b", "b", None])
    truth = ["yes", "yes", "no", "yes", "no"]
    found = differences(first, second, sensitive_features=groups, y_true=truth)
    assert found.rows.tolist() == [1, 3, 4]
    assert found.by_group.to_dict("list") == {
        "group": ["a", "b", "missing"],
        "n": [2, 2, 1],
        "n_different": [1, 1, 1],
        "share": [0.5, 0.5, 1.0],
        "first_right": [0, 1, 1],
        "second_right": [1, 0, 0],
    }
    assert found.by_decision.to_dict("list") == {
        "group": ["a", "b", "missing"],
        "first": ["no", "yes", "no"],
        "second": ["yes", "no", "yes"],
        "n": [1, 1, 1],
    }


def test_equal_decisions_differ_nowhere() -> None:
    found = differences([1, 0, 1], [1, 0, 1])
    assert not len(found.rows)
    assert found.by_group.to_dict("list") == {"group": ["all"], "n": [3], "n_different": [0], "share": [0.0]}
    assert found.by_decision.empty


def test_decisions_on_other_rows_are_refused() -> None:
    with pytest.raises(InputError, match="same rows"):
        differences([1, 0], [1, 0, 1])
    with pytest.raises(InputError, match="truth"):
        differences([1, 0], [1, 1], y_true=[1])
