"""Proof that a solution is optimal, computed from the data alone and without trusting any solver."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from rugcore.lp.program import LinearProgram, Solution

# What the solvers promise (1e-7 on each row) with room for adding up many rows.
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Certificate:
    """Primal and dual feasible with equal objectives: by duality nothing better exists."""

    primal_violation: float
    dual_violation: float
    gap: float  # |primal - dual| / (1 + |primal|)

    def holds(self, tolerance: float = TOLERANCE) -> bool:
        return max(self.primal_violation, self.dual_violation, self.gap) <= tolerance

    def __bool__(self) -> bool:
        return self.holds()

    def __str__(self) -> str:
        verdict = "optimal" if self.holds() else "NOT proved optimal"
        return (
            f"{verdict}: primal violation {self.primal_violation:.1e}, dual violation {self.dual_violation:.1e}, "
            f"gap {self.gap:.1e}"
        )


def certify(program: LinearProgram, solution: Solution) -> Certificate:
    """Check a solution of a linear program in the form of `LinearProgram`."""
    activity = program.matrix @ solution.x
    reduced_cost = program.cost - program.matrix.T @ solution.row_duals
    primal = float(program.cost @ solution.x)
    row_value, row_violation = _bound_value(solution.row_duals, program.row_lower, program.row_upper)
    column_value, column_violation = _bound_value(reduced_cost, program.lower, program.upper)
    return Certificate(
        primal_violation=max(
            _outside(activity, program.row_lower, program.row_upper),
            _outside(solution.x, program.lower, program.upper),
        ),
        dual_violation=max(row_violation, column_violation),
        gap=abs(primal - row_value - column_value) / (1 + abs(primal)),
    )


def certify_master(
    votes: sparse.sparray | np.ndarray,
    row_weight: np.ndarray,
    rule_cost: np.ndarray,
    rule_weight: np.ndarray,
    row_dual: np.ndarray,
    floor: np.ndarray | None = None,
) -> Certificate:
    """Check the master problem, on the original rows (then merging is covered by the proof) or on merged ones.

    primal  min rule_cost @ w + row_weight @ v    s.t.  votes @ w + v >= 1,  w >= floor,  v >= 0
    dual    max sum(beta) + mu @ floor            s.t.  votes.T @ beta + mu = rule_cost,  0 <= beta <= row_weight,
                                                        mu >= 0
    """
    least = np.zeros(len(rule_weight)) if floor is None else floor
    loss = np.maximum(1 - votes @ rule_weight, 0)
    primal = float(rule_cost @ rule_weight + row_weight @ loss)
    price = votes.T @ row_dual - rule_cost
    dual = float(row_dual.sum() - price @ least)
    return Certificate(
        primal_violation=max(float(np.max(least - rule_weight, initial=0.0)), 0.0),
        dual_violation=max(float(np.max(price, initial=0.0)), _outside(row_dual, 0 * row_weight, row_weight)),
        gap=abs(primal - dual) / (1 + abs(primal)),
    )


def _outside(values: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> float:
    return float(np.max(np.maximum(lower - values, values - upper), initial=0.0))


def _bound_value(price: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> tuple[float, float]:
    """Sum of price times the bound it pushes against; a price against an infinite bound is a violation."""
    bound = np.where(price > 0, lower, upper)
    is_finite = np.isfinite(bound)
    violation = float(np.max(np.abs(price[~is_finite]), initial=0.0))
    return float(price[is_finite] @ bound[is_finite]), violation
