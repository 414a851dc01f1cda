"""The master problem: which rules to use, and with what weight.

    minimise    lambda * sum_j c_j w_j + sum_i u_i v_i
    subject to  sum_j a_ij w_j + v_i >= 1     for every row i      (dual beta_i)
                w, v >= 0

u_i is the weight of row i; a_ij is 0 if rule j does not cover row i, 1 if it does and votes for the right class, and
-theta if it votes for a wrong one. With two classes theta is 1. With K classes the paper has theta = 1/(K-1): the right
class is held against the mean rival, so that a loss of 0 does not mean a right decision. With theta = 1 it is held
against all rivals together, which is at least the best of them: a loss below 1 means a right decision, and the sum of
the losses bounds the number of errors. Two losses with a slack for every rival bound them more tightly, at K - 1 times
the constraints; over the same rules, on five tables and eight splits at depths 3 and 5, their weights changed accuracy
by +0.4 and -0.5 points (Crammer and Singer's) and +0.8 and -0.4 (Weston and Watkins'), standard errors 0.3 to 0.4: not
worth a second linear program. Rows of one class that are covered by the same rules have the same constraint:
they are merged into one row s of weight n_s = sum u_i, and the dual of the merged problem is what is solved:

    maximise    sum_s beta_s
    subject to  sum_s a_sj beta_s <= lambda c_j     for every rule j      (dual w_j)
                0 <= beta_s <= n_s

It has one row per rule, however long the table is, and a vertex of it gives a vertex w of the master problem: few rules
with weight. A row's own dual is its share of the merged one: beta_i = beta_s u_i / n_s.

A cell of rows can be given another importance f: then u_i is f times the row's own weight, for every row of the cell.

A rule can be given a floor l_j that its weight may not fall below. With w = l + w' the constraint of row i asks w' for
r_i = 1 - sum_j a_ij l_j only, so that in the dual beta_s earns r_s instead of 1, and lambda * sum_j c_j l_j is paid
whatever happens. A row that the floors decide with a margin of 1 has r_s <= 0 and no dual.
"""

from dataclasses import dataclass, replace

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
    dual_constant: float = 0.0  # the dual objective is sum(beta_s) minus this


class MasterProblem:
    """Holds the merged rows, the rules and the last basis; grows as rules come in."""

    def __init__(self, merged: MergedRows, wrong_vote: float, penalty: float, solver: Solver) -> None:
        self.merged = merged
        self.wrong_vote = wrong_vote  # theta
        self.penalty = penalty
        self.solver = solver
        self.rule_class = np.empty(0, dtype=np.int64)
        self.rule_cost = np.empty(0)
        self.floor = np.empty(0)  # l: the least weight of every rule
        self.importance = np.ones(1 + merged.cell.max())  # f, by cell
        self._last: MasterSolution | None = None
        self._start: Basis | None = None

    @property
    def n_rules(self) -> int:
        return len(self.rule_class)

    @property
    def row_weight(self) -> np.ndarray:
        """n_s: the weight of every merged row, times the importance of its cell."""
        weight: np.ndarray = self.merged.weight * self.importance[self.merged.cell]
        return weight

    def copy(self, penalty: float) -> "MasterProblem":
        """The same problem under another lambda; the last basis is a good start for it."""
        other = MasterProblem(self.merged, self.wrong_vote, penalty, self.solver)
        other.importance = self.importance
        other.rule_class, other.rule_cost, other.floor = self.rule_class, self.rule_cost, self.floor
        other._last, other._start = self._last, self._start
        return other

    def hold(self, floor: np.ndarray) -> None:
        """Let no rule weigh less than its floor from now on; the last basis is somewhere to start from."""
        self.floor = floor

    def tell_apart(self, merged: MergedRows, parent: np.ndarray, n_cells: int) -> None:
        """Take the rows as finer cells split them; all cells are equally important until said otherwise."""
        self.importance = np.ones(n_cells)
        self.add(merged, parent, np.empty(0, dtype=np.int64), np.empty(0))

    def add(self, merged: MergedRows, parent: np.ndarray, rule_classes: np.ndarray, costs: np.ndarray) -> None:
        """Take in new rules; `merged` are the rows as the new rules split them, `parent` where each came from."""
        self._start = None
        if self._last is not None:
            self._start = inherited(
                self._last, parent, merged.weight * self.importance[merged.cell], n_new_rules=len(rule_classes)
            )
        self._last = None  # it was a solution of other rows
        self.merged = merged
        self.rule_class = np.concatenate([self.rule_class, rule_classes])
        self.rule_cost = np.concatenate([self.rule_cost, costs])
        self.floor = np.concatenate([self.floor, np.zeros(len(costs))])

    def keep(self, kept: np.ndarray) -> np.ndarray:
        """Drop all other rules; returns the new number of every merged row. The last solution stays optimal if the
        dropped rules had no weight in it."""
        merged, number = self.merged.with_rules(kept)
        self._start = None
        if self._last is not None:
            self._last = _remerged(self._last, number, kept, merged.n_rows)
            self._start = self._last.basis
        self.merged = merged
        self.rule_class, self.rule_cost, self.floor = self.rule_class[kept], self.rule_cost[kept], self.floor[kept]
        return number

    def start_from(self, solution: MasterSolution) -> None:
        """Let the next solve go on from a solution of this very problem, found elsewhere."""
        self._last, self._start = solution, solution.basis

    @property
    def solution(self) -> MasterSolution:
        """The last one; of a problem that was solved."""
        assert self._last is not None
        return self._last

    def program(self) -> LinearProgram:
        """The dual of the merged problem, as a minimisation."""
        n_merged = self.merged.n_rows
        return LinearProgram(
            cost=-self.required,
            matrix=self.votes(),
            row_lower=np.full(self.n_rules, -np.inf),
            row_upper=self.penalty * self.rule_cost,
            lower=np.zeros(n_merged),
            upper=self.row_weight,
        )

    @property
    def required(self) -> np.ndarray:
        """r_s: what every merged row asks of the weights above their floors."""
        if not self.floor.any():
            return np.ones(self.merged.n_rows)
        return np.asarray(1.0 - self.votes().T @ self.floor)

    def votes(self) -> sparse.csc_array:
        """a_sj with one line per rule and one column per merged row."""
        coverage = self.merged.coverage
        class_of_row = np.repeat(self.merged.class_code, np.diff(coverage.indptr))
        is_right = self.rule_class[coverage.indices] == class_of_row
        vote = np.where(is_right, 1.0, -self.wrong_vote)
        shape = (self.n_rules, self.merged.n_rows)
        return sparse.csc_array((vote, coverage.indices, coverage.indptr), shape=shape)

    def cell_loss(self, rule_weight: np.ndarray) -> np.ndarray:
        """The loss sum_i (1 - sum_j a_ij w_j)+ of given weights, summed over every cell; importance does not count."""
        loss = np.maximum(1.0 - self.votes().T @ rule_weight, 0.0) * self.merged.weight
        return np.bincount(self.merged.cell, loss, len(self.importance))

    def solve(self) -> MasterSolution:
        """Solve to optimality, from where the last solve ended."""
        if not self.n_rules:
            return self._without_rules()
        solution = self.solver.solve(self.program(), self._start)
        self._last = self._above_floor(_as_master(solution, self.row_weight))
        self._start = self._last.basis
        return self._last

    def _above_floor(self, above: MasterSolution) -> MasterSolution:
        """The solution w = l + w', given that for w'."""
        if not self.floor.any():
            return above
        paid = float(self.penalty * self.rule_cost @ self.floor)
        return replace(
            above,
            objective=above.objective + paid,
            rule_weight=self.floor + above.rule_weight,
            dual_constant=float((1.0 - self.required) @ above.merged_dual) - paid,
        )

    def finish(self) -> MasterSolution | None:
        """The optimum, if the last solve stopped short of it; here it never does."""
        return None

    def _without_rules(self) -> MasterSolution:
        weight = self.row_weight
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


