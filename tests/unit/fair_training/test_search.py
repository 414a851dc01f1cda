"""Fair decisions by moving rule weights: every step against brute force, every figure against a count of rows."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from fairlearn.metrics import (
    MetricFrame,
    demographic_parity_difference,
    equalized_odds_difference,
    true_positive_rate_difference,
)
from scipy import sparse
from sklearn.metrics import accuracy_score, precision_score

from rugcore.fair_training import kernels
from rugcore.fair_training.search import RealisedModel, RealisedSearch, rates_of
from rugcore.fairness.groups import Groups
from rugcore.fairness.notions import NOTIONS
from rugcore.fairness.parity import Cells, Parity, parity
from rugcore.lp.merging import MergedRows
from rugcore.rules.decisions import decide

TIE = 1e-9


@dataclass(frozen=True)
class Case:
    """People with class, group and weight, and the rules that cover them."""

    labels: np.ndarray
    groups: np.ndarray
    weight: np.ndarray
    coverage: np.ndarray
    rule_labels: np.ndarray
    n_classes: int
    n_groups: int

    @property
    def cells(self) -> np.ndarray:
        return self.labels * self.n_groups + self.groups

    @property
    def share(self) -> np.ndarray:
        weight = np.bincount(self.labels, self.weight, self.n_classes)
        return weight / weight.sum()

    def parity(self, notion: str) -> Parity:
        groups = Groups(tuple("abc"[: self.n_groups]), self.groups)
        cells = Cells.of(range(self.n_classes), self.labels, groups, self.weight)
        return parity(notion, cells, positive=1, min_cell_size=1)

    def search(self, notion: str, plain: np.ndarray, threshold: float = 0.05) -> RealisedSearch:
        merged = MergedRows(self.cells, self.labels, self.weight, sparse.csr_array(self.coverage))
        return RealisedSearch(merged, self.rule_labels, self.share, self.parity(notion), threshold, plain)

    def votes(self, rule_weight: np.ndarray) -> np.ndarray:
        """Rule by rule."""
        votes = np.zeros((len(self.labels), self.n_classes))
        for rule, label in enumerate(self.rule_labels):
            votes[:, label] += self.coverage[:, rule] * rule_weight[rule]
        return votes

    def decided(self, rule_weight: np.ndarray) -> np.ndarray:
        return decide(self.votes(rule_weight), self.share).class_code

    def tally(self, rule_weight: np.ndarray) -> np.ndarray:
        """Row by row."""
        tally = np.zeros((self.n_classes * self.n_groups, self.n_classes))
        np.add.at(tally, (self.cells, self.decided(rule_weight)), self.weight)
        return tally

    def error(self, rule_weight: np.ndarray) -> float:
        is_wrong = self.decided(rule_weight) != self.labels
        return float(self.weight[is_wrong].sum() / self.weight.sum())

    def gap(self, rule_weight: np.ndarray, notion: str) -> float:
        """Largest difference of two rates, row by row; class 1 is positive. 1 where nobody of a group is selected."""
        decided, everybody = self.decided(rule_weight), np.ones(len(self.labels), dtype=bool)
        is_wrong, is_selected = decided != self.labels, decided == 1
        looked_at = {
            "dmc": [(self.labels == label, is_wrong) for label in range(self.n_classes)],
            "odm": [(everybody, is_wrong)],
            "eop": [(self.labels == 1, is_wrong)],
            "demographic_parity": [(everybody, is_selected)],
            "predictive_parity": [(is_selected, self.labels == 1)],
        }[notion]
        return max(self._spread(among, hit) for among, hit in looked_at)

    def _spread(self, among: np.ndarray, hit: np.ndarray) -> float:
        everybody = [self.groups == group for group in range(self.n_groups)]
        own = [among & mask for mask in everybody]
        least = [self.weight[mask].mean() for mask in everybody]  # that of one row
        if any(self.weight[mask].sum() < one for mask, one in zip(own, least, strict=True)):
            return 1.0
        rates = [self.weight[mask & hit].sum() / self.weight[mask].sum() for mask in own]
        return float(max(rates) - min(rates))


def random_case(seed: int, n_classes: int = 2, n_groups: int = 2, n_rows: int = 120, n_rules: int = 8) -> Case:
    """Rules that favour the first group; some rows are covered by none."""
    rng = np.random.default_rng(seed)
    every_cell = np.repeat(np.arange(n_classes * n_groups), 5)
    cell = np.concatenate([every_cell, rng.integers(0, n_classes * n_groups, n_rows - len(every_cell))])
    labels, groups = np.divmod(cell, n_groups)
    rule_labels = rng.permutation(np.arange(n_rules) % n_classes)
    is_right = rule_labels[None, :] == labels[:, None]
    chance = np.where(is_right, np.where(groups[:, None] == 0, 0.5, 0.25), 0.2)
    coverage = rng.random((n_rows, n_rules)) < chance
    return Case(labels, groups, rng.integers(1, 5, n_rows).astype(float), coverage, rule_labels, n_classes, n_groups)


# --- One weight ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OneWeight:
    """The question put to the kernel: which value of one rule's weight is best, the others as they are?"""

    case: Case
    notion: str
    rule_weight: np.ndarray
    rule: int
    epsilon: float
    gap_price: float
    rule_price: float
    least_error: float
    least: float
    most: float

    def merit(self, value: float) -> tuple[float, np.ndarray]:
        changed = self.rule_weight.copy()
        changed[self.rule] = value
        error = max(self.case.error(changed), self.least_error)
        excess = max(self.case.gap(changed, self.notion) - self.epsilon, 0.0)
        return error + self.gap_price * excess + self.rule_price * (value > 0), self.case.tally(changed)

    def answer(self) -> tuple[float, float, np.ndarray]:
        case = self.case
        notion = case.parity(self.notion)
        rank = np.argsort(np.argsort(-case.share, kind="stable"))
        tally = np.empty((notion.n_cells, case.n_classes))
        merit, value = kernels.best_rule_weight(
            np.flatnonzero(case.coverage[:, self.rule]).astype(np.int32),
            case.votes(self.rule_weight),
            int(case.rule_labels[self.rule]),
            float(self.rule_weight[self.rule]),
            case.tally(self.rule_weight),
            kernels.Rows(
                class_code=case.labels,
                ends=np.arange(1 + len(case.labels)),
                cell=case.cells,
                weight=case.weight,
                total=case.weight.sum(),
                class_rank=rank,
                class_of_cell=notion.class_of_cell,
            ),
            rates_of(notion, case.n_classes),
            kernels.Prices(self.epsilon, self.gap_price, self.rule_price, self.least_error),
            kernels.Bounds(self.least, self.most, TIE * self.most),
            tally,
        )
        return float(merit), float(value), tally

    def candidates(self) -> list[float]:
        """Zero, a dense grid, and the middle between any two neighbouring weights at which a row can change."""
        votes = self.case.votes(self.rule_weight)[self.case.coverage[:, self.rule]]
        own = int(self.case.rule_labels[self.rule])
        rest = votes[:, own] - self.rule_weight[self.rule]
        breaks = {float(vote - mine) for other, mine in zip(votes, rest, strict=True) for vote in other}
        inside = [point for point in sorted(breaks) if self.least < point < self.most]
        edges = np.array([self.least, *inside, self.most])
        grid = np.linspace(self.least, self.most, 41)[1:-1]
        off_breaks = [point for point in grid if np.abs(edges - point).min() > 1e-5]
        return [0.0, *((edges[1:] + edges[:-1]) / 2)[np.diff(edges) > 1e-5], *off_breaks]


