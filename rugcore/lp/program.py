"""The vocabulary shared by all solvers."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class LinearProgram:
    """minimise cost @ x  subject to  row_lower <= matrix @ x <= row_upper,  lower <= x <= upper."""

    cost: np.ndarray
    matrix: sparse.csc_array
    row_lower: np.ndarray
    row_upper: np.ndarray
    lower: np.ndarray
    upper: np.ndarray

    @property
    def n_columns(self) -> int:
        return len(self.cost)

    @property
    def n_rows(self) -> int:
        return len(self.row_lower)


class BasisStatus(IntEnum):
    """Where a variable, or the activity of a row, stands at a vertex."""

    LOWER = 0
    BASIC = 1
    UPPER = 2


@dataclass(frozen=True)
class Basis:
    """A vertex in words: a `BasisStatus` for every column and every row, as small integers."""

    columns: np.ndarray
    rows: np.ndarray


@dataclass(frozen=True)
class Solution:
    """An optimal vertex. `row_duals[i]` is the change of the objective per unit of row i's active bound."""

    objective: float
    x: np.ndarray
    row_duals: np.ndarray
    basis: Basis
    n_iterations: int = 0


class Solver(Protocol):
    """One method; whatever is peculiar to a package stays in its own file."""

    name: str

    def solve(self, program: LinearProgram, start: Basis | None = None) -> Solution:
        """An optimal vertex of the program, found from `start` if it is given; otherwise a `SolverError`."""
        ...
