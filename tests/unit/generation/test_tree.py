"""The histogram tree against scikit-learn's."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from rugcore.generation.features import Features
from rugcore.generation.rows import RowBlock
from rugcore.generation.tree import grow_leaves
from rugcore.tables import encode, read_table


def leaves_of(X: np.ndarray, y: np.ndarray, weight: np.ndarray, depth: int):
    encoded = encode(read_table(X), np.ones(len(y)), np.random.RandomState(0))
    rows = RowBlock(encoded.codes, y, weight, int(y.max()) + 1)
    unit = np.ones(rows.n_classes)
    return grow_leaves(rows, Features.of(encoded.columns), unit, unit, depth)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_same_leaves_as_scikit_learn(depth: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4))  # at most 255 values a column, so nothing is lost by binning; deeper trees meet ties
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=200) > 0.5).astype(int) + (X[:, 2] > 1)
    weight = rng.uniform(0.1, 2, 200)
    peer = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y, sample_weight=weight)
    ends = peer.apply(X)
    expected = sorted(tuple(np.bincount(y[ends == e], weight[ends == e], minlength=3)) for e in np.unique(ends))
    found = sorted(tuple(leaf.class_duals) for leaf in leaves_of(X, y, weight, depth))
    assert np.array(found) == pytest.approx(np.array(expected))


def test_blanks_go_where_they_help() -> None:
    X = np.array([[1.0], [2.0], [3.0], [4.0], [np.nan], [np.nan]])
    y = np.array([0, 0, 1, 1, 1, 1])
    leaves = leaves_of(X, y, np.ones(6), 1)
    by_class = {int(np.argmax(leaf.class_duals)): leaf for leaf in leaves}
    assert by_class[1].allowed[0][0]
    assert not by_class[0].allowed[0][0]
    assert by_class[1].class_duals == pytest.approx([0, 4])


def test_blanks_where_none_was_seen_are_covered_by_nothing() -> None:
    leaves = leaves_of(np.array([[1.0], [2.0]]), np.array([0, 1]), np.ones(2), 1)
    assert not any(leaf.allowed[0][0] for leaf in leaves)


def test_two_splits_on_one_column_become_one_condition() -> None:
    X = np.array([[1.0], [2.0], [3.0]])
    leaves = leaves_of(X, np.array([0, 1, 0]), np.array([2.0, 1.0, 3.0]), 2)
    assert len(leaves) == 3
    assert all(len(leaf.allowed) == 1 for leaf in leaves)


def test_parity_needs_a_split_without_gain() -> None:
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    leaves = leaves_of(X, np.array([0, 1, 1, 0]), np.ones(4), 2)
    assert sorted(leaf.class_duals.tolist() for leaf in leaves) == [[0, 1], [0, 1], [1, 0], [1, 0]]
