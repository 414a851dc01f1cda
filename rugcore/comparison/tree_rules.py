"""What trees of yes-or-no questions have in common, whoever finds them: tables in, one rule for every leaf out."""

import math
import time
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rugcore.comparison.questions import (
    Leaf,
    Question,
    Scale,
    Split,
    Tree,
    decided,
    find_scales,
    pruned,
    questions_of,
    rules_of,
)
from rugcore.comparison.reach import with_reach
from rugcore.fairness.groups import read_groups
from rugcore.rules.rule import Rule
from rugcore.tables import encode, validation
from rugcore.tables.columns import Column
from rugcore.tables.matching import RuleMatcher
from rugcore.tables.schema import Schema
from rugcore.training.settings import BINS_FOR_EXACT_PRICING, check_real, check_whole

# Mistakes are whole numbers; a solver gives their bound up to its tolerance, times the rows of an inequality.
TOLERANCE = 1e-3
StopReason = Literal["optimal", "time limit", "too large"]


@dataclass(frozen=True, eq=False)
class Patterns:
    """The training rows, those with equal codes (and group) as one pattern."""

    codes: np.ndarray  # (columns, patterns)
    counts: np.ndarray  # (patterns, classes): rows
    group: np.ndarray | None  # of every pattern
    scales: list[Scale]

    @classmethod
    def of(
        cls, columns: tuple[Column, ...], codes: np.ndarray, class_codes: np.ndarray, groups: np.ndarray | None
    ) -> "Patterns":
        lines = codes if groups is None else np.vstack([groups, codes.astype(np.int64)])
        different, number = np.unique(lines, axis=1, return_inverse=True)
        counts = np.zeros((different.shape[1], int(class_codes.max()) + 1))
        np.add.at(counts, (number.ravel(), class_codes), 1.0)
        own = np.ascontiguousarray(different[len(different) - len(codes) :].astype(np.uint8))
        return cls(own, counts, None if groups is None else different[0], find_scales(columns, codes))

    @property
    def n_classes(self) -> int:
        return self.counts.shape[1]

    @cached_property
    def questions(self) -> list[Question]:
        return questions_of(self.scales)

    @cached_property
    def answers(self) -> np.ndarray:
        """(patterns, questions), True for yes."""
        found = [question.is_yes(self.codes) for question in self.questions]
        return np.array(found, dtype=bool).reshape(len(found), self.codes.shape[1]).T

    def mistakes(self, tree: Tree) -> float:
        right = self.counts[np.arange(len(self.counts)), decided(tree, self.codes)]
        return float(self.counts.sum() - right.sum())

    def unavoidable(self) -> float:
        """Rows that look alike and differ in class: nobody decides all of them rightly."""
        return float((self.counts.sum(axis=1) - self.counts.max(axis=1)).sum())

    def single_rows(self) -> tuple[np.ndarray, np.ndarray]:
        """For every row the number of its pattern, and its class."""
        patterns, classes = np.nonzero(self.counts)
        n = self.counts[patterns, classes].astype(np.int64)
        return np.repeat(patterns, n), np.repeat(classes, n)


@dataclass(frozen=True)
class FoundTree:
    """A tree, and a bound: none of its depth makes fewer mistakes on the training rows."""

    tree: Tree
    lower_bound: float
    stop_reason: StopReason


