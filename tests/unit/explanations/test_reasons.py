"""Reasons in plain words: only such as are true, never with a threshold, never a sensitive column."""

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.reasons import count_true
from rugcore import FairRUGClassifier, InputError, ReasonFinder, RUGClassifier, attribute, load_demo, reasons_table
from rugcore.explanations import Confidence, ConfidenceFinder, who_fares_well
from rugcore.explanations.reasons import ColumnWording, Reasons, Wording, reasons, table
from rugcore.explanations.reasons.faring import NumbersFaring
from rugcore.explanations.reasons.giving import BALANCE, MANUAL_REVIEW, NO_RULE, NOBODY, NOTHING_TO_NAME
from rugcore.explanations.reasons.objections import PROTECTED_DECIDES
from rugcore.explanations.reasons.wording import check_template
from rugcore.rules import Interval, IsMissing, Membership, Rule, SpecialCode
from tests.rule_models import model_of
from tests.tables import mixed_outcome, mixed_table

NAN = float("nan")


def found(cells: dict[str, Any], people: dict[str, list[Any]], *rules: Rule, **settings: Any) -> Reasons:
    """The reasons for a row, compared with those of the people whom the rules grant it."""
    table = pd.DataFrame(people)
    row = pd.DataFrame([cells]).astype(table.dtypes)
    model = model_of(rules, pd.concat([table, row], ignore_index=True), share=(0.6, 0.4))
    return reasons(model, cells, "grant", background=table, **settings)


def texts(*args: Any, **settings: Any) -> list[str]:
    return [reason.text for reason in found(*args, **settings).reasons]


@pytest.mark.parametrize(
    ("condition", "value", "others", "text"),
    [
        (Interval("debt", lower=0.4), 0.7, [0.1], "debt is high"),
        (Interval("income", upper=20_000), 7_000.0, [50_000.0], "income is low"),
        (Interval("age", 25, 40), 30.0, [50.0], "age is low"),  # nobody below 25 was granted it
        (Interval("age", 25, 40), 30.0, [20.0], "age is high"),
        (Interval("age"), 30.0, [NAN], "age is known"),
        (Interval("age", lower=30), 40.0, [NAN], "age is known"),
        (Interval("age", lower=30, or_missing=True), NAN, [20.0], "age is not known"),
        (IsMissing("age"), NAN, [20.0], "age is not known"),
        (IsMissing("job"), None, ["cook"], "job is not known"),
        (Membership("job", ("nurse", "cook")), "cook", ["clerk"], 'job is "cook"'),
        (Membership("job", ("nurse",), negated=True), "cook", ["nurse"], 'job is "cook"'),
        (Membership("job", ("nurse",), or_missing=True), None, ["cook"], "job is not known"),
        (Membership("job", (), negated=True), "cook", [None], "job is known"),
        (Membership("employed", (False,)), False, [True], 'employed is "False"'),
    ],
)
def test_every_condition_in_words(condition: Any, value: Any, others: list[Any], text: str) -> None:
    kind = float if isinstance(others[0], float) else object
    people = {condition.feature: pd.Series(others, dtype=kind).tolist()}
    assert texts({condition.feature: value}, people, Rule((condition,), "refuse", 1.0)) == [text]


# A wage of 20 and a debt of 9 are what the applicant has; people who were granted it have more and less.
APPLICANT = {"wage": 20.0, "debt": 9.0, "age": 30.0}
PEOPLE = {"wage": [50.0, 60.0], "debt": [1.0, 2.0], "age": [50.0, 60.0]}
LOW_WAGE, HIGH_DEBT = Interval("wage", upper=30.0), Interval("debt", lower=5.0)
# Two columns stand in for each other: either alone is enough to be refused.
LOW_OR_HIGH = [
    Rule((LOW_WAGE, HIGH_DEBT), "refuse", 1.0),
    Rule((LOW_WAGE, Interval("debt", upper=5.0)), "refuse", 1.0),
    Rule((Interval("wage", lower=30.0), HIGH_DEBT), "refuse", 1.0),
]


def test_reasons_are_ranked_by_what_they_add() -> None:
    """Each rule is met by the applicant alone, so that its weight is shared evenly by its columns."""
    own = found(
        APPLICANT,
        PEOPLE,
        Rule((Interval("age", upper=40.0),), "refuse", 0.5),
        Rule((LOW_WAGE, HIGH_DEBT), "refuse", 0.8),
        Rule((Interval("debt", lower=7.0),), "refuse", 0.4),
        Rule((Interval("wage", upper=25.0),), "grant", 0.3),  # takes from what speaks against
    )
    assert [(r.text, r.weight) for r in own.reasons] == [
        ("debt is high", pytest.approx(0.8)),
        ("age is low", pytest.approx(0.5)),
        ("wage is low", pytest.approx(0.1)),
    ]
    assert sum(reason.share for reason in own.reasons) == pytest.approx(1.0)
    assert str(own) == "- debt is high\n- age is low\n- wage is low"


