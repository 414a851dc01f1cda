"""Who is likely to belong to which group: held against true chances, scikit-learn, and the identity behind it."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.utils import check_random_state

from rugcore.fair_training.likely_groups import LikelyGroups, are_worth_asking, likely_groups
from rugcore.fairness.groups import Groups
from rugcore.fairness.parity import Cells, parity
from rugcore.tables.encoder import encode
from rugcore.tables.table import read_table


def asked(frame: pd.DataFrame, y: np.ndarray, groups: Groups) -> LikelyGroups:
    weight = np.ones(len(y))
    encoded = encode(read_table(frame), weight, check_random_state(0))
    return likely_groups(encoded.codes, encoded.columns, y, groups, weight)


def people(n_rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray, Groups, np.ndarray]:
    """The chance of the small group rises with a and falls with class 1; b says nothing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.integers(0, 4, n_rows).astype(float), "b": rng.choice(list("uvw"), n_rows)})
    y = (rng.random(n_rows) < 0.5).astype(int)
    chance = expit(-3.0 + 0.8 * frame["a"].to_numpy() - 0.7 * y)
    return frame, y, Groups(("many", "few"), (rng.random(n_rows) < chance).astype(int)), chance


def test_shares_come_near_the_true_chances_and_sum_to_one() -> None:
    frame, y, groups, chance = people(4000, 1)
    share = asked(frame, y, groups).share
    np.testing.assert_array_equal(share.sum(axis=1), 1.0)
    assert share.min() > 0
    assert np.abs(share[:, 1] - chance).mean() < 0.02
    assert np.corrcoef(share[:, 1], chance)[0, 1] > 0.98


def test_columns_that_say_nothing_leave_everybody_alike() -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({f"x{number}": rng.normal(size=600) for number in range(12)})
    groups = Groups(("many", "few"), (rng.random(600) < 0.2).astype(int))
    share = asked(frame, rng.integers(0, 2, 600), groups).share[:, 1]
    assert share.std() < 0.04


def test_expected_rates_are_truer_than_counted_ones_where_few_people_stand_behind_them() -> None:
    """Over 40 tables, of a model that is wrong where a is 3: the true rate of the small group is known exactly."""
    by_a = expit(-3.0 + 0.8 * np.arange(4))  # class 0
    true = by_a[3] / by_a.sum()
    counted, expected = [], []
    for seed in range(40):
        frame, y, groups, _ = people(500, seed)
        is_wrong, in_class = frame["a"].to_numpy() == 3, y == 0
        share = asked(frame, y, groups).share[:, 1]
        counted.append(is_wrong[in_class & (groups.codes == 1)].mean())
        expected.append((share * is_wrong)[in_class].sum() / share[in_class].sum())
    assert np.mean(expected) == pytest.approx(true, abs=0.03)
    assert np.std(expected) < 0.8 * np.std(counted)


def test_the_order_of_rows_does_not_matter() -> None:
    frame, y, groups, _ = people(400, 3)
    order = np.random.default_rng(0).permutation(400)
    shuffled = asked(frame.iloc[order], y[order], groups.take(order))
    np.testing.assert_allclose(shuffled.share, asked(frame, y, groups).share[order], atol=1e-9)


def test_copies_weigh_what_their_rows_weigh() -> None:
    frame, y, groups, _ = people(300, 4)
    likely = asked(frame, y, groups)
    np.testing.assert_allclose(likely.expected.reshape(300, 2).sum(axis=1), likely.weight)
    np.testing.assert_allclose(likely.counted.reshape(300, 2).argmax(axis=1), groups.codes)
    cells = Cells.of((0, 1), y, groups)
    expected = likely.expected_cells(cells, y)
    np.testing.assert_allclose(expected.weight.sum(axis=1), cells.weight.sum(axis=1))
    np.testing.assert_array_equal(expected.count, cells.count)


@pytest.mark.parametrize(("smallest", "is_worth_it"), [(499, True), (500, False)])
def test_large_groups_are_counted_as_they_are(smallest: int, is_worth_it: bool) -> None:
    count = np.array([[smallest, 900], [600, 700]])
    compared = parity("dmc", Cells((0, 1), ("f", "m"), count, count.astype(float)))
    assert are_worth_asking(compared) == is_worth_it
