"""Optimal trees of other packages: GOSDT (the family of FSDT in the paper) and STreeD, which also knows fair ones."""

import math
import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np

from rugcore.comparison.gosdt_process import run_gosdt
from rugcore.comparison.questions import Leaf, Question, Split, Tree
from rugcore.comparison.tree_rules import FoundTree, Patterns, TreeRulesClassifier, greedy_tree, most_common
from rugcore.errors import InputError, missing_package
from rugcore.fairness.notions import positive_code
from rugcore.training.settings import check_choice, check_real

EXTRA = "trees"  # the part of the installation with both packages
STREED_TASKS = {"eop": "equality-of-opportunity", "demographic_parity": "group-fairness"}
LEAST_SECONDS = 0.1  # both packages refuse none at all
NO_LIMIT = 10.0**7  # seconds, where a package must have one


class GOSDTClassifier(TreeRulesClassifier):
    """The tree with the fewest mistakes, every leaf counted as some mistakes more: by the package gosdt.

    gosdt is by the authors of FSDT (McTavish et al. 2022); it asks the questions of exact pricing here, without a guess
    of another model. It may need much memory from depth 4 on: it runs in a process of its own, and where that has to be
    ended, the tree is the greedy one of scikit-learn.

    Parameters
    ----------
    max_depth : int, default=3
        Questions from the root to a leaf, at most.
    leaf_cost : float, default=1
        How many mistakes a further leaf must save, at least. With less than 1, the search takes much longer.
    time_limit : float or None, default=None
        Seconds; gosdt counts whole ones.

    Attributes
    ----------
    stop_reason_ : {"optimal", "time limit", "too large"}
        "optimal": no tree has fewer mistakes and leaf costs together. `lower_bound_` is about mistakes alone. "too
        large": gosdt had to be ended.

    For the others see `TreeRulesClassifier`.
    """

    def __init__(self, max_depth: int = 3, *, leaf_cost: float = 1.0, time_limit: float | None = None) -> None:
        self.max_depth = max_depth
        self.leaf_cost = leaf_cost
        self.time_limit = time_limit

    def _check(self) -> None:
        super()._check()
        check_real("leaf_cost", self.leaf_cost, 0.0)

    def _found(self, patterns: Patterns, started: float) -> FoundTree:
        if find_spec("gosdt") is None:
            raise missing_package("GOSDT", EXTRA)
        alone = most_common(patterns)
        if not patterns.scales or patterns.mistakes(alone) <= self.leaf_cost:  # gosdt breaks down over such a price
            return FoundTree(alone, 0.0, "optimal")
        rows, classes = patterns.single_rows()
        left = self._seconds_left(started)
        settings = {
            "regularization": self.leaf_cost / len(rows),
            "allow_small_reg": True,
            "depth_budget": self.max_depth,
            "time_limit": None if left is None else max(math.ceil(left), 1),
        }
        found = run_gosdt(patterns.answers[rows], classes, settings, left)
        if found is None:
            return FoundTree(greedy_tree(patterns, self.max_depth), 0.0, "too large")
        # A tree has at most so many leaves; what they cost is in the bound, and not in the mistakes.
        bound = found["bound"] * len(rows) - self.leaf_cost * 2**self.max_depth
        tree = _from_gosdt(found["tree"], patterns.questions)
        return FoundTree(tree, bound, "optimal" if found["is_over"] else "time limit")


