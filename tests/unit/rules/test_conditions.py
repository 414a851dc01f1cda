"""Each condition against cells whose answer is plain to see, and against its own text."""

import math

import numpy as np
import pytest

from rugcore.rules import Condition, Interval, IsMissing, Membership

NUMBERS = np.array([-1.0, 2.0, 2.5, 3.0, math.nan])
VALUES = np.array(["car", "house", "boat", None], dtype=object)


@pytest.mark.parametrize(
    ("condition", "covered", "text"),
    [
        (Interval("x", upper=2.5), [1, 1, 1, 0, 0], "x <= 2.5"),
        (Interval("x", lower=2.0), [0, 0, 1, 1, 0], "x > 2"),
        (Interval("x", 2.0, 2.5), [0, 0, 1, 0, 0], "2 < x <= 2.5"),
        (Interval("x", 2.0, 2.5, or_missing=True), [0, 0, 1, 0, 1], "2 < x <= 2.5 or missing"),
        (Interval("x", lower=2.5, or_missing=True), [0, 0, 0, 1, 1], "x > 2.5 or missing"),
        (Interval("x"), [1, 1, 1, 1, 0], "x is known"),
        (IsMissing("x"), [0, 0, 0, 0, 1], "x is missing"),
    ],
)
def test_conditions_on_numbers(condition: Condition, covered: list[int], text: str) -> None:
    assert condition.covers(NUMBERS).tolist() == [bool(item) for item in covered]
    assert str(condition) == text


@pytest.mark.parametrize(
    ("condition", "covered", "text"),
    [
        (Membership("p", ("car",)), [1, 0, 0, 0], "p is car"),
        (Membership("p", ("car", "boat")), [1, 0, 1, 0], "p is car or boat"),
        (Membership("p", ("car",), negated=True), [0, 1, 1, 0], "p is not car"),
        (Membership("p", ("car",), or_missing=True), [1, 0, 0, 1], "p is car, or missing"),
        (Membership("p", ("car",), True, True), [0, 1, 1, 1], "p is not car, or missing"),
        (Membership("p", (), negated=True), [1, 1, 1, 0], "p is known"),
        (Membership("p", (), True, True), [1, 1, 1, 1], "p is known or missing"),
        (IsMissing("p"), [0, 0, 0, 1], "p is missing"),
        (Membership("p", ("missing",)), [0, 0, 0, 0], 'p is "missing"'),
    ],
)
def test_conditions_on_categories(condition: Condition, covered: list[int], text: str) -> None:
    assert condition.covers(VALUES).tolist() == [bool(item) for item in covered]
    assert str(condition) == text


def test_a_value_never_seen_before_is_not_one_of_those_listed() -> None:
    unseen = np.array(["spaceship"], dtype=object)
    assert not Membership("p", ("car", "boat")).covers(unseen)[0]
    assert Membership("p", ("car", "boat"), negated=True).covers(unseen)[0]


def test_a_name_that_could_be_misread_stands_in_quotes() -> None:
    assert str(Interval("debt <= income", upper=0.4)) == '"debt <= income" <= 0.4'
    assert str(Interval("this or that", 1, 2)) == '1 < "this or that" <= 2'
    assert str(IsMissing("a and b")) == '"a and b" is missing'
    assert str(Membership("is it", ("car",))) == '"is it" is car'
    assert str(Interval("debt ratio", upper=0.4)) == "debt ratio <= 0.4"


def test_conditions_are_values() -> None:
    assert Interval("x", 1.0, 2.0) == Interval("x", 1.0, 2.0)
    assert len({Interval("x"), Interval("x"), Membership("x", ("a",), True)}) == 2
