"""LightGBM as a sum of conjunctions: every leaf adds its value where all splits above it lead there.

So its exact Shapley values have the same closed form as those of rules, against the same people; the package shap can
do that only for trees that do not split on categories.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rugcore.attribution import Background, Conjunction

BLANK = 0
ZERO = 1e-35  # what LightGBM takes for 0 where zeros are missing values


@dataclass(frozen=True)
class Split:
    """A question about one feature: which way rows go, by value."""

    feature: int
    is_category: bool
    threshold: float
    categories: frozenset[int]
    missing: str  # "None", "NaN" or "Zero": what counts as missing
    blank_goes_left: bool

    @classmethod
    def of(cls, node: Mapping[str, Any]) -> "Split":
        is_category = node["decision_type"] == "=="
        return cls(
            feature=int(node["split_feature"]),
            is_category=is_category,
            threshold=np.nan if is_category else float(node["threshold"]),
            categories=frozenset(map(int, node["threshold"].split("||"))) if is_category else frozenset(),
            missing=str(node["missing_type"]),
            blank_goes_left=bool(node["default_left"]),
        )

    @property
    def cuts(self) -> list[float]:
        """Where the numbers of its feature must be cut, so that all between two cuts go the same way."""
        around_zero = [float(np.nextafter(-ZERO, -1.0)), ZERO] if self.missing == "Zero" else []
        return [] if self.is_category else [self.threshold, *around_zero]

    def goes_left(self, values: np.ndarray) -> np.ndarray:
        """As LightGBM decides it."""
        if self.is_category:
            return np.isin(values, list(self.categories))
        is_blank = np.isnan(values)
        known = np.where(is_blank, 0.0, values)
        is_missing = is_blank if self.missing == "NaN" else (np.abs(known) <= ZERO) & (self.missing == "Zero")
        return np.where(is_missing, self.blank_goes_left, known <= self.threshold)


@dataclass(frozen=True, eq=False)
class Leaves:
    """All leaves of all trees, over features cut where some tree asks about them."""

    conjunctions: tuple[Conjunction, ...]
    amounts: np.ndarray  # (leaves, outputs)
    cuts: tuple[np.ndarray | None, ...]  # by feature; None: a category, whose number is its code

    @classmethod
    def of(cls, booster: Any, n_codes: list[int | None]) -> "Leaves":
        """`n_codes`: by feature how many numbers its categories have; None: it holds numbers."""
        dumped = booster.dump_model()
        trees = [tree["tree_structure"] for tree in dumped["tree_info"]]
        splits = [split for tree in trees for split in _splits(tree)]
        cuts = tuple(
            np.unique([cut for split in splits if split.feature == feature for cut in split.cuts])
            if own is None
            else None
            for feature, own in enumerate(n_codes)
        )
        examples = [
            np.arange(float(own or 0)) if cut is None else np.concatenate([[np.nan], cut, [np.inf]])
            for own, cut in zip(n_codes, cuts, strict=True)
        ]
        n_outputs = int(dumped["num_tree_per_iteration"])
        found = [
            (number % n_outputs, leaf) for number, tree in enumerate(trees) for leaf in _leaves(tree, examples, {})
        ]
        amounts = np.zeros((len(found), n_outputs))
        for line, (output, (_, value)) in enumerate(found):
            amounts[line, output] = value
        return cls(tuple(_conjunction(allowed) for _, (allowed, _) in found), amounts, cuts)

    def codes(self, matrix: np.ndarray) -> np.ndarray:
        """(features, rows) from what LightGBM is given."""
        columns = [
            own if cuts is None else np.where(np.isnan(own), BLANK, np.searchsorted(cuts, own, side="left") + 1)
            for own, cuts in zip(matrix.T, self.cuts, strict=True)
        ]
        return np.array(columns, dtype=np.int32)

    def against(self, matrix: np.ndarray) -> "LeavesAgainst":
        """Ready to compare with these rows."""
        return LeavesAgainst(self, Background.of(self.conjunctions, self.codes(matrix)))


@dataclass(frozen=True, eq=False)
class LeavesAgainst:
    """Leaves, and the people that rows are compared with."""

    leaves: Leaves
    background: Background

    @cached_property
    def base_values(self) -> np.ndarray:
        """The mean of every output."""
        return self.background.base(self.leaves.amounts)

    def values(self, matrix: np.ndarray) -> np.ndarray:
        """(rows, features), with more than two classes (rows, features, classes)."""
        found = self.background.values(self.leaves.conjunctions, self.leaves.amounts, self.leaves.codes(matrix))
        return found[:, :, 0] if found.shape[2] == 1 else found


def _splits(node: Mapping[str, Any]) -> Iterator[Split]:
    if "split_feature" in node:
        yield Split.of(node)
        yield from _splits(node["left_child"])
        yield from _splits(node["right_child"])


Allowed = dict[int, np.ndarray]  # by feature: which codes lead here


def _leaves(node: Mapping[str, Any], examples: list[np.ndarray], allowed: Allowed) -> Iterator[tuple[Allowed, float]]:
    """The leaves below a node, with what leads to each; `examples` holds a value for every code of every feature."""
    if "split_feature" not in node:
        yield allowed, float(node["leaf_value"])
        return
    split = Split.of(node)
    left = split.goes_left(examples[split.feature])
    before = allowed.get(split.feature, np.ones(len(left), dtype=bool))
    yield from _leaves(node["left_child"], examples, allowed | {split.feature: before & left})
    yield from _leaves(node["right_child"], examples, allowed | {split.feature: before & ~left})


def _conjunction(allowed: Allowed) -> Conjunction:
    return Conjunction(tuple(allowed), tuple(allowed.values()))
