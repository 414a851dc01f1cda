"""All rules at once against each condition on its own."""

import math

import numpy as np
import pandas as pd
import pytest

from rugcore.errors import InputError
from rugcore.rules import Condition, Interval, IsMissing, Membership, Rule
from rugcore.tables.columns import MOST_NAMED_VALUES
from rugcore.tables.matching import RuleMatcher
from rugcore.tables.schema import Schema
from rugcore.tables.table import Table, read_table
from tests.reading import holds
from tests.tables import PURPOSES, mixed_table

VALUES = {
    "purpose": PURPOSES,
    "region": ["north", "south", "east", "unused"],
    "branch": [7, 12, 1500],
    "employed": [True, False],
}


def random_condition(rng: np.random.Generator, table: pd.DataFrame, name: str) -> Condition:
    or_missing = bool(rng.random() < 0.3)
    if rng.random() < 0.1:
        return IsMissing(name)
    if name in VALUES:
        negated = bool(rng.random() < 0.4)
        chosen = rng.permutation(len(VALUES[name]))[: rng.integers(0 if negated else 1, 3)]
        return Membership(name, tuple(VALUES[name][n] for n in chosen), negated, or_missing)
    known = table[name].dropna().to_numpy(float)
    low, high = np.sort(rng.choice(known, 2) + rng.choice([0.0, 1e-9]))
    sides = [(-math.inf, high), (low, math.inf), (-math.inf, math.inf), (low, high)]
    lower, upper = sides[rng.integers(len(sides))]
    return Interval(name, float(lower), float(upper), or_missing)


def random_rules(seed: int, n_rules: int, table: pd.DataFrame) -> list[Rule]:
    rng = np.random.default_rng(seed)
    rules = []
    for _ in range(n_rules):
        columns = rng.permutation(table.columns.to_numpy())[: rng.integers(0, 4)]
        conditions = tuple(random_condition(rng, table, name) for name in columns)
        rules.append(Rule(conditions, int(rng.integers(3)), float(rng.random())))
    return rules


def naive_coverage(rules: list[Rule], table: Table) -> np.ndarray:
    """Every rule and condition by itself."""
    position = {name: number for number, name in enumerate(table.names)}
    covered = np.ones((table.n_rows, len(rules)), dtype=bool)
    for number, rule in enumerate(rules):
        for condition in rule.conditions:
            covered[:, number] &= condition.covers(table.column(position[condition.feature]))
    return covered


def unseen_table() -> pd.DataFrame:
    """Other rows, with categories, numbers and blanks that no rule has heard of."""
    table = mixed_table(300, seed=99, blanks=0.3)
    table["purpose"] = table["purpose"].where(np.arange(300) % 3 > 0, "spaceship")
    table["region"] = table["region"].astype(object).where(np.arange(300) % 4 > 0, "the moon")
    table["branch"] = table["branch"].astype(float).where(np.arange(300) % 5 > 0, -1.0)
    table.loc[::7, "income"] = np.nan
    table.loc[1::7, "income"] = 1e308
    table.loc[2::7, "income"] = -5e-324
    return table


@pytest.mark.parametrize("n_rules", [0, 1, 63, 64, 65, 128, 129, 200])
def test_all_rules_at_once_cover_what_each_condition_covers(n_rules: int) -> None:
    training = mixed_table()
    rules = random_rules(n_rules, n_rules, training)
    schema = Schema.of(read_table(training))
    matcher = RuleMatcher(rules, schema)
    for frame in (training, unseen_table(), training.iloc[:1]):
        table = schema.read(frame)
        expected = naive_coverage(rules, table)
        coverage = matcher.coverage(table)
        assert coverage.shape == (len(frame), n_rules)
        assert coverage.dtype == bool
        np.testing.assert_array_equal(coverage.toarray(), expected)


def test_all_rules_at_once_cover_what_their_text_says() -> None:
    training = mixed_table()
    rules = random_rules(5, 150, training)
    schema = Schema.of(read_table(training))
    frame = unseen_table()
    covered = RuleMatcher(rules, schema).coverage(schema.read(frame)).toarray()
    for number, rule in enumerate(rules):
        np.testing.assert_array_equal(holds(str(rule), frame), covered[:, number], str(rule))


@pytest.mark.parametrize("n_rules", [0, 10, 64, 150])
def test_votes_are_the_weights_of_the_covering_rules(n_rules: int) -> None:
    training = mixed_table()
    rules = random_rules(n_rules + 1, n_rules, training)
    schema = Schema.of(read_table(training))
    table = schema.read(unseen_table())
    covered = naive_coverage(rules, table)
    expected = np.zeros((table.n_rows, 3))
    for number, rule in enumerate(rules):
        expected[:, rule.label] += rule.weight * covered[:, number]
    votes = RuleMatcher(rules, schema).votes(table, [rule.label for rule in rules], 3)
    np.testing.assert_allclose(votes, expected, atol=1e-12)


def test_a_rule_without_conditions_covers_every_row() -> None:
    table = read_table(pd.DataFrame({"x": [1.0, None]}))
    matcher = RuleMatcher([Rule((), 1, 0.5)], Schema.of(table))
    assert matcher.coverage(table).toarray().tolist() == [[True], [True]]
    assert matcher.votes(table, [1], 2).tolist() == [[0.0, 0.5], [0.0, 0.5]]


def test_more_rows_than_one_thread_takes() -> None:
    numbers = np.random.default_rng(0).normal(size=(90_000, 2))
    table = read_table(numbers)
    rules = [
        Rule((Interval("x0", -1.0, 0.5), Interval("x1", lower=0.0)), 0, 1.0),
        Rule((Interval("x1", upper=1.0),), 1),
    ]
    covered = RuleMatcher(rules, Schema.of(table)).coverage(table).toarray()
    np.testing.assert_array_equal(covered, naive_coverage(rules, table))


def test_a_column_of_text_may_have_every_name_a_byte_can_hold() -> None:
    values = [f"v{n}" for n in range(MOST_NAMED_VALUES)]
    frame = pd.DataFrame({"c": [*values, "other", None]})
    table = read_table(frame)
    rules = [Rule((Membership("c", (value,), negated=n % 2 == 0),), 0) for n, value in enumerate(values)]
    covered = RuleMatcher(rules, Schema.of(table)).coverage(table).toarray()
    np.testing.assert_array_equal(covered, naive_coverage(rules, table))


def test_too_many_names_are_refused_rather_than_mixed_up() -> None:
    schema = Schema(("c",), ("category",))
    rule = Rule((Membership("c", tuple(f"v{n}" for n in range(MOST_NAMED_VALUES + 1))),), 0)
    with pytest.raises(InputError, match="at most 254 values of column 'c', but they name 255"):
        RuleMatcher([rule], schema).prepare()


@pytest.mark.parametrize(
    ("kind", "condition"), [("number", Membership("c", ("a",))), ("category", Interval("c", upper=1.0))]
)
def test_a_condition_must_fit_its_column(kind: str, condition: Condition) -> None:
    with pytest.raises(InputError, match="fit column 'c'"):
        RuleMatcher([Rule((condition,), 0)], Schema(("c",), (kind,))).prepare()  # type: ignore[arg-type]
