"""Gaps as single numbers: those of fairlearn and of the audit, and NaN where nothing can be said."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from fairlearn.metrics import (
    MetricFrame,
    demographic_parity_difference,
    equal_opportunity_difference,
    equalized_odds_difference,
)
from sklearn.metrics import accuracy_score

from rugcore import (
    InputError,
    demographic_parity_gap,
    equal_opportunity_gap,
    error_rate_gap,
    fairness_report,
)


def overall_error_difference(y_true: Any, y_pred: Any, *, sensitive_features: Any, sample_weight: Any) -> float:
    weights = {"sample_weight": sample_weight}
    frame = MetricFrame(
        metrics=accuracy_score,
        y_true=y_true,
        y_pred=y_pred,
        sensitive_features=sensitive_features,
        sample_params=weights,
    )
    return float(frame.difference())


def by(notion: str) -> Callable[..., float]:
    return lambda *args, **settings: error_rate_gap(*args, fairness=notion, **settings)


PAIRS = [
    pytest.param(error_rate_gap, equalized_odds_difference, id="equalized odds"),
    pytest.param(by("eod"), equalized_odds_difference, id="by another name"),
    pytest.param(by("odm"), overall_error_difference, id="overall"),
    pytest.param(by("eop"), equal_opportunity_difference, id="eop"),
    pytest.param(equal_opportunity_gap, equal_opportunity_difference, id="equal opportunity"),
    pytest.param(demographic_parity_gap, demographic_parity_difference, id="demographic parity"),
]


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
@pytest.mark.parametrize("n_groups", [2, 4])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("is_weighted", [False, True])
def test_they_are_those_of_fairlearn(ours: Any, theirs: Any, n_groups: int, seed: int, is_weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    y_true, y_pred = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    groups = rng.choice(["a", "b", "c", "d"][:n_groups], 400)
    weight = rng.random(400) + 0.1 if is_weighted else np.ones(400)
    settings = {"sensitive_features": groups, "sample_weight": weight}
    assert ours(y_true, y_pred, min_cell_size=1, **settings) == pytest.approx(theirs(y_true, y_pred, **settings))


@pytest.mark.parametrize("notion", ["dmc", "odm", "eop"])
def test_they_are_those_of_the_report(notion: str) -> None:
    rng = np.random.default_rng(0)
    y_true, y_pred = rng.choice(["low", "mid", "top"], (2, 500))
    groups = rng.choice(["a", "b", "few"], 500, p=[0.55, 0.4, 0.05])
    table = fairness_report(y_true, y_pred, sensitive_features=groups, positive_class="top")
    gap = error_rate_gap(y_true, y_pred, sensitive_features=groups, fairness=notion, positive_class="top")
    assert gap == table.loc[notion, "gap"]


@pytest.mark.parametrize("metric", [error_rate_gap, equal_opportunity_gap, demographic_parity_gap])
def test_a_gap_that_nobody_can_measure_is_not_none(metric: Any) -> None:
    y_true, y_pred = [0, 1] * 20, [1, 0] * 20
    assert math.isnan(metric(y_true, y_pred, sensitive_features=["a"] * 40))
    assert math.isnan(metric(y_true, y_pred, sensitive_features=["a"] * 39 + ["b"]))
    assert metric(y_true, y_pred, sensitive_features=["a", "a", "b", "b"] * 10, min_cell_size=1) == 0


def test_what_is_left_out_does_not_depend_on_the_predictions() -> None:
    rng = np.random.default_rng(0)
    y_true = np.repeat([0, 1], [200, 40])
    groups = rng.choice(["a", "b"], 240)  # class 1 is too small in both
    for seed in range(5):
        y_pred = np.random.default_rng(seed).integers(0, 2, 240)
        of_class_0 = [np.mean(y_pred[(y_true == 0) & (groups == group)] == 1) for group in "ab"]
        assert error_rate_gap(y_true, y_pred, sensitive_features=groups) == pytest.approx(abs(np.subtract(*of_class_0)))


def test_rows_that_lack_a_class_which_is_predicted_can_be_measured() -> None:
    groups = ["a", "b"] * 40
    assert error_rate_gap(["no"] * 80, ["no", "yes"] * 40, sensitive_features=groups) == 1
    settings = {"sensitive_features": groups, "positive_class": "yes"}
    assert demographic_parity_gap(["no"] * 80, ["no", "yes"] * 40, **settings) == 1
    assert math.isnan(equal_opportunity_gap(["no"] * 80, ["no", "yes"] * 40, **settings))


@pytest.mark.parametrize("metric", [by("eop"), equal_opportunity_gap, demographic_parity_gap])
def test_a_positive_class_is_asked_for_where_it_matters(metric: Any) -> None:
    labels, groups = ["yes", "no"] * 80, ["a", "a", "b", "b"] * 40
    with pytest.raises(InputError, match="Expected positive_class"):
        metric(labels, labels, sensitive_features=groups)
    assert metric(labels, labels, sensitive_features=groups, positive_class="yes") == 0


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"fairness": "nice"}, "fairness"),
        ({"sensitive_features": None}, "sensitive_features"),
        ({"positive_class": "granted"}, "positive_class"),
        ({"min_cell_size": 0}, "min_cell_size"),
        ({"y_pred": None}, "y_pred"),
    ],
)
def test_wrong_parameters_are_named(settings: dict[str, Any], sentence: str) -> None:
    given = {"y_true": [0, 1], "y_pred": [0, 1], "sensitive_features": ["a", "b"]} | settings
    with pytest.raises(InputError, match=sentence):
        error_rate_gap(**given)