def test_a_column_that_speaks_for_the_applicant_on_balance_is_no_reason() -> None:
    together = Rule((LOW_WAGE, HIGH_DEBT), "refuse", 3.0)
    for_wage = Rule((Interval("wage", upper=25.0),), "grant", 1.6)
    assert texts(APPLICANT, PEOPLE, together, for_wage) == ["debt is high"]
    own = found(APPLICANT, PEOPLE, together, for_wage, sensitive=["debt"])
    assert (own.status, own.why) == ("manual review", f"{PROTECTED_DECIDES}.")


def test_a_column_that_alone_changes_nothing_is_no_reason() -> None:
    """A twin rule votes the same whatever the insurance: it was named before, and should not have been."""
    people = {"insured": ["yes", "no"], "debt": [1.0, 2.0]}
    twins = [Rule((HIGH_DEBT, Membership("insured", (own,))), "refuse", 1.0) for own in ("yes", "no")]
    assert texts({"insured": "no", "debt": 9.0}, people, *twins) == ["debt is high"]


def test_without_a_single_column_that_helps_a_person_decides() -> None:
    own = found(APPLICANT, PEOPLE, *LOW_OR_HIGH)
    assert (own.decision, own.status, own.reasons, own.why) == ("refuse", "manual review", (), NOTHING_TO_NAME)


def test_values_that_nobody_was_granted_it_with_do_not_count() -> None:
    """More of the wage would help, but only above what anybody had who was granted it."""
    rules = [Rule((Interval("wage", upper=100.0),), "refuse", 1.0), Rule((HIGH_DEBT,), "refuse", 1.0)]
    for_others = Rule((Interval("debt", upper=5.0),), "grant", 3.0)
    assert texts(APPLICANT, PEOPLE, *rules, for_others) == ["debt is high"]


def test_where_nobody_is_decided_favourably_nobody_is_compared_with() -> None:
    own = found(APPLICANT, PEOPLE, Rule((Interval("wage", upper=100.0),), "refuse", 1.0))
    assert (own.status, own.why) == ("manual review", NOBODY)


def test_a_tie_is_routed_to_a_person() -> None:
    both = [Rule((Interval("x", lower=0),), "grant", 1.0), Rule((Interval("y", lower=0),), "refuse", 1.0)]
    model = model_of(both, pd.DataFrame({"x": [1.0, 2.0], "y": [1.0, -2.0]}), share=(0.4, 0.6))
    own = reasons(model, {"x": 1.0, "y": 1.0}, "grant", background=pd.DataFrame({"x": [1.0], "y": [-1.0]}))
    assert (own.decision, own.status, own.reasons, own.why) == ("refuse", "manual review", (), BALANCE)
    assert str(own) == "needs manual review"


def test_an_uncovered_applicant_is_routed_to_a_person() -> None:
    rule = Rule((Interval("x", lower=0),), "grant", 1.0)
    model = model_of([rule], pd.DataFrame({"x": [1.0, -2.0]}), share=(0.4, 0.6))
    own = reasons(model, {"x": -1.0}, "grant", background=pd.DataFrame({"x": [1.0]}))
    assert (own.decision, own.status, own.why) == ("refuse", "manual review", NO_RULE)


def test_who_is_decided_favourably_for_want_of_rules_needs_a_person_too() -> None:
    """In a table to send letters from as on the card: the usual outcome is nobody's decision."""
    rules = [Rule((Interval("x", lower=0),), "refuse", 1.0), Rule((Interval("y", lower=0),), "grant", 1.0)]
    people = pd.DataFrame({"x": [-1.0, 1.0, -1.0], "y": [-1.0, 1.0, 1.0]})
    model = model_of(rules, people, share=(0.6, 0.4))
    uncovered, tied, by_a_rule = [reasons(model, people.iloc[row], "grant", background=people) for row in range(3)]
    assert [own.decision for own in (uncovered, tied, by_a_rule)] == ["grant"] * 3
    assert [own.status for own in (uncovered, tied, by_a_rule)] == ["manual review", "manual review", "favourable"]
    assert [own.why for own in (uncovered, tied, by_a_rule)] == [NO_RULE, BALANCE, ""]
    told = reasons_table(model, people, "grant", background=people, only_unfavourable=False)
    assert told["status"].tolist() == ["manual review", "manual review", "favourable"]
    assert told["remarks"].tolist() == [NO_RULE[:-1], BALANCE[:-1], ""]
    assert told["reason 1"].tolist() == [MANUAL_REVIEW, MANUAL_REVIEW, ""]


def test_a_table_says_of_everybody_why_a_person_has_to_look() -> None:
    rules = [Rule((Interval("x", lower=0),), "refuse", 1.0), Rule((Interval("x", lower=5),), "grant", 2.0)]
    people = pd.DataFrame({"x": [-1.0, 1.0, 9.0]})
    told = reasons_table(model_of(rules, people, share=(0.4, 0.6)), people, "grant", background=people[2:])
    assert told["remarks"].tolist() == [NO_RULE[:-1], ""]
    nobody = reasons_table(model_of(rules[:1], people, share=(0.4, 0.6)), people[1:2], "grant", background=people[1:2])
    assert nobody["remarks"].tolist() == [NOBODY[:-1]]
    table, row = pd.DataFrame(PEOPLE), pd.DataFrame([APPLICANT])
    model = model_of(LOW_OR_HIGH, pd.concat([table, row]), share=(0.6, 0.4))
    stand_in = reasons_table(model, row, "grant", background=table)
    assert stand_in["remarks"].tolist() == [NOTHING_TO_NAME[:-1]]