class STreeDClassifier(TreeRulesClassifier):
    """The tree with the fewest mistakes, or the fewest within a gap between two groups: by the package pystreed.

    Parameters
    ----------
    max_depth : int, default=3
        Questions from the root to a leaf, at most.
    fairness : {"eop", "demographic_parity"} or None, default=None
        What must be alike in both groups. Their column may be asked about only if it stands in X as well.
    epsilon : float, default=0.025
        The largest gap on the training rows; has an effect with `fairness` only.
    positive_class : label or None, default=None
        The class that serves people well; None: the second. For `fairness` only.
    time_limit : float or None, default=None
        Seconds.

    Attributes
    ----------
    lower_bound_ : float
        No tree of this depth makes fewer mistakes; with `fairness`, none within epsilon.
    stop_reason_ : {"optimal", "time limit"}

    For the others see `TreeRulesClassifier`.
    """

    def __init__(
        self,
        max_depth: int = 3,
        *,
        fairness: str | None = None,
        epsilon: float = 0.025,
        positive_class: Any = None,
        time_limit: float | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.fairness = fairness
        self.epsilon = epsilon
        self.positive_class = positive_class
        self.time_limit = time_limit

    def _check(self) -> None:
        super()._check()
        check_choice("fairness", self.fairness, (None, *STREED_TASKS))  # type: ignore[arg-type]
        check_real("epsilon", self.epsilon, 0.0, 1.0)

    def _needs_groups(self) -> bool:
        return self.fairness is not None

    def _found(self, patterns: Patterns, started: float) -> FoundTree:
        try:
            import pystreed
        except ImportError as error:
            raise missing_package("STreeD", EXTRA) from error

        if not patterns.scales:
            return FoundTree(most_common(patterns), 0.0, "optimal")
        left = self._seconds_left(started)
        limits = {"max_depth": self.max_depth, "time_limit": NO_LIMIT if left is None else max(left, LEAST_SECONDS)}
        rows, classes = patterns.single_rows()
        asked = patterns.answers[rows].astype(np.int32)
        if self.fairness is None:
            package = pystreed.STreeDClassifier("accuracy", **limits)
        else:
            asked = np.column_stack([self._groups(patterns)[rows], asked])
            classes = (classes == self._positive_code()).astype(np.int64)
            package = pystreed.STreeDGroupFairnessClassifier(
                STREED_TASKS[self.fairness], discrimination_limit=self.epsilon, **limits
            )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what sklearn will change, and that no tree was found
            package.fit(asked, classes)
        return self._read(package, patterns)

    def _read(self, package: Any, patterns: Patterns) -> FoundTree:
        if not package.is_fitted():  # not even one leaf, which every gap allows
            return FoundTree(most_common(patterns), 0.0, "time limit")
        tree = _from_streed(package.tree_, self._questions(patterns), self._labels(patterns))
        if not package.fit_result.is_optimal():
            return FoundTree(tree, 0.0, "time limit")
        return FoundTree(tree, patterns.mistakes(tree), "optimal")

    def _questions(self, patterns: Patterns) -> list[Question | None]:
        return [*([] if self.fairness is None else [None]), *patterns.questions]

    def _labels(self, patterns: Patterns) -> list[int]:
        """The number of the class that the package knows by 0, 1, ..."""
        if self.fairness is None:
            return list(range(patterns.n_classes))
        positive = self._positive_code()
        return [1 - positive, positive]

    def _positive_code(self) -> int:
        if len(self.classes_) != 2:
            raise InputError(f"Expected two classes, because a fair tree says yes or no, but got {len(self.classes_)}.")
        code = positive_code(self.positive_class, self.classes_)
        return 1 if code is None else code

    @staticmethod
    def _groups(patterns: Patterns) -> np.ndarray:
        assert patterns.group is not None
        different, number = np.unique(patterns.group, return_inverse=True)
        if len(different) != 2:
            raise InputError(f"Expected two groups, because STreeD compares two, but got {len(different)}.")
        return number.ravel()


def _from_gosdt(node: Any, questions: list[Question]) -> Tree:
    if isinstance(node, int):
        return Leaf(node)
    question, yes, no = node
    return Split(questions[question], _from_gosdt(yes, questions), _from_gosdt(no, questions))


def _from_streed(node: Any, questions: list[Question | None], labels: list[int]) -> Tree:
    if node.is_leaf_node():
        return Leaf(labels[int(node.label)])
    question = questions[node.feature]
    if question is None:
        raise InputError("STreeD asked which group people belong to. Put the column into X if trees may ask that.")
    yes, no = (_from_streed(child, questions, labels) for child in (node.right_child, node.left_child))
    return Split(question, yes, no)
