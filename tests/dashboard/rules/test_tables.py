"""Filters, order and files of the rule table, and what differs between two sets of rules."""

import io

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rugboard.rules import charts, table_columns, tables
from rugboard.rules.differences import in_a_sentence
from rugboard.rules.statistics import TEST, TRAINING, RuleStatistics, count
from rugboard.rules.tables import RuleFilter
from rugboard.session.adjustments import AS_TRAINED, rule_id
from rugboard.session.rule_differences import BOTH, FIRST, SECOND, difference_frame, differences, part_names
from rugboard.shell.charts import escaped
from rugboard.shell.downloads import to_csv
from rugboard.shell.tables import CHARACTER_WIDTH
from rugcore.rules import Interval, Membership, Rule, RuleSet
from tests.dashboard.rules.test_statistics import random_people

EVIL = "=cmd|<b>*x*</b>"


def rule(feature: str, label: str, weight: float, *more: str) -> Rule:
    conditions = (Interval(feature, 1.0), *(Membership(name, ("red", "blue")) for name in more))
    return Rule(conditions, label, weight)


RULES = RuleSet(
    [
        rule("income", "good", 5.0),
        rule("income", "bad", 4.0, "colour"),
        rule("age", "ugly", 2.0, "colour", "car"),
        rule(EVIL, "bad", 1.0),
    ]
)


@pytest.fixture
def found() -> RuleStatistics:
    people = random_people(300, 1)
    covers = sparse.csr_array(np.random.default_rng(2).random((300, 4)) < [0.1, 0.4, 0.2, 0.0])
    return RuleStatistics(
        rules=RULES,
        people=people,
        labels=np.array([people.outcomes.index(item.label) for item in RULES]),
        coverage=covers.tocsc(),
        counts={rows: count(covers, people, people.among(rows)) for rows in (TEST, TRAINING)},
        decided=np.array(["good"] * 300),
        interpretability=pd.Series(dtype=float),
        is_contrary=np.array([False, True, False, False]),
    )


@pytest.mark.parametrize(
    ("rule_filter", "expected"),
    [
        (RuleFilter(), [0, 1, 2, 3]),
        (RuleFilter(outcomes=("bad",)), [1, 3]),
        (RuleFilter(features=("income",)), [0, 1]),
        (RuleFilter(features=("age", "colour")), [1, 2]),
        (RuleFilter(lengths=(1, 3)), [0, 2, 3]),
        (RuleFilter(text="BLUE income"), [1]),
        (RuleFilter(text="ugly"), [2]),
        (RuleFilter(text="  "), [0, 1, 2, 3]),
        (RuleFilter(text="<b>*x*"), [3]),
        (RuleFilter(outcomes=("good",), lengths=(2,)), []),
        (RuleFilter(order="length"), [0, 3, 1, 2]),
        (RuleFilter(order="coverage"), [1, 2, 0, 3]),
    ],
)
def test_a_filter_chooses_and_orders(found: RuleStatistics, rule_filter: RuleFilter, expected: list[int]) -> None:
    assert tables.chosen(found, TRAINING, rule_filter) == expected


@pytest.mark.parametrize("order", list(tables.ORDERS))
def test_every_order_keeps_every_rule_and_puts_the_unknown_last(found: RuleStatistics, order: str) -> None:
    numbers = tables.chosen(found, TEST, RuleFilter(order=order))
    assert sorted(numbers) == [0, 1, 2, 3]
    if order in ("precision", "coverage"):
        assert numbers[-1] == 3  # covers nobody


def test_the_spread_is_between_the_groups_covered_most_and_least(found: RuleStatistics) -> None:
    shares = found.counts[TEST].coverage_of_groups
    np.testing.assert_allclose(tables.spread(found.counts[TEST]), shares.max(axis=1) - shares.min(axis=1))


def test_the_table_has_a_column_for_each_large_group(found: RuleStatistics) -> None:
    frame = tables.shown_frame(found, TEST, [2, 0])
    assert list(frame["rule"]) == [str(RULES[2]), str(RULES[0])]
    n_a, n_b = found.counts[TEST].total.sum(axis=0)
    headings = [column.heading for column in tables.group_columns(found, TEST)]
    assert headings == [f"Applies to: a ({n_a})", f"Applies to: b ({n_b})"]
    shown = tables.shown_frame(found, TEST, range(len(found.rules)))
    is_few = (shown["n_covered"] < 30).to_numpy()
    expected = np.where(found.is_contrary, "contrary", np.where(is_few, "few people", ""))
    assert list(shown.get("note", [""] * len(shown))) == expected.tolist()
    np.testing.assert_allclose(frame["group_1"], 100 * found.counts[TEST].coverage_of_groups[[2, 0], 1])


