"""Linear programs: arrays in, arrays out. Nothing here knows what a table or a tree is."""

from rugcore.lp.certificate import Certificate, certify, certify_master
from rugcore.lp.master import MasterProblem, MasterSolution
from rugcore.lp.program import Basis, BasisStatus, LinearProgram, Solution, Solver
from rugcore.lp.solvers.choice import choose_solver

__all__ = [
    "Basis",
    "BasisStatus",
    "Certificate",
    "LinearProgram",
    "MasterProblem",
    "MasterSolution",
    "Solution",
    "Solver",
    "certify",
    "certify_master",
    "choose_solver",
]
