"""What a notebook shows of rules, explanations, audits and fair models, also where the data is hostile."""

import numpy as np
import pandas as pd
import pytest

from rugcore import (
    FairnessFrontierDisplay,
    FairRUGClassifier,
    InputError,
    RUGClassifier,
    RuleSet,
    audit,
    fairness_frontier,
    fairness_report,
    frontier_of,
)
from rugcore.explanations.explanation import explain_row
from rugcore.rules import Interval, IsMissing, Membership, Rule
from tests.unit.plotting.test_markup import read

SCRIPT = "<script>alert(1)</script>"
FORMULA = "=1+1"
CLASSES = np.array([FORMULA, SCRIPT], dtype=object)
RULES = RuleSet(
    [
        Rule((Membership(SCRIPT, (FORMULA, "<b>")),), SCRIPT, 2.0, 0.25, 0.875),
        Rule((IsMissing("job"), Interval("income", upper=42_000.0)), FORMULA, 1.0, 0.5, 0.6),
    ]
)


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """Two groups, a score that says more about one than about the other, and names that would be code."""
    rng = np.random.default_rng(0)
    group = np.where(rng.random(600) < 0.4, SCRIPT, FORMULA)
    score = rng.normal(0, 1, 600).round(1)
    is_good = score + rng.normal(0, np.where(group == SCRIPT, 1.2, 0.3)) > 0
    return pd.DataFrame({SCRIPT: score, "group": group, "outcome": np.where(is_good, SCRIPT, FORMULA)})


@pytest.fixture(scope="module")
def fair(people: pd.DataFrame) -> FairRUGClassifier:
    model = FairRUGClassifier(epsilon=0.2, max_depth=2, max_iter=3)
    return model.fit(people[[SCRIPT]], people["outcome"], sensitive_features=people["group"])


def is_harmless(html: str) -> bool:
    page = read(html)
    return "script" not in page.tags and not {name for name in page.attributes if name.startswith("on")}


# --- Rules ----------------------------------------------------------------------------------------------------------


def test_rules_are_a_table_with_a_line_each() -> None:
    html = RULES._repr_html_()
    page = read(html)
    assert is_harmless(html)
    assert page.tags.count("tr") == 1 + len(RULES)
    for text in ("2 rules", str(RULES[0]), str(RULES[1]), "25.0%", "88%", FORMULA, "covers: "):
        assert text in page.text


def test_many_rules_are_folded() -> None:
    many = RuleSet([Rule((Interval("x", upper=float(number)),), "a", 1.0) for number in range(70)])
    text = read(many._repr_html_()).text
    assert "70 rules" in text
    assert "and 20 more rules; to_frame() has them all" in text
    assert "covers: " not in text  # written by hand: nothing is known of their reach
    assert read(RuleSet()._repr_html_()).text == "0 rules"


def test_the_chart_of_rules_has_a_bar_each_up_to_a_limit() -> None:
    figure = RULES.plot()
    assert sum(len(trace.x) for trace in figure.data) == 2
    assert {trace.name for trace in figure.data} == {'"&lt;script&gt;alert(1)&lt;/script&gt;"', FORMULA}
    assert sum(len(trace.x) for trace in RULES.plot(most=1).data) == 1
    assert "first 1 of 2" in RULES.plot(most=1).layout.title.text


# --- Explanations ---------------------------------------------------------------------------------------------------


def test_an_explanation_is_a_table_of_both_sides() -> None:
    row = {SCRIPT: FORMULA, "job": None, "income": 41_000.0}
    explanation = explain_row(row, list(RULES), CLASSES, np.array([0.5, 0.5]))
    html = explanation._repr_html_()
    page = read(html)
    assert is_harmless(html)
    assert page.text.startswith(f'Decision: "{SCRIPT}" (weight for it 2, against it 1)')
    assert "job: missing, income: 41,000" in page.text

    frame = explanation.to_frame()
    assert frame["side"].tolist() == ["for", "against"]
    assert frame["rule"].tolist() == [str(rule) for rule in RULES]
    assert frame["label"].tolist() == [SCRIPT, FORMULA]
    assert frame["weight"].tolist() == [2.0, 1.0]
    assert frame["values"].tolist() == [{SCRIPT: FORMULA}, {"job": None, "income": 41_000.0}]

    lengths = [length for trace in explanation.plot().data for length in trace.x]
    assert lengths == [2.0, -1.0]  # against the decision is to the left


