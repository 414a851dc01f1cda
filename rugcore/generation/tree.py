"""A depth-limited classification tree grown level by level from class histograms."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rugcore.generation import kernels
from rugcore.generation.directions import FREE, FROM_ABOVE, FROM_BELOW
from rugcore.generation.features import Features
from rugcore.generation.seam import Rows
from rugcore.tables.columns import MISSING_CODE, N_CODES

# Two splits whose quality differs by less than this share of the node's weight are equally good.
SPLIT_TOLERANCE = 1e-10
NO_SPLIT = -1


class Split(NamedTuple):
    """How a node splits: codes 1..code go left, or `code` alone if it is an equality; as the kernel writes it."""

    feature: int  # NO_SPLIT for a leaf
    code: int
    is_equality: int
    left_kinds: int  # bits: blanks, and every special code
    seen_kinds: int


Allowed = dict[int, np.ndarray]  # by feature, a boolean for each of its 256 possible codes


@dataclass(frozen=True)
class Leaf:
    """A leaf: the codes that its path allows in each feature, and the duals of each class in it.

    Where columns have directions, a rule for a class may not have all bounds of the path: `by_class` holds what is left
    for each class, and speaks for more rows than those of the leaf.
    """

    allowed: Allowed
    class_duals: np.ndarray
    by_class: tuple[Allowed, ...] = ()


@dataclass(frozen=True)
class _Path:
    """The way to a node, and what of it a rule for each class may say, if that is not all of it."""

    allowed: Allowed
    by_class: tuple[Allowed, ...]

    def extended(self, feature: int, codes: np.ndarray, bound: int, features: Features) -> "_Path":
        """With one more condition, which bounds the feature from one side, or not at all (FREE)."""
        directions = features.directions
        own = tuple(
            path
            if directions is not None and bound and directions.bound(feature, class_code) not in (FREE, bound)
            else _extended(path, feature, codes)
            for class_code, path in enumerate(self.by_class)
        )
        return _Path(_extended(self.allowed, feature, codes), own)


def grow_leaves(rows: Rows, features: Features, dual: np.ndarray, guide: np.ndarray, max_depth: int) -> list[Leaf]:
    """Grow a tree on the rows weighted by `guide` and return its leaves with their duals, the root alone included."""
    sprout = rows.sprout(dual, guide)
    n_codes = int(features.n_codes.max())
    paths = [_Path({}, () if features.directions is None else ({},) * rows.n_classes)]
    leaves: list[Leaf] = []
    for depth in range(max_depth + 1):
        if depth < max_depth:
            splits = _splits(rows.class_histograms(sprout, len(paths), n_codes), features)
        else:
            splits = np.full((len(paths), len(Split._fields)), NO_SPLIT)
        class_duals = rows.class_duals(sprout, len(paths))
        is_leaf = splits[:, 0] == NO_SPLIT
        leaves += [
            Leaf(paths[node].allowed, class_duals[node], paths[node].by_class) for node in np.flatnonzero(is_leaf)
        ]
        if is_leaf.all():
            break
        paths, route = _children(paths, splits, features)
        rows.advance(sprout, splits[:, 0], route)
    return leaves


def _splits(histograms: np.ndarray, features: Features) -> np.ndarray:
    """One line per node, with the fields of `Split`."""
    best = np.empty((histograms.shape[1], len(Split._fields)), dtype=np.int64)
    directions = features.directions
    sign = np.zeros(len(features.n_codes), dtype=np.int64) if directions is None else directions.sign
    favourable = 0 if directions is None else directions.favourable
    kernels.best_split_per_node(
        histograms,
        features.n_codes,
        features.is_category,
        features.n_specials,
        sign,
        favourable,
        SPLIT_TOLERANCE,
        best,
    )
    return best


def _children(paths: list[_Path], splits: np.ndarray, features: Features) -> tuple[list[_Path], np.ndarray]:
    """The paths of the next level, and for every node and code the child it leads to."""
    children: list[_Path] = []
    route = np.full((len(paths), N_CODES), -1, dtype=np.int16)
    for node, (path, line) in enumerate(zip(paths, splits.tolist(), strict=True)):
        split = Split(*line)
        if split.feature == NO_SPLIT:
            continue
        for codes, bound in zip(_sides(split, features), (FROM_ABOVE, FROM_BELOW), strict=True):
            route[node, codes] = len(children)
            children.append(path.extended(split.feature, codes, FREE if split.is_equality else bound, features))
    return children, route


def _sides(split: Split, features: Features) -> tuple[np.ndarray, np.ndarray]:
    """The codes that go left and right.

    Where a node saw no blank, or none of a special code, that goes neither way of a threshold: nothing is known of it.
    """
    every = np.arange(N_CODES)
    left = every == split.code if split.is_equality else (every >= 1) & (every <= split.code)
    right = ~left
    if split.is_equality:
        right[MISSING_CODE] &= bool(split.seen_kinds & 1)
        return left, right
    for kind, code in enumerate(features.kinds(split.feature)):
        is_seen, goes_left = bool(split.seen_kinds >> kind & 1), bool(split.left_kinds >> kind & 1)
        left[code], right[code] = is_seen and goes_left, is_seen and not goes_left
    return left, right


def _extended(path: Allowed, feature: int, codes: np.ndarray) -> Allowed:
    """The path with one more condition; two on the same feature become one."""
    merged = codes & path[feature] if feature in path else codes
    return path | {feature: merged}
