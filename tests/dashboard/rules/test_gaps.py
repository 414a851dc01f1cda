"""Which rules make the gap, on the page Rules: the engine's numbers, sorted, and told in words that are true."""

import numpy as np
import pytest

from rugboard.rules import cached, gaps
from rugboard.rules.gaps import RuleGaps
from rugboard.rules.statistics import TEST, TRAINING
from rugboard.runs.results import Results
from rugboard.session.adjustments import AS_TRAINED, rule_id
from rugcore import rule_gaps
from tests.dashboard.conftest import Open, is_calm, texts
from tests.dashboard.pages.test_rules import open_rule


@pytest.mark.parametrize("rows", [TEST, TRAINING])
def test_the_numbers_are_those_of_the_engine(results: Results, rows: str) -> None:
    found = cached.statistics(results, "fair", AS_TRAINED).gaps[rows]
    is_meant = results.is_test if rows == TEST else ~results.is_test
    expected = rule_gaps(
        results.fair,
        results.data.X[is_meant],
        results.data.y[is_meant],
        sensitive_features=results.data.groups[is_meant],
    )
    np.testing.assert_allclose(found.pushes, expected["pushes"])
    np.testing.assert_allclose(found.tells, expected["tells"])
    assert found.n_changed.tolist() == expected["n_changed"].tolist()
    assert found.told[0] == tuple(f"African American: {expected[name][0]}" for name in ("told_first", "told_second"))


def test_rules_are_sorted_by_what_they_do_to_the_gap_and_left_out_by_one_click(
    open_page: Open, run_id: str, results: Results
) -> None:
    app = open_page("rules", run=run_id)
    for order in ("pushes", "tells"):
        app.selectbox(key=f"rules_order_{run_id}").select(order).run()
        assert is_calm(app)
        assert app.dataframe[0].value[order].is_monotonic_decreasing
    first = app.dataframe[0].value["rule"][0]
    rule = next(rule for rule in results.rug.rules_ if str(rule) == first)
    open_rule(app, rule)
    assert "all else as it is, the largest gap between groups on the test rows would be" in texts(app)
    assert "of 100** such pairs (test rows; a coin is right in 50)" in texts(app)
    app.button(key=f"leave_out_{rule_id(rule)}").click().run()
    assert is_calm(app)
    assert "1 rule left out" in texts(app)


def found(gap: float, without: float) -> RuleGaps:
    return RuleGaps(TEST, gap, np.array([without]), np.array([7]), np.array([0.58]), (("*a*", "b"),))


def test_words_say_widens_narrows_or_neither() -> None:
    widens, tells = gaps.in_words(found(0.084, 0.052), 0)
    assert widens == (
        "It **widens the gap**: without it, and with all else as it is, the largest gap between groups on the test "
        "rows would be **5.2 points** instead of 8.4 points; 7 test rows would be decided otherwise."
    )
    assert r"one of “\*a\*” and one of “b”" in tells
    assert "**58 of 100** such pairs" in tells
    assert gaps.in_words(found(0.05, 0.08), 0)[0].startswith("It **narrows the gap**")
    assert "would be 5.0 points as well" in gaps.in_words(found(0.05, 0.05), 0)[0]
    assert "cannot be told: no two groups have enough test rows" in gaps.in_words(found(np.nan, np.nan), 0)[0]