def test_a_row_that_no_rule_covers_is_shown_too() -> None:
    explanation = explain_row({}, [], CLASSES, np.array([0.9, 0.1]))
    assert "no rule covers this row" in read(explanation._repr_html_()).text
    assert len(explanation.to_frame()) == 0
    assert list(explanation.to_frame()) == ["side", "rule", "label", "weight", "values"]
    assert len(explanation.plot().data) == 0


# --- Audits and fair models -----------------------------------------------------------------------------------------


def test_an_audit_shows_gaps_and_groups_with_their_sizes(people: pd.DataFrame, fair: FairRUGClassifier) -> None:
    decided = fair.predict(people[[SCRIPT]])
    found = audit(people["outcome"], decided, sensitive_features=people["group"], positive_class=SCRIPT, epsilon=0.01)
    page = read(found._repr_html_())
    assert is_harmless(found._repr_html_())
    for group, n_rows in people["group"].value_counts().items():
        assert f"{group}{n_rows}" in page.text  # neighbouring cells
    for gap in found.gaps["gap"]:
        assert f"{gap:.3f}" in page.text
    assert "epsilon 0.01 is not met" in page.text


def test_an_audit_says_what_is_not_estimable() -> None:
    found = audit([0, 1] * 5, [0, 1] * 5, sensitive_features=["a", "b"] * 5)
    text = read(found._repr_html_()).text
    assert "not estimable" in text
    assert "5 rows" in text
    without_positive = audit(["x", "y"] * 40, ["x", "y"] * 40, sensitive_features=["a", "a", "b", "b"] * 20)
    assert "no positive class" in read(without_positive._repr_html_()).text


def test_a_fair_fit_shows_pairs_and_cells(fair: FairRUGClassifier) -> None:
    html = fair.fairness_._repr_html_()
    page = read(html)
    assert is_harmless(html)
    assert page.text.startswith("DMC (within every class): asked for a gap of at most 0.200, met")
    for cell in fair.fairness_.cells:
        assert f"{cell.n_rows:,}{cell.error:.1%}" in page.text
    for contrast in fair.fairness_.contrasts:
        assert f"{contrast.realised_gap:+.3f}" in page.text


# --- The frontier ---------------------------------------------------------------------------------------------------

EPSILONS = [0.02, 0.1, 0.3]


def test_the_frontier_is_measured_on_the_rows_given(people: pd.DataFrame, fair: FairRUGClassifier) -> None:
    some = people.iloc[:400]
    display = FairnessFrontierDisplay.from_estimator(
        fair, some[[SCRIPT]], some["outcome"], sensitive_features=some["group"], epsilons=EPSILONS
    )
    assert display.epsilon.tolist() == EPSILONS
    for point, gap, accuracy in zip(frontier_of(fair, EPSILONS), display.gap, display.accuracy, strict=True):
        decided = point.model.predict(some[[SCRIPT]])
        assert accuracy == pytest.approx((decided == some["outcome"]).mean())
        table = fairness_report(some["outcome"], decided, sensitive_features=some["group"])
        assert gap == pytest.approx(table.loc["dmc", "gap"])
    assert display.figure_.data[0].mode == "markers"
    assert list(display.figure_.data[0].x) == display.gap.tolist()


def test_the_frontier_of_points_is_theirs(people: pd.DataFrame) -> None:
    points = fairness_frontier(
        people[[SCRIPT]],
        people["outcome"],
        sensitive_features=people["group"],
        epsilons=EPSILONS,
        max_depth=1,
        max_iter=1,
    )
    display = FairnessFrontierDisplay.from_points(points)
    frame = display.to_frame()
    assert list(frame) == ["epsilon", "gap", "accuracy", "n_rules"]
    assert frame["epsilon"].tolist() == EPSILONS
    assert (frame["gap"] <= frame["epsilon"] + 1e-9).all()
    assert display.plot(epsilon=0.1) is display.figure_
    bundle = display._repr_mimebundle_()
    assert is_harmless(bundle["text/html"])
    assert read(bundle["text/html"]).tags.count("tr") == 4


def test_a_frontier_needs_a_fair_model_and_points(people: pd.DataFrame) -> None:
    plain = RUGClassifier(max_iter=1).fit(people[[SCRIPT]], people["outcome"])
    with pytest.raises(InputError, match="FairRUGClassifier"):
        FairnessFrontierDisplay.from_estimator(  # type: ignore[arg-type]
            plain, people[[SCRIPT]], people["outcome"], sensitive_features=people["group"]
        )
    with pytest.raises(InputError, match="at least one point"):
        FairnessFrontierDisplay.from_points([])
