"""Why this decision for this row: the same decision, the rules that cover it, the row's own values."""

import numpy as np
import pandas as pd
import pytest

from rugcore import RUGClassifier
from rugcore.explanations.explanation import explain_row
from rugcore.rules import Interval, IsMissing, Membership, Rule
from tests.reading import holds
from tests.tables import mixed_outcome, mixed_table

CLASSES = np.array(["ask", "grant", "refuse"], dtype=object)
SHARE = np.array([0.2, 0.5, 0.3])


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return mixed_table()


@pytest.fixture(scope="module")
def model(table: pd.DataFrame) -> RUGClassifier:
    return RUGClassifier(max_iter=6, penalty=0.3).fit(table, mixed_outcome(table))


def test_every_row_is_explained_as_it_is_decided(model: RUGClassifier, table: pd.DataFrame) -> None:
    decisions = model.decisions(table)
    predicted = model.predict(table)
    for row in range(60):
        explanation = model.explain(table.iloc[row])
        assert explanation.decision == predicted[row]
        assert explanation.is_tie == decisions.is_tie[row]
        assert explanation.is_uncovered == decisions.is_uncovered[row]
        assert explanation.margin == pytest.approx(decisions.margin[row])
        assert list(explanation.score.values()) == pytest.approx(decisions.scores[row].tolist())
        assert list(explanation.score) == model.classes_.tolist()


def test_the_rules_named_are_those_whose_text_holds(model: RUGClassifier, table: pd.DataFrame) -> None:
    for row in range(40):
        explanation = model.explain(table.iloc[row])
        named = [covering.rule for covering in (*explanation.rules_for, *explanation.rules_against)]
        held = [rule for rule in model.rules_ if holds(str(rule), table.iloc[[row]])[0]]
        assert sorted(map(str, named)) == sorted(map(str, held))
        assert all(item.rule.label == explanation.decision for item in explanation.rules_for)
        assert all(item.rule.label != explanation.decision for item in explanation.rules_against)
        weights = [item.rule.weight for item in explanation.rules_for]
        assert weights == sorted(weights, reverse=True)


def test_the_values_shown_are_the_row_s_own(model: RUGClassifier, table: pd.DataFrame) -> None:
    for row in range(20):
        explanation = model.explain(table.iloc[row])
        for covering in (*explanation.rules_for, *explanation.rules_against):
            assert list(covering.values) == list(covering.rule.features)
            for name, value in covering.values.items():
                cell = table[name].iloc[row]
                assert (pd.isna(value) and pd.isna(cell)) or value == cell


@pytest.mark.parametrize("form", ["series", "mapping", "frame", "list", "array"])
def test_a_row_in_any_form_gets_the_same_explanation(form: str, model: RUGClassifier, table: pd.DataFrame) -> None:
    row = table.iloc[3]
    forms = {
        "series": row,
        "mapping": row.to_dict(),
        "frame": table.iloc[[3]],
        "list": row.tolist(),
        "array": row.to_numpy(dtype=object),
    }
    assert str(model.explain(forms[form])) == str(model.explain(row))


def explain_by_hand(rules: list[Rule], row: dict[str, object]) -> "object":
    return explain_row(row, rules, CLASSES, SHARE)


def test_the_text_of_an_explanation() -> None:
    rules = [
        Rule((IsMissing("job"),), "grant", 0.5),
        Rule((Interval("income"),), "refuse", 0.25),
        Rule((Interval("income", upper=42_000.0), Membership("purpose", ("car",))), "refuse", 0.75),
    ]
    text = str(explain_by_hand(rules, {"income": 41_000.0, "purpose": "car", "job": None}))
    assert text.splitlines() == [  # the heaviest first
        "Decision: refuse (weight for it 1, against it 0.5)",
        "  for:     income <= 42,000 and purpose is car -> refuse (weight 0.75; here income: 41,000, purpose: car)",
        "  for:     income is known -> refuse (weight 0.25; here income: 41,000)",
        "  against: job is missing -> grant (weight 0.5; here job: missing)",
    ]


def test_a_category_called_missing_is_not_shown_as_a_blank() -> None:
    rules = [Rule((Membership("job", ("missing",)),), "grant", 0.5)]
    assert 'job is "missing"' in str(explain_by_hand(rules, {"job": "missing"}))
    assert 'here job: "missing"' in str(explain_by_hand(rules, {"job": "missing"}))


def test_defaults_are_said_in_words() -> None:
    assert str(explain_by_hand([], {})) == "Decision: grant (by default: no rule covers this row)"
    tied = [Rule((IsMissing("job"),), label, 0.5) for label in ("ask", "refuse")]
    text = str(explain_by_hand(tied, {"job": None}))
    assert text.startswith("Decision: refuse (by default: the rules for two classes weigh the same)")
    assert "for:     job is missing -> refuse" in text
    assert "against: job is missing -> ask" in text


def test_a_rule_without_conditions_has_no_values_to_show() -> None:
    assert "always -> grant (weight 1)" in str(explain_by_hand([Rule((), "grant", 1.0)], {"x": 1}))
