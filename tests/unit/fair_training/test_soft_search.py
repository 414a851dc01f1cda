"""Soft decisions: the slope against differences, shares against counted decisions, the outcome against its start."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import approx_fprime

from rugcore.fair_training import soft_search
from rugcore.fair_training.search import RealisedSearch, rates_of
from rugcore.fair_training.soft_search import SoftSearch, beyond
from rugcore.fairness.groups import Groups
from rugcore.fairness.notions import NOTIONS
from rugcore.fairness.parity import Cells, Parity, parity, tally_of
from rugcore.lp.merging import MergedRows

N_RULES = 10


class Case:
    """People of every class and group, and rules that find the first group more easily."""

    def __init__(self, seed: int, n_classes: int = 2, n_groups: int = 2, n_rows: int = 300) -> None:
        rng = np.random.default_rng(seed)
        self.n_classes = n_classes
        self.cell = np.arange(n_rows) % (n_classes * n_groups)
        self.label, group = np.divmod(self.cell, n_groups)
        self.rule_class = np.arange(N_RULES) % n_classes
        is_right = self.rule_class == self.label[:, None]
        chance = np.where(is_right, np.where(group[:, None] == 0, 0.7, 0.4), 0.2)
        self.coverage = rng.random((n_rows, N_RULES)) < chance
        self.weight = rng.integers(1, 4, n_rows).astype(float)
        self.groups = Groups(tuple("abc"[:n_groups]), group)
        self.rule_weight = rng.uniform(0.1, 1.0, N_RULES)

    def parity(self, notion: str) -> Parity:
        cells = Cells.of(range(self.n_classes), self.label, self.groups, self.weight)
        return parity(notion, cells, positive=1, min_cell_size=1)

    @property
    def merged(self) -> MergedRows:
        return MergedRows(self.cell, self.label, self.weight, sparse.csr_array(self.coverage))

    def soft(self, notion: str, floor: np.ndarray | None = None) -> SoftSearch:
        rates = rates_of(self.parity(notion), self.n_classes)
        least = np.zeros(N_RULES) if floor is None else floor
        return SoftSearch(self.merged, self.rule_class, self.n_classes, rates, np.full(N_RULES, 1e-3), least)

    def search(self, notion: str) -> RealisedSearch:
        share = np.bincount(self.label, self.weight) / self.weight.sum()
        return RealisedSearch(self.merged, self.rule_class, share, self.parity(notion), 0.0, self.rule_weight)

    def soft_gaps(self, notion: str, shares: np.ndarray) -> np.ndarray:
        """Of the audit, row by row and class by class, each with its share."""
        n_rows, n_classes = shares.shape
        decided = np.tile(np.arange(n_classes), n_rows)
        weight = np.repeat(self.weight, n_classes) * shares.ravel()
        compared = self.parity(notion)
        return compared.gaps(tally_of(np.repeat(self.cell, n_classes), decided, weight, compared.n_cells, n_classes))


@pytest.mark.parametrize(("n_classes", "n_groups"), [(2, 2), (3, 3)])
@pytest.mark.parametrize("notion", NOTIONS)
def test_the_slope_is_that_of_small_differences(notion: str, n_classes: int, n_groups: int) -> None:
    case = Case(1, n_classes, n_groups)
    soft = case.soft(notion)
    fixed = 0.5, 0.01, np.random.default_rng(0).normal(size=len(soft.pairs))
    assert np.abs(beyond(case.soft_gaps(notion, soft.shares(case.rule_weight, 0.5)), 0.01)).max() > 0  # gaps do pull
    by_differences = approx_fprime(case.rule_weight, lambda weight: soft.lagrangian(weight, *fixed)[0], 1e-7)
    np.testing.assert_allclose(soft.lagrangian(case.rule_weight, *fixed)[1], by_differences, atol=1e-5)


@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("notion", NOTIONS)
def test_the_value_is_error_gaps_and_prices(notion: str, n_groups: int) -> None:
    case = Case(2, 3, n_groups)
    soft, multiplier = case.soft(notion), np.arange(1.0, 1.0 + len(case.parity(notion).contrasts))
    value, _ = soft.lagrangian(case.rule_weight, 0.5, 0.02, multiplier)
    shares = soft.shares(case.rule_weight, 0.5)
    right = case.weight @ shares[np.arange(len(shares)), case.label] / case.weight.sum()
    gaps = case.soft_gaps(notion, shares)
    excess = np.where(np.abs(gaps) > 0.02, gaps - 0.02 * np.sign(gaps), 0.0)
    paid = multiplier @ excess + soft_search.GAP_PRICE / 2 * (excess**2).sum()
    paid += 1e-3 * case.rule_weight.sum() + soft_search.RIDGE / 2 * (case.rule_weight**2).sum()
    assert value == pytest.approx(1 - right + paid)


def test_cold_shares_are_the_decisions() -> None:
    case = Case(3, 3, 2)
    shares = case.soft("dmc").shares(case.rule_weight, 1e-6)
    decided = case.search("dmc").decided(case.rule_weight)
    is_covered = case.coverage.any(axis=1)
    np.testing.assert_array_equal(shares.argmax(axis=1)[is_covered], decided[is_covered])
    np.testing.assert_allclose(shares[is_covered].max(axis=1), 1.0)
    np.testing.assert_allclose(shares[~is_covered], 1 / 3)  # nobody speaks for them


@pytest.mark.parametrize("notion", NOTIONS)
def test_soft_gaps_come_within_the_aim_and_above_the_floor(notion: str) -> None:
    case, epsilon = Case(4), 0.04
    floor = np.where(np.arange(N_RULES) == 3, 0.5, 0.0)
    soft = case.soft(notion, floor)
    last = soft_search.TEMPERATURES[-1]
    start = np.where(case.rule_class == 1, 1.0, 0.4)  # selects more people of the first group
    before = np.abs(case.soft_gaps(notion, soft.shares(start, last))).max()
    found = soft.improve(start, epsilon)
    assert (found >= floor).all()
    after = np.abs(case.soft_gaps(notion, soft.shares(found, last))).max()
    assert after <= soft_search.AIM * epsilon + 0.01 < before


def test_a_soft_start_helps_where_the_counted_search_is_stuck() -> None:
    """It is one more start, so what is found is never worse; and here it is better."""
    better = 0
    for seed in range(4):
        case = Case(seed)
        search, price = case.search("dmc"), np.full(N_RULES, 1e-3)
        alone = search.best([case.rule_weight], 0.02)
        soft = search.softly([case.rule_weight], 0.02, price)
        both = search.best([case.rule_weight, soft], 0.02)
        assert (max(both.gap, 0.02), both.error) <= (max(alone.gap, 0.02) + 1e-12, max(alone.error, both.error))
        better += both.error < alone.error - 1e-9 and both.is_fair(0.02)
    assert better
