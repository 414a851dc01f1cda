"""All rules of a training run with the linear program they stand in, kept after training."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rugcore.encoding.columns import Column
from rugcore.generation.candidates import Candidate
from rugcore.lp.certificate import Certificate, certify_master
from rugcore.lp.master import MasterProblem, MasterSolution
from rugcore.rules.rule import Rule
from rugcore.rules.ruleset import RuleSet


@dataclass(frozen=True)
class RulePool:
    """Every rule that was found, the merged rows, and the last solution."""

    candidates: tuple[Candidate, ...]
    columns: tuple[Column, ...]
    master: MasterProblem
    solution: MasterSolution
    class_weight: np.ndarray

    def kept_rules(self, weight_threshold: float, labels: Sequence[Any]) -> RuleSet:
        """The rules whose weight is above the threshold (a share of the largest), heaviest first."""
        weights = self.solution.rule_weight
        largest = weights.max(initial=0.0)
        kept = np.flatnonzero(weights > weight_threshold * largest)
        covered, right = self._coverage_of(kept)
        rules = [
            Rule(
                conditions=self.candidates[j].conditions(self.columns),
                label=labels[self.candidates[j].label],
                weight=float(weights[j]),
                coverage=float(covered[place] / self.class_weight.sum()),
                precision=float(right[place] / covered[place]) if covered[place] else float("nan"),
            )
            for place, j in enumerate(kept.tolist())
        ]
        return RuleSet(sorted(rules, key=lambda rule: (-rule.weight, str(rule))))

    def _coverage_of(self, rules: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Training weight covered by each rule, and the part of it that has the rule's class."""
        merged = self.master.merged
        by_class = np.zeros((merged.n_rows, len(self.class_weight)))
        by_class[np.arange(merged.n_rows), merged.label] = merged.weight
        covered = merged.coverage[:, rules].astype(float).T @ by_class
        return covered.sum(axis=1), covered[np.arange(len(rules)), self.master.rule_label[rules]]

    def certificate(self) -> Certificate:
        """Proof that the rule weights are optimal over the pool, on the merged rows."""
        return certify_master(
            self.master.votes().T,
            self.master.merged.weight,
            self.master.penalty * self.master.rule_cost,
            self.solution.rule_weight,
            self.solution.merged_dual,
        )
