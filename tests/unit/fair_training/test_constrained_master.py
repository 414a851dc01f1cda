"""The paper's fairness constraint against scipy, on the rows and the constraints as the paper writes them."""

from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from rugcore.fair_training.constrained_master import ParityMaster
from rugcore.lp import MasterProblem
from rugcore.lp.merging import MergedRows
from rugcore.lp.program import Solver
from rugcore.lp.solvers.gurobi import GurobiSolver
from rugcore.lp.solvers.highs import HighsSolver

EPSILONS = [0.0, 0.01, 0.05, 0.3, 1e6]


@dataclass(frozen=True)
class Case:
    """Rows of people with their class and group, and the rules that cover them."""

    labels: np.ndarray
    groups: np.ndarray
    coverage: np.ndarray
    rule_labels: np.ndarray
    costs: np.ndarray
    weight: np.ndarray
    n_classes: int
    n_groups: int
    notion: str
    penalty: float = 0.5

    @property
    def cells(self) -> np.ndarray:
        return self.labels * self.n_groups + self.groups

    def members(self) -> list[list[np.ndarray]]:
        """Who is compared with whom: for every class (or once for all) the rows of every group."""
        within = {
            "dmc": [self.labels == k for k in range(self.n_classes)],
            "odm": [np.ones(len(self.labels), dtype=bool)],
            "eop": [self.labels == 1],
        }[self.notion]
        return [[is_inside & (self.groups == g) for g in range(self.n_groups)] for is_inside in within]

    def pairs(self) -> list[tuple[np.ndarray, np.ndarray]]:
        return [pair for members in self.members() for pair in combinations(members, 2)]

    def gap_rows(self) -> np.ndarray:
        """One line a class and pair, one column a row: what v is multiplied with in the constraint."""

        def mean(is_member: np.ndarray) -> np.ndarray:
            return is_member * self.weight / self.weight[is_member].sum()

        return np.array([mean(first) - mean(second) for first, second in self.pairs()])

    def contrasts(self) -> np.ndarray:
        """The same by cell, in the order of `pairs`."""

        def inverse(is_member: np.ndarray) -> np.ndarray:
            line = np.zeros(self.n_classes * self.n_groups)
            line[np.unique(self.cells[is_member])] = 1 / self.weight[is_member].sum()
            return line

        return np.array([inverse(first) - inverse(second) for first, second in self.pairs()])

    def votes(self) -> np.ndarray:
        is_right = self.rule_labels[None, :] == self.labels[:, None]
        return self.coverage * np.where(is_right, 1.0, -1.0 / (self.n_classes - 1))

    def take(self, rows: np.ndarray, weight: np.ndarray | None = None) -> "Case":
        return replace(
            self,
            labels=self.labels[rows],
            groups=self.groups[rows],
            coverage=self.coverage[rows],
            weight=self.weight[rows] if weight is None else weight,
        )


def random_case(seed: int, n_classes: int = 2, n_groups: int = 2, notion: str = "dmc", n_rules: int = 8) -> Case:
    """Rules that are right about the first group more often than about the others."""
    rng = np.random.default_rng(seed)
    n_rows = 90
    cell = np.concatenate([np.arange(n_classes * n_groups), rng.integers(0, n_classes * n_groups, n_rows)])
    labels, groups = np.divmod(cell, n_groups)
    rule_labels = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_rules - n_classes)])
    is_right = rule_labels[None, :] == labels[:, None]
    chance = np.where(is_right, np.where(groups[:, None] == 0, 0.75, 0.35), np.where(groups[:, None] == 0, 0.1, 0.25))
    return Case(
        labels,
        groups,
        rng.random((len(cell), n_rules)) < chance,
        rule_labels,
        rng.integers(1, 4, n_rules) / 3,
        np.ones(len(cell)),
        n_classes,
        n_groups,
        notion,
    )


def program_of(case: Case, epsilon: float, solver: Solver | None = None, n_rules: int | None = None) -> ParityMaster:
    """The problem over the first rules, with the rows merged."""
    rules = slice(0, n_rules)
    no_rules = sparse.csr_array(np.zeros((len(case.labels), 0), dtype=bool))
    rows = MergedRows(case.cells, case.labels, case.weight, no_rules)
    every_row = np.arange(len(case.labels))
    problem = ParityMaster(
        rows, 1.0 / (case.n_classes - 1), case.penalty, solver or HighsSolver(), case.contrasts(), epsilon
    )
    covered = rows.refined(every_row, case.weight, sparse.csr_array(case.coverage[:, rules]))
    problem.add(covered, every_row, case.rule_labels[rules], case.costs[rules])
    problem.keep(np.arange(problem.n_rules))
    return problem


