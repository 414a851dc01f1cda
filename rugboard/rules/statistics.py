"""What the rules of a model do on the rows of a run: counts by rule, outcome and group. Nothing here is shown."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import sparse

from rugboard.rules.gaps import RuleGaps
from rugboard.runs.results import Results
from rugboard.session import group_names
from rugcore.rules import Rule, RuleSet, contrary_rules, interpretability_of

if TYPE_CHECKING:
    from rugcore.estimators import RuleClassifier

TEST, TRAINING = "test", "training"
EVERYBODY = "all applicants"  # the one group of a run without groups
FEW = 30  # rows that a rule applies to: with fewer, how often it is right is a rough guess


@dataclass(frozen=True, eq=False)
class RunRows:
    """The rows of a run, each with the number of its outcome and of its group."""

    outcomes: tuple[Any, ...]  # the favourable one first, then sorted
    outcome: np.ndarray
    groups: tuple[str, ...]  # as they are called everywhere, sorted
    group: np.ndarray
    is_test: np.ndarray
    attribute: str | None  # what makes the groups

    @classmethod
    def of(cls, results: Results) -> "RunRows":
        data = results.data
        outcomes = favourable_first(list(results.outcomes), results.plan.favourable)
        number = {label: place for place, label in enumerate(outcomes)}
        groups, group = _numbered_groups(results)
        return cls(
            outcomes=outcomes,
            outcome=data.y.map(number).to_numpy(dtype=np.int64),
            groups=groups,
            group=group,
            is_test=results.is_test,
            attribute=None if data.groups is None else group_names.attribute(results.plan.sensitive),
        )

    @property
    def has_groups(self) -> bool:
        return self.attribute is not None

    def among(self, rows: str) -> np.ndarray:
        """Which rows are meant by "test" or "training"."""
        return self.is_test if rows == TEST else ~self.is_test


def favourable_first(labels: list[Any], favourable: Hashable) -> tuple[Any, ...]:
    return tuple(sorted(labels, key=lambda label: (label != favourable, str(label))))


def _numbered_groups(results: Results) -> tuple[tuple[str, ...], np.ndarray]:
    if results.data.groups is None:
        return (EVERYBODY,), np.zeros(len(results.data.y), dtype=np.int64)
    names = group_names.of_run(results)
    numbers = pd.Index(names).get_indexer(pd.Index(group_names.of_rows(results)))
    return tuple(names), np.asarray(numbers, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Counts:
    """How many rows each rule covers, by outcome in the data and by group; and how many rows there are."""

    covered: np.ndarray  # (rules, outcomes, groups)
    total: np.ndarray  # (outcomes, groups)

    @property
    def n_covered(self) -> np.ndarray:
        return self.covered.sum(axis=(1, 2))

    @property
    def coverage(self) -> np.ndarray:
        return _share(self.n_covered, self.total.sum())

    @property
    def coverage_of_groups(self) -> np.ndarray:
        """(rules, groups)"""
        return _share(self.covered.sum(axis=1), self.total.sum(axis=0))

    def n_right(self, labels: np.ndarray) -> np.ndarray:
        """Covered rows whose outcome is the one that the rule votes for, given by number."""
        return self.covered.sum(axis=2)[np.arange(len(labels)), labels]

    def precision(self, labels: np.ndarray) -> np.ndarray:
        return _share(self.n_right(labels), self.n_covered)


def _share(part: np.ndarray, whole: Any) -> np.ndarray:
    """NaN where there is nothing to have a share of."""
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: np.ndarray = np.asarray(part, dtype=float) / np.asarray(whole, dtype=float)
    return np.where(np.asarray(whole) > 0, shares, np.nan)


def count(coverage: sparse.csr_array, people: RunRows, is_meant: np.ndarray) -> Counts:
    """One pass over the covered cells of the matrix (rows x rules)."""
    shape = (coverage.shape[1], len(people.outcomes), len(people.groups))
    cell = people.outcome * shape[2] + people.group
    n_cells = shape[1] * shape[2]
    meant = coverage[np.flatnonzero(is_meant)]
    cell_of_pair = np.repeat(cell[is_meant], np.diff(meant.indptr))
    pairs = np.bincount(meant.indices.astype(np.int64) * n_cells + cell_of_pair, minlength=shape[0] * n_cells)
    return Counts(pairs.reshape(shape), np.bincount(cell[is_meant], minlength=n_cells).reshape(shape[1:]))


@dataclass(frozen=True, eq=False)
class RuleStatistics:
    """Everything the page says about the rules of one model, computed once."""

    rules: RuleSet
    people: RunRows
    labels: np.ndarray  # number of the outcome that each rule votes for
    coverage: sparse.csc_array  # (rows, rules): quick to ask for the rows of a rule
    counts: dict[str, Counts]  # by "test" and "training"
    decided: np.ndarray  # of each row
    interpretability: pd.Series  # on the test rows
    is_contrary: np.ndarray  # rules whose outcome is rarer among the training rows they apply to than among all
    gaps: Mapping[str, RuleGaps] = field(default_factory=dict)  # by "test" and "training"; nothing without groups

    @classmethod
    def of(
        cls, model: "RuleClassifier", people: RunRows, coverage: sparse.csr_array, decided: np.ndarray
    ) -> "RuleStatistics":
        number = {label: place for place, label in enumerate(people.outcomes)}
        return cls(
            rules=model.rules_,
            people=people,
            labels=np.array([number[rule.label] for rule in model.rules_], dtype=np.int64),
            coverage=coverage.tocsc(),
            counts={rows: count(coverage, people, people.among(rows)) for rows in (TEST, TRAINING)},
            decided=decided,
            interpretability=interpretability_of(model, coverage[np.flatnonzero(people.is_test)]),
            is_contrary=contrary_rules(model),
        )

    def covered_rows(self, rule: int, rows: str) -> np.ndarray:
        """Positions of the rows that a rule covers, in the order of the table."""
        found = self.coverage.indices[self.coverage.indptr[rule] : self.coverage.indptr[rule + 1]]
        return np.sort(found[self.people.among(rows)[found]])


def examples(statistics: RuleStatistics, rule: int, rows: str, most: int) -> np.ndarray:
    """A few covered rows: those where the rule is right first, but also some where it is wrong, if there are any."""
    covered = statistics.covered_rows(rule, rows)
    is_right = statistics.people.outcome[covered] == statistics.labels[rule]
    right, wrong = covered[is_right], covered[~is_right]
    n_wrong = min(len(wrong), max(most // 3, most - len(right)))
    return np.concatenate([right[: most - n_wrong], wrong[:n_wrong]])


def rank(rules: RuleSet, rule: Rule) -> int:
    """1 for the heaviest; rules of the same weight share a rank."""
    return 1 + sum(other.weight > rule.weight for other in rules)