def test_no_more_than_four() -> None:
    cells = {f"c{number}": 1.0 for number in range(6)}
    people = {name: [-1.0] for name in cells}
    rules = [Rule((Interval(name, lower=0),), "refuse", 1.0 + n) for n, name in enumerate(cells)]
    assert texts(cells, people, *rules) == ["c5 is high", "c4 is high", "c3 is high", "c2 is high"]
    assert len(texts(cells, people, *rules, most=2)) == 2


def test_a_trifle_is_no_main_reason() -> None:
    weights = {"wage": 2.0, "debt": 0.11, "age": 0.09}
    rules = [
        Rule((LOW_WAGE,), "refuse", weights["wage"]),
        Rule((HIGH_DEBT,), "refuse", weights["debt"]),
        Rule((Interval("age", upper=40.0),), "refuse", weights["age"]),
    ]
    assert texts(APPLICANT, PEOPLE, *rules) == ["wage is low", "debt is high"]
    assert texts(APPLICANT, PEOPLE, *rules, sensitive=["wage"]) == []  # which is not what decided


def test_what_says_yes_or_no_is_neither_high_nor_low() -> None:
    rules = [Rule((Interval("owner", upper=0.0),), "refuse", 2.0), Rule((Interval("rooms", upper=1.0),), "refuse", 1.0)]
    people = {"owner": [0.0, 1.0, 1.0], "rooms": [1.0, 2.0, 3.0]}
    assert texts({"owner": 0.0, "rooms": 1.0}, people, *rules) == ["owner is 0", "rooms are low"]
    own = Wording({"owner": ColumnWording(low="no house of your own")})
    assert texts({"owner": 0.0, "rooms": 1.0}, people, *rules, wording=own)[0] == "no house of your own"


def test_what_nobody_could_sign_goes_to_a_person() -> None:
    rich = Rule((Interval("wage", lower=40.0),), "refuse", 2.0)
    rules, people = (rich, Rule((HIGH_DEBT,), "refuse", 1.0)), {"wage": [10.0, 20.0], "debt": [0.0, 0.0]}
    cells = {"wage": 60.0, "debt": 9.0}
    assert texts(cells, people, *rules) == ["wage is high", "debt is high"]
    own = found(cells, people, *rules, directions={"wage": 1, "debt": -1})
    assert (own.status, own.reasons, [reason.text for reason in own.doubtful]) == (
        "manual review",
        (),
        ["wage is high"],
    )
    assert own.why.startswith("“wage is high” is true of the model, but more of it is expected to help")
    assert texts(cells, people, *rules, directions={"wage": -1}) == ["wage is high", "debt is high"]
    with pytest.raises(InputError, match="1, -1 or 0"):
        found(cells, people, *rules, directions={"wage": 2})


def test_a_code_that_nobody_explained_goes_to_a_person() -> None:
    people = pd.DataFrame({"months": [30.0, 40.0, 50.0, -9.0]})
    outcome = ["grant", "grant", "grant", "refuse"]
    for meaning, status in (("code -9", "manual review"), ("no such record", "reasons")):
        model = RUGClassifier(special_values={"months": {-9: meaning}}, min_support=1, penalty=0.1)
        model.fit(pd.concat([people] * 20, ignore_index=True), outcome * 20)
        own = reasons(model, {"months": -9.0}, "grant")
        assert own.status == status
        assert reasons_table(model, people, "grant")["status"].tolist() == [status]
    assert [reason.text for reason in own.reasons] == ['months: "no such record"']


@pytest.mark.parametrize(
    ("balance", "status"),
    [
        *(
            (praise, "manual review")
            for praise in ("Best", "existing credits paid back duly till now", "no late payments", "Source Verified")
        ),
        *((other, "reasons") for other in ("Bad", "delay in paying off in the past", "no checking account", "no")),
        *(("skilled employee", "manual review"), ("unskilled", "reasons")),
        *((other, "reasons") for other in ("Not Verified", "not qualified")),
    ],
)
def test_praise_is_no_reason(balance: str, status: str) -> None:
    rule = Rule((Membership("balance", (balance,)),), "refuse", 1.0)
    own = found({"balance": balance}, {"balance": ["Fair"]}, rule)
    assert own.status == status
    assert ("sounds like praise" in own.why) == (status == "manual review")


def test_where_both_ways_would_help_the_words_point_to_the_one_that_should() -> None:
    middle = Rule((Interval("wage", lower=20.0, upper=40.0),), "refuse", 1.0)
    people = {"wage": [10.0, 50.0, 60.0]}
    nobody_said = found({"wage": 30.0}, people, middle)
    assert (nobody_said.status, nobody_said.left_out) == ("manual review", ("wage",))
    assert "nobody has said which numbers are better" in nobody_said.why
    own_words = Wording({"wage": ColumnWording(middle="{column} does not fit the job")})
    assert texts({"wage": 30.0}, people, middle, wording=own_words) == ["wage does not fit the job"]
    assert texts({"wage": 30.0}, people, middle, directions={"wage": 1}) == ["wage is low"]
    assert texts({"wage": 30.0}, people, middle, directions={"wage": -1}) == ["wage is high for this application"]


