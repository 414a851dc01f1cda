"""Counting whom the rules cover, against counting by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rugboard.rules import statistics
from rugboard.rules.statistics import TEST, TRAINING, People, RuleFacts
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugboard.session import adjusted_models
from rugboard.session.adjusted_models import AS_TRAINED
from rugcore import interpretability_report
from rugcore.rules import Interval, Rule, RuleSet
from tests.dashboard.conftest import TrainNow


@pytest.fixture
def results(train_now: TrainNow, mortgage_plan: Plan, store: RunStore) -> Results:
    return open_results(store, train_now(mortgage_plan))


def facts_of(results: Results, model: str = "rug") -> RuleFacts:
    decided = adjusted_models.decided(results, model, AS_TRAINED)
    solved = results.model(model)
    return RuleFacts.of(solved, People.of(results), solved.covering_rules(results.data.X), decided)


def random_people(n_rows: int, seed: int) -> People:
    rng = np.random.default_rng(seed)
    return People(
        outcomes=("good", "bad", "ugly"),
        outcome=rng.integers(0, 3, n_rows),
        groups=("a", "b"),
        group=rng.integers(0, 2, n_rows),
        is_test=rng.random(n_rows) < 0.3,
        attribute="kind",
    )


@pytest.mark.parametrize("seed", range(3))
def test_counts_are_those_of_a_loop(seed: int) -> None:
    people = random_people(200, seed)
    covers = np.random.default_rng(seed).random((200, 4)) < 0.2
    counts = statistics.count(sparse.csr_array(covers), people, people.is_test)
    for rule in range(4):
        for outcome in range(3):
            for group in range(2):
                meant = people.is_test & (people.outcome == outcome) & (people.group == group)
                assert counts.covered[rule, outcome, group] == (meant & covers[:, rule]).sum()
                assert counts.total[outcome, group] == meant.sum()


def test_without_rules_or_rows_nothing_breaks() -> None:
    people = random_people(50, 0)
    none = statistics.count(sparse.csr_array((50, 0), dtype=bool), people, people.is_test)
    assert none.coverage.shape == (0,)
    assert none.coverage_of_groups.shape == (0, 2)
    nobody = statistics.count(sparse.csr_array(np.ones((50, 1), dtype=bool)), people, np.zeros(50, dtype=bool))
    assert np.isnan(nobody.coverage).all()
    assert np.isnan(nobody.precision(np.array([0]))).all()


@pytest.mark.parametrize("model", ["rug", "fair"])
def test_training_numbers_are_those_that_the_engine_gives_its_rules(results: Results, model: str) -> None:
    facts = facts_of(results, model)
    counts = facts.counts[TRAINING]
    np.testing.assert_allclose(counts.coverage, [rule.coverage for rule in facts.rules])
    np.testing.assert_allclose(counts.precision(facts.labels), [rule.precision for rule in facts.rules])


def test_test_numbers_are_those_of_the_rows_that_the_conditions_select(results: Results) -> None:
    facts = facts_of(results)
    assert results.data.groups is not None
    rows = [results.rug.schema_.cells(results.X_test.iloc[[place]]) for place in range(60)]
    groups = results.data.groups[results.is_test].iloc[:60]
    first_rows = results.is_test & (np.cumsum(results.is_test) <= 60)
    counts = statistics.count(sparse.csr_array(facts.coverage), facts.people, first_rows)
    for number, rule in enumerate(facts.rules):
        holds = pd.Series([rule.holds(cells) for cells in rows], index=groups.index)
        assert counts.n_covered[number] == holds.sum()
        by_group = holds.groupby(groups).mean()
        np.testing.assert_allclose(counts.coverage_of_groups[number], by_group.reindex(facts.people.groups))


def test_the_numbers_on_top_are_those_of_the_report(results: Results) -> None:
    report = interpretability_report(results.rug, results.X_test)
    pd.testing.assert_series_equal(facts_of(results).interpretability, report)


def test_covered_rows_and_examples(results: Results) -> None:
    facts = facts_of(results)
    dense = facts.coverage.toarray()
    for rows in (TEST, TRAINING):
        for number in range(len(facts.rules)):
            covered = np.flatnonzero(dense[:, number] & facts.people.among(rows))
            np.testing.assert_array_equal(facts.covered_rows(number, rows), covered)
            few = statistics.examples(facts, number, rows, 6)
            assert len(few) == min(6, len(covered))
            assert set(few) <= set(covered)
            is_wrong = facts.people.outcome[covered] != facts.labels[number]
            assert (facts.people.outcome[few] != facts.labels[number]).any() == is_wrong.any()


def test_the_favourable_outcome_comes_first() -> None:
    assert statistics.favourable_first(["a", "b", "c"], "b") == ("b", "a", "c")
    assert statistics.favourable_first([0, 1], 1) == (1, 0)


def test_a_group_that_says_little_is_named_with_its_attribute() -> None:
    names = [statistics.group_in_words(name, "married") for name in ("yes", "18 - 25", "woman")]
    assert names == ["married: yes", "married: 18 - 25", "woman"]
    assert statistics.group_in_words("yes", None) == "yes"


def test_rules_of_the_same_weight_share_a_rank() -> None:
    rules = RuleSet([Rule((Interval("x", 0.0),), "a", weight) for weight in (3.0, 2.0, 2.0, 1.0)])
    assert [statistics.rank(rules, rule) for rule in rules] == [1, 2, 2, 4]
