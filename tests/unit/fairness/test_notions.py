"""The notions of parity on cells that can be counted by hand."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rugcore.errors import InputError
from rugcore.fairness.groups import Groups, read_groups
from rugcore.fairness.notions import NOTIONS, notion_of, positive_code
from rugcore.fairness.parity import MIN_CELL_SIZE, Cells, Parity, cell_numbers, parity


def cells_of(counts: list[list[int]], weight: list[list[float]] | None = None) -> Cells:
    """A line a class, a column a group."""
    count = np.array(counts)
    names = tuple("abcdefgh"[: count.shape[1]])
    return Cells(tuple(range(len(counts))), names, count, (count if weight is None else np.array(weight)).astype(float))


def loss_of(cells: Cells, rates: list[list[float]]) -> np.ndarray:
    return (np.array(rates) * cells.weight).ravel()


# Two classes (lines), three groups (columns).
THREE = cells_of([[100, 50, 200], [40, 80, 100]])
RATES = [[0.10, 0.20, 0.05], [0.50, 0.25, 0.30]]


def gaps_by_name(notion: Parity, loss: np.ndarray) -> dict[tuple[Any, str, str], float]:
    return {(contrast.label, *contrast.pair): contrast.gap(loss) for contrast in notion.contrasts}


def test_dmc_compares_real_pairs_within_every_class() -> None:
    found = gaps_by_name(parity("dmc", THREE), loss_of(THREE, RATES))
    assert found == {
        (0, "a", "b"): pytest.approx(0.10 - 0.20),
        (0, "a", "c"): pytest.approx(0.10 - 0.05),
        (0, "b", "c"): pytest.approx(0.20 - 0.05),
        (1, "a", "b"): pytest.approx(0.50 - 0.25),
        (1, "a", "c"): pytest.approx(0.50 - 0.30),
        (1, "b", "c"): pytest.approx(0.25 - 0.30),
    }


def test_odm_compares_over_all_classes() -> None:
    found = gaps_by_name(parity("odm", THREE), loss_of(THREE, RATES))
    a, b, c = (10 + 20) / 140, (10 + 20) / 130, (10 + 30) / 300
    assert found == {
        (None, "a", "b"): pytest.approx(a - b),
        (None, "a", "c"): pytest.approx(a - c),
        (None, "b", "c"): pytest.approx(b - c),
    }


@pytest.mark.parametrize("positive", [0, 1])
def test_eop_is_dmc_of_the_positive_class(positive: int) -> None:
    loss = loss_of(THREE, RATES)
    dmc, eop = gaps_by_name(parity("dmc", THREE), loss), gaps_by_name(parity("eop", THREE, positive), loss)
    assert eop == {key: gap for key, gap in dmc.items() if key[0] == positive}


def test_the_gap_is_the_largest_over_classes_and_pairs() -> None:
    loss = loss_of(THREE, RATES)
    notion = parity("dmc", THREE)
    assert notion.gap(loss) == pytest.approx(0.25)
    worst = notion.worst(loss)
    assert worst is not None
    assert (worst.label, worst.pair) == (1, ("a", "b"))
    assert str(worst) == "a against b, class 1"


def test_swapping_groups_flips_the_sign_and_nothing_else() -> None:
    cells = cells_of([[100, 50], [40, 80]])
    swapped = Cells(cells.classes, cells.groups, cells.count[:, ::-1], cells.weight[:, ::-1])
    rates = np.array([[0.1, 0.3], [0.6, 0.2]])
    for name in NOTIONS:
        one, other = parity(name, cells, 1), parity(name, swapped, 1)
        loss, swapped_loss = loss_of(cells, rates.tolist()), loss_of(swapped, rates[:, ::-1].tolist())
        assert_allclose(one.gaps(loss), -other.gaps(swapped_loss))
        assert one.gap(loss) == pytest.approx(other.gap(swapped_loss))


@pytest.mark.parametrize("notion", NOTIONS)
def test_the_matrix_gives_the_gaps(notion: str) -> None:
    rng = np.random.default_rng(3)
    cells = cells_of([[40, 90, 31, 5], [60, 0, 35, 70], [33, 44, 55, 66]], rng.uniform(1, 9, (3, 4)).tolist())
    found = parity(notion, cells, positive=2)
    for _ in range(5):
        loss = rng.uniform(0, 3, cells.n_cells)
        assert_allclose(found.matrix @ loss, found.gaps(loss), atol=1e-14)
    assert found.matrix.shape == (len(found.contrasts), 12)
    assert_allclose(found.matrix @ cells.weight.ravel(), 0, atol=1e-12)  # the same loss everywhere is no gap


# --- Scores -------------------------------------------------------------------------------------------------------


def test_the_score_of_two_classes_adds_up_their_gaps() -> None:
    loss = loss_of(THREE, RATES)
    assert parity("dmc", THREE).score(loss, 2) == pytest.approx(1 - (0.15 + 0.25))
    assert parity("eop", THREE, 0).score(loss, 2) == pytest.approx(1 - 0.15)
    assert parity("odm", THREE).score(loss, 2) == pytest.approx(1 - (30 / 130 - 40 / 300))


def test_the_score_of_three_classes_averages_their_largest_gaps() -> None:
    cells = cells_of([[50, 50], [50, 50], [50, 50]])
    loss = loss_of(cells, [[0.0, 0.3], [0.2, 0.2], [0.5, 0.4]])
    assert parity("dmc", cells).score(loss, 3) == pytest.approx(1 - (0.3 + 0.0 + 0.1) / 3)


def test_a_class_that_cannot_be_compared_leaves_two_classes_without_a_score() -> None:
    """Its gap is not known; counting it as 0 would flatter the model."""
    cells = cells_of([[50, 50], [50, 3]])
    notion = parity("dmc", cells)
    loss = loss_of(cells, [[0.1, 0.3], [0.5, 0.0]])
    assert notion.gap(loss) == pytest.approx(0.2)
    assert math.isnan(notion.score(loss, 2))


# --- Cells that are too small ---------------------------------------------------------------------------------------


def test_tiny_and_empty_cells_are_left_out_and_listed() -> None:
    cells = cells_of([[100, MIN_CELL_SIZE - 1, MIN_CELL_SIZE], [0, 60, 60]])
    notion = parity("dmc", cells)
    assert [(rate.label, rate.group, rate.count) for rate in notion.not_estimable] == [(0, "b", 29), (1, "a", 0)]
    assert [(contrast.label, contrast.pair) for contrast in notion.contrasts] == [(0, ("a", "c")), (1, ("b", "c"))]
    assert [(rate.label, rate.group) for rate in notion.rates] == [(0, "a"), (0, "c"), (1, "b"), (1, "c")]


def test_an_empty_cell_is_never_compared_however_small_cells_may_be() -> None:
    notion = parity("dmc", cells_of([[1, 0], [1, 1]]), min_cell_size=0)
    assert [contrast.label for contrast in notion.contrasts] == [1]
    assert math.isnan(notion.not_estimable[0].mean(np.zeros(4)))


def test_a_cell_without_weight_has_no_rate() -> None:
    cells = cells_of([[50, 50], [50, 50]], [[50.0, 0.0], [50.0, 50.0]])
    assert [rate.group for rate in parity("dmc", cells).not_estimable] == ["b"]


def test_nothing_to_compare_is_not_a_gap_of_zero() -> None:
    notion = parity("odm", cells_of([[50], [50]]))
    loss = np.zeros(2)
    assert notion.contrasts == ()
    assert math.isnan(notion.gap(loss))
    assert math.isnan(notion.score(loss, 2))
    assert notion.worst(loss) is None
    assert notion.matrix.shape == (0, 2)


# --- Cells from rows --------------------------------------------------------------------------------------------------


def test_cells_are_counted_and_weighed() -> None:
    groups = read_groups(["x", "y", "x", "x"], 4)
    numbers = np.array([0, 0, 1, 1])
    cells = Cells.of(["no", "yes"], numbers, groups, np.array([1.0, 2.0, 0.5, 4.0]))
    assert cells.count.tolist() == [[1, 1], [2, 0]]
    assert cells.weight.tolist() == [[1.0, 2.0], [4.5, 0.0]]
    assert Cells.of(["no", "yes"], numbers, groups).weight.tolist() == [[1.0, 1.0], [2.0, 0.0]]
    assert cell_numbers(numbers, groups).tolist() == [0, 1, 2, 2]
    assert cells.class_codes().tolist() == [0, 0, 1, 1]


def test_gaps_do_not_depend_on_the_order_of_rows() -> None:
    rng = np.random.default_rng(5)
    classes, members, wrong = rng.integers(0, 3, 900), rng.integers(0, 4, 900), rng.random(900) < 0.3
    order = rng.permutation(900)
    gaps = []
    for rows in (np.arange(900), order):
        groups = Groups(("a", "b", "c", "d"), members[rows])
        cells = Cells.of(range(3), classes[rows], groups)
        loss = np.bincount(cell_numbers(classes[rows], groups), wrong[rows], cells.n_cells)
        gaps.append(parity("dmc", cells).gaps(loss))
    assert_allclose(gaps[0], gaps[1])


def test_a_class_of_its_own_keeps_its_name() -> None:
    assert parity("dmc", cells_of([[50, 50]])).contrasts[0].label == 0
    assert parity("odm", cells_of([[50, 50]])).contrasts[0].label is None


# --- Names ------------------------------------------------------------------------------------------------------------


def test_names_of_notions() -> None:
    assert [notion_of(name).name for name in ("dmc", "odm", "eop", "eod")] == ["dmc", "odm", "eop", "dmc"]
    for other in ("DMC", "", None, ["dmc"], 1):
        with pytest.raises(InputError, match="one of dmc, odm, eop, eod, but got"):
            notion_of(other)


@pytest.mark.parametrize(
    ("given", "classes", "number"),
    [
        (None, [0, 1], 1),
        (None, [False, True], 1),
        (None, [0.0, 1.0], 1),
        (None, ["no", "yes"], None),
        (None, [0, 1, 2], None),
        (None, [1, 2], None),
        ("no", ["no", "yes"], 0),
        (True, [0, 1], 1),
        (2, [0, 1, 2], 2),
    ],
)
def test_the_number_of_the_positive_class(given: Any, classes: list[Any], number: int | None) -> None:
    assert positive_code(given, np.array(classes)) == number


def test_an_unknown_positive_class_is_refused() -> None:
    with pytest.raises(InputError, match="one of the classes 0, 1, but got '1'"):
        positive_code("1", np.array([0, 1]))
    with pytest.raises(InputError, match="Expected positive_class, because fairness='eop' looks at one class only"):
        parity("eop", THREE)
