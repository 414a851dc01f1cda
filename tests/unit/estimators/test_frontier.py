"""Accuracy against gap: every point is counted again from its model's predictions."""

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import equalized_odds_difference

from rugcore import FairRUGClassifier, FrontierPoint, InputError, Round, RUGClassifier, fairness_frontier, frontier_of

EPSILONS = (0.2, 0.01, 0.05, 0.1, 0.05, 5.0)
SETTINGS: dict[str, Any] = {"max_iter": 4, "max_depth": 2}

Rows = tuple[pd.DataFrame, np.ndarray, np.ndarray]


@pytest.fixture(scope="module")
def rows() -> Rows:
    """The score flatters one group."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 500)
    X = pd.DataFrame({"score": (rng.normal(0, 1, 500) + 0.9 * group).round(1), "children": rng.integers(0, 5, 500)})
    y = (X["score"] + 0.5 * (X["children"] > 2) - 0.3 * group + rng.normal(0, 0.7, 500) > 0.5).astype(int)
    return X, y.to_numpy(), group


def frontier(rows: Any, **settings: Any) -> Any:
    X, y, group = rows
    return fairness_frontier(X, y, sensitive_features=group, **settings)


@pytest.fixture(scope="module", params=["realised", "proxy"])
def points(request: pytest.FixtureRequest, rows: Rows) -> list[FrontierPoint]:
    return list(frontier(rows, epsilons=EPSILONS, guarantee=request.param, **SETTINGS))


def test_there_is_a_point_for_every_epsilon_from_strict_to_loose(points: list[FrontierPoint]) -> None:
    assert [point.epsilon for point in points] == [0.01, 0.05, 0.1, 0.2, 5.0]


def test_every_figure_is_that_of_the_predictions(points: list[FrontierPoint], rows: Rows) -> None:
    X, y, group = rows
    for point in points:
        decided = point.model.predict(X)
        assert point.gap == pytest.approx(equalized_odds_difference(y, decided, sensitive_features=group))
        assert point.accuracy == pytest.approx((decided == y).mean())
        assert point.n_rules == len(point.model.rules_)
        assert point.met == (point.gap <= point.epsilon + 1e-9)
        assert point.model.epsilon == point.epsilon
        assert point.model.fairness_.epsilon == point.epsilon


def test_all_points_come_from_one_training(points: list[FrontierPoint]) -> None:
    assert len({point.model.n_iter_ for point in points}) == 1
    assert all(point.model.history_ == points[0].model.history_ for point in points)
    pools = [[(rule.conditions, rule.label) for rule in point.model.pool_.rules()] for point in points]
    shared = set(pools[0]).intersection(*pools)
    for point, pool in zip(points, pools, strict=True):
        coverage = point.model.pool_.master.merged.coverage.toarray()
        for own in [number for number, rule in enumerate(pool) if rule not in shared]:  # two rules that are one
            either = [one | other for one, other in combinations(np.delete(coverage, own, axis=1).T, 2)]
            assert any(np.array_equal(covered, coverage[:, own]) for covered in either)


def test_accuracy_up_to_that_of_rug_never_falls_along_the_way(rows: Rows) -> None:
    X, y, group = rows
    points = list(
        fairness_frontier(
            X, y, sensitive_features=group, epsilons=[0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 5], **SETTINGS
        )
    )
    assert sum(point.met for point in points) >= 7
    plain = RUGClassifier(**SETTINGS).fit(X, y)
    capped = [min(point.accuracy, plain.score(X, y)) for point in points if point.met]
    assert all(later >= earlier - 1e-12 for earlier, later in pairwise(capped))
    assert capped[-1] > capped[0]
    assert points[-1].model.rules_ == plain.rules_  # where nothing binds it is RUG
    met = [point.met for point in points]
    assert met == sorted(met)


def test_in_the_proxy_program_a_looser_epsilon_never_costs_more(rows: Rows) -> None:
    found = fairness_frontier(
        *rows[:2], sensitive_features=rows[2], epsilons=[0, 0.02, 0.1, 0.3, 2.0, np.inf], guarantee="proxy", **SETTINGS
    )
    points = list(found)
    objectives = [point.model.objective_ for point in points]
    assert all(later <= earlier + 1e-6 for earlier, later in pairwise(objectives))
    assert all(point.model.fairness_.lp_gap <= point.epsilon + 1e-6 for point in points)
    assert all(point.model.pool_.certificate().holds() for point in points)


def test_points_come_as_they_are_ready(rows: Rows) -> None:
    seen: list[Round] = []
    found = fairness_frontier(
        *rows[:2], sensitive_features=rows[2], epsilons=[0.05, 0.1, 0.2], callback=seen.append, **SETTINGS
    )
    assert seen == []  # nobody has asked yet
    first = next(found)
    assert first.epsilon == 0.05
    n_rounds = len(seen)
    assert n_rounds == first.model.n_iter_
    assert [point.epsilon for point in found] == [0.1, 0.2]
    assert len(seen) == n_rounds  # the other points need no training


def test_points_of_a_model_that_is_there_already(rows: Rows) -> None:
    X, y, group = rows
    model = FairRUGClassifier(epsilon=0.3, **SETTINGS).fit(X, y, sensitive_features=group)
    before = model.rules_
    points = list(frontier_of(model, np.array([0.3, 0.1])))
    assert [point.epsilon for point in points] == [0.1, 0.3]
    assert model.rules_ == before
    assert model.epsilon == 0.3
    for point in points:
        decided = point.model.predict(X)
        assert point.gap == pytest.approx(equalized_odds_difference(y, decided, sensitive_features=group))


@pytest.mark.filterwarnings("error")
def test_a_point_that_is_not_met_says_so_instead_of_warning() -> None:
    """All that is known is the group, and the gap in overall errors is 0.3 whatever is decided."""
    group = np.repeat([0, 1], 100)
    y = np.concatenate([np.arange(100) < 80, np.arange(100) < 50]).astype(int)
    points = list(frontier((group[:, None] * 1.0, y, group), epsilons=[0.1, 0.2, 0.3], fairness="odm"))
    assert [point.met for point in points] == [False, False, True]
    assert [point.gap for point in points] == pytest.approx([0.3, 0.3, 0.3])


@pytest.mark.parametrize("weight", [1.0, 2.0])
def test_sample_weights_reach_the_training(rows: Rows, weight: float) -> None:
    X, y, group = rows
    weights = np.where(np.arange(500) % 2, weight, 1.0)
    (point,) = fairness_frontier(X, y, sensitive_features=group, epsilons=[9.0], sample_weight=weights, **SETTINGS)
    peer = RUGClassifier(**SETTINGS).fit(X, y, weights)
    assert point.model.rules_ == peer.rules_
    assert point.accuracy == pytest.approx(peer.score(X, y, weights))


@pytest.mark.parametrize(
    ("epsilons", "sentence"),
    [
        ([], "at least one epsilon"),
        ([0.1, -0.1], "Expected epsilon to be a number, 0 or more, but got -0.1"),
        ([float("nan")], "Expected epsilon to be a number"),
        (["small"], "Expected epsilon to be a number"),
        ([None], "Expected epsilon to be a number"),
        (0.05, "Expected epsilons to be several numbers"),
        (None, "Expected epsilons to be several numbers"),
    ],
)
def test_wrong_epsilons_are_refused_before_anything_is_trained(rows: Rows, epsilons: Any, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        frontier(rows, epsilons=epsilons)
    assert sentence in str(refused.value)
    model = FairRUGClassifier(epsilon=5.0, max_iter=1).fit(rows[0], rows[1], sensitive_features=rows[2])
    with pytest.raises(InputError) as refused:
        frontier_of(model, epsilons)
    assert sentence in str(refused.value)


def test_one_epsilon_by_its_singular_name_is_refused(rows: Rows) -> None:
    with pytest.raises(InputError, match="Expected epsilons, the points of the frontier, but got epsilon"):
        frontier(rows, epsilon=0.1)