def question(seed: int, notion: str, n_classes: int, n_groups: int, has_ties: bool) -> OneWeight:
    case = random_case(seed, n_classes, n_groups)
    rng = np.random.default_rng(seed + 1000)
    n_rules = len(case.rule_labels)
    weights = rng.integers(0, 5, n_rules) / 4 if has_ties else rng.uniform(0, 1, n_rules) * (rng.random(n_rules) < 0.8)
    weights[0] = 1.0
    return OneWeight(
        case=case,
        notion=notion,
        rule_weight=weights,
        rule=int(rng.integers(1, n_rules)),
        epsilon=float(rng.choice([0.0, 0.05, 0.2])),
        gap_price=float(rng.choice([0.3, 3.0, 100.0])),
        rule_price=float(rng.choice([0.0, 0.002, 0.05])),
        least_error=float(rng.choice([0.0, 0.3])),
        least=float(rng.choice([0.0, 0.05])),
        most=1.0,
    )


@pytest.mark.parametrize("has_ties", [True, False])
@pytest.mark.parametrize(("n_classes", "n_groups"), [(2, 2), (3, 2), (3, 3)])
@pytest.mark.parametrize("notion", NOTIONS)
def test_the_best_value_of_one_weight_is_the_best_of_all_values(
    notion: str, n_classes: int, n_groups: int, has_ties: bool
) -> None:
    chosen = set()
    for seed in range(10):
        asked = question(seed, notion, n_classes, n_groups, has_ties)
        merit, value, tally = asked.answer()
        by_hand, counted = asked.merit(value)
        assert merit == pytest.approx(by_hand, abs=1e-12)
        np.testing.assert_allclose(tally, counted)
        assert merit == pytest.approx(min(asked.merit(other)[0] for other in asked.candidates()), abs=1e-9)
        assert value == 0 or asked.least < value < asked.most
        chosen.add(value > 0)
    assert chosen == {True, False}  # the question was open


