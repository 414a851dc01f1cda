"""Rules and sets of rules: words, tables, JSON."""

import math

import pytest

from rugcore.errors import ModelFileError
from rugcore.rules import Interval, IsMissing, Membership, Rule, RuleSet
from tests.reading import read_rule

CAR = Membership("purpose", ("car",))
POOR = Interval("income", upper=42_000.0)
BLANK_OR_HIGH = Interval("debt ratio", lower=0.4, or_missing=True)
RULES = RuleSet(
    [
        Rule((POOR, CAR), "refuse", 0.75, coverage=0.25, precision=0.9),
        Rule((BLANK_OR_HIGH,), "refuse", 0.5, coverage=0.5, precision=0.6),
        Rule((BLANK_OR_HIGH, Membership("purpose", ("car", "boat"), True)), "grant", 0.25, 0.125, 1.0),
        Rule((), "grant", 0.1, 1.0, 0.5),
    ]
)


def test_the_words_of_a_rule() -> None:
    assert [str(rule) for rule in RULES] == [
        "income <= 42,000 and purpose is car",
        "debt ratio > 0.4 or missing",
        "(debt ratio > 0.4 or missing) and purpose is neither car nor boat",
        "always",
    ]


def test_what_a_person_has_to_check() -> None:
    assert [rule.length for rule in RULES] == [2, 1, 2, 0]
    assert RULES[0].features == ("income", "purpose")
    assert RULES.features() == ["income", "purpose", "debt ratio"]


def test_a_set_is_a_sequence() -> None:
    assert len(RULES) == 4
    assert RULES[-1] is list(RULES)[3]
    assert RULES[:2] == RuleSet([RULES[0], RULES[1]])
    assert isinstance(RULES[1:], RuleSet)
    assert list(RULES) != RULES
    assert hash(RULES) == hash(RuleSet(list(RULES)))
    assert repr(RULES) == "RuleSet of 4 rules"
    assert len(RuleSet()) == 0


def test_the_text_of_a_set_has_a_line_for_each_rule() -> None:
    rule = "if income <= 42,000 and purpose is car then refuse"
    assert str(RULES[:1]) == f"{rule} (weight 0.75; covers 25.0% of the rows, 90% of them refuse)"
    assert len(str(RULES).splitlines()) == 4


def test_the_table_of_a_set() -> None:
    frame = RULES.to_frame()
    assert list(frame.columns) == ["rule", "label", "weight", "length", "coverage", "precision"]
    assert frame.loc[0].tolist() == ["income <= 42,000 and purpose is car", "refuse", 0.75, 2, 0.25, 0.9]
    assert list(RuleSet().to_frame().columns) == list(frame.columns)


def test_json_gives_the_same_rules_back() -> None:
    assert RuleSet.from_json(RULES.to_json()) == RULES


def test_unknown_coverage_survives_json() -> None:
    rule = RuleSet.from_json(RuleSet([Rule((IsMissing("x"),), True, 1.0)]).to_json())[0]
    assert rule.label is True
    assert math.isnan(rule.coverage)
    assert math.isnan(rule.precision)


@pytest.mark.parametrize(
    "name",
    ["a b", "Größe", "x <= 3", 'the "best"', "purpose is car", "a\\b", "a\nb", "收入", "", "'", "{}", "a or missing"],
)
def test_every_name_and_category_survives_json_and_text(name: str) -> None:
    rules = RuleSet([Rule((Membership(name, (name, "other"), or_missing=True),), name, 1.0, 0.5, 0.5)])
    assert RuleSet.from_json(rules.to_json()) == rules
    (statement,) = read_rule(str(rules[0]))
    assert (statement.name, statement.values, statement.covers_blank) == (name, (name, "other"), True)


@pytest.mark.parametrize("value", [True, 3, 2.5, "3"])
def test_the_type_of_a_category_survives_json(value: object) -> None:
    rules = RuleSet([Rule((Membership("c", (value,)),), value, 1.0, 0.5, 0.5)])
    condition = RuleSet.from_json(rules.to_json())[0].conditions[0]
    assert isinstance(condition, Membership)
    assert type(condition.values[0]) is type(value)


