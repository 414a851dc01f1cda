"""Importance moves towards those who fare worse, and nobody is forgotten."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rugcore.fair_training.steering import Steering
from rugcore.fairness.notions import NOTIONS
from rugcore.fairness.parity import Cells, parity

COUNTS = np.array([[120, 40], [60, 90]])
THREE = np.array([[120, 40, 55], [60, 90, 35], [50, 70, 200]])


def cells_of(count: np.ndarray, weight: np.ndarray | None = None) -> Cells:
    names = tuple("abc"[: count.shape[1]])
    return Cells(tuple(range(len(count))), names, count, (count if weight is None else weight).astype(float))


def tally_at(cells: Cells, rates: Any) -> np.ndarray:
    """The weight of every cell by decided class; whoever is decided wrongly is given the next class."""
    tally = np.zeros((cells.n_cells, len(cells.classes)))
    own, wrong = cells.class_codes(), (np.asarray(rates) * cells.weight).ravel()
    tally[np.arange(cells.n_cells), own] = cells.weight.ravel() - wrong
    tally[np.arange(cells.n_cells), (own + 1) % len(cells.classes)] += wrong
    return tally


def steered(cells: Cells, rates: Any, notion: str = "dmc", epsilon: float = 0.02, looks: int = 1) -> np.ndarray:
    """The importance, a line a class and a column a group, after looking at the same error rates several times."""
    steering = Steering(parity(notion, cells, positive=1), cells, 1)
    for _ in range(looks):
        steering.look(tally_at(cells, rates), epsilon)
    return steering.importance().reshape(cells.count.shape)


@pytest.mark.parametrize("looks", [0, 1, 5, 30])
@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("count", [COUNTS, THREE])
def test_importance_is_positive_and_keeps_the_totals(count: np.ndarray, notion: str, looks: int) -> None:
    rng = np.random.default_rng(0)
    cells = cells_of(count, count * rng.uniform(0.5, 2.0, count.shape))
    steering = Steering(parity(notion, cells, positive=1), cells, 1)
    for _ in range(looks):
        steering.look(tally_at(cells, rng.uniform(0, 1, count.shape)), 0.01)
    importance = steering.importance().reshape(count.shape)
    assert importance.min() > 0
    assert np.isfinite(importance).all()
    axis = None if notion == "odm" else 1
    assert_allclose((importance * cells.weight).sum(axis=axis), cells.weight.sum(axis=axis))
    assert (looks == 0) == bool(np.allclose(importance, 1.0))


def test_the_cell_that_fares_worse_gains() -> None:
    importance = steered(cells_of(COUNTS), [[0.3, 0.1], [0.2, 0.2]])
    assert importance[0, 0] > 1 > importance[0, 1]
    importance = steered(cells_of(COUNTS), [[0.2, 0.2], [0.1, 0.4]])
    assert importance[1, 1] > 1 > importance[1, 0]


def test_the_other_class_of_the_same_group_is_held_back() -> None:
    """Errors of a group are traded between its classes."""
    importance = steered(cells_of(COUNTS), [[0.3, 0.1], [0.2, 0.2]])
    assert importance[1, 0] < 1 < importance[1, 1]


def test_with_three_groups_the_worst_gains_most_and_the_best_loses_most() -> None:
    importance = steered(cells_of(THREE), [[0.5, 0.3, 0.1], [0.2, 0.2, 0.2], [0.2, 0.2, 0.2]])
    assert importance[0, 0] > importance[0, 1] > importance[0, 2]


def test_odm_moves_whole_groups() -> None:
    importance = steered(cells_of(COUNTS), [[0.4, 0.1], [0.3, 0.1]], "odm")
    assert_allclose(importance[0], importance[1])
    assert importance[0, 0] > 1 > importance[0, 1]


def test_eop_is_pushed_by_the_positive_class_alone() -> None:
    """Class 1 is positive; a gap in class 0 is nobody's business."""
    assert_allclose(steered(cells_of(COUNTS), [[0.9, 0.1], [0.2, 0.2]], "eop"), 1.0)
    importance = steered(cells_of(COUNTS), [[0.2, 0.2], [0.9, 0.1]], "eop")
    assert importance[1, 0] > 1 > importance[1, 1]


