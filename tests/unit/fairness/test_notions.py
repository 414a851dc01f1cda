"""The notions of parity on cells that can be counted by hand."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from rugcore.errors import InputError
from rugcore.fairness.groups import Groups, read_groups
from rugcore.fairness.notions import NOTIONS, is_in_their_favour, notion_of, positive_code
from rugcore.fairness.parity import MIN_CELL_SIZE, Cells, Parity, cell_numbers, parity
from rugcore.fairness.parity import tally_of as count_decisions


def cells_of(counts: list[list[int]], weight: list[list[float]] | None = None) -> Cells:
    """A line a class, a column a group."""
    count = np.array(counts)
    names = tuple("abcdefgh"[: count.shape[1]])
    return Cells(tuple(range(len(counts))), names, count, (count if weight is None else np.array(weight)).astype(float))


def tally_of(cells: Cells, rates: list[list[float]]) -> np.ndarray:
    """The weight of every cell by decided class, at these error rates; the wrong ones are given the next class."""
    wrong, own = (np.array(rates) * cells.weight).ravel(), cells.class_codes()
    tally = np.zeros((cells.n_cells, len(cells.classes)))
    tally[np.arange(cells.n_cells), own] = cells.weight.ravel() - wrong
    tally[np.arange(cells.n_cells), (own + 1) % len(cells.classes)] += wrong
    return tally


# Two classes (lines), three groups (columns).
THREE = cells_of([[100, 50, 200], [40, 80, 100]])
RATES = [[0.10, 0.20, 0.05], [0.50, 0.25, 0.30]]


def gaps_by_name(notion: Parity, tally: np.ndarray) -> dict[tuple[Any, str, str], float]:
    return {(contrast.label, *contrast.pair): contrast.gap(tally) for contrast in notion.contrasts}


def test_dmc_compares_real_pairs_within_every_class() -> None:
    found = gaps_by_name(parity("dmc", THREE), tally_of(THREE, RATES))
    assert found == {
        (0, "a", "b"): pytest.approx(0.10 - 0.20),
        (0, "a", "c"): pytest.approx(0.10 - 0.05),
        (0, "b", "c"): pytest.approx(0.20 - 0.05),
        (1, "a", "b"): pytest.approx(0.50 - 0.25),
        (1, "a", "c"): pytest.approx(0.50 - 0.30),
        (1, "b", "c"): pytest.approx(0.25 - 0.30),
    }


def test_odm_compares_over_all_classes() -> None:
    found = gaps_by_name(parity("odm", THREE), tally_of(THREE, RATES))
    a, b, c = (10 + 20) / 140, (10 + 20) / 130, (10 + 30) / 300
    assert found == {
        (None, "a", "b"): pytest.approx(a - b),
        (None, "a", "c"): pytest.approx(a - c),
        (None, "b", "c"): pytest.approx(b - c),
    }


@pytest.mark.parametrize("positive", [0, 1])
def test_eop_is_dmc_of_the_positive_class(positive: int) -> None:
    tally = tally_of(THREE, RATES)
    dmc, eop = gaps_by_name(parity("dmc", THREE), tally), gaps_by_name(parity("eop", THREE, positive), tally)
    assert eop == {key: gap for key, gap in dmc.items() if key[0] == positive}


def test_the_gap_is_the_largest_over_classes_and_pairs() -> None:
    tally = tally_of(THREE, RATES)
    notion = parity("dmc", THREE)
    assert notion.gap(tally) == pytest.approx(0.25)
    worst = notion.worst(tally)
    assert worst is not None
    assert (worst.label, worst.pair) == (1, ("a", "b"))
    assert str(worst) == "a against b, class 1"


def test_swapping_groups_flips_the_sign_and_nothing_else() -> None:
    cells = cells_of([[100, 50], [40, 80]])
    swapped = Cells(cells.classes, cells.groups, cells.count[:, ::-1], cells.weight[:, ::-1])
    rates = np.array([[0.1, 0.3], [0.6, 0.2]])
    for name in NOTIONS:
        one, other = parity(name, cells, 1, min_cell_size=1), parity(name, swapped, 1, min_cell_size=1)
        tally, swapped_loss = tally_of(cells, rates.tolist()), tally_of(swapped, rates[:, ::-1].tolist())
        assert_allclose(one.gaps(tally), -other.gaps(swapped_loss))
        assert one.gap(tally) == pytest.approx(other.gap(swapped_loss))


@pytest.mark.parametrize("notion", [name for name, notion in NOTIONS.items() if notion.bounds_losses])
def test_the_matrix_gives_the_gaps_between_losses(notion: str) -> None:
    rng = np.random.default_rng(3)
    cells = cells_of([[40, 90, 31, 5], [60, 0, 35, 70], [33, 44, 55, 66]], rng.uniform(1, 9, (3, 4)).tolist())
    found = parity(notion, cells, positive=2)
    for _ in range(5):
        loss = rng.uniform(0, 3, cells.n_cells)
        assert_allclose(found.matrix @ loss, [contrast.loss_gap(loss) for contrast in found.contrasts], atol=1e-14)
        assert found.loss_gap(loss) == pytest.approx(np.abs(found.matrix @ loss).max())
    assert found.matrix.shape == (len(found.contrasts), 12)
    assert_allclose(found.matrix @ cells.weight.ravel(), 0, atol=1e-12)  # the same loss everywhere is no gap


# --- Selection and precision --------------------------------------------------------------------------------------

# Two groups; of a, 100 of class 0 and 40 of class 1, of b, 50 and 80. Every line is a cell: decided 0, decided 1.
DECIDED = np.array([[90.0, 10.0], [40.0, 10.0], [20.0, 20.0], [20.0, 60.0]])
PAIR = cells_of([[100, 50], [40, 80]])


def test_demographic_parity_compares_how_often_groups_are_not_selected() -> None:
    found = gaps_by_name(parity("demographic_parity", PAIR, 1), DECIDED)
    assert found == {(None, "a", "b"): pytest.approx((90 + 20) / 140 - (40 + 20) / 130)}
    found = gaps_by_name(parity("demographic_parity", PAIR, 0), DECIDED)
    assert found == {(None, "a", "b"): pytest.approx((10 + 20) / 140 - (10 + 60) / 130)}


def test_predictive_parity_compares_how_often_a_positive_decision_is_wrong() -> None:
    found = gaps_by_name(parity("predictive_parity", PAIR, 1), DECIDED)
    assert found == {(None, "a", "b"): pytest.approx(10 / 30 - 10 / 70)}
    found = gaps_by_name(parity("predictive_parity", PAIR, 0), DECIDED)
    assert found == {(None, "a", "b"): pytest.approx(20 / 110 - 20 / 60)}


def test_who_was_decided_for_another_class_is_no_positive_decision() -> None:
    """Three classes: a mistake between the two others counts for nothing here."""
    cells = cells_of([[40, 40], [40, 40], [40, 40]])
    tally = np.array([[20, 10, 10], [0, 40, 0], [5, 0, 35], [0, 40, 0], [0, 20, 20], [0, 0, 40]], dtype=float)
    found = parity("predictive_parity", cells, 1, min_cell_size=1)
    wrong, right = (10 + 20, 40 + 0), (0, 40)  # decided 1, of classes 0 and 2 and of class 1, by group
    rates = [wrong[group] / (wrong[group] + right[group]) for group in (0, 1)]
    assert [rate.mean(tally) for rate in found.rates] == pytest.approx(rates)


def test_a_group_of_which_too_few_are_selected_has_no_precision() -> None:
    tally = np.array([[100.0, 0.0], [40.0, 10.0], [11.0, 29.0], [20.0, 60.0]])
    found = parity("predictive_parity", PAIR, 1)
    assert math.isnan(found.gap(tally))
    assert found.worst(tally) is None
    assert found.strict_gap(tally) == 1.0  # training must not take it for none
    enough = tally + np.array([[-1.0, 1.0], [0, 0], [0, 0], [0, 0]])
    assert found.gap(enough) == found.strict_gap(enough) == pytest.approx(abs(1 / 30 - 10 / 70))


@pytest.mark.parametrize("notion", NOTIONS)
def test_marks_count_only_what_they_look_at(notion: str) -> None:
    for stratum in NOTIONS[notion].strata(("x", "y", "z"), 1):
        assert not (stratum.counted & ~stratum.among).any()
        assert stratum.counted.any()
        assert stratum.is_settled == (notion != "predictive_parity")


# --- Scores -------------------------------------------------------------------------------------------------------


def test_the_score_of_two_classes_adds_up_their_gaps() -> None:
    assert NOTIONS["dmc"].score([0.15, 0.25], 2) == pytest.approx(1 - (0.15 + 0.25))
    assert NOTIONS["eop"].score([0.15], 2) == pytest.approx(1 - 0.15)
    assert NOTIONS["odm"].score([0.1], 2) == pytest.approx(1 - 0.1)


def test_the_score_of_three_classes_averages_their_largest_gaps() -> None:
    assert NOTIONS["dmc"].score([0.3, 0.0, 0.1], 3) == pytest.approx(1 - (0.3 + 0.0 + 0.1) / 3)


def test_a_class_that_cannot_be_compared_leaves_two_classes_without_a_score() -> None:
    """Its gap is not known; counting it as 0 would flatter the model."""
    assert math.isnan(NOTIONS["dmc"].score([0.2], 2))


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
    assert math.isnan(notion.not_estimable[0].mean(np.zeros((4, 2))))


def test_a_cell_without_weight_has_no_rate() -> None:
    cells = cells_of([[50, 50], [50, 50]], [[50.0, 0.0], [50.0, 50.0]])
    assert [rate.group for rate in parity("dmc", cells).not_estimable] == ["b"]


def test_nothing_to_compare_is_not_a_gap_of_zero() -> None:
    notion = parity("odm", cells_of([[50], [50]]))
    tally = np.zeros((2, 2))
    assert notion.contrasts == ()
    assert math.isnan(notion.gap(tally))
    assert notion.worst(tally) is None
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
        decided = np.where(wrong[rows], (classes[rows] + 1) % 3, classes[rows])
        tally = count_decisions(cell_numbers(classes[rows], groups), decided, np.ones(900), cells.n_cells, 3)
        gaps.append(parity("dmc", cells).gaps(tally))
    assert_allclose(gaps[0], gaps[1])


def test_a_class_of_its_own_keeps_its_name() -> None:
    assert parity("dmc", cells_of([[50, 50]])).contrasts[0].label == 0
    assert parity("odm", cells_of([[50, 50]])).contrasts[0].label is None


# --- Names ------------------------------------------------------------------------------------------------------------


def test_names_of_notions() -> None:
    assert [notion_of(name).name for name in ("dmc", "odm", "eop", "eod")] == ["dmc", "odm", "eop", "dmc"]
    for other in ("DMC", "", None, ["dmc"], 1):
        with pytest.raises(
            InputError, match="one of dmc, odm, eop, demographic_parity, predictive_parity, eod, but got"
        ):
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


@pytest.mark.parametrize(
    ("label", "favourable", "classes", "gains"),
    [
        ("declined", "accepted", ("accepted", "declined"), True),
        ("accepted", "accepted", ("accepted", "declined"), False),
        ("declined", None, ("accepted", "declined"), False),  # nobody said which one serves people well
        (None, "accepted", ("accepted", "declined"), False),
        ("C", "A", ("A", "B", "C"), False),  # B may be worse than C
    ],
)
def test_only_of_two_classes_mistakes_about_the_other_one_are_in_their_favour(
    label: str | None, favourable: str | None, classes: tuple[str, ...], gains: bool
) -> None:
    assert is_in_their_favour(label, favourable, classes) == gains


def test_no_notion_says_that_a_group_fares_worse() -> None:
    said = {notion.larger_rate("granted") for notion in NOTIONS.values()}
    assert said == {
        "are decided wrongly more often",
        "are decided granted less often",
        "are more often wrong among those decided granted",
    }
