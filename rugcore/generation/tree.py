"""A depth-limited classification tree grown level by level from class histograms."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rugcore.generation import kernels
from rugcore.generation.features import Features
from rugcore.generation.rows import RowBlock
from rugcore.tables.columns import MISSING_CODE, N_CODES

# Two splits whose quality differs by less than this share of the node's weight are equally good.
SPLIT_TOLERANCE = 1e-10
NO_SPLIT = -1


class Split(NamedTuple):
    """How a node splits: codes 1..code go left, or `code` alone if it is an equality; as the kernel writes it."""

    feature: int  # NO_SPLIT for a leaf
    code: int
    is_equality: int
    missing_left: int
    has_missing: int


@dataclass(frozen=True)
class Leaf:
    """A leaf: the codes that its path allows in each feature, and the duals of each class in it."""

    allowed: dict[int, np.ndarray]
    class_duals: np.ndarray


def grow_leaves(rows: RowBlock, features: Features, dual: np.ndarray, guide: np.ndarray, max_depth: int) -> list[Leaf]:
    """Grow a tree on the rows weighted by `guide` and return its leaves with their duals, the root alone included."""
    sprout = rows.sprout(dual, guide)
    n_codes = int(features.n_codes.max())
    paths: list[dict[int, np.ndarray]] = [{}]
    leaves: list[Leaf] = []
    for depth in range(max_depth + 1):
        class_duals = rows.class_duals(sprout, len(paths))
        if depth < max_depth:
            splits = _splits(rows.class_histograms(sprout, len(paths), n_codes), features)
        else:
            splits = np.full((len(paths), len(Split._fields)), NO_SPLIT)
        is_leaf = splits[:, 0] == NO_SPLIT
        leaves += [Leaf(paths[node], class_duals[node]) for node in np.flatnonzero(is_leaf)]
        if is_leaf.all():
            break
        paths, route = _children(paths, splits)
        rows.advance(sprout, splits[:, 0], route)
    return leaves


def _splits(histograms: np.ndarray, features: Features) -> np.ndarray:
    """One line per node, with the fields of `Split`."""
    best = np.empty((histograms.shape[1], len(Split._fields)), dtype=np.int64)
    kernels.best_split_per_node(histograms, features.n_codes, features.is_category, SPLIT_TOLERANCE, best)
    return best


def _children(paths: list[dict[int, np.ndarray]], splits: np.ndarray) -> tuple[list[dict[int, np.ndarray]], np.ndarray]:
    """The paths of the next level, and for every node and code the child it leads to."""
    children: list[dict[int, np.ndarray]] = []
    route = np.full((len(paths), N_CODES), -1, dtype=np.int16)
    for node, (path, line) in enumerate(zip(paths, splits.tolist(), strict=True)):
        split = Split(*line)
        if split.feature == NO_SPLIT:
            continue
        for codes in _sides(split):
            route[node, codes] = len(children)
            children.append(_extended(path, split.feature, codes))
    return children, route


def _sides(split: Split) -> tuple[np.ndarray, np.ndarray]:
    """The codes that go left and right. Where a node saw no blank, a blank goes neither way: nothing is known of it."""
    every = np.arange(N_CODES)
    left = every == split.code if split.is_equality else (every >= 1) & (every <= split.code)
    right = ~left
    if not split.is_equality:
        left[MISSING_CODE], right[MISSING_CODE] = bool(split.missing_left), not split.missing_left
    if not split.has_missing:
        left[MISSING_CODE] = right[MISSING_CODE] = False
    return left, right


def _extended(path: dict[int, np.ndarray], feature: int, codes: np.ndarray) -> dict[int, np.ndarray]:
    """The path with one more condition; two on the same feature become one."""
    merged = codes & path[feature] if feature in path else codes
    return path | {feature: merged}