def test_a_rule_that_covers_nobody_gets_no_weight() -> None:
    asked = question(0, "dmc", 2, 2, has_ties=False)
    nobody = replace(asked.case, coverage=asked.case.coverage & (np.arange(8) != asked.rule))
    _, value, tally = replace(asked, case=nobody, rule_price=0.01).answer()
    assert value == 0
    np.testing.assert_allclose(tally, nobody.tally(asked.rule_weight))


@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("notion", NOTIONS)
def test_the_worst_gap_is_that_of_the_notion(notion: str, n_groups: int) -> None:
    case = random_case(3, 3, n_groups)
    found = case.parity(notion)
    for seed in range(10):
        weights = some_weights(case, seed)
        assert kernels.worst_gap(case.tally(weights), rates_of(found, 3)) == pytest.approx(case.gap(weights, notion))


# --- Measuring ------------------------------------------------------------------------------------------------------


def some_weights(case: Case, seed: int = 0, has_ties: bool = False) -> np.ndarray:
    rng = np.random.default_rng(seed)
    n_rules = len(case.rule_labels)
    return rng.integers(0, 4, n_rules) / 3 if has_ties else rng.uniform(0.1, 1, n_rules)


def fairlearn_gap(case: Case, decided: np.ndarray, notion: str) -> float:
    """Two classes."""
    who: dict[str, Any] = {"sensitive_features": case.groups, "sample_weight": case.weight}
    if notion == "dmc":
        return float(equalized_odds_difference(case.labels, decided, **who))
    if notion == "demographic_parity":
        return float(demographic_parity_difference(case.labels, decided, **who))
    if notion == "eop":
        return float(true_positive_rate_difference(case.labels, decided, **who))
    frame = MetricFrame(
        metrics=precision_score if notion == "predictive_parity" else accuracy_score,
        y_true=case.labels,
        y_pred=decided,
        sensitive_features=case.groups,
        sample_params={"sample_weight": case.weight},
    )
    return float(frame.difference())


