"""When two rules are one rule: held against sets of people, counted one by one."""

import numpy as np
import pytest
from scipy import sparse

from rugcore import Rule
from rugcore.rules import Interval, IsMissing, Membership
from rugcore.selection.likeness import ALIKE, direction, jaccard, likeness


def test_jaccard_is_what_sets_say() -> None:
    rng = np.random.default_rng(0)
    own, other = rng.random((60, 5)) < 0.4, rng.random((60, 7)) < 0.3
    own[:, 2] = other[:, 3] = False  # rules that cover nobody
    weight = rng.integers(1, 4, 60).astype(float)
    found = jaccard(sparse.csr_array(own), sparse.csr_array(other), weight)
    for line in range(5):
        for column in range(7):
            first, second = set(np.flatnonzero(own[:, line])), set(np.flatnonzero(other[:, column]))
            both, either = (sum(weight[row] for row in rows) for rows in (first & second, first | second))
            assert found[line, column] == pytest.approx(both / either if either else 0.0)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Interval("a", upper=3.0), "below"),
        (Interval("a", upper=3.0, or_missing=True), "below"),
        (Interval("a", lower=3.0), "above"),
        (Interval("a", 1.0, 3.0), "between"),
        (Interval("a"), "known"),
        (Membership("a", ("x",)), "values"),
        (Membership("a", ("x",), negated=True), "values"),
        (Membership("a", (), negated=True), "known"),
        (IsMissing("a"), "missing"),
    ],
)
def test_every_condition_has_a_direction(condition: object, expected: str) -> None:
    assert direction(condition) == expected


def alike(first: Rule, second: Rule, n_common: int, n_alone: int) -> tuple[bool, bool]:
    """Whether the second is the first come back, and word for word, if they share some people and not others."""
    own = np.ones((n_common + n_alone, 1), dtype=bool)
    other = own.copy()
    other[n_common:] = False
    weight = np.ones(len(own))
    found = likeness([first], sparse.csr_array(own), [second], sparse.csr_array(other), weight)
    return bool(found.is_match[0, 0]), bool(found.is_exact[0, 0])


LOW = Rule((Interval("income", upper=40.0), IsMissing("job")), "no", 1.0)
MOVED = Rule((IsMissing("job"), Interval("income", upper=41.0)), "no", 2.0)  # in another order as well


def test_a_threshold_may_move_as_long_as_the_people_stay() -> None:
    assert pytest.approx(0.8) == ALIKE
    assert alike(LOW, MOVED, 8, 2) == (True, False)
    assert alike(LOW, MOVED, 79, 21) == (False, False)


def test_the_same_words_are_the_same_rule_even_where_nobody_is_covered() -> None:
    turned = Rule(LOW.conditions[::-1], "no", 5.0)
    nobody = sparse.csr_array(np.zeros((4, 1), dtype=bool))
    found = likeness([LOW], nobody, [turned], nobody, np.ones(4))
    assert found.is_exact.all()
    assert found.is_match.all()
    assert found.overlap[0, 0] == 1


@pytest.mark.parametrize(
    "other",
    [
        Rule(LOW.conditions, "yes", 1.0),
        Rule((Interval("income", lower=40.0), IsMissing("job")), "no", 1.0),
        Rule((Interval("income", 10.0, 40.0), IsMissing("job")), "no", 1.0),
        Rule((Interval("income", upper=40.0),), "no", 1.0),
        Rule((Interval("income", upper=40.0), IsMissing("house")), "no", 1.0),
    ],
    ids=["class", "direction", "both sides", "fewer columns", "other column"],
)
def test_another_class_column_or_direction_is_another_rule(other: Rule) -> None:
    assert alike(LOW, other, 10, 0) == (False, False)


def test_listed_and_excluded_values_can_be_the_same_people() -> None:
    is_car = Rule((Membership("purpose", ("car",)),), "no", 1.0)
    is_no_house = Rule((Membership("purpose", ("house", "boat"), negated=True),), "no", 1.0)
    assert alike(is_car, is_no_house, 10, 0) == (True, False)