def test_the_file_holds_every_number_and_no_formula(found: RuleStatistics) -> None:
    read = pd.read_csv(io.BytesIO(to_csv(tables.file_frame(found))), encoding="utf-8-sig")
    assert len(read) == len(RULES)
    np.testing.assert_allclose(read["weight"], [item.weight for item in RULES])
    np.testing.assert_allclose(read["coverage on test rows"], found.counts[TEST].coverage)
    np.testing.assert_allclose(read["b: coverage on training rows"], found.counts[TRAINING].coverage_of_groups[:, 1])
    assert str(RULES[3]).startswith(('"', "="))
    assert not read["rule"].str.startswith("=").any()


def test_the_chart_shows_every_group_and_takes_no_text_for_a_tag(found: RuleStatistics) -> None:
    figure = charts.covered_by_group(found, 1, TEST, "good")
    drawn = sum(np.asarray(bar.customdata) for bar in figure.data)
    np.testing.assert_array_equal(np.sort(drawn), np.sort(found.counts[TEST].covered[1].sum(axis=0)))
    assert [bar.name for bar in figure.data] == ["good", "bad", "ugly"]
    assert escaped("<b>a & b</b>") == "&lt;b&gt;a &amp; b&lt;/b&gt;"


# -- differences -------------------------------------------------------------------------------------------


def test_rules_are_parted_by_who_has_them() -> None:
    other = RuleSet([rule("income", "good", 1.0), rule("income", "good", 9.0, "colour")])
    found = differences(RULES, other)
    assert [(shared.first_weight, shared.second_weight) for shared in found.in_both] == [(5.0, 1.0)]
    assert list(found.only_first) == list(RULES[1:])
    assert list(found.only_second) == [other[1]]
    assert list(part_names(found, "RUG", "FairRUG").values()) == [
        "In both · 1",
        "Only in RUG · 3",
        "Only in FairRUG · 1",
    ]
    assert in_a_sentence(found, 0.025) == (
        "RUG has 4 rules, FairRUG 2. 1 rule is in both, with 41.7 % of the weight in RUG and 10.0 % in FairRUG."
    )
    assert list(difference_frame(found, BOTH).columns) == ["rule", "label", FIRST, SECOND]
    assert list(difference_frame(found, SECOND)[SECOND]) == [9.0]


def test_the_same_rules_with_other_weights_are_a_difference() -> None:
    heavier = RuleSet([Rule(item.conditions, item.label, 2 * item.weight) for item in RULES])
    assert differences(RULES, RULES).are_alike
    assert not differences(RULES, heavier).are_alike
    assert "the same rules with the same weights" in in_a_sentence(differences(RULES, RULES), 0.025)


def test_models_without_common_or_any_rules_can_be_compared() -> None:
    assert "they share none" in in_a_sentence(differences(RULES, RuleSet()), 0.025)
    assert difference_frame(differences(RULES, RuleSet()), BOTH).empty


# -- what identifies a rule and a change -------------------------------------------------------------------


def test_a_rule_is_known_by_what_it_says() -> None:
    first = RULES[0]
    assert rule_id(Rule(first.conditions, first.label, 99.0)) == rule_id(first)
    assert len({rule_id(item) for item in RULES}) == len(RULES)
    assert rule_id(Rule(first.conditions, "bad")) != rule_id(first)
    assert rule_id(Rule(first.conditions, np.int64(1))) == rule_id(Rule(first.conditions, 1))


def test_rules_are_left_out_once_and_put_back() -> None:
    change = AS_TRAINED.leaving_out(RULES[0]).leaving_out(RULES[1]).leaving_out(RULES[0])
    assert change.without == (RULES[1], RULES[0])
    assert change.cache_key == AS_TRAINED.leaving_out(RULES[0]).leaving_out(RULES[1]).cache_key
    assert change.putting_back(RULES[1]).putting_back(RULES[0]) == AS_TRAINED


def test_the_heading_of_a_group_has_room_for_all_of_it() -> None:
    heading = f"Applies to: {'m' * tables.LONGEST_NAME} (999,999)"
    assert table_columns.width_of(heading) >= CHARACTER_WIDTH * len(heading)