def peer_optimum(case: Case, epsilon: float) -> tuple[float, np.ndarray]:
    """min lambda c w + u v  s.t.  votes w + v >= 1,  -epsilon <= gaps of mean v <= epsilon;  its value and prices."""
    votes, gaps = case.votes(), case.gap_rows()
    (n_rows, n_rules), n_gaps = votes.shape, len(gaps)
    no_rule = np.zeros((n_gaps, n_rules))
    peer = linprog(
        np.concatenate([case.penalty * case.costs, case.weight]),
        A_ub=np.vstack([-np.hstack([votes, np.eye(n_rows)]), np.hstack([no_rule, gaps]), np.hstack([no_rule, -gaps])]),
        b_ub=np.concatenate([-np.ones(n_rows), np.full(2 * n_gaps, epsilon)]),
    )
    assert peer.status == 0
    duals = peer.ineqlin.marginals[n_rows:]
    return float(peer.fun), duals[n_gaps:] - duals[:n_gaps]


def plain_optimum(case: Case) -> float:
    problem = program_of(case, 1.0)
    plain = MasterProblem(problem.merged, 1.0 / (case.n_classes - 1), case.penalty, HighsSolver())
    plain.rule_class, plain.rule_cost = problem.rule_class, problem.rule_cost
    return plain.solve().objective


SHAPES = [(2, 2, "dmc"), (2, 2, "eop"), (2, 2, "odm"), (2, 3, "dmc"), (3, 2, "dmc"), (3, 3, "odm"), (3, 3, "dmc")]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("n_classes", "n_groups", "notion"), SHAPES)
def test_the_optimum_is_that_of_the_paper_s_program(n_classes: int, n_groups: int, notion: str, epsilon: float) -> None:
    for seed in range(2):
        case = random_case(seed, n_classes, n_groups, notion)
        problem = program_of(case, epsilon)
        assert problem.merged.n_rows < len(case.labels)
        exact = problem.solve_exactly()
        value, _ = peer_optimum(case, epsilon)
        assert exact.value == pytest.approx(value, rel=1e-6)
        assert exact.lower_bound == pytest.approx(value, rel=1e-6)
        assert problem.certificate(exact).holds()


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("n_classes", "n_groups", "notion"), SHAPES)
def test_weights_and_padding_are_what_they_claim_to_be_on_the_rows(
    n_classes: int, n_groups: int, notion: str, epsilon: float
) -> None:
    case = random_case(7, n_classes, n_groups, notion)
    exact = program_of(case, epsilon).solve_exactly()
    assert exact.rule_weight.min() >= 0
    assert exact.padding.min() >= 0
    loss = np.maximum(1 - case.votes() @ exact.rule_weight, 0) * case.weight
    np.testing.assert_allclose(np.bincount(case.cells, loss, n_classes * n_groups), exact.cell_loss, atol=1e-9)
    # Spread the padding over the rows of its cell: that is a v the paper's program would accept.
    padded = loss / case.weight + (exact.padding / np.bincount(case.cells, case.weight))[case.cells]
    assert np.abs(case.gap_rows() @ padded).max() <= epsilon + 1e-7
    paid = case.penalty * case.costs @ exact.rule_weight + case.weight @ padded
    assert paid == pytest.approx(exact.value)


def test_the_certificate_notices_a_wrong_answer() -> None:
    problem = program_of(random_case(1), 0.01)
    exact = problem.solve_exactly()
    assert problem.certificate(exact).holds()
    assert exact.padding.sum() > 1
    assert np.abs(exact.price).max() > 1
    no_padding = replace(exact, padding=0 * exact.padding)
    assert problem.certificate(no_padding).primal_violation > 0.01
    assert problem.certificate(replace(exact, padding=exact.padding * 1.1)).gap > 1e-3
    assert problem.certificate(replace(exact, rule_weight=exact.rule_weight * 1.1)).gap > 1e-3
    assert problem.certificate(replace(exact, rule_weight=-exact.rule_weight)).primal_violation > 0.1
    assert problem.certificate(replace(exact, row_dual=exact.row_dual * 1.1)).dual_violation > 1e-3
    assert problem.certificate(replace(exact, price=3 * exact.price)).dual_violation > 1e-3


