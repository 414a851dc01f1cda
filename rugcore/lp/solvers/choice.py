"""Which solver to use: the one asked for, or the best one that needs no permission."""

from rugcore.errors import InputError
from rugcore.lp.program import Solver
from rugcore.lp.solvers.gurobi import GurobiSolver, has_full_licence
from rugcore.lp.solvers.highs import HighsSolver

SOLVER_NAMES = ("auto", "highs", "gurobi")


def choose_solver(name: str) -> Solver:
    """`auto` is Gurobi where its licence has no size limit, else HiGHS; the estimator's `solver_` says which."""
    if name not in SOLVER_NAMES:
        raise InputError(f"Expected solver to be one of {', '.join(SOLVER_NAMES)}, but got {name!r}.")
    if name == "gurobi" or (name == "auto" and has_full_licence()):
        return GurobiSolver()
    return HighsSolver()
