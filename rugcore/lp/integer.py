"""Integer programs: a linear program in which some columns must be whole numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rugcore.errors import SolverError
from rugcore.lp.program import LinearProgram, Solver


@dataclass(frozen=True)
class IntegerSolution:
    """The best point found, and a bound: no point has a lower objective."""

    x: np.ndarray
    objective: float
    lower_bound: float


def solve_integer(
    program: LinearProgram, is_integer: np.ndarray, solver: Solver, seconds: float | None = None
) -> IntegerSolution:
    """By the package behind `solver`; after so many seconds, what was found until then."""
    solve = _by_gurobi if solver.name == "gurobi" else _by_highs
    return solve(program, is_integer, seconds)


def _by_highs(program: LinearProgram, is_integer: np.ndarray, seconds: float | None) -> IntegerSolution:
    from scipy.optimize import Bounds, LinearConstraint, milp

    found: Any = milp(
        program.cost,
        integrality=is_integer.astype(int),
        bounds=Bounds(program.lower, program.upper),
        constraints=LinearConstraint(program.matrix, program.row_lower, program.row_upper),
        options={} if seconds is None else {"time_limit": max(seconds, 0.01)},
    )
    if found.x is None:
        raise SolverError(f"HiGHS found no solution of the integer program: {found.message}")
    return IntegerSolution(_rounded(found.x, is_integer), float(found.fun), float(found.mip_dual_bound))


def _by_gurobi(program: LinearProgram, is_integer: np.ndarray, seconds: float | None) -> IntegerSolution:
    import gurobipy

    with gurobipy.Env(params={"OutputFlag": 0}) as env, gurobipy.Model(env=env) as model:
        kinds = np.where(is_integer, "I", "C")
        x = model.addMVar(program.n_columns, lb=program.lower, ub=program.upper, obj=program.cost, vtype=kinds)
        for sense, bound in ((">", program.row_lower), ("<", program.row_upper)):
            is_there = np.isfinite(bound)
            model.addMConstr(program.matrix.tocsr()[is_there], x, np.full(is_there.sum(), sense), bound[is_there])
        if seconds is not None:
            model.Params.TimeLimit = max(seconds, 0.01)
        model.optimize()
        if model.SolCount == 0:
            raise SolverError(f"Gurobi found no solution of the integer program (status {model.Status}).")
        return IntegerSolution(_rounded(np.asarray(x.X), is_integer), float(model.ObjVal), float(model.ObjBound))


def _rounded(x: np.ndarray, is_integer: np.ndarray) -> np.ndarray:
    """Solvers give whole numbers up to their tolerance."""
    return np.where(is_integer, np.round(x), x)
