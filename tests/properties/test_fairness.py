"""Whatever the table, the groups and the bound: what a fair model says about itself is what it does."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from rugcore import FairnessWarning, FairRUGClassifier

FEW = settings(max_examples=20)

Rows = tuple[pd.DataFrame, np.ndarray, np.ndarray]


@st.composite
def tables(draw: st.DrawFn) -> Rows:
    """Coarse columns, so that ties, uncovered rows and equal rows are common; groups and classes of any balance."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_rows = draw(st.integers(40, 120))
    n_classes, n_groups = draw(st.integers(2, 3)), draw(st.integers(2, 3))
    group = rng.choice(n_groups, n_rows, p=rng.dirichlet(np.full(n_groups, 3.0)))
    X = pd.DataFrame({"a": rng.integers(0, 4, n_rows) + group, "b": rng.choice(["x", "y", None], n_rows)})
    y = (X["a"].to_numpy() + rng.integers(0, 2, n_rows)) % n_classes
    y[:n_classes], y[n_classes : 2 * n_classes] = np.arange(n_classes), np.arange(n_classes)
    group[:n_classes], group[n_classes : 2 * n_classes] = 0, 1  # two groups have every class
    return X, y, group


def fitted(rows: Rows, **given_settings: Any) -> FairRUGClassifier:
    X, y, group = rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        model = FairRUGClassifier(max_iter=3, max_depth=2, min_cell_size=1, positive_class=1, **given_settings)
        return model.fit(X, y, sensitive_features=group)


def counted_gap(rows: Rows, decided: np.ndarray, notion: str) -> float:
    """Through pandas: error rates by class and group, the widest spread of any class."""
    _, y, group = rows
    frame = pd.DataFrame({"wrong": decided != y, "class": y if notion != "odm" else 0, "group": group})
    if notion == "eop":
        frame = frame[frame["class"] == 1]
    rates = frame.groupby(["class", "group"])["wrong"].mean().groupby("class")
    return float((rates.max() - rates.min()).max())


notions = st.sampled_from(["dmc", "odm", "eop"])
epsilons = st.sampled_from([0.0, 0.01, 0.1, 0.3, np.inf])


@FEW
@given(rows=tables(), notion=notions, epsilon=epsilons, guarantee=st.sampled_from(["realised", "proxy"]))
def test_the_gap_it_tells_is_the_gap_it_has(rows: Rows, notion: str, epsilon: float, guarantee: str) -> None:
    model = fitted(rows, fairness=notion, epsilon=epsilon, guarantee=guarantee)
    gap = counted_gap(rows, model.predict(rows[0]), notion)
    np.testing.assert_allclose(model.fairness_.realised_gap, gap, atol=1e-12)
    assert model.fairness_.met == (gap <= epsilon + 1e-9)
    assert model.pool_.certificate().holds()
    if guarantee == "proxy":
        assert model.fairness_.met_in_lp


@FEW
@given(rows=tables(), notion=notions, seed=st.integers(0, 100))
def test_shuffling_the_rows_changes_nothing(rows: Rows, notion: str, seed: int) -> None:
    X, y, group = rows
    order = np.random.default_rng(seed).permutation(len(y))
    one = fitted(rows, fairness=notion, epsilon=0.05)
    other = fitted((X.iloc[order], y[order], group[order]), fairness=notion, epsilon=0.05)
    assert one.rules_.to_frame().round(9).equals(other.rules_.to_frame().round(9))
    np.testing.assert_allclose(one.fairness_.realised_gap, other.fairness_.realised_gap)


@FEW
@given(rows=tables(), notion=notions, epsilon=epsilons)
def test_where_rug_is_not_fair_enough_the_fair_model_is_no_less_fair(rows: Rows, notion: str, epsilon: float) -> None:
    """And where it is, the fair model is RUG."""
    plain = fitted(rows, fairness=notion, epsilon=np.inf)
    model = fitted(rows, fairness=notion, epsilon=epsilon)
    if plain.fairness_.realised_gap <= epsilon:
        assert model.rules_ == plain.rules_
    else:
        assert model.fairness_.realised_gap <= plain.fairness_.realised_gap
