"""Shapley values of rules: against all subsets, against the package shap, and by their properties."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from rugcore import InputError, RUGClassifier, attribute
from rugcore.attribution import Patterns
from rugcore.explanations import RuleExplainer
from rugcore.rules import Interval, IsMissing, Membership, Rule
from tests.enumeration import by_enumeration
from tests.rule_models import model_of
from tests.tables import mixed_outcome, mixed_table

TABLE = mixed_table(120, blanks=0.25)
CLASSES = ("ask", "grant", "refuse")


def random_condition(name: str, rng: np.random.Generator) -> Any:
    or_missing = bool(rng.random() < 0.3)
    if rng.random() < 0.1:
        return IsMissing(name)
    known = TABLE[name].dropna()
    if name in ("income", "debt ratio", "children"):
        low, high = np.sort(rng.choice(known.astype(float), 2, replace=False))
        ends = [(low, np.inf), (-np.inf, high), (low, high)][rng.integers(3)]
        return Interval(name, float(ends[0]), float(ends[1]), or_missing)
    values = known.unique().tolist()
    named = rng.choice(len(values), rng.integers(1, len(values)), replace=False)
    return Membership(name, tuple(values[place] for place in named), bool(rng.random() < 0.5), or_missing)


def random_rules(rng: np.random.Generator, classes: tuple[str, ...], n_rules: int = 8) -> list[Rule]:
    rules = []
    for _ in range(n_rules):
        names = rng.choice(TABLE.columns, rng.integers(1, 5), replace=False)
        conditions = tuple(random_condition(str(name), rng) for name in names)
        rules.append(Rule(conditions, str(rng.choice(classes)), float(rng.integers(1, 9)) / 4))
    return rules


@pytest.mark.parametrize("classes", [CLASSES[1:], CLASSES], ids=["two classes", "three classes"])
@pytest.mark.parametrize("seed", range(4))
def test_they_are_what_all_subsets_give(classes: tuple[str, ...], seed: int) -> None:
    """Numbers, text, categories, codes, true/false and blanks; the scores come from the model itself."""
    rng = np.random.default_rng(seed)
    model = model_of(random_rules(rng, classes), TABLE, classes)
    background = TABLE.iloc[rng.choice(len(TABLE), 7, replace=False)]
    for number, label in enumerate(classes):
        row = TABLE.iloc[[int(rng.integers(len(TABLE)))]]
        expected = by_enumeration(lambda table, own=number: model.decisions(table).scores[:, own], row, background)
        found = attribute(model, row, background, towards=label)
        assert found.iloc[0].to_dict() == pytest.approx(expected, abs=1e-12)


def test_they_are_those_of_the_exact_explainer_of_shap() -> None:
    shap = pytest.importorskip("shap")
    rng = np.random.default_rng(3)
    numbers = pd.DataFrame(rng.integers(0, 6, (160, 6)).astype(float), columns=list("abcdef"))
    y = (numbers["a"] + numbers["b"] > 5) ^ (numbers["c"] * numbers["d"] > 8)
    model = RUGClassifier(max_iter=4, penalty=0.3).fit(numbers, y)
    background, rows = numbers.head(40), numbers.tail(12)
    masker = shap.maskers.Independent(background.to_numpy(), max_samples=len(background))
    theirs = shap.explainers.Exact(
        lambda matrix: model.decision_function(pd.DataFrame(matrix, columns=numbers.columns)), masker
    )(rows.to_numpy())
    found = attribute(model, rows, background)
    np.testing.assert_allclose(found.to_numpy(), theirs.values, atol=1e-9)
    np.testing.assert_allclose(theirs.base_values, model.decision_function(background).mean())


@pytest.mark.parametrize("seed", range(3))
def test_they_add_up_to_the_difference_in_score(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = model_of(random_rules(rng, CLASSES, 30), TABLE, CLASSES)
    background, rows = TABLE.head(50), TABLE.tail(70)
    for number, label in enumerate(CLASSES):
        expected = model.decisions(rows).scores[:, number] - model.decisions(background).scores[:, number].mean()
        found = attribute(model, rows, background, towards=label)
        np.testing.assert_allclose(found.sum(axis=1), expected, atol=1e-12)
    decided = model.decisions(rows)
    mean = model.decisions(background).scores.mean(axis=0)
    own = decided.scores[np.arange(len(rows)), decided.class_code] - mean[decided.class_code]
    np.testing.assert_allclose(attribute(model, rows, background).sum(axis=1), own, atol=1e-12)


def test_twin_rules_cancel() -> None:
    """Whatever the mortgage insurance, one of two rules votes the same: it cannot be a reason, nor have a value."""
    table = pd.DataFrame({"insured": ["yes", "no"] * 20, "debt": np.arange(40.0)})
    high = Interval("debt", lower=20.0)
    twins = [
        Rule((high, Membership("insured", ("yes",))), "refuse", 1.5),
        Rule((high, Membership("insured", ("no",))), "refuse", 1.5),
    ]
    found = attribute(model_of(twins, table), table, table)
    assert found["insured"].abs().max() < 1e-12
    assert found["debt"].abs().min() > 0


def test_columns_are_as_in_the_table() -> None:
    table = TABLE.set_index(pd.Index(range(500, 500 + len(TABLE))))
    model = RUGClassifier(max_iter=3, penalty=0.5).fit(table, mixed_outcome(TABLE).to_numpy())
    found = attribute(model, table.head(3), table)
    assert list(found.columns) == list(table.columns)
    assert list(found.index) == [500, 501, 502]
    unused = [name for name in table if name not in model.rules_.features()]
    assert not found[unused].any(axis=None)
    numbers = table[["income"]].to_numpy()
    plain = RUGClassifier().fit(numbers, numbers[:, 0] > 40_000)
    assert list(attribute(plain, numbers[:5], numbers).columns) == ["x0"]


def test_portions_of_rows_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(random_rules(np.random.default_rng(1), CLASSES), TABLE, CLASSES)
    whole = attribute(model, TABLE, TABLE)
    monkeypatch.setattr("rugcore.explanations.attributions.ROWS_AT_ONCE", 7)
    pd.testing.assert_frame_equal(attribute(model, TABLE, TABLE), whole)


def test_one_row_is_as_in_a_table() -> None:
    model = model_of(random_rules(np.random.default_rng(2), CLASSES), TABLE, CLASSES)
    explainer = RuleExplainer(model, TABLE)
    for row in range(12):
        for label in CLASSES:
            one = explainer.explain(TABLE.iloc[row], label)
            expected = attribute(model, TABLE.iloc[[row]], TABLE, towards=label).iloc[0]
            assert {item.column: item.amount for item in one.contributions} == pytest.approx(expected.to_dict())
            number = CLASSES.index(label)
            assert one.output == pytest.approx(model.decisions(TABLE.iloc[[row]]).scores[0, number])
            assert one.base_value == pytest.approx(model.decisions(TABLE).scores[:, number].mean())
        assert explainer.explain(TABLE.iloc[row]).predicted == model.predict(TABLE.iloc[[row]])[0]


def test_a_model_without_rules_and_a_rule_without_conditions() -> None:
    bare = model_of([], TABLE)
    assert not attribute(bare, TABLE, TABLE).any(axis=None)
    always = model_of([Rule((), "refuse", 2.0)], TABLE)
    assert not attribute(always, TABLE, TABLE.head(3)).any(axis=None)
    assert RuleExplainer(always, TABLE).explain(TABLE.iloc[0], "refuse").base_value == pytest.approx(2.0)


def test_an_unknown_class_is_refused() -> None:
    with pytest.raises(InputError, match="classes"):
        attribute(model_of([], TABLE), TABLE, TABLE, towards="perhaps")


def test_many_conditions_are_told_apart() -> None:
    """More than fit into one number: every row its own pattern, unless two rows are equal."""
    rng = np.random.default_rng(0)
    met = rng.random((200, 90)) < 0.5
    met = np.vstack([met, met[:50]])
    found = Patterns.of(met)
    assert len(found.met) == 200
    np.testing.assert_array_equal(found.met[found.of_row], met)
    np.testing.assert_array_equal(found.of_row[:50], found.of_row[200:])
