"""The linear and the integer program of Boolean rule sets (Dash, Günlük and Wei 2018; Lawless and Günlük 2021).

A row is decided for the positive class if at least one rule of the set covers it. P are the patterns of the positive
class, N the others; n_s rows have pattern s, and a_sk says whether rule k covers it:

    minimise    sum_{s in P} n_s x_s + sum_k (sum_{s in N} n_s a_sk) w_k          Hamming loss
    subject to  x_s + sum_k a_sk w_k >= 1        for every s in P                 missed, or covered   (dual mu_s >= 0)
                sum_k c_k w_k <= C               c_k = 1 + conditions of rule k                        (dual -lambda)
                w binary, x >= 0

A row of N pays for every rule that covers it: an upper bound of its 0/1 loss that keeps the program linear. For two
groups g, h the fair programs add, in both directions (dual d_p <= 0 each),

    equal opportunity     mean of x over P_g - mean of x over P_h <= epsilon
    equalized odds also   mean number of rules that cover N_g - the same of N_h <= epsilon

With these, x could be raised where a row is covered, to look worse for one group; the integer program forbids it:
sum_k a_sk w_k <= (C / 2) (1 - x_s), x binary, because a set has at most C / 2 rules.

A rule that is not in the program yet would improve it if sum_s value_s a_s > lambda c, with value_s = mu_s on P, and
on N -n_s plus what the rows of the fair program take at their duals: what `search_rules` looks for.
"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from scipy import sparse

from rugcore.lp.integer import IntegerSolution, solve_integer
from rugcore.lp.program import Basis, BasisStatus, LinearProgram, Solver


@dataclass(frozen=True)
class Prices:
    """The duals, as a search for rules needs them."""

    objective: float
    value: np.ndarray  # of covering each pattern
    of_complexity: float  # lambda


class BooleanMaster:
    """Patterns, the rules found so far, and the programs over them."""

    def __init__(
        self,
        weight: np.ndarray,
        is_positive: np.ndarray,
        complexity: float,
        solver: Solver,
        group: np.ndarray | None = None,
        epsilon: float = 0.0,
        bounds_others: bool = False,
    ) -> None:
        """`group` makes the program fair: to the rows of the positive class, with `bounds_others` to all."""
        self._weight = weight
        self._positive = np.flatnonzero(is_positive)
        self._other = np.flatnonzero(~is_positive)
        self._complexity = complexity
        self._solver = solver
        self._epsilon = epsilon
        self._missed = _contrasts(weight, group, self._positive)
        self._covered = _contrasts(weight, group if bounds_others else None, self._other)
        self.coverage = np.zeros((len(weight), 0), dtype=bool)
        self.cost = np.empty(0)
        self._start: Basis | None = None  # where the last solve ended

    def add(self, coverage: np.ndarray, cost: np.ndarray) -> None:
        self.coverage = np.hstack([self.coverage, coverage])
        self.cost = np.concatenate([self.cost, cost])
        if self._start is not None:
            new = np.full(len(cost), BasisStatus.LOWER, dtype=np.int8)
            self._start = Basis(np.concatenate([self._start.columns, new]), self._start.rows)

    def program(self) -> LinearProgram:
        """Columns: x of the positive patterns, then w. Every row has one finite side."""
        n_missed, n_rules = len(self._positive), self.coverage.shape[1]
        covered, wrongly = self.coverage[self._positive], self.coverage[self._other]
        rows = [
            sparse.hstack([sparse.eye_array(n_missed), covered.astype(float)]),
            sparse.hstack([sparse.csr_array((1, n_missed)), sparse.csr_array(self.cost[None])]),
            sparse.hstack([self._missed, sparse.csr_array((len(self._missed), n_rules))]),
            sparse.hstack([sparse.csr_array((len(self._covered), n_missed)), self._covered @ wrongly]),
        ]
        n_fair = len(self._missed) + len(self._covered)
        upper = np.concatenate([np.full(n_missed, np.inf), [self._complexity], np.full(n_fair, self._epsilon)])
        lower = np.concatenate([np.ones(n_missed), np.full(1 + n_fair, -np.inf)])
        return LinearProgram(
            cost=np.concatenate([self._weight[self._positive], self._weight[self._other] @ wrongly]),
            matrix=sparse.csc_array(sparse.vstack(rows)),
            row_lower=lower,
            row_upper=upper,
            lower=np.zeros(n_missed + n_rules),
            upper=np.concatenate([np.full(n_missed, 1.0 if n_fair else np.inf), np.full(n_rules, np.inf)]),
        )

    def prices(self) -> Prices:
        solution = self._solver.solve(self.program(), self._start)
        self._start = solution.basis
        duals, n_missed = solution.row_duals, len(self._positive)
        of_covered = duals[n_missed + 1 + len(self._missed) :]
        value = np.empty(len(self._weight))
        value[self._positive] = np.maximum(duals[:n_missed], 0.0)
        value[self._other] = of_covered @ self._covered - self._weight[self._other]
        return Prices(solution.objective, value, max(-float(duals[n_missed]), 0.0))

    def best_set(self, seconds: float | None) -> IntegerSolution:
        """The best set of the rules found so far; its x are the weights of the rules."""
        program, n_missed = self.program(), len(self._positive)
        is_fair = bool(len(self._missed) + len(self._covered))
        is_integer = np.concatenate([np.full(n_missed, is_fair), np.ones(self.coverage.shape[1], dtype=bool)])
        linked = self._linked(program) if is_fair else program
        found = solve_integer(linked, is_integer, self._solver, seconds, start=self._greedy_set())
        return IntegerSolution(found.x[n_missed:], found.objective, found.lower_bound)

    def _greedy_set(self) -> np.ndarray:
        """A point to start from: no rule, then always the one that saves most within the complexity and the gap."""
        n_missed, n_rules = len(self._positive), self.coverage.shape[1]
        covered, wrongly = self.coverage[self._positive], self.coverage[self._other]
        n_positive, cost = self._weight[self._positive], self._weight[self._other] @ wrongly
        is_missed, chosen = np.ones(n_missed, dtype=bool), np.zeros(n_rules, dtype=bool)
        while True:
            saved = (n_positive * is_missed) @ covered - cost
            is_cheap = self.cost[chosen].sum() + self.cost <= self._complexity
            for rule in np.argsort(-saved, kind="stable"):
                missed, with_it = is_missed & ~covered[:, rule], chosen | (np.arange(n_rules) == rule)
                if saved[rule] <= 0:
                    return np.concatenate([is_missed, chosen]).astype(float)
                if is_cheap[rule] and self._is_fair(missed, wrongly[:, with_it].sum(axis=1)):
                    is_missed, chosen = missed, with_it
                    break
            else:
                return np.concatenate([is_missed, chosen]).astype(float)

    def _is_fair(self, missed: np.ndarray, covers: np.ndarray) -> bool:
        gaps = np.concatenate([self._missed @ missed, self._covered @ covers])
        return bool(np.all(gaps <= self._epsilon))

    def _linked(self, program: LinearProgram) -> LinearProgram:
        """With the rows that let nobody be missed who is covered."""
        n_missed, most_rules = len(self._positive), self._complexity / 2
        rows = sparse.hstack([most_rules * sparse.eye_array(n_missed), self.coverage[self._positive].astype(float)])
        return LinearProgram(
            cost=program.cost,
            matrix=sparse.csc_array(sparse.vstack([program.matrix, rows])),
            row_lower=np.concatenate([program.row_lower, np.full(n_missed, -np.inf)]),
            row_upper=np.concatenate([program.row_upper, np.full(n_missed, most_rules)]),
            lower=program.lower,
            upper=np.minimum(program.upper, 1.0),
        )


def _contrasts(weight: np.ndarray, group: np.ndarray | None, patterns: np.ndarray) -> np.ndarray:
    """One line for every ordered pair of groups that have such rows: mean of the first minus mean of the second."""
    if group is None or not len(patterns):
        return np.zeros((0, len(patterns)))
    own, n = group[patterns], weight[patterns]
    shares = [np.where(own == number, n, 0.0) / n[own == number].sum() for number in np.unique(own)]
    lines = [first - second for first, second in permutations(shares, 2)]
    return np.array(lines).reshape(len(lines), len(patterns))
