"""Reasons in plain words: only from rules that fired, never with a threshold, never a sensitive column."""

import json
import re
from typing import Any
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from rugcore import InputError, RUGClassifier, reasons_table
from rugcore.comparison import rule_contributions
from rugcore.explanations.explanation import Explanation, explain_row
from rugcore.explanations.reasons import ColumnWording, Wording, reasons, table
from rugcore.explanations.reasons.giving import said
from rugcore.explanations.reasons.wording import check_template
from rugcore.rules import Interval, IsMissing, Membership, Rule
from tests.tables import mixed_outcome, mixed_table

CLASSES = np.array(["grant", "refuse"], dtype=object)
SHARE = np.array([0.6, 0.4])


def explained(cells: dict[str, Any], *rules: Rule, share: np.ndarray = SHARE) -> Explanation:
    return explain_row(cells, [rule for rule in rules if rule.holds(cells)], CLASSES, share)


def texts(explanation: Explanation, **settings: Any) -> list[str]:
    return [reason.text for reason in reasons(explanation, "grant", **settings).reasons]


@pytest.mark.parametrize(
    ("condition", "value", "text"),
    [
        (Interval("debt", lower=0.4), 0.7, "debt is high"),
        (Interval("income", upper=20_000), 7_000.0, "income is low"),
        (Interval("age", 25, 40), 30.0, "age is in a middle range"),
        (Interval("age"), 30.0, "age is known"),
        (Interval("age", lower=30, or_missing=True), float("nan"), "age is not known"),
        (IsMissing("age"), float("nan"), "age is not known"),
        (IsMissing("job"), None, "job is not known"),
        (Membership("job", ("nurse", "cook")), "cook", 'job is "cook"'),
        (Membership("job", ("nurse",), negated=True), "cook", 'job is "cook"'),
        (Membership("job", ("nurse",), or_missing=True), None, "job is not known"),
        (Membership("job", (), negated=True), "cook", "job is known"),
    ],
)
def test_every_condition_in_words(condition: Any, value: Any, text: str) -> None:
    assert texts(explained({condition.feature: value}, Rule((condition,), "refuse", 1.0))) == [text]


def test_reasons_are_ranked_by_the_weight_against() -> None:
    cells = {"income": 10.0, "debt": 9.0, "age": 30.0}
    found = reasons(
        explained(
            cells,
            Rule((Interval("age", lower=18),), "refuse", 0.5),
            Rule((Interval("income", upper=20), Interval("debt", lower=5)), "refuse", 0.8),
            Rule((Interval("debt", lower=7),), "refuse", 0.4),
            Rule((Interval("income", lower=5),), "grant", 0.3),  # takes from the weight against
        ),
        "grant",
    )
    assert [(r.text, r.weight) for r in found.reasons] == [
        ("debt is high", pytest.approx(0.8)),
        ("age is high", pytest.approx(0.5)),
        ("income is low", pytest.approx(0.1)),
    ]
    assert sum(reason.share for reason in found.reasons) == pytest.approx(1.0)
    assert str(found) == "- debt is high\n- age is high\n- income is low"


def test_a_column_that_speaks_for_the_applicant_on_balance_is_no_reason() -> None:
    cells = {"income": 10.0, "debt": 9.0, "age": 30.0}
    together = Rule((Interval("income", upper=20), Interval("debt", lower=5), Interval("age", lower=18)), "refuse", 3.0)
    for_income = Rule((Interval("income", lower=5),), "grant", 1.5)
    for_age = Rule((Interval("age", lower=5),), "grant", 1.0)  # exactly what is held against it
    explanation = explained(cells, together, for_income, for_age)
    assert explanation.decision == "refuse"
    assert texts(explanation) == ["debt is high"]
    assert reasons(explanation, "grant", sensitive=["debt"]).status == "manual review"


@pytest.mark.parametrize("n_classes", [2, 3])
def test_where_rules_decide_against_somebody_there_is_a_reason(n_classes: int) -> None:
    """Contributions add up to the score, and that of a decision that is no tie is above 0."""
    rng = np.random.default_rng(5)
    classes = np.array(["grant", "refuse", "ask"][:n_classes], dtype=object)
    names = [f"c{number}" for number in range(5)]
    for _ in range(200):
        chosen = [rng.choice(names, size=rng.integers(1, 4), replace=False) for _ in range(6)]
        rules = [
            Rule(tuple(Interval(str(name), lower=0) for name in own), rng.choice(classes), float(rng.integers(1, 4)))
            for own in chosen
        ]
        explanation = explain_row(dict.fromkeys(names, 1.0), rules, classes, np.full(n_classes, 1 / n_classes))
        found = reasons(explanation, "grant")
        net = rule_contributions(explanation)
        assert all(net[reason.column] == pytest.approx(reason.weight) for reason in found.reasons)
        assert all(reason.weight > 0 for reason in found.reasons)
        if explanation.decision != "grant":
            assert found.status == ("manual review" if explanation.is_tie else "reasons")