GOOD = '{"if": [], "then": "a", "weight": 1, "coverage": null, "precision": null}'
INTERVAL = '{"kind": "interval", "feature": "x", "above": 1, "up_to": 2, "or_missing": false}'
MEMBERSHIP = '{"kind": "membership", "feature": "x", "values": ["a"], "negated": false, "or_missing": false}'


def with_condition(condition: str) -> str:
    return "[" + GOOD.replace("[]", f"[{condition}]") + "]"


def test_the_examples_to_be_damaged_are_good() -> None:
    assert len(RuleSet.from_json(f"[{GOOD}]")) == 1
    assert str(RuleSet.from_json(with_condition(INTERVAL))[0]) == "1 < x <= 2"
    assert str(RuleSet.from_json(with_condition(MEMBERSHIP))[0]) == "x is a"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "stops being JSON"),
        ("[", "stops being JSON at line 1"),
        ("{}", "expected a list of rules"),
        ("[1]", "rule 1.*'if' is missing"),
        (f"[{GOOD}, {{}}]", "rule 2.*'if' is missing"),
        ("[" + GOOD.replace('"weight": 1', '"weight": -1') + "]", "'weight' holds -1"),
        ("[" + GOOD.replace('"weight": 1', '"weight": true') + "]", "'weight' has the wrong type bool"),
        ("[" + GOOD.replace('"weight": 1', '"weight": "1"') + "]", "'weight' has the wrong type str"),
        ("[" + GOOD.replace('"weight": 1', '"weight": NaN') + "]", "finite numbers, but it holds NaN"),
        ("[" + GOOD.replace('"weight": 1', '"weight": -Infinity') + "]", "holds -Infinity"),
        ("[" + GOOD.replace('"weight": 1', '"weight": 1e999') + "]", "'weight' holds inf"),
        ("[" + GOOD.replace('"weight": 1', '"weight": 1e300') + "]", "'weight' holds 1e"),
        ("[" + GOOD.replace('"weight": 1', f'"weight": 1{"0" * 400}') + "]", r"'weight' holds 10+\.\.\."),
        ("[" + GOOD.replace('"weight": 1', f'"weight": 1{"0" * 5000}') + "]", "absurdly deep or long"),
        ("[" * 100_000, "absurdly deep or long"),
        ("[" + GOOD.replace('"then": "a"', '"then": null') + "]", "expected text, a number or true/false"),
        ("[" + GOOD.replace('"then": "a"', '"then": ["a"]') + "]", "expected text, a number or true/false"),
        ("[" + GOOD.replace('"then": "a", ', "") + "]", "'then' is missing"),
        ("[" + GOOD.replace('"coverage": null', '"coverage": 1.5') + "]", "a share lies between 0 and 1"),
        ("[" + GOOD.replace('"coverage": null', '"coverage": "much"') + "]", "'coverage' holds 'much'"),
        (with_condition("3"), "'kind' is missing"),
        (with_condition(INTERVAL.replace("interval", "python")), "unknown kind 'python'"),
        (with_condition(INTERVAL.replace('"above": 1', '"above": 2')), "no number lies in it"),
        (with_condition(INTERVAL.replace('"above": 1', '"above": "1"')), "'above' holds '1'"),
        (with_condition(INTERVAL.replace('"or_missing": false', '"or_missing": 0')), "'or_missing' has the wrong"),
        (with_condition(INTERVAL.replace('"x"', "null")), "'feature' has the wrong type NoneType"),
        (with_condition(INTERVAL + "," + MEMBERSHIP), "two conditions stand on one column"),
        (with_condition(MEMBERSHIP.replace('["a"]', "[]")), "nothing can satisfy it"),
        (with_condition(MEMBERSHIP.replace('["a"]', "[null]")), "found None"),
        (with_condition(MEMBERSHIP.replace('["a"]', '"abc"')), "'values' has the wrong type str"),
        (with_condition(MEMBERSHIP.replace('"negated": false, ', "")), "'negated' is missing"),
    ],
)  # fmt: skip
def test_damaged_json_is_refused_with_its_place(text: str, words: str) -> None:
    with pytest.raises(ModelFileError, match=words):
        RuleSet.from_json(text)