@pytest.mark.parametrize(
    ("order", "status"),
    [
        (("Bad", "Fair", "Best"), "reasons"),
        (("Best", "Fair", "Bad"), "manual review"),
        (("Best", "Bad"), "manual review"),  # no rule tells "Best" from what would help, and it is worse here
    ],
)
def test_a_category_is_a_reason_if_a_better_one_would_help(order: tuple[str, ...], status: str) -> None:
    rule = Rule((Membership("balance", ("Bad",)),), "refuse", 1.0)
    own = found({"balance": "Bad"}, {"balance": ["Fair", "Fair"]}, rule, directions={"balance": order})
    assert own.status == status
    assert [reason.text for reason in (*own.reasons, *own.doubtful)] == ['balance is "Bad"']


def test_a_favourable_decision_needs_no_reasons() -> None:
    own = found({"x": 1.0}, {"x": [1.0]}, Rule((Interval("x", lower=0),), "grant", 1.0))
    assert (own.status, own.reasons, str(own)) == ("favourable", (), "")


def test_a_sensitive_column_is_never_named() -> None:
    rule = Rule((LOW_WAGE, Membership("sex", ("f",))), "refuse", 1.0)
    people = {"wage": [50.0], "sex": ["m"]}
    assert texts({"wage": 1.0, "sex": "f"}, people, rule, sensitive=["sex"]) == ["wage is low"]
    alone = Rule((Membership("sex", ("f",)),), "refuse", 1.0)
    assert found({"sex": "f"}, {"sex": ["m"]}, alone, sensitive=["sex"]).status == "manual review"


@pytest.mark.parametrize(("weight", "status"), [(0.9, "reasons"), (1.1, "manual review")])
def test_a_letter_that_hides_the_main_reason_is_not_sent(weight: float, status: str) -> None:
    """Neither where it is protected, nor where lower and higher numbers would both help."""
    wage = Rule((LOW_WAGE,), "refuse", 1.0)
    by_age = Rule((Interval("age", upper=40.0),), "refuse", weight)
    hidden = found(APPLICANT, PEOPLE, wage, by_age, sensitive=["age"])
    assert (hidden.status, [reason.text for reason in hidden.reasons]) == (
        (status, ["wage is low"]) if status == "reasons" else (status, [])
    )
    assert "age" not in str(hidden.why)
    in_between = Rule((Interval("debt", lower=5.0, upper=10.0),), "refuse", weight)
    both_ways = found(APPLICANT, PEOPLE | {"debt": [1.0, 20.0]}, wage, in_between)
    assert (both_ways.status, both_ways.left_out) == (status, ("debt",))


def test_many_small_protected_columns_hide_the_reason_too() -> None:
    rules = [
        Rule((LOW_WAGE,), "refuse", 1.0),
        Rule((Interval("age", upper=40.0),), "refuse", 0.9),
        Rule((HIGH_DEBT,), "refuse", 0.9),
    ]
    assert found(APPLICANT, PEOPLE, *rules, sensitive=["age", "debt"]).status == "manual review"
    assert found(APPLICANT, PEOPLE, *rules, sensitive=["age"]).status == "reasons"


def test_what_most_of_the_favoured_have_too_is_high_for_this_application_only() -> None:
    rule = Rule((HIGH_DEBT, LOW_WAGE), "refuse", 1.0)
    people = {"wage": [50.0, 60.0, 20.0], "debt": [9.0, 9.0, 1.0]}
    assert texts({"wage": 20.0, "debt": 9.0}, people, rule) == ["wage is low", "debt is high for this application"]
    own_words = Wording({"debt": ColumnWording(high="too much debt")})
    assert "too much debt" in texts({"wage": 20.0, "debt": 9.0}, people, rule, wording=own_words)


def test_codes_among_categories_are_not_for_a_letter_until_they_are_explained() -> None:
    """'purpose is "A46"' tells nobody anything; a grade does, and so does what a person has put into words."""
    rule = Rule((Membership("purpose", ("A46", "A49")),), "refuse", 1.0)
    own = found({"purpose": "A46"}, {"purpose": ["A40"]}, rule)
    assert (own.status, own.why) == (
        "manual review",
        '“purpose is "A46"” names a code, and nobody has said what it means.',
    )
    explained = Wording({"purpose": ColumnWording(values={"A46": "it was for education"})})
    assert texts({"purpose": "A46"}, {"purpose": ["A40"]}, rule, wording=explained) == ["it was for education"]
    for name, named, value in (("sub_grade", ("C4", "C5"), "C5"), ("customer", ("B2B", "retail"), "B2B")):
        one = Rule((Membership(name, named),), "refuse", 1.0)
        assert texts({name: value}, {name: ["other"]}, one) == [f'{name} is "{value}"']