@pytest.mark.parametrize(("n_classes", "n_groups", "notion"), SHAPES)
def test_a_looser_epsilon_never_costs_more(n_classes: int, n_groups: int, notion: str) -> None:
    case = random_case(3, n_classes, n_groups, notion)
    values = [program_of(case, epsilon).solve_exactly().value for epsilon in (0, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0)]
    assert all(later <= earlier + 1e-6 for earlier, later in pairwise(values))
    assert values[0] > values[-1] + 0.1  # the constraint was not idle


@pytest.mark.parametrize("epsilon", [1e3, 1e6, np.inf])
@pytest.mark.parametrize("seed", range(3))
def test_an_epsilon_that_binds_nothing_gives_the_plain_problem(epsilon: float, seed: int) -> None:
    case = random_case(seed, 3, 3)
    problem = program_of(case, epsilon)
    exact = problem.solve_exactly()
    assert exact.value == pytest.approx(plain_optimum(case))
    assert exact.padding.sum() == pytest.approx(0, abs=1e-9)
    assert exact.price == pytest.approx(np.zeros(len(case.contrasts())))
    assert problem.certificate(exact).holds()


@pytest.mark.parametrize("notion", ["dmc", "odm", "eop"])
@pytest.mark.parametrize("seed", range(4))
def test_a_price_has_the_sign_of_the_gap_it_holds_back(notion: str, seed: int) -> None:
    """Where the constraint is tight the price pushes the gap inwards; where it is slack there is none."""
    epsilon = 0.1
    case = random_case(seed, 3, 2, notion)
    exact = program_of(case, epsilon).solve_exactly()
    gaps = case.contrasts() @ (exact.cell_loss + exact.padding)
    is_paid = np.abs(exact.price) > 1e-6
    assert is_paid.any()
    np.testing.assert_allclose(gaps[is_paid], epsilon * np.sign(exact.price[is_paid]), atol=1e-6)