def test_a_tie_is_routed_to_a_person() -> None:
    both = [Rule((Interval("x", lower=0),), "grant", 1.0), Rule((Interval("y", lower=0),), "refuse", 1.0)]
    found = reasons(explained({"x": 1.0, "y": 1.0}, *both, share=np.array([0.4, 0.6])), "grant")
    assert (found.decision, found.status, found.reasons) == ("refuse", "manual review", ())
    assert found.why == "The rules balance; the usual outcome was taken."
    assert str(found) == "needs manual review"


def test_a_column_is_never_both_high_and_low() -> None:
    rules = [
        Rule((Interval("age", lower=25),), "refuse", 1.0),
        Rule((Interval("age", upper=60),), "refuse", 1.0),
    ]
    assert texts(explained({"age": 30.0}, *rules)) == ["age is in a middle range"]


def test_no_more_than_four() -> None:
    cells = {f"c{number}": 1.0 for number in range(6)}
    rules = [Rule((Interval(name, lower=0),), "refuse", 1.0 + n) for n, name in enumerate(cells)]
    assert texts(explained(cells, *rules)) == ["c5 is high", "c4 is high", "c3 is high", "c2 is high"]
    assert len(texts(explained(cells, *rules), most=2)) == 2


def test_a_favourable_decision_needs_no_reasons() -> None:
    found = reasons(explained({"x": 1.0}, Rule((Interval("x", lower=0),), "grant", 1.0)), "grant")
    assert (found.status, found.reasons, str(found)) == ("favourable", (), "")


def test_an_uncovered_applicant_is_routed_to_a_person() -> None:
    found = reasons(explained({"x": 1.0}, share=np.array([0.4, 0.6])), "grant")
    assert (found.decision, found.status, found.reasons) == ("refuse", "manual review", ())
    assert str(found) == "needs manual review"


def test_a_sensitive_column_is_never_named() -> None:
    rule = Rule((Interval("income", upper=20), Membership("sex", ("f",))), "refuse", 1.0)
    explanation = explained({"income": 1.0, "sex": "f"}, rule)
    assert texts(explanation, sensitive=["sex"]) == ["income is low"]
    alone = explained({"sex": "f"}, Rule((Membership("sex", ("f",)),), "refuse", 1.0))
    assert reasons(alone, "grant", sensitive=["sex"]).status == "manual review"


# --- On a trained model -----------------------------------------------------------------------------------------

TABLE = mixed_table(200)
SENSITIVE = {"region", "employed"}


@pytest.fixture(scope="module")
def model() -> RUGClassifier:
    outcome = mixed_outcome(TABLE)
    return RUGClassifier(max_iter=5, penalty=0.2).fit(TABLE, outcome)


def test_reasons_come_from_fired_rules_only(model: RUGClassifier) -> None:
    n_given = 0
    for row in range(len(TABLE)):
        explanation = model.explain(TABLE.iloc[row])
        found = reasons(explanation, "grant", sensitive=SENSITIVE)
        n_given += len(found.reasons)
        fired = {name for covering in explanation.rules_for for name in covering.rule.features}
        named = {reason.column for reason in found.reasons}
        assert named <= fired - SENSITIVE
        assert len(named) == len(found.reasons) <= 4
        assert (found.status == "favourable") == (explanation.decision == "grant")
        if explanation.decision != "grant" and (
            explanation.is_tie or explanation.is_uncovered or not fired - SENSITIVE
        ):
            assert found.status == "manual review"
        net = rule_contributions(explanation)
        assert all(net[name] > 0 for name in named)
        for reason in found.reasons:
            others = set(TABLE.columns) - {reason.column}
            assert not any(re.search(rf"\b{name}\b", reason.text) for name in others)
            if reason.finding != "value":
                assert not re.search(r"\d", reason.text)  # no threshold
    assert n_given > 50


def test_the_table_says_the_same_as_one_by_one(model: RUGClassifier) -> None:
    frame = reasons_table(model, TABLE, "grant", sensitive=SENSITIVE, only_unfavourable=False)
    assert frame["applicant"].tolist() == list(range(len(TABLE)))
    for line in frame.itertuples(index=False):
        found = reasons(model.explain(TABLE.iloc[line.applicant]), "grant", sensitive=SENSITIVE)
        assert (line.decision, line.status) == (found.decision, found.status)
        expected = ["needs manual review"] if line.status == "manual review" else [r.text for r in found.reasons]
        assert [text for text in line[3:] if text] == expected