def test_the_group_that_is_selected_less_often_is_pushed_towards_the_positive_class() -> None:
    """Class 1 is positive. Half of a is selected, three quarters of b; nobody asks who deserves it."""
    cells = cells_of(np.array([[100, 100], [100, 100]]))
    importance = steered(cells, [[0.0, 0.5], [0.0, 0.0]], "demographic_parity")
    assert importance[1, 0] > 1 > importance[0, 0]
    assert importance[1, 1] < 1 < importance[0, 1]
    assert_allclose(steered(cells, [[0.3, 0.3], [0.3, 0.3]], "demographic_parity"), 1.0)


def test_the_group_whose_positive_decisions_are_wrong_more_often_is_selected_more_strictly() -> None:
    cells = cells_of(np.array([[100, 100], [100, 100]]))
    importance = steered(cells, [[0.5, 0.1], [0.0, 0.0]], "predictive_parity")  # 50 of 150 wrong, and 10 of 110
    assert importance[0, 0] > 1 > importance[1, 0]
    assert importance[0, 1] < 1 < importance[1, 1]
    assert_allclose(steered(cells, [[0.2, 0.2], [0.0, 0.0]], "predictive_parity"), 1.0)


def test_a_group_of_which_nobody_is_selected_is_selected_more() -> None:
    cells = cells_of(np.array([[100, 100], [100, 100]]))
    importance = steered(cells, [[0.0, 0.5], [1.0, 0.0]], "predictive_parity")
    assert importance[1, 0] > 1 > importance[0, 0]


@pytest.mark.parametrize("notion", NOTIONS)
def test_swapping_groups_swaps_importances(notion: str) -> None:
    rates = np.array([[0.3, 0.1], [0.25, 0.4]])
    one = steered(cells_of(COUNTS), rates, notion, epsilon=0.0, looks=4)
    other = steered(cells_of(COUNTS[:, ::-1]), rates[:, ::-1], notion, epsilon=0.0, looks=4)
    assert not np.allclose(one, 1.0)
    assert_allclose(one, other[:, ::-1])


@pytest.mark.parametrize("notion", ["dmc", "odm", "eop"])
def test_nothing_moves_while_the_gap_is_small_enough(notion: str) -> None:
    rates = [[0.20, 0.23], [0.30, 0.32]]
    assert_allclose(steered(cells_of(COUNTS), rates, notion, epsilon=0.1, looks=5), 1.0)
    assert_allclose(steered(cells_of(COUNTS), rates, notion, epsilon=np.inf, looks=5), 1.0)
    assert not np.allclose(steered(cells_of(COUNTS), rates, notion, epsilon=0.0), 1.0)


def test_the_aim_lies_a_little_below_epsilon() -> None:
    """A gap of just epsilon on these rows would be above it on the next."""
    rates = [[0.20, 0.30], [0.30, 0.30]]
    assert not np.allclose(steered(cells_of(COUNTS), rates, epsilon=0.105), 1.0)
    assert_allclose(steered(cells_of(COUNTS), rates, epsilon=0.15), 1.0)


def test_a_standing_gap_pushes_harder_and_a_turning_one_more_gently() -> None:
    worse, better = [[0.4, 0.1], [0.2, 0.2]], [[0.1, 0.4], [0.2, 0.2]]

    def lead(*seen: list[list[float]]) -> float:
        """Of the first group over the second in class 0; totals that are kept cancel out."""
        cells = cells_of(COUNTS)
        steering = Steering(parity("dmc", cells), cells, None)
        for rates in seen:
            steering.look(tally_at(cells, rates), 0.02)
        importance = steering.importance().reshape(2, 2)
        return float(np.log(importance[0, 0] / importance[0, 1]))

    once = lead(worse)
    assert once > 0
    assert lead(worse, worse) > 2.05 * once
    assert 0.05 * once < lead(worse, better) < 0.95 * once


def test_tiny_cells_push_nobody() -> None:
    """What is not estimable is no reason to move anything."""
    count = np.array([[120, 3], [60, 90]])
    assert_allclose(steered(cells_of(count), [[0.1, 1.0], [0.2, 0.2]]), 1.0)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("notion", NOTIONS)
def test_a_class_without_rows_is_no_division_by_zero(notion: str) -> None:
    count = np.array([[120, 40], [60, 90], [0, 0]])
    importance = steered(cells_of(count), [[0.3, 0.1], [0.1, 0.4], [0.0, 0.0]], notion, looks=3)
    assert np.isfinite(importance).all()
    assert importance.min() > 0