def test_an_amount_is_not_named_where_only_a_code_would_help() -> None:
    """'burden is "61"' was a reason; whoever has no accounts at all (-8) was approved."""
    codes = (SpecialCode(-8.0, "no accounts"),)
    few = Interval("burden", upper=30.0, specials=codes, or_special=(-8.0,))
    many = Interval("burden", lower=30.0, specials=codes)
    rules = [Rule((many,), "refuse", 1.0), Rule((HIGH_DEBT,), "refuse", 2.0), Rule((few,), "grant", 0.5)]
    people, cells = pd.DataFrame({"burden": [-8.0, -8.0], "debt": [1.0, 2.0]}), {"burden": 61.0, "debt": 9.0}
    model = model_of(rules, people, share=(0.6, 0.4))
    model.schema_ = replace(model.schema_, specials={"burden": codes})
    model._prepare()
    harms = {"burden": -1}
    own = reasons(model, cells, "grant", background=people, directions=harms)
    assert ([reason.text for reason in own.reasons], own.left_out) == (["debt is high"], ("burden",))
    worded = Wording({"burden": ColumnWording(value="you have accounts")})
    told = reasons(model, cells, "grant", background=people, directions=harms, wording=worded)
    assert [reason.text for reason in told.reasons] == ["debt is high", "you have accounts"]


def test_zero_is_named_where_it_is_the_only_limit() -> None:
    """Without rows that show that there is nothing but 0 and 1."""
    rules = [Rule((Interval(name, upper=0.0),), "refuse", 1.0) for name in ("guideline", "notices")]
    people = {"guideline": [1.0, 2.0, 666.0], "notices": [3.0, 4.0, 5.0]}
    assert texts({"guideline": 0.0, "notices": 0.0}, people, *rules) == ["guideline is 0", "notices: 0"]
    assert texts({"guideline": -2.0, "notices": 5.0}, people, *rules) == ["guideline is low"]
    another = Rule((Interval("guideline", upper=1.0),), "refuse", 0.1)
    assert texts({"guideline": 0.0, "notices": 5.0}, people, *rules, another) == ["guideline is low"]


def test_answers_stay_answers_though_somebody_wrote_a_code_among_them() -> None:
    rule = Rule((Interval("verified", upper=0.5),), "refuse", 1.0)
    people = {"verified": [1.0] * 90 + [0.0] * 9 + [666.0]}
    assert texts({"verified": 0.0}, people, rule) == ["verified is 0"]
    assert texts({"verified": 0.0}, {"verified": [1.0] * 9 + [0.0] * 8 + [2.0, 3.0]}, rule) == ["verified is low"]


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("assets", "assets are high"),
        ("credit inquiries in 6 months", "credit inquiries in 6 months are high"),
        ("loan term in months", "loan term in months is high"),
        ("payments to income ratio", "payments to income ratio is high"),
        ("YearsAtCompany", "YearsAtCompany are high"),
        ("accounts_opened_24m", "accounts_opened_24m are high"),
        ("PercentInstallTrades", "PercentInstallTrades is high"),
        ("num_open_accounts", "num_open_accounts is high"),
        ("cv gap mths", "cv gap mths is high"),
        ("loss", "loss is high"),
        ("price of goods", "price of goods is high"),
        ("收入", "收入 is high"),
    ],
)
def test_reasons_are_said_of_one_and_of_several(column: str, text: str) -> None:
    assert Wording().text(column, "high") == text
    several = " are " in text
    assert Wording().text(column, "value", "yes") == (f'{column}: "yes"' if several else f'{column} is "yes"')


def test_a_refusal_that_is_mostly_wrong_is_for_a_person() -> None:
    rule = Rule((LOW_WAGE,), "refuse", 1.0)
    wrong, even = Confidence(0.6, 80, 30, 0.28, 0.48), Confidence(0.6, 8, 3, 0.14, 0.69)
    own = found(APPLICANT, PEOPLE, rule, sure=wrong)
    assert (own.status, own.reasons, [reason.text for reason in own.doubtful]) == ("manual review", (), ["wage is low"])
    assert own.why == (
        "Of 80 test people decided alike only 30 turned out so (38 %): the model is wrong about most of them."
    )
    assert found(APPLICANT, PEOPLE, rule, sure=even).status == "reasons"  # which few people cannot tell


def test_a_refusal_that_its_own_chances_do_not_bear_out_is_for_a_person() -> None:
    rule, even = Rule((LOW_WAGE,), "refuse", 1.0), Confidence(0.5003, 17, 6, 0.17, 0.59, is_even=True)
    own = found(APPLICANT, PEOPLE, rule, sure=even)
    assert (own.status, own.reasons, [reason.text for reason in own.doubtful]) == ("manual review", (), ["wage is low"])
    assert own.why.endswith("makes the other outcome as likely.")
    model = model_of([rule], pd.DataFrame(PEOPLE))
    told = reasons_table(model, pd.DataFrame([APPLICANT]), "grant", background=pd.DataFrame(PEOPLE), sure=[even])
    assert told[["status", "remarks"]].iloc[0].tolist() == ["manual review", own.why.rstrip(".")]