@pytest.mark.parametrize("has_ties", [True, False])
@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("notion", NOTIONS)
def test_figures_of_a_model_are_those_of_fairlearn(notion: str, n_groups: int, has_ties: bool) -> None:
    for seed in range(3):
        case = random_case(seed, 2, n_groups)
        weights = some_weights(case, seed, has_ties)
        model = case.search(notion, weights, threshold=0.0).measure(weights)
        decided = case.decided(weights)
        assert decide(case.votes(weights), case.share).is_uncovered.any()
        assert model.gap == pytest.approx(fairlearn_gap(case, decided, notion))
        assert model.error == pytest.approx(1 - accuracy_score(case.labels, decided, sample_weight=case.weight))
        np.testing.assert_allclose(model.tally, case.tally(weights))
        assert model.n_rules == np.count_nonzero(weights)


@pytest.mark.parametrize("notion", NOTIONS)
def test_figures_with_three_classes_are_counted_by_cell(notion: str) -> None:
    case = random_case(4, 3, 3)
    weights = some_weights(case)
    model = case.search(notion, weights, threshold=0.0).measure(weights)
    np.testing.assert_allclose(model.tally, case.tally(weights))
    assert model.error == pytest.approx(case.error(weights))
    assert model.gap == pytest.approx(case.gap(weights, notion))


def test_rules_below_the_threshold_do_not_vote() -> None:
    case = random_case(5)
    weights = np.array([1.0, 0.9, 0.3, 0.29, 0.5, 0.1, 0.8, 0.7])
    model = case.search("dmc", weights, threshold=0.3).measure(weights)
    kept = np.where(weights > 0.3, weights, 0.0)  # a weight at the threshold is not above it
    np.testing.assert_array_equal(model.rule_weight, kept)
    np.testing.assert_allclose(model.tally, case.tally(kept))
    assert not np.array_equal(model.tally, case.tally(weights))


def test_rules_that_came_later_have_no_weight() -> None:
    case = random_case(6)
    weights = some_weights(case)
    search = case.search("dmc", weights)
    fewer = search.measure(weights[:5])
    np.testing.assert_allclose(fewer.tally, search.measure(np.where(np.arange(8) < 5, weights, 0)).tally)


def test_fair_means_at_most_epsilon() -> None:
    model = RealisedModel(np.ones(1), np.zeros((4, 2)), 0.1, 0.3 - 0.2)  # a little less than 0.1 in binary
    assert model.is_fair(0.1)
    assert RealisedModel(np.ones(1), np.zeros((4, 2)), 0.1, 0.1 + 1e-15).is_fair(0.1)
    assert not RealisedModel(np.ones(1), np.zeros((4, 2)), 0.1, 0.1001).is_fair(0.1)
    assert RealisedModel(np.ones(1), np.zeros((4, 2)), 0.1, 0.9).is_fair(np.inf)


# --- Searching -----------------------------------------------------------------------------------------------------


def rank(model: RealisedModel, epsilon: float, least_error: float) -> tuple[float, float, int]:
    """Fair before unfair, the fairer of the unfair; then accurate (up to the plain model); then short."""
    return (0.0 if model.gap <= epsilon + 1e-12 else model.gap, max(model.error, least_error), model.n_rules)


@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.2])
@pytest.mark.parametrize(("n_classes", "n_groups"), [(2, 2), (3, 3)])
@pytest.mark.parametrize("notion", NOTIONS)
def test_improving_never_makes_it_worse(notion: str, n_classes: int, n_groups: int, epsilon: float) -> None:
    for seed in range(4):
        case = random_case(seed, n_classes, n_groups)
        plain = some_weights(case, seed)
        search = case.search(notion, plain)
        start = search.measure(plain)
        better = search.improve(start, epsilon)
        assert rank(better, epsilon, start.error) <= rank(start, epsilon, start.error)
        measured = search.measure(better.rule_weight)  # it says what it does
        assert (measured.gap, measured.error, measured.n_rules) == (better.gap, better.error, better.n_rules)


