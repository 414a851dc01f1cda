"""Gurobi, where a licence allows it. The licence that comes with the package ends at 2,000 rows or columns."""

import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rugcore.errors import SolverError
from rugcore.lp.program import Basis, BasisStatus, LinearProgram, Solution

SIZE_LIMIT = 2_000
ERROR_TOO_LARGE = 10010
# Gurobi's own numbering of a basis: columns and rows use different ones.
COLUMN_STATUS = {BasisStatus.BASIC: 0, BasisStatus.LOWER: -1, BasisStatus.UPPER: -2}


class GurobiSolver:
    """Dual simplex, so that the answer is a vertex; warm-started whenever a basis is given."""

    name = "gurobi"

    def solve(self, program: LinearProgram, start: Basis | None = None) -> Solution:
        gurobi = _import()
        try:
            with gurobi.Env(params={"OutputFlag": 0}) as env, gurobi.Model(env=env) as model:
                return self._solve(gurobi, model, program, start)
        except gurobi.GurobiError as error:
            raise SolverError(_explain(error, program)) from error

    def _solve(self, gurobi: Any, model: Any, program: LinearProgram, start: Basis | None) -> Solution:
        x = model.addMVar(program.n_columns, lb=program.lower, ub=program.upper, obj=program.cost)
        # Every row of the master problem has one finite side, or two equal ones.
        has_upper = np.isfinite(program.row_upper)
        sense = np.where(has_upper, "<", ">")
        bound = np.where(has_upper, program.row_upper, program.row_lower)
        if np.any(has_upper & np.isfinite(program.row_lower)):
            raise SolverError("The Gurobi backend takes rows with one finite side only.")
        rows = model.addMConstr(program.matrix.tocsr(), x, sense, bound)
        model.Params.Method = 1  # dual simplex
        if start is not None and _is_square(start, program):
            model.Params.Presolve = 0  # it would throw the basis away
            model.update()  # a basis can only be set on variables that are there
            x.VBasis = np.vectorize(COLUMN_STATUS.__getitem__)(start.columns)
            rows.CBasis = np.where(start.rows == BasisStatus.BASIC, 0, -1)
        model.optimize()
        if model.Status != gurobi.GRB.OPTIMAL:
            raise SolverError(f"Gurobi stopped with the status code {model.Status}.")
        return _solution(model, x, rows, has_upper)


def _is_square(start: Basis, program: LinearProgram) -> bool:
    """Unlike HiGHS, Gurobi does not repair a basis with too many or too few basic entries."""
    n_basic = np.count_nonzero(start.columns == BasisStatus.BASIC) + np.count_nonzero(start.rows == BasisStatus.BASIC)
    return int(n_basic) == program.n_rows


def _solution(model: Any, x: Any, rows: Any, has_upper: np.ndarray) -> Solution:
    columns = np.select([x.VBasis == 0, x.VBasis == -2], [BasisStatus.BASIC, BasisStatus.UPPER], BasisStatus.LOWER)
    at_bound = np.where(has_upper, BasisStatus.UPPER, BasisStatus.LOWER)
    return Solution(
        objective=float(model.ObjVal),
        x=np.asarray(x.X),
        row_duals=np.asarray(rows.Pi),
        basis=Basis(columns.astype(np.int8), np.where(rows.CBasis == 0, BasisStatus.BASIC, at_bound).astype(np.int8)),
        n_iterations=int(model.IterCount),
    )


def _import() -> Any:
    try:
        import gurobipy
    except ImportError as error:
        raise SolverError(
            "solver='gurobi' needs the package gurobipy, which is not installed: pip install 'rug-dashboard[gurobi]'"
        ) from error
    return gurobipy


def _explain(error: Any, program: LinearProgram) -> str:
    if error.errno == ERROR_TOO_LARGE:
        return (
            f"This Gurobi licence stops at {SIZE_LIMIT:,} rows or columns, but the linear program has "
            f"{program.n_rows:,} rows and {program.n_columns:,} columns. Use solver='highs', which has no limit."
        )
    return f"Gurobi cannot be used here ({error}). Use solver='highs', which needs no licence."


@cache
def has_full_licence() -> bool:
    """Whether Gurobi here solves programs of any size; asked once, and without loading it if none is set up."""
    return _licence_is_configured() and _solves_beyond_limit()


def _licence_is_configured() -> bool:
    settings = ("GRB_LICENSE_FILE", "GRB_WLSACCESSID", "GRB_COMPUTE_SERVER", "GRB_TOKEN_SERVER")
    folders = (Path.home(), Path("/opt/gurobi"), Path("/Library/gurobi"), Path("C:/gurobi"))
    return any(os.environ.get(name) for name in settings) or any(
        (folder / "gurobi.lic").is_file() for folder in folders
    )


def _solves_beyond_limit() -> bool:
    try:
        gurobi = _import()
    except SolverError:
        return False
    try:
        with gurobi.Env(params={"OutputFlag": 0}) as env, gurobi.Model(env=env) as model:
            model.addMVar(SIZE_LIMIT + 1)
            model.optimize()
    except gurobi.GurobiError:
        return False
    return True