def test_a_category_whose_people_fare_no_worse_is_for_a_person() -> None:
    table = pd.DataFrame({"housing": ["own"] * 10 + ["rent"] * 10 + ["other"] * 2, "wage": range(22)})
    outcome = ["grant"] * 8 + ["refuse"] * 2 + ["grant"] * 3 + ["refuse"] * 7 + ["grant"] * 2
    well = who_fares_well(table, outcome, "grant")
    assert well["housing"] == frozenset({"own"})  # two people tell nothing
    for housing, status in (("own", "manual review"), ("rent", "reasons")):
        rule = Rule((Membership("housing", (housing,)),), "refuse", 1.0)
        own = found({"housing": housing}, {"housing": ["other"]}, rule, faring_well=well)
        assert own.status == status
        assert ("fare no worse" in own.why) == (status == "manual review")


def people_with_lines(n_good_with_few: int) -> tuple[pd.DataFrame, list[str]]:
    """Ten people with few lines and ten with many, half of whom were granted it."""
    few = ["grant"] * n_good_with_few + ["refuse"] * (10 - n_good_with_few)
    frame = pd.DataFrame({"lines": [1.0] * 10 + [9.0] * 10 + [-9.0] * 6, "debt": 0.1})
    return frame, few + ["grant", "refuse"] * 5 + ["refuse"] * 6


@pytest.mark.parametrize(("n_good_with_few", "is_told"), [(2, True), (5, False), (9, False)])
def test_a_number_whose_people_fare_no_worse_is_not_told(n_good_with_few: int, is_told: bool) -> None:
    """It is no main reason here: the letter goes without it, and whoever signs it is told."""
    frame, outcome = people_with_lines(n_good_with_few)
    well = who_fares_well(frame, outcome, "grant", special_values={"lines": [-9.0]})
    few_lines = Rule((Interval("lines", upper=2.0),), "refuse", 0.5)
    rules = (few_lines, Rule((Interval("debt", lower=0.4),), "refuse", 1.0))
    cells, people = {"lines": 1.0, "debt": 0.7}, {"lines": [9.0], "debt": [0.1]}
    own = found(cells, people, *rules, faring_well=well)
    assert own.status == "reasons"
    assert ("lines are low" in [reason.text for reason in own.reasons]) == is_told
    assert own.left_out == (() if is_told else ("lines",))
    # Whoever says what more of it should do, or puts it into words, knows better than the rows.
    assert not found(cells, people, *rules, faring_well=well, directions={"lines": 1}).left_out
    worded = Wording({"lines": ColumnWording(low="too few lines")})
    assert "too few lines" in texts(cells, people, *rules, faring_well=well, wording=worded)
    alone = found(cells | {"debt": 0.1}, people, few_lines, faring_well=well)
    assert alone.status == ("reasons" if is_told else "manual review")
    assert is_told or "“lines”" in alone.why


def test_half_a_point_is_no_worse_unless_it_is_no_chance() -> None:
    """ "hexp is low" was told, and 69.5 % of the people with as little were approved, 70 % of all."""
    ends = np.array([1.0, 2.0])
    few = NumbersFaring(ends, ends, np.array([500, 500]), np.array([398, 402]), 0.8)
    many = NumbersFaring(ends, ends, np.array([50_000, 50_000]), np.array([39_750, 40_250]), 0.8)
    assert few.is_well("low", ends[:1]).all()
    assert not many.is_well("low", ends[:1]).any()


def test_of_whoever_has_least_of_all_the_next_ones_are_asked_too() -> None:
    """Of two people nobody can tell anything, and so they were told that it is low."""
    spent, is_good = np.arange(100.0), np.arange(100) % 5 > 0
    assert NumbersFaring.of(spent, is_good | (spent < 5), ()).is_well("low", np.array([0.0, 1.0])).all()
    assert not NumbersFaring.of(spent, is_good & (spent >= 5), ()).is_well("low", np.array([0.0, 1.0])).any()
    assert NumbersFaring.of(spent, is_good | (spent > 94), ()).is_well("high", np.array([99.0, 98.0])).all()
    assert not NumbersFaring.of(spent, is_good & (spent < 95), ()).is_well("high", np.array([99.0, 98.0])).any()
    alone = NumbersFaring.of(np.array([0.0, *[9.0] * 50]), np.ones(51, dtype=bool), ())
    assert not alone.is_well("low", np.array([0.0])).any()  # the next ones have quite another number


def test_no_letter_goes_out_that_the_model_itself_does_not_bear_out() -> None:
    """Also where nobody was held out to ask, as on the command line."""
    demo = load_demo("hmda")
    X = demo.X.drop(columns=list(demo.sensitive_options))
    fair = RUGClassifier(max_depth=3, penalty=3.0, solver="highs").fit(X, demo.y)
    chances = fair.predict_proba(X)[np.arange(len(X)), fair.decisions(X).class_code]
    told = reasons_table(fair, X, demo.favourable, only_unfavourable=False)
    is_refused = told["decision"].to_numpy() != demo.favourable
    doubtful = np.flatnonzero(is_refused & (chances < 0.501))
    assert len(doubtful) > 5
    assert set(told["status"].iloc[doubtful]) == {"manual review"}
    assert (told["status"].to_numpy() == "reasons").any()
    for row in doubtful[:3].tolist():
        own = reasons(fair, X.iloc[row], demo.favourable)
        assert own.status == "manual review"
        assert "as likely" in own.why


# --- On a trained model -----------------------------------------------------------------------------------------