def test_the_table_is_made_in_parts(model: RUGClassifier, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever their size; and every rule is looked at once a part, not once a row."""
    whole = reasons_table(model, TABLE, "grant")
    monkeypatch.setattr(table, "ROWS_AT_ONCE", 7)
    assert reasons_table(model, TABLE, "grant").equals(whole)
    monkeypatch.undo()
    looked_at = Mock(side_effect=said)
    monkeypatch.setattr(table, "said", looked_at)
    reasons_table(model, TABLE, "grant")
    assert looked_at.call_count == sum(rule.length for rule in model.rules_)


def test_a_value_without_letters_is_a_reason_all_the_same() -> None:
    X = pd.DataFrame({"job": ["", "cook"] * 40})
    model = RUGClassifier(max_iter=3, penalty=0.01).fit(X, np.where(X["job"] == "", "refuse", "grant"))
    wording = Wording({"job": ColumnWording(value="{value}", known="{value}")})
    frame = reasons_table(model, X, "grant", wording=wording)
    by_one = [reasons(model.explain(X.iloc[row]), "grant", wording=wording).status for row in frame["applicant"]]
    assert frame["status"].tolist() == by_one
    assert set(by_one) == {"reasons"}


def test_the_table_lists_the_rejected_under_their_own_ids(model: RUGClassifier) -> None:
    ids = [f"A-{row}" for row in range(len(TABLE))]
    frame = reasons_table(model, TABLE, "grant", ids=pd.Series(ids, index=range(1000, 1200)))
    is_rejected = model.predict(TABLE) != "grant"
    assert frame["applicant"].tolist() == [name for name, own in zip(ids, is_rejected, strict=True) if own]
    assert list(frame.columns) == ["applicant", "decision", "status", "reason 1", "reason 2", "reason 3", "reason 4"]
    assert frame.map(lambda cell: isinstance(cell, str)).all(axis=None)


def test_what_makes_no_sense_is_refused(model: RUGClassifier) -> None:
    with pytest.raises(InputError, match="positive_class"):
        reasons_table(model, TABLE, "perhaps")
    with pytest.raises(InputError, match="positive_class"):
        reasons(model.explain(TABLE.iloc[0]), "perhaps")
    with pytest.raises(InputError, match="ids"):
        reasons_table(model, TABLE, "grant", ids=["one"])
    with pytest.raises(InputError, match="at least one reason"):
        reasons_table(model, TABLE, "grant", most=0)


# --- Wording ----------------------------------------------------------------------------------------------------

OWN = Wording(
    {
        "dti": ColumnWording(high="debt compared with income is high"),
        "job": ColumnWording(value="the occupation given is {value}", values={"cook": "{column}: too hot"}),
    }
)


def test_wording_is_the_user_s_own() -> None:
    assert OWN.text("dti", "high") == "debt compared with income is high"
    assert OWN.text("dti", "low") == "dti is low"
    assert OWN.text("job", "value", "nurse") == "the occupation given is nurse"
    assert OWN.text("job", "value", "cook") == "job: too hot"
    assert OWN.text("job", "missing") == "job is not known"


def test_names_and_values_are_not_read_as_templates() -> None:
    assert Wording().text("{value}", "value", "{column}") == '{value} is "{column}"'
    assert Wording().text("x{0.__class__}", "high") == "x{0.__class__} is high"


def test_wording_survives_a_file() -> None:
    assert Wording.from_json(OWN.to_json()) == OWN
    assert Wording.from_json(Wording().to_json()) == Wording()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"a": 1}', '{"a": {"huge": "x"}}', '{"a": {"high": 1}}', '{"a": {"values": {"x": 1}}}']
)
def test_what_is_no_wording_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        Wording.from_json(text)


@pytest.mark.parametrize(
    "text", ["{foo} is high", "{column", "value}", "{}", "{ column }", "{column} {0}", "{{value}}"]
)
def test_other_words_in_braces_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"\{column\}.*\{value\}"):
        check_template(text)
    with pytest.raises(InputError, match="braces"):
        Wording.from_json(json.dumps({"dti": {"high": text}}))
    with pytest.raises(InputError, match="braces"):
        Wording.from_json(json.dumps({"dti": {"values": {"x": text}}}))


@pytest.mark.parametrize("text", ["", "too high", "{column} is {value}", "{value}{value}"])
def test_words_in_braces_that_mean_something_are_kept(text: str) -> None:
    check_template(text)
