"""Counting whom the rules cover, against counting by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rugboard.rules import statistics
from rugboard.rules.detail import contrary_in_words, precision_in_words
from rugboard.rules.statistics import TEST, TRAINING, RuleStatistics, RunRows
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugboard.session import adjusted_models, group_names
from rugboard.session.adjustments import AS_TRAINED
from rugcore import interpretability_report
from rugcore.rules import Interval, Rule, RuleSet
from tests.dashboard.conftest import TrainNow


@pytest.fixture
def results(train_now: TrainNow, mortgage_plan: Plan, store: RunStore) -> Results:
    return open_results(store, train_now(mortgage_plan))


def statistics_of(results: Results, model: str = "rug") -> RuleStatistics:
    decided = adjusted_models.decided(results, model, AS_TRAINED)
    solved = results.model(model)
    return RuleStatistics.of(solved, RunRows.of(results), solved.covering_rules(results.data.X), decided)


def random_people(n_rows: int, seed: int) -> RunRows:
    rng = np.random.default_rng(seed)
    return RunRows(
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
    found = statistics_of(results, model)
    counts = found.counts[TRAINING]
    np.testing.assert_allclose(counts.coverage, [rule.coverage for rule in found.rules])
    np.testing.assert_allclose(counts.precision(found.labels), [rule.precision for rule in found.rules])


def test_only_rows_that_stand_for_others_have_an_interval(results: Results) -> None:
    """Rules were chosen because they fit the training rows, and no interval makes up for that."""
    found = statistics_of(results)
    for number in range(len(found.rules)):
        on_test, on_training = (precision_in_words(found, number, rows) for rows in (TEST, TRAINING))
        assert ", with 95 % confidence " in on_test
        assert "confidence" not in on_training
        assert "On rows that the training never saw it may be right less often." in on_training


@pytest.mark.parametrize("model", ["rug", "fair"])
def test_contrary_rules_are_those_whose_outcome_is_rarer_where_they_apply(results: Results, model: str) -> None:
    found = statistics_of(results, model)
    counts = found.counts[TRAINING]
    usual = counts.total.sum(axis=1) / counts.total.sum()
    rarer = counts.n_right(found.labels) < usual[found.labels] * counts.n_covered - 1e-6
    assert found.is_contrary.tolist() == rarer.tolist()
    said = contrary_in_words(Rule((Interval("x", 1.0),), "good", 1.0, precision=0.25))
    assert said.startswith("“good” is rarer among the training rows that it applies to (25.0 %) than among all:")


def test_test_numbers_are_those_of_the_rows_that_the_conditions_select(results: Results) -> None:
    found = statistics_of(results)
    assert results.data.groups is not None
    rows = [results.rug.schema_.cells(results.X_test.iloc[[place]]) for place in range(60)]
    groups = group_names.of_rows(results)[results.is_test].iloc[:60]
    first_rows = results.is_test & (np.cumsum(results.is_test) <= 60)
    counts = statistics.count(sparse.csr_array(found.coverage), found.people, first_rows)
    for number, rule in enumerate(found.rules):
        holds = pd.Series([rule.holds(cells) for cells in rows], index=groups.index)
        assert counts.n_covered[number] == holds.sum()
        by_group = holds.groupby(groups).mean()
        np.testing.assert_allclose(counts.coverage_of_groups[number], by_group.reindex(found.people.groups))


def test_the_numbers_on_top_are_those_of_the_report(results: Results) -> None:
    report = interpretability_report(results.rug, results.X_test)
    pd.testing.assert_series_equal(statistics_of(results).interpretability, report)


def test_covered_rows_and_examples(results: Results) -> None:
    found = statistics_of(results)
    dense = found.coverage.toarray()
    for rows in (TEST, TRAINING):
        for number in range(len(found.rules)):
            covered = np.flatnonzero(dense[:, number] & found.people.among(rows))
            np.testing.assert_array_equal(found.covered_rows(number, rows), covered)
            few = statistics.examples(found, number, rows, 6)
            assert len(few) == min(6, len(covered))
            assert set(few) <= set(covered)
            is_wrong = found.people.outcome[covered] != found.labels[number]
            assert (found.people.outcome[few] != found.labels[number]).any() == is_wrong.any()


def test_the_favourable_outcome_comes_first() -> None:
    assert statistics.favourable_first(["a", "b", "c"], "b") == ("b", "a", "c")
    assert statistics.favourable_first([0, 1], 1) == (1, 0)


def test_rules_of_the_same_weight_share_a_rank() -> None:
    rules = RuleSet([Rule((Interval("x", 0.0),), "a", weight) for weight in (3.0, 2.0, 2.0, 1.0)])
    assert [statistics.rank(rules, rule) for rule in rules] == [1, 2, 2, 4]
