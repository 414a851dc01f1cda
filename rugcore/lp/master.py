"""The master problem: which rules to use, and with what weight.

    minimise    lambda * sum_j c_j w_j + sum_i u_i v_i
    subject to  sum_j a_ij w_j + v_i >= 1     for every row i      (dual beta_i)
                w, v >= 0

u_i is the weight of row i; a_ij is 0 if rule j does not cover row i, 1 if it does and votes for the right class, and
-1/(K-1) if it votes for a wrong one. Rows of one class that are covered by the same rules have the same constraint:
they are merged into one row s of weight n_s = sum u_i, and the dual of the merged problem is what is solved:

    maximise    sum_s beta_s
    subject to  sum_s a_sj beta_s <= lambda c_j     for every rule j      (dual w_j)
                0 <= beta_s <= n_s

It has one row a rule, however long the table is, and a vertex of it gives a vertex w of the master problem: few rules
with weight. A row's own dual is its share of the merged one: beta_i = beta_s u_i / n_s.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from rugcore.lp.merging import MergedRows
from rugcore.lp.program import Basis, BasisStatus, LinearProgram, Solution, Solver


@dataclass(frozen=True)
class MasterSolution:
    """Rule weights and the duals that price new rules."""

    objective: float
    rule_weight: np.ndarray  # w_j
    merged_dual: np.ndarray  # beta_s
    basis: Basis


class MasterProblem:
    """Holds the merged rows, the rules and the last basis; grows as rules come in."""

    def __init__(self, merged: MergedRows, n_classes: int, penalty: float, solver: Solver) -> None:
        self.merged = merged
        self.n_classes = n_classes
        self.penalty = penalty
        self.solver = solver
        self.rule_label = np.empty(0, dtype=np.int64)
        self.rule_cost = np.empty(0)
        self._basis: Basis | None = None

    @property
    def n_rules(self) -> int:
        return len(self.rule_label)

    def copy(self, penalty: float) -> "MasterProblem":
        """The same problem under another lambda; the last basis is a good start for it."""
        other = MasterProblem(self.merged, self.n_classes, penalty, self.solver)
        other.rule_label, other.rule_cost, other._basis = self.rule_label, self.rule_cost, self._basis
        return other

    def add(self, merged: MergedRows, parent: np.ndarray, labels: np.ndarray, costs: np.ndarray) -> None:
        """Take in new rules; `merged` are the rows as the new rules split them, `parent` where each came from."""
        if self._basis is not None:
            self._basis = _inherited(self._basis, parent, n_new_rules=len(labels))
        self.merged = merged
        self.rule_label = np.concatenate([self.rule_label, labels])
        self.rule_cost = np.concatenate([self.rule_cost, costs])

    def keep(self, kept: np.ndarray) -> np.ndarray:
        """Drop all other rules; returns the new number of every merged row. The last solution stays optimal if the
        dropped rules had no weight in it."""
        merged, number = self.merged.with_rules(kept)
        if self._basis is not None:
            self._basis = _remerged(self._basis, number, kept, merged.n_rows)
        self.merged = merged
        self.rule_label, self.rule_cost = self.rule_label[kept], self.rule_cost[kept]
        return number

    def program(self) -> LinearProgram:
        """The dual of the merged problem, as a minimisation."""
        n_merged = self.merged.n_rows
        return LinearProgram(
            cost=-np.ones(n_merged),
            matrix=self.votes(),
            row_lower=np.full(self.n_rules, -np.inf),
            row_upper=self.penalty * self.rule_cost,
            lower=np.zeros(n_merged),
            upper=self.merged.weight,
        )

    def votes(self) -> sparse.csc_array:
        """a_sj with one line a rule and one column a merged row."""
        coverage = self.merged.coverage
        label_of_row = np.repeat(self.merged.label, np.diff(coverage.indptr))
        is_right = self.rule_label[coverage.indices] == label_of_row
        vote = np.where(is_right, 1.0, -1.0 / (self.n_classes - 1))
        shape = (self.n_rules, self.merged.n_rows)
        return sparse.csc_array((vote, coverage.indices, coverage.indptr), shape=shape)

    def solve(self) -> MasterSolution:
        """Solve to optimality, from where the last solve ended."""
        if not self.n_rules:
            return self._without_rules()
        solution = self.solver.solve(self.program(), self._basis)
        self._basis = solution.basis
        return _as_master(solution, self.merged.weight)

    def _without_rules(self) -> MasterSolution:
        weight = self.merged.weight
        basis = Basis(np.full(len(weight), BasisStatus.UPPER, dtype=np.int8), np.empty(0, dtype=np.int8))
        return MasterSolution(float(weight.sum()), np.empty(0), weight.copy(), basis)


def _as_master(solution: Solution, weight: np.ndarray) -> MasterSolution:
    """Rounding of the solver's last digits must not turn into a negative weight or dual."""
    return MasterSolution(
        objective=-solution.objective,
        rule_weight=np.maximum(-solution.row_duals, 0.0),
        merged_dual=np.clip(solution.x, 0.0, weight),
        basis=solution.basis,
    )


def _inherited(basis: Basis, parent: np.ndarray, n_new_rules: int) -> Basis:
    """The old basis on the split rows: dual feasible, so that dual simplex goes on from it.

    Children of a merged row keep its status. Of the children of a basic row only the first stays basic; the others
    have reduced cost zero, so either bound will do. The slacks of the new rules are basic.
    """
    columns = basis.columns[parent]
    is_first = np.ones(len(parent), dtype=bool)
    is_first[1:] = parent[1:] != parent[:-1]
    columns = np.where((columns == BasisStatus.BASIC) & ~is_first, BasisStatus.UPPER, columns)
    rows = np.concatenate([basis.rows, np.full(n_new_rules, BasisStatus.BASIC, dtype=np.int8)])
    return Basis(columns.astype(np.int8), rows)


def _remerged(basis: Basis, number: np.ndarray, kept: np.ndarray, n_merged: int) -> Basis:
    """The old basis on rows merged again: basic where one of them was, else where the first of them stood.

    Rows that become equal have equal reduced costs, since the dropped rules had no weight.
    """
    columns = np.full(n_merged, -1, dtype=np.int8)
    columns[number[::-1]] = basis.columns[::-1]
    columns[number[basis.columns == BasisStatus.BASIC]] = BasisStatus.BASIC
    return Basis(columns, basis.rows[kept])