TABLE = mixed_table(200)
OUTCOME = mixed_outcome(TABLE)
SENSITIVE = {"region", "employed"}


@pytest.fixture(scope="module")
def model() -> RUGClassifier:
    return RUGClassifier(max_iter=5, penalty=0.2).fit(TABLE, OUTCOME)


def test_reasons_are_what_is_promised(model: RUGClassifier) -> None:
    """Their weights are Shapley values; they name one column each, no threshold, and nothing sensitive."""
    granted = TABLE[model.predict(TABLE) == "grant"]
    against = {
        label: attribute(model, TABLE, granted, towards=label) - attribute(model, TABLE, granted, towards="grant")
        for label in model.classes_
    }
    finder, n_given = ReasonFinder(model, "grant"), 0
    for row in range(len(TABLE)):
        explanation, own = model.explain(TABLE.iloc[row]), finder.find(TABLE.iloc[row], sensitive=SENSITIVE)
        n_given += len(own.reasons)
        assert own.decision == explanation.decision
        assert (own.status == "favourable") == (explanation.decision == "grant")
        if explanation.decision != "grant" and (explanation.is_tie or explanation.is_uncovered):
            assert own.status == "manual review"
        assert not {reason.column for reason in own.reasons} & SENSITIVE
        assert len({reason.column for reason in own.reasons}) == len(own.reasons) <= 4
        for reason in own.reasons:
            score = against[own.decision][reason.column].iloc[row]
            assert reason.weight == pytest.approx(score * 2 / 3)  # a vote moves two scores apart by 1 + 1 / (3 - 1)
            others = set(TABLE.columns) - {reason.column}
            assert not any(re.search(rf"\b{name}\b", reason.text) for name in others)
            if reason.finding != "value":
                assert not re.search(r"\d", reason.text)  # no threshold
    assert n_given > 30


def test_all_of_them_are_true(model: RUGClassifier) -> None:
    finder = ReasonFinder(model, "grant")
    told = [(row, reason) for row in range(len(TABLE)) for reason in finder.find(TABLE.iloc[row]).reasons]
    assert len(told) > 50
    assert count_true(model, TABLE, TABLE, told, "grant") == len(told)


def test_the_table_says_the_same_as_one_by_one(model: RUGClassifier) -> None:
    frame = reasons_table(model, TABLE, "grant", sensitive=SENSITIVE, only_unfavourable=False)
    finder = ReasonFinder(model, "grant")
    assert frame["applicant"].tolist() == list(range(len(TABLE)))
    for line in frame.itertuples(index=False):
        own = finder.find(TABLE.iloc[line.applicant], sensitive=SENSITIVE)
        assert (line.decision, line.status) == (own.decision, own.status)
        expected = ["needs manual review"] if line.status == "manual review" else [r.text for r in own.reasons]
        assert [text for text in line[3:-1] if text] == expected
        assert (own.why.removesuffix(".") if line.status == "manual review" and line.remarks else "") in line.remarks


def test_a_letter_about_an_uncertain_decision_is_marked_as_such(model: RUGClassifier) -> None:
    """As the card of the applicant says it: whoever makes letters from the table sees no card."""
    rejected = TABLE[model.predict(TABLE) != "grant"]
    plain = reasons_table(model, rejected, "grant")
    calm = plain["status"] == "reasons"
    for sure, said in (
        (
            Confidence(0.7, 21, 10, 0.28, 0.68),
            "uncertain: the model is 70 % sure; of 21 test people decided alike, 10 ",
        ),
        (Confidence(0.55, 0, 0, 0.0, 1.0), "uncertain: the model is 55 % sure"),
        (Confidence(0.8, 90, 80, 0.81, 0.94), ""),
    ):
        frame = reasons_table(model, rejected, "grant", sure=[sure] * len(rejected))
        assert frame["status"][calm].eq("reasons").all()
        assert frame["remarks"][calm].str.contains("uncertain: ").all() == bool(said)
        assert frame["remarks"][calm].str.contains(said, regex=False).all()
    assert calm.sum() > 10


def test_a_favourable_decision_that_is_uncertain_is_marked_too(model: RUGClassifier) -> None:
    granted = TABLE[model.predict(TABLE) == "grant"]
    wrong = Confidence(0.5, 157, 42, 0.20, 0.34, is_even=True)
    frame = reasons_table(model, granted, "grant", sure=[wrong] * len(granted), only_unfavourable=False)
    by_rules = frame["status"] == "favourable"
    said = "uncertain: the model is at best 50 % sure; of 157 test people decided alike, 42 turned out so (27 %)"
    assert by_rules.any()
    assert frame["remarks"][by_rules].eq(said).all()
    assert frame["reason 1"][by_rules].eq("").all()


def test_the_table_knows_whom_the_model_is_mostly_wrong_about(model: RUGClassifier) -> None:
    rejected = TABLE[model.predict(TABLE) != "grant"]
    finder = ConfidenceFinder(model, TABLE, ["grant"] * len(TABLE))  # so that every refusal is wrong
    sure = finder.find_many(rejected)
    assert sure == [finder.find(rejected.iloc[row]) for row in range(len(rejected))]
    frame = reasons_table(model, rejected, "grant", sure=sure)
    before = reasons_table(model, rejected, "grant")
    is_told = (before["status"] == "reasons").to_numpy() & np.array([own.upper < 0.5 for own in sure])
    assert is_told.sum() > 10
    assert (frame["status"][is_told] == "manual review").all()
    assert frame["remarks"][is_told].str.contains("wrong about most of them").all()
    assert frame[~is_told].equals(before[~is_told])


