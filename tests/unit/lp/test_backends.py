"""Every backend on named programs with known answers, and against scipy on random ones."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from rugcore.errors import InputError, SolverError
from rugcore.lp import LinearProgram, certify, choose_solver
from rugcore.lp.program import BasisStatus, Solver
from rugcore.lp.solvers.gurobi import SIZE_LIMIT, GurobiSolver, has_full_licence
from rugcore.lp.solvers.highs import HighsSolver

BACKENDS = [pytest.param(HighsSolver(), id="highs"), pytest.param(GurobiSolver(), id="gurobi")]


def diet() -> LinearProgram:
    """min 2x + 3y  s.t.  x + y >= 4, x <= 3: by hand x = 3, y = 1, objective 9, dual of the row 3."""
    return LinearProgram(
        cost=np.array([2.0, 3.0]),
        matrix=sparse.csc_array(np.array([[1.0, 1.0]])),
        row_lower=np.array([4.0]),
        row_upper=np.array([np.inf]),
        lower=np.zeros(2),
        upper=np.array([3.0, np.inf]),
    )


def random_program(seed: int, n_rows: int = 12, n_columns: int = 40) -> LinearProgram:
    """Boxed variables and rows with one side, like the master problem."""
    rng = np.random.default_rng(seed)
    matrix = rng.choice([0.0, 1.0, -0.5], p=[0.6, 0.3, 0.1], size=(n_rows, n_columns))
    return LinearProgram(
        cost=-np.ones(n_columns),
        matrix=sparse.csc_array(matrix),
        row_lower=np.full(n_rows, -np.inf),
        row_upper=rng.uniform(0.5, 3, n_rows),
        lower=np.zeros(n_columns),
        upper=rng.integers(1, 6, n_columns).astype(float),
    )


@pytest.mark.parametrize("solver", BACKENDS)
def test_hand_solved_program(solver: Solver) -> None:
    solution = solver.solve(diet())
    assert solution.objective == pytest.approx(9)
    assert solution.x == pytest.approx([3, 1])
    assert solution.row_duals == pytest.approx([3])
    assert certify(diet(), solution).holds()


@pytest.mark.parametrize("solver", BACKENDS)
@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_scipy_and_is_certified(solver: Solver, seed: int) -> None:
    program = random_program(seed)
    solution = solver.solve(program)
    peer = linprog(
        program.cost,
        A_ub=program.matrix,
        b_ub=program.row_upper,
        bounds=np.column_stack([program.lower, program.upper]),
    )
    assert solution.objective == pytest.approx(peer.fun)
    assert certify(program, solution).holds()


@pytest.mark.parametrize("solver", BACKENDS)
def test_answer_is_a_vertex(solver: Solver) -> None:
    program = random_program(7)
    solution = solver.solve(program)
    strictly_between = (solution.x > program.lower + 1e-9) & (solution.x < program.upper - 1e-9)
    assert strictly_between.sum() <= program.n_rows
    n_basic = np.sum(solution.basis.columns == BasisStatus.BASIC) + np.sum(solution.basis.rows == BasisStatus.BASIC)
    assert n_basic == program.n_rows


@pytest.mark.parametrize("solver", BACKENDS)
def test_warm_start_from_the_optimum_takes_no_step(solver: Solver) -> None:
    program = random_program(3)
    cold = solver.solve(program)
    warm = solver.solve(program, cold.basis)
    assert warm.objective == pytest.approx(cold.objective)
    assert warm.n_iterations == 0 < cold.n_iterations


@pytest.mark.parametrize("solver", BACKENDS)
def test_infeasible_program_is_an_error(solver: Solver) -> None:
    impossible = diet()
    impossible = LinearProgram(
        impossible.cost,
        impossible.matrix,
        np.array([100.0]),
        impossible.row_upper,
        impossible.lower,
        np.array([3.0, 3.0]),
    )
    with pytest.raises(SolverError, match="stopped with the status"):
        solver.solve(impossible)


def test_certificate_notices_a_wrong_answer() -> None:
    program = random_program(1)
    solution = HighsSolver().solve(program)
    worse = solution.__class__(solution.objective, solution.x * 0.9, solution.row_duals, solution.basis)
    too_much = solution.__class__(solution.objective, solution.x + 10, solution.row_duals, solution.basis)
    wrong_duals = solution.__class__(solution.objective, solution.x, -solution.row_duals, solution.basis)
    assert certify(program, worse).gap > 1e-3
    assert certify(program, too_much).primal_violation > 1
    assert certify(program, wrong_duals).dual_violation > 1e-3


@pytest.mark.skipif(has_full_licence(), reason="this machine's Gurobi licence has no size limit")
def test_gurobi_beyond_its_free_size_says_what_to_do() -> None:
    with pytest.raises(SolverError, match=r"stops at 2,000 .* Use solver='highs'"):
        GurobiSolver().solve(random_program(0, n_columns=SIZE_LIMIT + 1))


def test_auto_without_a_licence_is_highs(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    has_full_licence.cache_clear()
    broken = tmp_path / "gurobi.lic"
    broken.write_text("this is not a licence")
    monkeypatch.setenv("GRB_LICENSE_FILE", str(broken))
    assert choose_solver("auto").name == "highs"
    has_full_licence.cache_clear()


def test_unknown_solver_is_refused() -> None:
    with pytest.raises(InputError, match="auto, highs, gurobi"):
        choose_solver("cplex")
