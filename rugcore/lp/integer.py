"""Integer programs: a linear program in which some columns must be whole numbers."""

from dataclasses import dataclass

import numpy as np

from rugcore.errors import SolverError
from rugcore.lp.program import LinearProgram, Solver
from rugcore.lp.solvers.highs import pass_program, set_option


@dataclass(frozen=True)
class IntegerSolution:
    """The best point found, and a bound: no point has a lower objective."""

    x: np.ndarray
    objective: float
    lower_bound: float


def solve_integer(
    program: LinearProgram,
    is_integer: np.ndarray,
    solver: Solver,
    seconds: float | None = None,
    start: np.ndarray | None = None,
) -> IntegerSolution:
    """By the package behind `solver`; after so many seconds, what was found until then.

    With `start`, a point that satisfies the program, what is found is at least as good as that.
    """
    solve = _by_gurobi if solver.name == "gurobi" else _by_highs
    return solve(program, is_integer, seconds, start)


def _by_highs(
    program: LinearProgram, is_integer: np.ndarray, seconds: float | None, start: np.ndarray | None
) -> IntegerSolution:
    import highspy

    highs = highspy.Highs()
    set_option(highs, "output_flag", False)
    if seconds is not None:
        set_option(highs, "time_limit", max(seconds, 0.01))
    pass_program(highs, highspy, program, is_integer)
    if start is not None:
        point = highspy.HighsSolution()
        point.col_value = start.tolist()
        highs.setSolution(point)  # a refused point only costs time
    highs.run()
    info, solution = highs.getInfo(), highs.getSolution()
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        status = highs.modelStatusToString(highs.getModelStatus())
        raise SolverError(f"HiGHS found no solution of the integer program (status {status!r}).")
    x, found = np.array(solution.col_value), float(info.objective_function_value)
    return IntegerSolution(_rounded(x, is_integer), found, min(float(info.mip_dual_bound), found))


def _by_gurobi(
    program: LinearProgram, is_integer: np.ndarray, seconds: float | None, start: np.ndarray | None
) -> IntegerSolution:
    import gurobipy

    with gurobipy.Env(params={"OutputFlag": 0}) as env, gurobipy.Model(env=env) as model:
        kinds = np.where(is_integer, "I", "C")
        x = model.addMVar(program.n_columns, lb=program.lower, ub=program.upper, obj=program.cost, vtype=kinds)
        for sense, bound in ((">", program.row_lower), ("<", program.row_upper)):
            is_there = np.isfinite(bound)
            model.addMConstr(program.matrix.tocsr()[is_there], x, np.full(is_there.sum(), sense), bound[is_there])
        if seconds is not None:
            model.Params.TimeLimit = max(seconds, 0.01)
        if start is not None:
            x.setAttr("Start", start)
        model.optimize()
        if model.SolCount == 0:
            raise SolverError(f"Gurobi found no solution of the integer program (status {model.Status}).")
        return IntegerSolution(_rounded(np.asarray(x.X), is_integer), float(model.ObjVal), float(model.ObjBound))


def _rounded(x: np.ndarray, is_integer: np.ndarray) -> np.ndarray:
    """Solvers give whole numbers up to their tolerance."""
    return np.where(is_integer, np.round(x), x)