def test_the_price_is_what_a_little_more_room_saves() -> None:
    """The slope of the optimum over epsilon, by finite differences; and scipy's own duals."""
    case, epsilon, step = random_case(2), 0.1, 1e-4
    exact = program_of(case, epsilon).solve_exactly()
    less, more = (peer_optimum(case, epsilon + change)[0] for change in (-step, step))
    assert np.abs(exact.price).sum() == pytest.approx((less - more) / (2 * step), rel=1e-3)
    np.testing.assert_allclose(exact.price, peer_optimum(case, epsilon)[1], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("notion", ["dmc", "odm", "eop"])
def test_swapping_the_groups_flips_the_price(notion: str) -> None:
    case = random_case(4, 2, 2, notion)
    one = program_of(case, 0.05).solve_exactly()
    other = program_of(replace(case, groups=1 - case.groups), 0.05).solve_exactly()
    assert other.value == pytest.approx(one.value)
    assert np.abs(one.price).max() > 1
    np.testing.assert_allclose(other.price, -one.price, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(other.padding.reshape(2, 2)[:, ::-1].sum(), one.padding.sum(), rtol=1e-5)


@pytest.mark.parametrize("epsilon", [0.0, 0.02, 0.3, np.inf])
@pytest.mark.parametrize("penalty", [0.1, 0.5, 4.0])
def test_another_epsilon_and_lambda_is_a_fresh_problem(epsilon: float, penalty: float) -> None:
    case = random_case(5, 3, 2)
    problem = program_of(case, 0.05)
    before = problem.solve_exactly()
    other = problem.with_epsilon(epsilon, penalty)
    found = other.solve_exactly()
    fresh = program_of(replace(case, penalty=penalty), epsilon).solve_exactly()
    assert found.value == pytest.approx(fresh.value, rel=1e-6)
    assert other.certificate(found).holds()
    assert problem.epsilon == 0.05
    assert problem.solve_exactly().value == pytest.approx(before.value)


def test_back_from_no_bound_to_a_bound() -> None:
    case = random_case(5, 3, 2)
    there_and_back = program_of(case, 0.05).with_epsilon(np.inf, 0.5).with_epsilon(0.05, 0.5)
    value, _ = peer_optimum(case, 0.05)
    assert there_and_back.solve_exactly().value == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("is_solved_between", [True, False])
def test_adding_rules_bit_by_bit_ends_at_the_same_optimum(seed: int, is_solved_between: bool) -> None:
    case, epsilon = random_case(seed, 3, 2), 0.03
    problem = program_of(case, epsilon, n_rules=3)
    problem.solve()
    for start in (3, 5):
        add_rules(problem, case, slice(start, start + 2 if start < 5 else None))
        if is_solved_between:
            problem.solve()
    assert problem.n_rules == len(case.costs)
    exact = problem.solve_exactly()
    assert exact.value == pytest.approx(peer_optimum(case, epsilon)[0], rel=1e-6)
    assert problem.certificate(exact).holds()


@pytest.mark.parametrize("seed", range(3))
def test_dropping_rules_is_as_if_they_had_never_been_there(seed: int) -> None:
    case, epsilon = random_case(seed, 2, 3), 0.03
    problem = program_of(case, epsilon)
    used = problem.solve_exactly().rule_weight > 0
    kept = np.flatnonzero(~used | (np.arange(len(used)) % 2 == 0))  # also some that had weight go
    assert 0 < len(kept) < len(used)
    problem.keep(kept)
    fewer = replace(case, coverage=case.coverage[:, kept], rule_labels=case.rule_labels[kept], costs=case.costs[kept])
    exact = problem.solve_exactly()
    assert exact.value == pytest.approx(peer_optimum(fewer, epsilon)[0], rel=1e-6)
    assert problem.certificate(exact).holds()


def test_dropping_rules_right_after_others_came_in() -> None:
    case, epsilon = random_case(1, 2, 2), 0.03
    problem = program_of(case, epsilon, n_rules=4)
    problem.solve()
    add_rules(problem, case, slice(4, None))
    problem.keep(np.arange(1, problem.n_rules))
    fewer = replace(case, coverage=case.coverage[:, 1:], rule_labels=case.rule_labels[1:], costs=case.costs[1:])
    assert problem.solve_exactly().value == pytest.approx(peer_optimum(fewer, epsilon)[0], rel=1e-6)


def add_rules(problem: ParityMaster, case: Case, rules: slice) -> None:
    """Split the merged rows by the new rules, as the training rows do: children stand by their parent."""
    old = problem.merged
    known = {
        (cell, *line): row
        for row, (cell, line) in enumerate(zip(old.cell, old.coverage.toarray().tolist(), strict=True))
    }
    parent_of_row = np.array(
        [
            known[cell, *line]
            for cell, line in zip(case.cells, case.coverage[:, : problem.n_rules].tolist(), strict=True)
        ]
    )
    keys = np.column_stack([parent_of_row, case.coverage[:, rules]])
    distinct, number = np.unique(keys, axis=0, return_inverse=True)
    parent, new = distinct[:, 0], distinct[:, 1:].astype(bool)
    weight = np.bincount(number.ravel(), case.weight)
    problem.add(old.refined(parent, weight, sparse.csr_array(new)), parent, case.rule_labels[rules], case.costs[rules])


def test_a_few_steps_obey_the_constraint_and_lie_between_bound_and_start() -> None:
    """What column generation works with while rules are still coming."""
    case, epsilon = random_case(6, 3, 3), 0.03
    value, _ = peer_optimum(case, epsilon)
    problem = program_of(case, epsilon)
    objectives = [problem.solve().objective for _ in range(6)]
    assert min(objectives) >= value - 1e-6
    assert all(later <= earlier + 1e-6 for earlier, later in pairwise(objectives))
    solution = problem.solve()
    assert solution.merged_dual.sum() - solution.dual_constant <= value + 1e-6
    # With some padding these weights meet the constraint, at no more than the objective says.
    loss = np.maximum(1 - case.votes() @ solution.rule_weight, 0)
    gaps = case.gap_rows()
    padding = linprog(
        case.weight,
        A_ub=np.vstack([gaps, -gaps]),
        b_ub=np.concatenate([epsilon - gaps @ loss, epsilon + gaps @ loss]),
    )
    assert padding.status == 0
    cost = case.penalty * case.costs @ solution.rule_weight + loss.sum() + padding.fun
    assert value - 1e-6 <= cost <= solution.objective + 1e-6


def test_finishing_goes_to_the_optimum_once() -> None:
    case, epsilon = random_case(6, 3, 3), 0.03
    value, _ = peer_optimum(case, epsilon)
    problem = program_of(case, epsilon)
    assert problem.solve().objective > value + 1e-3
    optimum = problem.finish()
    assert optimum is not None
    assert optimum.objective == pytest.approx(value, rel=1e-6)
    assert optimum.merged_dual.sum() - optimum.dual_constant == pytest.approx(value, rel=1e-6)
    assert problem.finish() is None


def test_a_weight_of_two_is_a_row_twice() -> None:
    case, epsilon = random_case(8, 3, 2), 0.03
    count = np.random.default_rng(0).integers(1, 4, len(case.labels))
    weighted = program_of(replace(case, weight=count.astype(float)), epsilon).solve_exactly()
    rows = np.repeat(np.arange(len(count)), count)
    repeated = program_of(case.take(rows), epsilon).solve_exactly()
    assert weighted.value == pytest.approx(repeated.value)
    assert weighted.value == pytest.approx(peer_optimum(case.take(rows), epsilon)[0], rel=1e-6)
    assert weighted.value != pytest.approx(program_of(case, epsilon).solve_exactly().value)


def test_the_order_of_rows_does_not_matter() -> None:
    case = random_case(9, 3, 2)
    shuffled = case.take(np.random.default_rng(1).permutation(len(case.labels)))
    one, other = program_of(case, 0.03).solve_exactly(), program_of(shuffled, 0.03).solve_exactly()
    assert one.value == pytest.approx(other.value)
    np.testing.assert_allclose(one.rule_weight, other.rule_weight, atol=1e-9)


@pytest.mark.parametrize(("n_classes", "n_groups", "notion"), SHAPES)
def test_solvers_agree(n_classes: int, n_groups: int, notion: str) -> None:
    case = random_case(10, n_classes, n_groups, notion)
    highs, gurobi = (program_of(case, 0.02, solver).solve_exactly() for solver in (HighsSolver(), GurobiSolver()))
    assert highs.value == pytest.approx(gurobi.value, rel=1e-6)


def test_a_price_too_high_for_any_rule_leaves_none() -> None:
    """All rows then lose 1, which is the same in every group."""
    case = replace(random_case(0), penalty=1e4)
    exact = program_of(case, 0.0).solve_exactly()
    assert not exact.rule_weight.any()
    assert exact.value == pytest.approx(len(case.labels))
    assert exact.padding.sum() == pytest.approx(0)


def test_without_rules_everybody_loses_the_same() -> None:
    case = random_case(0)
    problem = ParityMaster(
        MergedRows.by_cell(np.array([0, 0, 1, 1]), np.bincount(case.cells, minlength=4).astype(float)),
        1.0,
        1.0,
        HighsSolver(),
        case.contrasts(),
        0.0,
    )
    assert problem.solve().objective == pytest.approx(len(case.labels))
    assert problem.solve_exactly().value == pytest.approx(len(case.labels))


def test_padding_by_hand() -> None:
    """One rule that knows only the first group: the constraint is cheapest met by padding that group's loss.

    Ten rows of class 0 in each group, all of the first covered rightly and none of the second. With weight w the mean
    losses are 1 - w and 1. At epsilon 0.4 a price of 1 per unit of weight pays: each unit saves 10 rows, and beyond a
    gap of 0.4 the saving is given back in padding. So the optimum is 1 * 0.4 + 6 + 10, without padding.
    """
    cell = np.repeat([0, 1], 10)
    rows = MergedRows(cell, np.zeros(20, dtype=int), np.ones(20), sparse.csr_array(np.zeros((20, 0), dtype=bool)))
    problem = ParityMaster(rows, 1.0, 1.0, HighsSolver(), np.array([[0.1, -0.1, 0.0, 0.0]]), 0.4)
    covered = rows.refined(np.arange(20), np.ones(20), sparse.csr_array((cell == 0)[:, None]))
    problem.add(covered, np.arange(20), np.array([0]), np.array([1.0]))
    exact = problem.solve_exactly()
    assert exact.value == pytest.approx(16.4)
    assert exact.rule_weight == pytest.approx([0.4])
    assert exact.padding == pytest.approx(np.zeros(4))
    assert exact.price == pytest.approx([-9.0])  # a unit of gap is a unit of weight: ten rows less its cost of one
    free = ParityMaster(rows, 1.0, 0.0, HighsSolver(), np.array([[0.1, -0.1, 0.0, 0.0]]), 0.4)
    free.add(covered, np.arange(20), np.array([0]), np.array([1.0]))
    assert free.solve_exactly().value == pytest.approx(16.0)  # padded or not, 6 + 10 is what it comes to


@pytest.mark.parametrize("epsilon", [0.0, 0.05])
def test_a_copy_under_another_lambda_keeps_the_constraint(epsilon: float) -> None:
    case = random_case(3)
    copied = program_of(case, epsilon).copy(2.0)
    assert isinstance(copied, ParityMaster)
    assert copied.solve_exactly().value == pytest.approx(peer_optimum(replace(case, penalty=2.0), epsilon)[0])
