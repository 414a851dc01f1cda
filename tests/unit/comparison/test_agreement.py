"""Agreement and importance on hand-made cases, and decisions that differ."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rugcore import InputError, PeerClassifier, RUGClassifier, ShapExplainer, ShapExplanation
from rugcore.comparison import (
    Contribution,
    agreement,
    agreement_over,
    differences,
    global_importance,
    rule_contributions,
    rule_importance,
)
from rugcore.explanations.explanation import Explanation, explain_row
from rugcore.rules import Interval, Membership, Rule
from tests.tables import mixed_outcome, mixed_table

TABLE = mixed_table(200)
OUTCOME = mixed_outcome(TABLE)


@pytest.fixture(scope="module")
def rug() -> RUGClassifier:
    return RUGClassifier(max_iter=4, penalty=0.3).fit(TABLE, OUTCOME)


@pytest.fixture(scope="module")
def explainer() -> ShapExplainer:
    return ShapExplainer(PeerClassifier(settings={"n_estimators": 10}).fit(TABLE, OUTCOME))


# --- One row by hand --------------------------------------------------------------------------------------------


def by_hand() -> Explanation:
    """Refused: income speaks for that with 0.6 + 0.3, debt with 0.3 (a rule of two), job against it with 0.5."""
    rules = [
        Rule((Interval("income", upper=20.0),), "refuse", 0.6),
        Rule((Interval("income", upper=30.0), Interval("debt", lower=5.0)), "refuse", 0.6),
        Rule((Membership("job", ("nurse",)),), "grant", 0.5),
    ]
    cells = {"income": 10.0, "debt": 9.0, "job": "nurse", "age": 30.0}
    return explain_row(cells, rules, np.array(["grant", "refuse"], dtype=object), np.array([0.6, 0.4]))


def shap_by_hand(towards: str = "refuse", **amounts: float) -> ShapExplanation:
    items = [Contribution(name, None, amount) for name, amount in amounts.items()]
    items.sort(key=lambda item: -abs(item.amount))
    return ShapExplanation("refuse", towards, 0.0, tuple(items), sum(amounts.values()))


def test_rules_split_their_weight_over_their_columns() -> None:
    assert rule_contributions(by_hand()) == pytest.approx({"income": 0.9, "job": -0.5, "debt": 0.3})
    assert rule_contributions(by_hand(), "grant") == pytest.approx({"income": -0.9, "job": 0.5, "debt": -0.3})
    assert list(rule_contributions(by_hand())) == ["income", "job", "debt"]


def test_contributions_of_rules_add_up_to_the_score(rug: RUGClassifier) -> None:
    for row in range(40):
        explanation = rug.explain(TABLE.iloc[row])
        for label, score in explanation.score.items():
            assert sum(rule_contributions(explanation, label).values()) == pytest.approx(score, abs=1e-9)


def test_agreement_by_hand() -> None:
    found = agreement(by_hand(), shap_by_hand(income=2.0, age=1.5, job=0.7, debt=0.1), k=3)
    assert found.by_rules == ("income", "job", "debt")
    assert found.by_shap == ("income", "age", "job")
    assert found.shared == ("income", "job")
    assert found.same_sign == ("income",)  # job speaks for a refusal in SHAP, against it in the rules
    assert found.share == pytest.approx(2 / 3)
    assert found.sign_agreement == pytest.approx(1 / 2)
    assert found.same_decision


def test_agreement_does_not_depend_on_the_class_it_is_seen_from() -> None:
    one = agreement(by_hand(), shap_by_hand(income=2.0, age=1.5, job=0.7), k=3)
    other = agreement(by_hand(), shap_by_hand("grant", income=-2.0, age=-1.5, job=-0.7), k=3)
    assert one == other


def test_top_k_cuts_both_sides() -> None:
    found = agreement(by_hand(), shap_by_hand(job=-2.0, income=1.0), k=1)
    assert (found.by_rules, found.by_shap, found.shared) == (("income",), ("job",), ())
    assert found.share == 0
    assert np.isnan(found.sign_agreement)


def test_columns_without_an_effect_are_not_named() -> None:
    found = agreement(by_hand(), shap_by_hand(income=1.0, debt=0.0), k=5)
    assert found.by_shap == ("income",)


def test_without_rules_there_is_nothing_to_agree_on() -> None:
    bare = explain_row({"income": 1.0}, [], np.array(["grant", "refuse"], dtype=object), np.array([0.6, 0.4]))
    found = agreement(bare, shap_by_hand(income=1.0))
    assert np.isnan(found.share)
    assert not found.same_decision


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(InputError, match="k"):
        agreement(by_hand(), shap_by_hand(income=1.0), k=0)
    with pytest.raises(InputError, match="classes"):
        agreement(by_hand(), shap_by_hand("perhaps", income=1.0))


# --- Many rows --------------------------------------------------------------------------------------------------


def test_a_sample_holds_the_agreement_of_its_rows(rug: RUGClassifier, explainer: ShapExplainer) -> None:
    found = agreement_over(rug, explainer, TABLE, n=40, k=3)
    assert (found.n, found.n_total, found.is_sample) == (40, len(TABLE), True)
    for row, own in zip(found.rows, found.agreements, strict=True):
        explanation = rug.explain(TABLE.iloc[row])
        assert own == agreement(explanation, explainer.explain(TABLE.iloc[row], explanation.decision), 3)
    assert found.distribution().sum() == sum(bool(own.by_rules) for own in found.agreements)
    assert list(found.distribution().index) == [0, 1, 2, 3]


def test_rows_that_differ_most_come_first(rug: RUGClassifier, explainer: ShapExplainer) -> None:
    found = agreement_over(rug, explainer, TABLE, n=60)
    frame = found.to_frame()
    share = {row: own.share for row, own in zip(found.rows, found.agreements, strict=True)}
    assert frame["share"].dropna().is_monotonic_increasing
    assert frame["share"].isna().to_numpy().argmax() in (0, frame["share"].notna().sum())
    assert frame["share"].tolist() == pytest.approx([share[row] for row in frame["row"]], nan_ok=True)


def test_a_table_without_names() -> None:
    numbers = np.random.default_rng(0).normal(size=(150, 3))
    y = numbers[:, 0] > 0
    explainer = ShapExplainer(PeerClassifier(settings={"n_estimators": 5}).fit(numbers, y))
    found = agreement_over(RUGClassifier().fit(numbers, y), explainer, numbers, n=20)
    assert found.to_frame()["share"].min() == 1.0  # there is only one column to name
    assert explainer.sample(numbers).importance().index[0] == "x0"


# --- Importance -------------------------------------------------------------------------------------------------


class FourRows:
    """Rules and which rows they cover, without a training."""

    classes_ = np.array(["grant", "refuse"], dtype=object)
    schema_ = SimpleNamespace(names=("income", "debt", "age", "job"))
    rules_ = (
        Rule((Interval("income", upper=20.0),), "refuse", 1.0),  # covers the first two rows
        Rule((Interval("income", upper=30.0), Interval("debt", lower=5.0)), "grant", 2.0),  # the first alone
        Rule((Interval("age", lower=18.0),), "grant", 9.0),  # everybody
    )

    def covering_rules(self, X: object) -> sparse.csr_array:  # noqa: ARG002
        return sparse.csr_array(np.array([[1, 1, 1], [1, 0, 1], [0, 0, 1], [0, 0, 1]], dtype=bool))


def test_rule_importance_by_hand() -> None:
    """Towards "refuse", income adds 1 - 1 = 0, 1, 0, 0: mean 1/4, deviation (3/4 + 3 * 1/4) / 4 = 3/8.

    Debt adds -1, 0, 0, 0: deviation 3/8 too. Age adds -9 for everybody and tells nobody apart.
    """
    found = rule_importance(FourRows(), None)
    assert found.to_dict() == pytest.approx({"income": 0.5, "debt": 0.5, "age": 0.0, "job": 0.0})


def test_rule_importance_is_the_mean_of_centred_contributions(rug: RUGClassifier) -> None:
    total = dict.fromkeys(TABLE, 0.0)
    explanations = [rug.explain(TABLE.iloc[row]) for row in range(len(TABLE))]
    for label in rug.classes_:
        rows = pd.DataFrame([rule_contributions(item, label) for item in explanations], columns=list(TABLE)).fillna(0.0)
        for name, amount in (rows - rows.mean()).abs().mean().items():
            total[name] += amount
    expected = {name: amount / sum(total.values()) for name, amount in total.items()}
    assert rule_importance(rug, TABLE).to_dict() == pytest.approx(expected)
    assert rule_importance(rug, TABLE).is_monotonic_decreasing


def test_importance_does_not_depend_on_the_portions(rug: RUGClassifier, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rule_importance(rug, TABLE)
    monkeypatch.setattr("rugcore.comparison.importance.ROWS_AT_ONCE", 7)
    pd.testing.assert_series_equal(rule_importance(rug, TABLE), whole)


def test_without_rules_no_column_matters(rug: RUGClassifier) -> None:
    bare = SimpleNamespace(schema_=rug.schema_, classes_=rug.classes_, rules_=())
    assert rule_importance(bare, TABLE).to_dict() == dict.fromkeys(TABLE, 0.0)


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