def test_a_fair_start_is_not_given_up_for_an_accurate_model_that_is_not_fair() -> None:
    """The first prices are low enough to lead away from fairness; who starts fair must end fair."""
    for seed in range(12):
        case = random_case(seed, n_rows=60)
        for number in range(12):
            weights = some_weights(case, number, has_ties=True)
            search = case.search("dmc", weights)
            search._least_error = 0.0  # or there would be no accuracy to be tempted by
            start = search.measure(weights)
            better = search.improve(start, epsilon=start.gap)
            assert better.gap <= start.gap + 1e-12
            assert (better.error, better.n_rules) <= (start.error, start.n_rules)


@pytest.mark.parametrize("notion", NOTIONS)
def test_improving_makes_most_of_the_unfair_fair(notion: str) -> None:
    """Not a law, but a search that fails on such small problems would be no search."""
    n_fair = n_unfair = 0
    for seed in range(10):
        case = random_case(seed, n_rules=12)
        plain = some_weights(case, seed)
        search = case.search(notion, plain)
        start = search.measure(plain)
        if start.gap > 0.05:
            n_unfair += 1
            n_fair += search.improve(start, 0.05).gap <= 0.05
    assert n_unfair >= 5
    assert n_fair >= 0.6 * n_unfair


def test_the_best_of_several_starts_is_no_worse_than_any_of_them() -> None:
    for seed in range(4):
        case = random_case(seed, 3, 2)
        starts = [some_weights(case, number) for number in range(5)]
        search = case.search("dmc", starts[0])
        least_error = search.measure(starts[0]).error
        best = search.best(starts, 0.05)
        ranks = [rank(search.measure(start), 0.05, least_error) for start in starts]
        assert rank(best, 0.05, least_error) <= min(ranks)


def test_weights_stay_clear_of_the_threshold_and_below_the_heaviest() -> None:
    for seed in range(4):
        case = random_case(seed, n_rules=12)
        plain = some_weights(case, seed)
        search = case.search("dmc", plain, threshold=0.2)
        better = search.improve(search.measure(plain), 0.0)
        most = plain.max()
        assert better.rule_weight.max() == most  # the scale of all others
        kept = better.rule_weight[better.rule_weight > 0]
        assert kept.min() > 0.2 * most


def test_the_same_again_gives_the_same() -> None:
    case = random_case(1, 3, 3)
    plain = some_weights(case)
    one, two = (case.search("dmc", plain).best([plain, plain[::-1].copy()], 0.02) for _ in range(2))
    np.testing.assert_array_equal(one.rule_weight, two.rule_weight)


@pytest.mark.parametrize("has_ties", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_rows_does_not_matter(seed: int, has_ties: bool) -> None:
    case = random_case(seed, 3, 2)
    order = np.random.default_rng(seed).permutation(len(case.labels))
    shuffled = replace(
        case,
        labels=case.labels[order],
        groups=case.groups[order],
        weight=case.weight[order],
        coverage=case.coverage[order],
    )
    plain = some_weights(case, seed, has_ties)
    one = case.search("dmc", plain).best([plain], 0.02)
    two = shuffled.search("dmc", plain).best([plain], 0.02)
    np.testing.assert_array_equal(one.rule_weight, two.rule_weight)
    assert one.gap == pytest.approx(two.gap)


def test_merging_rows_does_not_matter() -> None:
    case = random_case(2, n_rows=300, n_rules=4)
    plain = some_weights(case)
    merged, _ = MergedRows(case.cells, case.labels, case.weight, sparse.csr_array(case.coverage)).with_rules(
        np.arange(4)
    )
    assert merged.n_rows < 100
    together = RealisedSearch(merged, case.rule_labels, case.share, case.parity("dmc"), 0.05, plain)
    one, two = case.search("dmc", plain).measure(plain), together.measure(plain)
    np.testing.assert_allclose(one.tally, two.tally)
    assert one.gap == pytest.approx(two.gap)


def test_a_model_without_rules_is_left_alone() -> None:
    case = random_case(0)
    nothing = np.zeros(8)
    search = case.search("dmc", nothing)
    model = search.improve(search.measure(nothing), 0.0)
    assert model.n_rules == 0
    assert model.gap == 0.0  # everybody gets the more frequent class
