"""The master problem where rows of different groups have the same constraint: they need only one column.

Groups tell rows apart that no rule does, and where likely groups count (`likely_groups`) every row even stands in all
of them. Such copies have one class and the same covering rules, so the linear program asks the same of them:

    sum_s a_sj beta_s <= lambda c_j,  0 <= beta_s <= f_s n_s         copies s have equal a_s

Only the sum of their duals matters. So it is solved with one column for all copies, whose upper bound is the sum of
theirs, and the dual found is shared out among them by weight. With five groups that is a fifth of the columns.
"""

from dataclasses import replace

import numpy as np

from rugcore.lp.master import MasterProblem, MasterSolution, inherited
from rugcore.lp.merging import MergedRows
from rugcore.lp.program import Basis, BasisStatus


class CopiesMaster(MasterProblem):
    """A master problem that solves with one column for all rows that differ by their group alone."""

    def solve(self) -> MasterSolution:
        """The same optimum as of every row alone."""
        merged = self.merged
        if not self.n_rules or np.array_equal(merged.cell, merged.class_code):  # nothing to take together
            return super().solve()
        together, number = without_cells(replace(merged, weight=self.row_weight))
        answer = self._over(together, number).solve()
        self._last = replace(
            answer,
            merged_dual=(answer.merged_dual / together.weight)[number] * self.row_weight,
            basis=_spread(answer, number, self.row_weight),
        )
        self._start = self._last.basis
        return self._last

    def _over(self, together: MergedRows, number: np.ndarray) -> MasterProblem:
        """The same rules over the rows taken together, beginning where this problem would."""
        other = MasterProblem(together, self.wrong_vote, self.penalty, self.solver)
        other.rule_class, other.rule_cost, other.floor = self.rule_class, self.rule_cost, self.floor
        if self._start is not None:
            other._start = _gathered(self._start, number, together.n_rows)
        return other


def without_cells(merged: MergedRows) -> tuple[MergedRows, np.ndarray]:
    """The rows as class and rules tell them apart, whatever their cell; and the new number of every old row."""
    return replace(merged, cell=merged.class_code).with_rules(np.arange(merged.coverage.shape[1]))


def _gathered(basis: Basis, number: np.ndarray, n_together: int) -> Basis:
    """Basic where a copy is, else where the first of them stands: equal columns have equal reduced costs."""
    columns = np.empty(n_together, dtype=np.int8)
    columns[number[::-1]] = basis.columns[::-1]
    columns[number[basis.columns == BasisStatus.BASIC]] = BasisStatus.BASIC
    return Basis(columns, basis.rows)


def _spread(answer: MasterSolution, number: np.ndarray, weight: np.ndarray) -> Basis:
    """A basis of the problem with every row alone: of basic copies one is basic, and fills up what the others leave."""
    order = np.argsort(number, kind="stable")
    columns = np.empty(len(number), dtype=np.int8)
    columns[order] = inherited(answer, number[order], weight[order], n_new_rules=0).columns
    return Basis(columns, answer.basis.rows)
