"""The rules of a training run with the linear program they stand in, kept after training.

A new lambda, or a rule that a person will not have, is then a new solve of a small linear program from the last basis,
not a new training.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy import sparse

from rugcore.generation.candidates import Candidate, RuleKey
from rugcore.generation.costs import CostModel
from rugcore.lp.certificate import Certificate, certify_master
from rugcore.lp.master import MasterProblem, MasterSolution
from rugcore.lp.merging import MergedRows
from rugcore.rules.conditions import Condition
from rugcore.rules.rule import Rule
from rugcore.rules.ruleset import RuleSet
from rugcore.tables.columns import Column
from rugcore.training.twins import Twins, find_twins, transferred

# Of a rule's weight, which is a sum in the solver: 2.000000000000006 is 2, and as heavy as the other rules of weight 2.
WEIGHT_DIGITS = 12


@dataclass(frozen=True)
class RulePool:
    """The rules of the last round, the merged rows, and the solution over them."""

    candidates: tuple[Candidate, ...]
    columns: tuple[Column, ...]
    classes: tuple[Any, ...]
    class_weight: np.ndarray
    master: MasterProblem
    solution: MasterSolution
    merged_row: np.ndarray  # of each training row with weight
    rule_weight: np.ndarray  # of the model: those of the solution, unless fairness asked for others
    costs: CostModel  # of rules that are joined later; its lambda is that of training
    has_blanks: np.ndarray  # of each column: whether a training row has none of its values
    left_out: frozenset[RuleKey]  # rules that the user will not have
    written: Mapping[RuleKey, tuple[Condition, ...]]  # rules that a person wrote, in that person's words

    def resolved(self, penalty: float, without: Collection[int] = ()) -> Self:
        """The same rules under another lambda, leaving out those numbered in `without`; this pool stays as it is."""
        return self._solved(self.master.copy(penalty), without).joined()

    def joined(self) -> Self:
        """This pool with one rule for every two that are one (see `rugcore.training.twins`)."""
        pool = self
        while True:
            twins = find_twins(pool.candidates, pool._may_be_joined, pool.columns, pool.has_blanks, pool.left_out)
            if not twins:
                return pool
            present = {rule.key() for rule in pool.candidates}
            new = {pair.joined.key(): pair for pair in twins if pair.joined.key() not in present}
            changed = pool._extended(list(new.values())) if new else pool._moved(twins)
            if changed is None:
                return pool
            pool = changed

    @property
    def _may_be_joined(self) -> np.ndarray:
        """The rules with weight, but for those that a person wrote or locked: they stay as they are."""
        is_free: np.ndarray = (self.rule_weight > 0) & ~self.is_locked
        if self.written:
            is_free &= [rule.key() not in self.written for rule in self.candidates]
        return is_free

    @property
    def is_locked(self) -> np.ndarray:
        """Of every rule: whether it must stay, with at least the weight in `master.floor`."""
        return self.master.floor > 0

    def over(self, master: MasterProblem, also: np.ndarray, *, may_stay: bool) -> "RulePool":  # noqa: ARG002
        """This pool over a linear program with other rules or floors: solved, and its rules weighed again.

        `also` are the present weights as far as they go with it; `may_stay` says that they do, and that there is
        nothing new to choose from.
        """
        solution = master.solve()
        return replace(self, master=master, solution=solution, rule_weight=solution.rule_weight).joined()

    def _moved(self, twins: Sequence[Twins]) -> Self | None:
        """With the weight of twins on their joined rules; where lambda is 0, that solves the linear program too.

        None where that would change what the model does.
        """
        weight = transferred(self.rule_weight, twins, self.candidates)
        is_solution = np.array_equal(self.rule_weight, self.solution.rule_weight)
        solution = replace(self.solution, rule_weight=weight) if is_solution else self.solution
        return replace(self, rule_weight=weight, solution=solution)

    def _extended(self, twins: Sequence[Twins]) -> Self:
        """With the joined rules of twins in the linear program, solved again."""
        master = self.master.copy(self.master.penalty)
        coverage = master.merged.coverage.tocsc()
        covered = coverage[:, [pair.first for pair in twins]] + coverage[:, [pair.second for pair in twins]]
        rows = np.arange(master.merged.n_rows)
        master.add(
            master.merged.refined(rows, master.merged.weight, sparse.csr_array(covered)),
            rows,
            rule_classes=np.array([pair.joined.class_code for pair in twins], dtype=np.int64),
            costs=np.array([self.costs.cost(pair.joined.length) for pair in twins]),
        )
        candidates = (*self.candidates, *(pair.joined for pair in twins))
        solution = master.solve()
        pool = replace(self, candidates=candidates, master=master, solution=solution)
        return pool._reweighed(len(twins))

    def _reweighed(self, n_new: int) -> Self:  # noqa: ARG002
        """After `n_new` rules came in: the weights of the linear program."""
        return replace(self, rule_weight=self.solution.rule_weight)

    def _solved(self, master: MasterProblem, without: Collection[int]) -> Self:
        """This pool with another master problem over the same rules, once it is solved."""
        kept = np.setdiff1d(np.arange(len(self.candidates)), np.fromiter(without, dtype=np.int64))
        merged_row = self.merged_row
        if len(kept) < len(self.candidates):
            merged_row = master.keep(kept).astype(np.int32)[merged_row]
        solution = master.solve()
        return replace(
            self,
            candidates=tuple(self.candidates[j] for j in kept),
            master=master,
            solution=solution,
            merged_row=merged_row,
            rule_weight=solution.rule_weight,
            left_out=self.left_out | {self.candidates[j].key() for j in without},
        )

    def rules(self) -> list[Rule]:
        """All rules of the pool in words, in the order of the linear program."""
        return self._in_words(np.arange(len(self.candidates)))

    def kept_rules(self, weight_threshold: float) -> RuleSet:
        """The rules whose weight is above the threshold (a share of the largest), heaviest first.

        Of equal weights the rule that covers more comes first. A locked rule stays however little it weighs.
        """
        return RuleSet([rule for _, rule in self._kept(weight_threshold)])

    def kept_rows(self, weight_threshold: float) -> MergedRows:
        """The training rows as the kept rules see them, with one column per rule in the order of `kept_rules`."""
        numbers = np.array([number for number, _ in self._kept(weight_threshold)], dtype=np.int64)
        return self.master.merged.with_rules(numbers)[0]

    def _kept(self, weight_threshold: float) -> list[tuple[int, Rule]]:
        """The kept rules and their numbers in the linear program."""
        weights = self.rule_weight
        kept = np.flatnonzero((weights > weight_threshold * weights.max(initial=0.0)) | self.is_locked)
        numbered = zip(kept.tolist(), self._in_words(kept), strict=True)
        return sorted(numbered, key=lambda pair: (-pair[1].weight, -pair[1].coverage, str(pair[1])))

    def _in_words(self, numbers: np.ndarray) -> list[Rule]:
        covered, right = self._covered_weight()
        total = self.class_weight.sum()
        return [
            Rule(
                conditions=self._conditions(self.candidates[j]),
                label=self.classes[self.candidates[j].class_code],
                weight=float(f"{self.rule_weight[j]:.{WEIGHT_DIGITS}g}"),
                coverage=float(covered[j] / total),
                precision=float(right[j] / covered[j]) if covered[j] else float("nan"),
            )
            for j in numbers.tolist()
        ]

    def _conditions(self, candidate: Candidate) -> tuple[Condition, ...]:
        own = self.written.get(candidate.key()) if self.written else None
        return candidate.conditions(self.columns) if own is None else own

    def left_out_rules(self) -> list[Rule]:
        """The rules that the user will not have, in words; what they covered is not kept."""
        found = [Candidate.of_key(key) for key in sorted(self.left_out)]
        return [Rule(self._conditions(rule), self.classes[rule.class_code]) for rule in found]

    def _covered_weight(self) -> tuple[np.ndarray, np.ndarray]:
        """Training weight covered by each rule, and the part of it that has the rule's class."""
        merged = self.master.merged
        rule, class_code = merged.coverage.indices, np.repeat(merged.class_code, np.diff(merged.coverage.indptr))
        weight = np.repeat(merged.weight, np.diff(merged.coverage.indptr))
        n_rules = len(self.candidates)
        is_right = self.master.rule_class[rule] == class_code
        return np.bincount(rule, weight, n_rules), np.bincount(rule, weight * is_right, n_rules)

    def row_duals(self, row_weight: np.ndarray) -> np.ndarray:
        """The dual of every training row: its share of the dual of its merged row."""
        return (self.solution.merged_dual / self.master.merged.weight)[self.merged_row] * row_weight

    def certificate(self) -> Certificate:
        """Proof that the solution of the linear program is optimal over the pool, on the merged rows."""
        return certify_master(
            self.master.votes().T,
            self.master.row_weight,
            self.master.penalty * self.master.rule_cost,
            self.solution.rule_weight,
            self.solution.merged_dual,
            self.master.floor,
        )
