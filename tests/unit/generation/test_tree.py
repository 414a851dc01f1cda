"""The histogram tree against scikit-learn's."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from rugcore.generation.features import Features
from rugcore.generation.rows import RowBlock
from rugcore.generation.tree import grow_leaves
from rugcore.rules import SpecialCode
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


@pytest.mark.parametrize("seed", range(5))
def test_special_codes_and_blanks_go_where_they_help_most(seed: int) -> None:
    """The best of all ways to send blanks and three codes along with a cut, or to ask for one of them."""
    rng = np.random.default_rng(seed)
    x = rng.choice([-9.0, -8.0, 2.5, np.nan, 1, 2, 3, 4, 5], 120)
    share = {-9.0: 0.9, -8.0: 0.2, 2.5: 0.7}
    y = (rng.random(120) < np.array([share.get(cell, 0.3 + 0.1 * np.nan_to_num(cell)) for cell in x])).astype(int)
    specials = tuple(SpecialCode(code, str(code)) for code in (-9.0, -8.0, 2.5))
    encoded = encode(replace(read_table(x[:, None]), specials={"x0": specials}), np.ones(120), np.random.RandomState(0))
    rows = RowBlock(encoded.codes, y, np.ones(120), 2)
    leaves = grow_leaves(rows, Features.of(encoded.columns), np.ones(2), np.ones(2), 1)
    kinds = [np.isnan(x), *(x == code for code in share)]
    sides = list(kinds)
    for cut in (1, 2, 3, 4):
        is_up_to = (x <= cut) & ~np.logical_or.reduce(kinds)
        for size in range(5):
            sides += [np.logical_or.reduce([is_up_to, *chosen]) for chosen in combinations(kinds, size)]
    squares = [sum((np.bincount(y[part], minlength=2) ** 2).sum() / part.sum() for part in (s, ~s)) for s in sides]
    found = sum((leaf.class_duals**2).sum() / leaf.class_duals.sum() for leaf in leaves)
    assert found == pytest.approx(max(squares))


def test_two_splits_on_one_column_become_one_condition() -> None:
    X = np.array([[1.0], [2.0], [3.0]])
    leaves = leaves_of(X, np.array([0, 1, 0]), np.array([2.0, 1.0, 3.0]), 2)
    assert len(leaves) == 3
    assert all(len(leaf.allowed) == 1 for leaf in leaves)


def test_parity_needs_a_split_without_gain() -> None:
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    leaves = leaves_of(X, np.array([0, 1, 1, 0]), np.ones(4), 2)
    assert sorted(leaf.class_duals.tolist() for leaf in leaves) == [[0, 1], [0, 1], [1, 0], [1, 0]]
