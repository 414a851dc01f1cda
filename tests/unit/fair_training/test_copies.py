"""One column for all rows that differ by their group alone: the optimum is that of every row alone."""

import numpy as np
import pytest
from scipy import sparse

from rugcore.fair_training.copies import CopiesMaster, without_cells
from rugcore.lp import MasterProblem
from rugcore.lp.merging import MergedRows
from rugcore.lp.program import BasisStatus
from rugcore.lp.solvers.highs import HighsSolver

N_CLASSES, N_GROUPS, N_RULES = 2, 3, 10


def rows_in_all_groups(seed: int, n_rows: int = 40) -> MergedRows:
    """Every row stands in every group, with other weights; no two rows are alike."""
    rng = np.random.default_rng(seed)
    coverage = np.unique(rng.random((n_rows, N_RULES)) < 0.4, axis=0)
    label = rng.integers(0, N_CLASSES, len(coverage))
    cell = (label[:, None] * N_GROUPS + np.arange(N_GROUPS)).ravel()
    weight = rng.uniform(0.1, 2.0, len(cell))
    return MergedRows(cell, np.repeat(label, N_GROUPS), weight, sparse.csr_array(np.repeat(coverage, N_GROUPS, axis=0)))


def problem(kind: type[MasterProblem], merged: MergedRows, importance: np.ndarray, kept: np.ndarray) -> MasterProblem:
    """Over some of the rules; rows stay apart even where these rules do not tell them apart."""
    some = MergedRows(merged.cell, merged.class_code, merged.weight, sparse.csr_array(merged.coverage[:, kept]))
    master = kind(some, 1.0, 0.7, HighsSolver())
    master.importance = importance
    master.rule_class, master.rule_cost = kept % N_CLASSES, np.ones(len(kept))
    master.floor = np.zeros(len(kept))
    return master


@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_is_that_of_every_row_alone(seed: int) -> None:
    merged, every = rows_in_all_groups(seed), np.arange(N_RULES)
    importance = np.random.default_rng(seed).uniform(0.2, 3.0, N_CLASSES * N_GROUPS)
    copies, plain = (problem(kind, merged, importance, every) for kind in (CopiesMaster, MasterProblem))
    solution, expected = copies.solve(), plain.solve()
    assert solution.objective == pytest.approx(expected.objective)
    paid = 0.7 * solution.rule_weight.sum() + importance @ copies.cell_loss(solution.rule_weight)
    assert paid == pytest.approx(expected.objective)  # the weights reach it
    assert solution.merged_dual.sum() == pytest.approx(expected.objective)  # and the duals prove it
    assert (solution.merged_dual <= copies.row_weight + 1e-9).all()
    assert (copies.votes() @ solution.merged_dual <= 0.7 + 1e-7).all()
    by_weight = (solution.merged_dual / copies.row_weight).reshape(-1, N_GROUPS)
    np.testing.assert_allclose(by_weight, by_weight[:, :1] * np.ones(N_GROUPS), atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_its_basis_is_one_of_the_problem_with_every_row_alone(seed: int) -> None:
    """As many basic rows and rules as there are rules; a plain problem takes no step from it."""
    merged, every = rows_in_all_groups(seed), np.arange(N_RULES)
    copies = problem(CopiesMaster, merged, np.ones(N_CLASSES * N_GROUPS), every)
    solution = copies.solve()
    n_basic = sum(np.count_nonzero(part == BasisStatus.BASIC) for part in (solution.basis.columns, solution.basis.rows))
    assert n_basic == N_RULES
    assert copies.solver.solve(copies.program(), solution.basis).n_iterations == 0


def test_rules_that_come_later_and_other_importances_lead_to_the_same_optimum() -> None:
    merged, first, every = rows_in_all_groups(1), np.arange(6), np.arange(N_RULES)
    copies = problem(CopiesMaster, merged, np.ones(N_CLASSES * N_GROUPS), first)
    copies.solve()
    copies.add(merged, np.arange(merged.n_rows), every[6:] % N_CLASSES, np.ones(4))
    for seed in range(4):
        copies.importance = np.random.default_rng(seed).uniform(0.2, 3.0, N_CLASSES * N_GROUPS)
        expected = problem(MasterProblem, merged, copies.importance, every).solve().objective
        assert copies.solve().objective == pytest.approx(expected)


def test_rows_are_taken_together_whatever_their_cell() -> None:
    merged = rows_in_all_groups(2)
    together, number = without_cells(merged)
    assert together.n_rows * N_GROUPS == merged.n_rows
    np.testing.assert_array_equal(together.coverage.toarray()[number], merged.coverage.toarray())
    np.testing.assert_array_equal(together.class_code[number], merged.class_code)
    np.testing.assert_allclose(together.weight, np.bincount(number, merged.weight))
