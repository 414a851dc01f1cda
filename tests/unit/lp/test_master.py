"""The master problem against hand-solved cases and against scipy on the rows before merging."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from rugcore.lp import MasterProblem, certify_master
from rugcore.lp.merging import MergedRows
from rugcore.lp.solvers.highs import HighsSolver


def master_of(labels, coverage, rule_labels, costs, penalty=1.0, n_classes=2, weight=None) -> MasterProblem:
    """A master problem whose merged rows are the given rows."""
    labels = np.asarray(labels)
    weight = np.ones(len(labels)) if weight is None else np.asarray(weight, dtype=float)
    merged = MergedRows(labels, labels, weight, sparse.csr_array(np.zeros((len(labels), 0), dtype=bool)))
    problem = MasterProblem(merged, 1.0 / (n_classes - 1), penalty, HighsSolver())
    covered = merged.refined(np.arange(len(labels)), weight, sparse.csr_array(np.asarray(coverage, dtype=bool)))
    problem.add(covered, np.arange(len(labels)), np.asarray(rule_labels), np.asarray(costs, dtype=float))
    return problem


def random_case(seed: int, n_classes: int = 3, n_rows: int = 60, n_rules: int = 12):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n_rows)
    coverage = rng.random((n_rows, n_rules)) < 0.3
    return labels, coverage, rng.integers(0, n_classes, n_rules), rng.integers(1, 4, n_rules) / 3


def votes_of(labels, coverage, rule_labels, n_classes) -> np.ndarray:
    """a_ij written out from its definition, with the label vectors of the paper."""
    vectors = np.full((n_classes, n_classes), -1 / (n_classes - 1))
    np.fill_diagonal(vectors, 1.0)
    kappa = (n_classes - 1) / n_classes
    return kappa * np.asarray(coverage) * (vectors[labels] @ vectors[rule_labels].T)


def test_one_rule_by_hand() -> None:
    # The rule is right on three rows and wrong on one. Weight 1 makes the three losses 0 and the one 2:
    # 0.5 + 2 = 2.5, against 4 with no weight; more weight only costs.
    problem = master_of([0, 0, 0, 1], [[1], [1], [1], [1]], [0], [0.5])
    solution = problem.solve()
    assert solution.rule_weight == pytest.approx([1.0])
    assert solution.objective == pytest.approx(2.5)


def test_rule_that_does_not_pay_gets_no_weight() -> None:
    problem = master_of([0, 1], [[1], [1]], [0], [0.5])
    solution = problem.solve()
    assert solution.rule_weight == pytest.approx([0.0])
    assert solution.objective == pytest.approx(2.0)


def test_without_rules_every_row_pays_in_full() -> None:
    problem = MasterProblem(MergedRows.by_cell(np.arange(2), np.array([3.0, 5.0])), 1.0, 1.0, HighsSolver())
    assert problem.solve().objective == pytest.approx(8.0)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_votes_follow_the_label_vectors_of_the_paper(n_classes: int) -> None:
    labels, coverage, rule_labels, costs = random_case(1, n_classes)
    problem = master_of(labels, coverage, rule_labels, costs, n_classes=n_classes)
    assert pytest.approx(votes_of(labels, coverage, rule_labels, n_classes)) == problem.votes().toarray().T


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("penalty", [0.1, 1.0, 10.0])
def test_agrees_with_scipy_on_the_primal(seed: int, penalty: float) -> None:
    labels, coverage, rule_labels, costs = random_case(seed)
    solution = master_of(labels, coverage, rule_labels, costs, penalty, n_classes=3).solve()
    votes = votes_of(labels, coverage, rule_labels, 3)
    n_rows, _n_rules = votes.shape
    # min penalty * costs @ w + sum(v)  s.t.  votes @ w + v >= 1
    peer = linprog(
        np.concatenate([penalty * costs, np.ones(n_rows)]),
        A_ub=-np.hstack([votes, np.eye(n_rows)]),
        b_ub=-np.ones(n_rows),
    )
    assert solution.objective == pytest.approx(peer.fun)
    certificate = certify_master(votes, np.ones(n_rows), penalty * costs, solution.rule_weight, solution.merged_dual)
    assert certificate.holds()


def test_one_locked_rule_by_hand() -> None:
    # With a weight of 3 the three losses are 0 and the one is 4: 3 * 0.5 + 4. More weight only costs.
    problem = master_of([0, 0, 0, 1], [[1], [1], [1], [1]], [0], [0.5])
    problem.hold(np.array([3.0]))
    solution = problem.solve()
    assert solution.rule_weight == pytest.approx([3.0])
    assert solution.objective == pytest.approx(5.5)
    assert solution.merged_dual.sum() - solution.dual_constant == pytest.approx(5.5)


def test_a_floor_below_the_weight_changes_nothing() -> None:
    problem = master_of([0, 0, 0, 1], [[1], [1], [1], [1]], [0], [0.5])
    problem.hold(np.array([0.25]))
    assert problem.solve().rule_weight == pytest.approx([1.0])
    assert problem.solve().objective == pytest.approx(2.5)


def test_another_rule_takes_back_what_a_floor_does_to_others() -> None:
    # With 2 on the first rule the row of class 1 loses 3; a weight of 3 on the second makes that 0: (2 + 3) * 0.1.
    problem = master_of([0, 1], [[1, 0], [1, 1]], [0, 1], [0.1, 0.1])
    problem.hold(np.array([2.0, 0.0]))
    solution = problem.solve()
    assert solution.rule_weight == pytest.approx([2.0, 3.0])
    assert solution.objective == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(6))
def test_floors_agree_with_scipy_on_the_primal(seed: int) -> None:
    labels, coverage, rule_labels, costs = random_case(seed)
    problem = master_of(labels, coverage, rule_labels, costs, 0.5, n_classes=3)
    problem.solve()  # from whose basis the next solve begins
    floor = np.where(np.arange(len(costs)) % 4 == 0, 0.8, 0.0)
    problem.hold(floor)
    solution = problem.solve()
    votes = votes_of(labels, coverage, rule_labels, 3)
    n_rows, n_rules = votes.shape
    peer = linprog(
        np.concatenate([0.5 * costs, np.ones(n_rows)]),
        A_ub=-np.hstack([votes, np.eye(n_rows)]),
        b_ub=-np.ones(n_rows),
        bounds=[(least, None) for least in floor] + [(0, None)] * n_rows,
    )
    assert solution.objective == pytest.approx(peer.fun)
    assert (solution.rule_weight >= floor).all()
    parts = votes, np.ones(n_rows), 0.5 * costs
    assert certify_master(*parts, solution.rule_weight, solution.merged_dual, floor).holds()
    assert not certify_master(*parts, np.zeros(n_rules), solution.merged_dual, floor).holds()  # below the floor


def test_weights_are_few_because_the_answer_is_a_vertex() -> None:
    labels, coverage, rule_labels, costs = random_case(2, n_rows=40, n_rules=80)
    solution = master_of(labels, coverage, rule_labels, costs, n_classes=3).solve()
    assert np.count_nonzero(solution.rule_weight > 1e-9) <= 40


def test_growing_the_problem_equals_building_it_at_once() -> None:
    labels, coverage, rule_labels, costs = random_case(5)
    at_once = master_of(labels, coverage, rule_labels, costs, n_classes=3).solve()
    grown = master_of(labels, coverage[:, :5], rule_labels[:5], costs[:5], n_classes=3)
    grown.solve()
    every_row = np.arange(len(labels))
    new = grown.merged.refined(every_row, grown.merged.weight, sparse.csr_array(coverage[:, 5:]))
    grown.add(new, every_row, rule_labels[5:], costs[5:])
    assert grown.solve().objective == pytest.approx(at_once.objective)


def test_dropping_rules_without_weight_keeps_the_optimum() -> None:
    labels, coverage, rule_labels, costs = random_case(6)
    problem = master_of(labels, coverage, rule_labels, costs, n_classes=3)
    solution = problem.solve()
    n_before = problem.merged.n_rows
    kept = np.flatnonzero(solution.rule_weight > 0)
    number = problem.keep(kept)
    assert problem.merged.n_rows < n_before
    assert problem.solve().objective == pytest.approx(solution.objective)
    # The rows that were merged are exactly those of one class with the same remaining rules.
    lines = {(label, tuple(line)) for label, line in zip(labels, coverage[:, kept], strict=True)}
    assert problem.merged.n_rows == len(lines)
    for old, new in enumerate(number):
        assert labels[old] == problem.merged.class_code[new]
        assert (coverage[old, kept] == problem.merged.coverage.toarray()[new]).all()


def test_merging_rows_changes_nothing() -> None:
    labels, coverage, rule_labels, costs = random_case(8, n_rows=200, n_rules=4)
    full = master_of(labels, coverage, rule_labels, costs, n_classes=3)
    objective = full.solve().objective
    number = full.keep(np.arange(4))
    assert full.merged.n_rows < 60
    assert full.merged.weight.sum() == 200
    merged_solution = full.solve()
    assert merged_solution.objective == pytest.approx(objective)
    # Duals map back: each row's share of its merged row's dual is a certificate on the original rows.
    row_dual = (merged_solution.merged_dual / full.merged.weight)[number]
    votes = votes_of(labels, coverage, rule_labels, 3)
    assert certify_master(votes, np.ones(200), costs, merged_solution.rule_weight, row_dual).holds()


def test_the_margin_loss_by_hand() -> None:
    """Three classes. A row of class 0 is covered by a rule for it and by one for each rival, all of weight 1.

    The paper's loss is 1 - (1 - 1/2 - 1/2) = 1, as if nothing were known; in full the rivals weigh 2 against 1.
    """
    coverage = [[1, 1, 1]]
    weight = np.ones(3)
    paper = master_of([0], coverage, [0, 1, 2], np.ones(3), n_classes=3)
    margin = MasterProblem(paper.merged, 1.0, 1.0, HighsSolver())
    margin.rule_class, margin.rule_cost = paper.rule_class, paper.rule_cost
    assert paper.cell_loss(weight)[0] == pytest.approx(1.0)
    assert margin.cell_loss(weight)[0] == pytest.approx(2.0)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_margin_loss_bounds_the_errors_whatever_the_weights(seed: int, n_classes: int) -> None:
    labels, coverage, rule_labels, costs = random_case(seed, n_classes)
    problem = master_of(labels, coverage, rule_labels, costs, n_classes=n_classes)
    problem.wrong_vote = 1.0
    weight = np.random.default_rng(seed).uniform(0, 2, len(costs)) * (np.arange(len(costs)) % 2)
    votes = np.stack([coverage[:, rule_labels == k] @ weight[rule_labels == k] for k in range(n_classes)], axis=1)
    rival = np.where(np.arange(n_classes) == labels[:, None], -np.inf, votes).max(axis=1)
    n_wrong = int((votes[np.arange(len(labels)), labels] <= rival).sum())  # a tie may go either way
    assert problem.cell_loss(weight).sum() >= n_wrong - 1e-9


def test_the_paper_s_loss_does_not() -> None:
    """With five classes, one rival that wins outright costs only a quarter of its weight."""
    problem = master_of([0], [[1, 1]], [0, 1], np.ones(2), n_classes=5)
    weight = np.array([1.5, 1.9])
    assert problem.cell_loss(weight).sum() == pytest.approx(0.0)  # although class 1 has more votes