def inherited(last: MasterSolution, parent: np.ndarray, weight: np.ndarray, n_new_rules: int) -> Basis:
    """The last vertex on the split rows: dual feasible, so that dual simplex goes on from it.

    Children of a merged row keep its status. The dual of a basic row is shared out among its children: they are filled
    up to their weight one after the other, the last one that gets anything is basic, and the rest get nothing. So the
    old rules see no difference, and only the new ones, whose slacks are basic, have anything to repair.
    """
    columns = last.basis.columns[parent]
    is_open = columns == BasisStatus.BASIC
    filled = np.cumsum(weight)
    first_child = np.searchsorted(parent, parent, side="left")
    filled_before = filled - weight
    before_in_family = filled_before - filled_before[first_child]
    left = last.merged_dual[parent] - before_in_family  # what is left of the parent's dual when this child's turn comes
    shared = np.where(left >= weight, BasisStatus.UPPER, np.where(left > 0, BasisStatus.BASIC, BasisStatus.LOWER))
    columns = np.where(is_open, shared, columns)
    columns[_without_basic_child(parent, columns, is_open)] = BasisStatus.BASIC
    rows = np.concatenate([last.basis.rows, np.full(n_new_rules, BasisStatus.BASIC, dtype=np.int8)])
    return Basis(columns.astype(np.int8), rows)


def _without_basic_child(parent: np.ndarray, columns: np.ndarray, is_open: np.ndarray) -> np.ndarray:
    """The first child of each basic row whose dual was shared out without a rest: a basis needs one of them."""
    has_basic = np.zeros(parent[-1] + 1 if len(parent) else 0, dtype=bool)
    has_basic[parent[columns == BasisStatus.BASIC]] = True
    is_first = np.ones(len(parent), dtype=bool)
    is_first[1:] = parent[1:] != parent[:-1]
    return np.flatnonzero(is_open & is_first & ~has_basic[parent])


def _remerged(last: MasterSolution, number: np.ndarray, kept: np.ndarray, n_merged: int) -> MasterSolution:
    """The last vertex on rows merged again: basic where one of them was, else where the first of them stood.

    If the dropped rules had no weight, rows that become equal have equal reduced costs and the vertex is still dual
    feasible; otherwise it is only somewhere to start from.
    """
    columns = np.full(n_merged, -1, dtype=np.int8)
    columns[number[::-1]] = last.basis.columns[::-1]
    columns[number[last.basis.columns == BasisStatus.BASIC]] = BasisStatus.BASIC
    return MasterSolution(
        objective=last.objective,
        rule_weight=last.rule_weight[kept],
        merged_dual=np.bincount(number, last.merged_dual, minlength=n_merged),
        basis=Basis(columns, last.basis.rows[kept]),
    )