class TreeRulesClassifier(ClassifierMixin, BaseEstimator):
    """A tree whose leaves are read as rules; of every row exactly one speaks.

    Attributes
    ----------
    rules_ : RuleSet
        A rule for every leaf; two that decide alike whatever the last question is are one.
    classes_ : ndarray
    loss_ : float
        Training rows that the tree decides wrongly.
    lower_bound_ : float
        No tree of this depth over deciles and categories has fewer.
    stop_reason_ : {"optimal", "time limit", "too large"}
        Whether the search came to its end. "too large": it could not be tried, and the tree is a greedy one.
    default_class_ : label
        What becomes of a row that no leaf is for, because it is blank where no training row was.
    fit_seconds_ : float
    """

    max_depth: int
    time_limit: float | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None) -> Self:
        """Learn from the same tables as `RUGClassifier`; only fair trees look at `sensitive_features`."""
        started = time.perf_counter()
        self._check()
        table = validation.training_table(self, X)
        target = validation.read_target(y, table.n_rows)
        self.schema_, self.classes_ = Schema.of(table), target.classes
        groups = read_groups(sensitive_features, table.n_rows).codes if self._needs_groups() else None
        encoded = encode(table, np.ones(table.n_rows), np.random.RandomState(0), BINS_FOR_EXACT_PRICING)
        patterns = Patterns.of(encoded.columns, encoded.codes, target.codes, groups)
        rules = self._take(self._found(patterns, started), patterns, encoded.columns)
        self._matcher = RuleMatcher(rules, self.schema_)
        self.rules_ = with_reach(rules, self._matcher.coverage(table), self.classes_[target.codes])
        self._chances = self._shares(table, target.codes)
        self.fit_seconds_ = time.perf_counter() - started
        return self

    @abstractmethod
    def _found(self, patterns: Patterns, started: float) -> FoundTree:
        """The best tree that is found in time; `started` is on the clock of time.perf_counter."""

    def _needs_groups(self) -> bool:
        return False

    def _check(self) -> None:
        check_whole("max_depth", self.max_depth, 1)
        if self.time_limit is not None:
            check_real("time_limit", self.time_limit, 0.0)

    def _seconds_left(self, started: float) -> float | None:
        return None if self.time_limit is None else started + self.time_limit - time.perf_counter()

    def _take(self, found: FoundTree, patterns: Patterns, columns: tuple[Column, ...]) -> list[Rule]:
        """What was found, and the rules in the words of the table."""
        rules = rules_of(pruned(found.tree, patterns.codes))
        default = most_common(patterns).class_code
        self._leaf_class = np.array([*(rule.class_code for rule in rules), default])
        self.default_class_ = self.classes_[default]
        self.loss_ = patterns.mistakes(found.tree)
        self.lower_bound_ = max(math.ceil(found.lower_bound - TOLERANCE), patterns.unavoidable())
        is_proven = found.stop_reason == "time limit" and self.lower_bound_ >= self.loss_
        self.stop_reason_ = "optimal" if is_proven else found.stop_reason
        return [Rule(rule.conditions(columns), self.classes_[rule.class_code], 1.0) for rule in rules]

    def predict(self, X: Any) -> np.ndarray:
        """The class of the leaf that every row comes to."""
        return self.classes_[self._leaf_class[self._leaf_numbers_in(X)]]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The share of every class among the training rows of a leaf, with one row of each added."""
        return self._chances[self._leaf_numbers_in(X)]

    def covering_rules(self, X: Any) -> sparse.csr_array:
        """A boolean matrix with one line per row of X and one column per rule of `rules_`."""
        check_is_fitted(self)
        return self._matcher.coverage(validation.table_to_predict(self, X))

    def _leaf_numbers_in(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._leaf_numbers(validation.table_to_predict(self, X))

    def _leaf_numbers(self, table: Any) -> np.ndarray:
        """The rule of every row; the number after the last one where there is none."""
        coverage = self._matcher.coverage(table)
        numbers = np.full(coverage.shape[0], len(self.rules_))
        rows = np.repeat(np.arange(coverage.shape[0]), np.diff(coverage.indptr))
        numbers[rows] = coverage.indices
        return numbers

    def _shares(self, table: Any, class_codes: np.ndarray) -> np.ndarray:
        counts = np.ones((len(self.rules_) + 1, len(self.classes_)))
        np.add.at(counts, (self._leaf_numbers(table), class_codes), 1.0)
        shares: np.ndarray = counts / counts.sum(axis=1, keepdims=True)
        return shares


def most_common(patterns: Patterns) -> Leaf:
    """The tree that asks nothing."""
    return Leaf(int(np.argmax(patterns.counts.sum(axis=0))))


def greedy_tree(patterns: Patterns, max_depth: int) -> Tree:
    """What a decision tree of scikit-learn asks, of the same questions."""
    from sklearn.tree import DecisionTreeClassifier

    if not patterns.scales:
        return most_common(patterns)
    place, class_code = np.nonzero(patterns.counts)
    learned = DecisionTreeClassifier(max_depth=max_depth, random_state=0).fit(
        patterns.answers[place], class_code, sample_weight=patterns.counts[place, class_code]
    )
    nodes = learned.tree_

    def below(node: int) -> Tree:
        if nodes.children_left[node] < 0:
            return Leaf(int(np.argmax(nodes.value[node])))
        asked = patterns.questions[nodes.feature[node]]  # "no" is 0, and at most the threshold of one half
        return Split(asked, yes=below(nodes.children_right[node]), no=below(nodes.children_left[node]))

    return below(0)