def test_the_table_is_made_in_parts(model: RUGClassifier, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = reasons_table(model, TABLE, "grant")
    monkeypatch.setattr(table, "ROWS_AT_ONCE", 7)
    assert reasons_table(model, TABLE, "grant").equals(whole)


def test_a_value_without_letters_is_a_reason_all_the_same() -> None:
    X = pd.DataFrame({"job": ["", "cook"] * 40})
    model = RUGClassifier(max_iter=3, penalty=0.01).fit(X, np.where(X["job"] == "", "refuse", "grant"))
    wording = Wording({"job": ColumnWording(value="{value}", known="{value}")})
    frame = reasons_table(model, X, "grant", wording=wording)
    by_one = [reasons(model, X.iloc[row], "grant", wording=wording).status for row in frame["applicant"]]
    assert frame["status"].tolist() == by_one
    assert set(by_one) == {"reasons"}


def test_the_table_lists_the_rejected_under_their_own_ids(model: RUGClassifier) -> None:
    ids = [f"A-{row}" for row in range(len(TABLE))]
    frame = reasons_table(model, TABLE, "grant", ids=pd.Series(ids, index=range(1000, 1200)))
    is_rejected = model.predict(TABLE) != "grant"
    assert frame["applicant"].tolist() == [name for name, own in zip(ids, is_rejected, strict=True) if own]
    assert list(frame.columns) == [
        "applicant",
        "decision",
        "status",
        "reason 1",
        "reason 2",
        "reason 3",
        "reason 4",
        "remarks",
    ]
    assert frame.map(lambda cell: isinstance(cell, str)).all(axis=None)


def test_what_makes_no_sense_is_refused(model: RUGClassifier) -> None:
    with pytest.raises(InputError, match="positive_class"):
        reasons_table(model, TABLE, "perhaps")
    with pytest.raises(InputError, match="positive_class"):
        reasons(model, TABLE.iloc[0], "perhaps")
    with pytest.raises(InputError, match="ids"):
        reasons_table(model, TABLE, "grant", ids=["one"])
    with pytest.raises(InputError, match="at least one reason"):
        reasons_table(model, TABLE, "grant", most=0)
    with pytest.raises(InputError, match="at least one reason"):
        reasons(model, TABLE.iloc[0], "grant", most=0)


# --- Whom to compare with ---------------------------------------------------------------------------------------


def test_the_model_knows_its_training_rows(model: RUGClassifier) -> None:
    expected = reasons_table(model, TABLE, "grant", background=TABLE)
    pd.testing.assert_frame_equal(reasons_table(model, TABLE, "grant"), expected)


def test_after_a_refit_the_new_model_s_own_people_are_compared_with(model: RUGClassifier) -> None:
    for other in (model.refit(penalty=2.0), model.refit(without=model.rules_[:3])):
        assert other.rules_ != model.rules_
        expected = reasons_table(other, TABLE, "grant", background=TABLE)
        pd.testing.assert_frame_equal(reasons_table(other, TABLE, "grant"), expected)
    pd.testing.assert_frame_equal(
        reasons_table(model, TABLE, "grant"), reasons_table(model, TABLE, "grant", background=TABLE)
    )


def test_a_table_that_changes_afterwards_changes_nothing() -> None:
    X = TABLE.copy()
    model = RUGClassifier(max_iter=3, penalty=0.5).fit(X, OUTCOME)
    expected = reasons_table(model, TABLE, "grant", background=TABLE)
    X["income"] = 0.0
    pd.testing.assert_frame_equal(reasons_table(model, TABLE, "grant"), expected)


def test_weights_count_and_rows_without_any_do_not() -> None:
    """A row of weight 2 is two rows, and one of weight 0 is none."""
    weight = np.random.default_rng(0).integers(0, 3, len(TABLE))
    weighted = RUGClassifier(max_iter=2, penalty=0.5).fit(TABLE, OUTCOME, sample_weight=weight)
    repeated = TABLE.iloc[np.repeat(np.arange(len(TABLE)), weight)]
    expected = reasons_table(weighted, TABLE, "grant", background=repeated)
    pd.testing.assert_frame_equal(reasons_table(weighted, TABLE, "grant"), expected)


def test_a_fair_model_knows_its_training_rows_too() -> None:
    fair = FairRUGClassifier(epsilon=0.5, max_iter=2, min_cell_size=5, penalty=0.5)
    fair.fit(TABLE, OUTCOME, sensitive_features=TABLE["region"])
    expected = reasons_table(fair, TABLE, "grant", background=TABLE)
    pd.testing.assert_frame_equal(reasons_table(fair, TABLE, "grant"), expected)
    other = fair.refit(penalty=1.0)
    pd.testing.assert_frame_equal(
        reasons_table(other, TABLE, "grant"), reasons_table(other, TABLE, "grant", background=TABLE)
    )


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
