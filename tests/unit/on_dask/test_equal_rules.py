"""From partitions come the rules, weights and objective that come from the same rows on one machine."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from distributed import Client

from rugcore import FairRUGClassifier, RUGClassifier
from rugcore.dask import DaskFairRUGClassifier, DaskRUGClassifier, rows, training_rows
from rugcore.errors import InputError
from rugcore.estimators.base import RuleClassifier
from rugcore.fair_training import folds
from rugcore.tables import encoder
from rugcore.training import trust
from tests.tables import mixed_outcome, mixed_table
from tests.unit.on_dask.tables_in_parts import in_parts, people

FEATURES = ["income", "children", "purpose", "owner"]
SETTINGS: dict[str, Any] = {"max_depth": 2, "max_iter": 4, "penalty": 1.0, "random_state": 0}
# Sums over partitions are added in another order than over rows: the last digits may differ, and nothing else.
LAST_DIGITS = 1e-9


def assert_equal(found: RuleClassifier, expected: RuleClassifier) -> None:
    assert len(expected.rules_)
    assert [rule.conditions for rule in found.rules_] == [rule.conditions for rule in expected.rules_]
    assert [rule.label for rule in found.rules_] == [rule.label for rule in expected.rules_]
    for name in ("weight", "coverage", "precision"):
        np.testing.assert_allclose(
            [getattr(rule, name) for rule in found.rules_],
            [getattr(rule, name) for rule in expected.rules_],
            rtol=LAST_DIGITS,
        )
    assert found.objective_ == pytest.approx(expected.objective_, rel=LAST_DIGITS)
    assert [own.n_merged_rows for own in found.history_] == [own.n_merged_rows for own in expected.history_]


@cache
def table(n_classes: int) -> pd.DataFrame:
    return people(n_classes=n_classes)


@cache
def on_one_machine(n_classes: int, weight: str | None, **more: Any) -> RUGClassifier:
    frame = table(n_classes)
    own = None if weight is None else frame[weight]
    return RUGClassifier(**SETTINGS, **more).fit(frame[FEATURES], frame["outcome"], sample_weight=own)


@pytest.mark.parametrize("n_parts", [1, 2, 7])
@pytest.mark.parametrize(("n_classes", "weight"), [(2, None), (2, "share"), (3, None), (3, "count")])
def test_rules_weights_and_objective_are_those_of_one_machine(
    client: Client, n_parts: int, n_classes: int, weight: str | None
) -> None:
    used = [*FEATURES, "outcome", *([weight] if weight else [])]
    parts = in_parts(table(n_classes)[used], n_parts)
    found = DaskRUGClassifier(client=client, **SETTINGS).fit(parts, "outcome", sample_weight=weight)
    expected = on_one_machine(n_classes, weight)
    assert_equal(found, expected)
    X = table(n_classes)[FEATURES]
    np.testing.assert_allclose(found.predict_proba(X), expected.predict_proba(X), atol=1e-7)


@pytest.mark.parametrize("more", [{"pricing": "exact"}, {"monotonic_cst": {"income": 1}, "positive_class": "middle"}])
def test_so_they_are_with_exact_pricing_and_with_directions(client: Client, more: dict[str, Any]) -> None:
    frame = table(2)[[*FEATURES, "outcome"]]
    expected = RUGClassifier(**SETTINGS, **more).fit(frame[FEATURES], frame["outcome"])
    found = DaskRUGClassifier(client=client, **SETTINGS, **more).fit(in_parts(frame, 3), "outcome")
    assert_equal(found, expected)
    assert found.lower_bound_ == pytest.approx(expected.lower_bound_)


@pytest.mark.parametrize("n_parts", [2, 7])
def test_so_they_are_with_codes_among_the_numbers(client: Client, n_parts: int) -> None:
    """Whoever has the code -9 nearly always has the other outcome, so that rules must ask for it."""
    frame = table(2)[[*FEATURES, "outcome"]].reset_index(drop=True)
    has_code = np.arange(len(frame)) % 4 == 0
    first, second = sorted(frame["outcome"].unique())
    frame.loc[has_code, "income"] = -9
    frame.loc[has_code, "outcome"] = np.where(np.arange(has_code.sum()) % 10 == 0, first, second)
    more: dict[str, Any] = {"special_values": {"income": (-9,)}}
    expected = RUGClassifier(**SETTINGS, **more).fit(frame[FEATURES], frame["outcome"])
    assert any('"-9"' in str(rule) for rule in expected.rules_)
    found = DaskRUGClassifier(client=client, **SETTINGS, **more).fit(in_parts(frame, n_parts), "outcome")
    assert_equal(found, expected)


def test_every_kind_of_column_comes_through(client: Client) -> None:
    X = mixed_table(300)
    y = mixed_outcome(X)
    expected = RUGClassifier(**SETTINGS).fit(X, y)
    parts = in_parts(X.assign(outcome=y.to_numpy()), 4)
    assert_equal(DaskRUGClassifier(client=client, **SETTINGS).fit(parts, "outcome"), expected)


def test_cuts_do_not_depend_on_the_partitions_where_they_come_from_a_sample(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "ROWS_FOR_QUANTILES", 120)
    frame = table(2)[[*FEATURES, "outcome"]]
    expected = RUGClassifier(**SETTINGS).fit(frame[FEATURES], frame["outcome"])
    for n_parts in (1, 5):
        found = DaskRUGClassifier(client=client, **SETTINGS).fit(in_parts(frame, n_parts), "outcome")
        for own, other in zip(found.pool_.columns, expected.pool_.columns, strict=True):
            if not own.is_category:
                np.testing.assert_array_equal(own.cuts, other.cuts)
        assert_equal(found, expected)


def test_parquet_files_with_other_widths_and_missing_categories_are_one_table(client: Client, tmp_path: Path) -> None:
    frame = table(2)[[*FEATURES, "outcome"]].sort_values("purpose", ignore_index=True)
    frame.iloc[:150].to_parquet(tmp_path / "1.parquet", row_group_size=60)
    frame.iloc[150:].astype({"children": "int8", "income": "float32"}).to_parquet(tmp_path / "2.parquet")
    expected = RUGClassifier(**SETTINGS).fit(
        frame.assign(income=frame["income"].where(frame.index < 150, frame["income"].astype("float32")))[FEATURES],
        frame["outcome"],
    )
    by_folder = DaskRUGClassifier(client=client, **SETTINGS).fit(tmp_path, "outcome")
    assert_equal(by_folder, expected)
    by_list = DaskRUGClassifier(client=client, **SETTINGS).fit(
        [tmp_path / "1.parquet", tmp_path / "2.parquet"], "outcome"
    )
    assert by_list.rules_ == by_folder.rules_


@pytest.fixture
def no_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models that are trained without a part of the rows take most of the time, and need no cluster."""
    monkeypatch.setattr(folds, "MOST_ROWS", 0)
    monkeypatch.setattr(trust, "MOST_COPIES", 0)


@pytest.mark.parametrize("n_rows", [400, 2400])  # with few people in a group, what is likely of them counts as well
@pytest.mark.parametrize("guarantee", ["proxy", "realised"])
@pytest.mark.filterwarnings("ignore::rugcore.errors.FairnessWarning")
@pytest.mark.usefixtures("no_folds")
def test_fair_rules_are_those_of_one_machine(client: Client, n_rows: int, guarantee: str) -> None:
    frame = people(n_rows)[[*FEATURES, "outcome", "group"]]
    settings = SETTINGS | {"epsilon": 0.02, "guarantee": guarantee, "fairness": "odm", "max_iter": 2}
    expected = FairRUGClassifier(**settings).fit(frame[FEATURES], frame["outcome"], sensitive_features=frame["group"])
    for n_parts in (1, 2, 7):
        found = DaskFairRUGClassifier(client=client, **settings)
        found.fit(in_parts(frame, n_parts), "outcome", sensitive_features="group")
        assert_equally_fair(found, expected)


@pytest.mark.filterwarnings("ignore::rugcore.errors.FairnessWarning")
@pytest.mark.usefixtures("no_folds")
def test_rows_that_are_too_many_for_one_machine_never_come_to_it(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "MOST_ROWS_HERE", 100)
    monkeypatch.setattr(training_rows, "MOST_ROWS_HERE", 100)
    monkeypatch.setattr(training_rows, "MOST_PEOPLE_KEPT", 0)
    settings = SETTINGS | {"epsilon": 0.02, "fairness": "odm", "max_iter": 1}
    frame = people(2400)[[*FEATURES, "outcome", "group"]]
    expected = FairRUGClassifier(**settings).fit(frame[FEATURES], frame["outcome"], sensitive_features=frame["group"])
    found = DaskFairRUGClassifier(client=client, **settings)
    found.fit(in_parts(frame, 2), "outcome", sensitive_features="group")
    assert_equally_fair(found, expected)
    assert len(found.pool_.merged_row) == found.pool_.master.merged.n_rows < len(frame)
    again, other = (model.refit(epsilon=0.2, without=[model.rules_[-1]]) for model in (found, expected))
    assert again.rules_ == other.rules_
    with pytest.raises(InputError, match="Expected the weight of each of"):
        found.pool_.row_duals(np.ones(len(frame)))
    for more in ({}, {"guarantee": "confident"}):
        few = DaskFairRUGClassifier(client=client, **(settings | more))
        with pytest.raises(InputError, match="Expected at most 100 rows where small groups are compared, or with"):
            few.fit(in_parts(frame.head(300), 2), "outcome", sensitive_features="group")


@pytest.mark.filterwarnings("ignore::rugcore.errors.FairnessWarning")
@pytest.mark.usefixtures("no_folds")
def test_a_promise_is_the_same(client: Client) -> None:
    settings = SETTINGS | {"epsilon": 0.2, "guarantee": "confident", "fairness": "odm", "max_iter": 1}
    frame = people(2400)[[*FEATURES, "outcome", "group"]]
    expected = FairRUGClassifier(**settings).fit(frame[FEATURES], frame["outcome"], sensitive_features=frame["group"])
    found = DaskFairRUGClassifier(client=client, **settings)
    found.fit(in_parts(frame, 3), "outcome", sensitive_features="group")
    assert_equally_fair(found, expected)
    assert found.fairness_.assured == expected.fairness_.assured


@pytest.mark.filterwarnings("ignore::rugcore.errors.FairnessWarning")
def test_so_are_fair_rules_with_folds_three_classes_and_weights(client: Client) -> None:
    frame = table(3)[[*FEATURES, "outcome", "count", "group"]]
    settings = SETTINGS | {"epsilon": 0.1, "max_iter": 1, "max_depth": 1}
    expected = FairRUGClassifier(**settings).fit(
        frame[FEATURES], frame["outcome"], frame["count"], sensitive_features=frame[["group"]]
    )
    found = DaskFairRUGClassifier(client=client, **settings)
    found.fit(in_parts(frame, 3), "outcome", "count", sensitive_features=["group"])
    assert_equally_fair(found, expected)


def assert_equally_fair(found: FairRUGClassifier, expected: FairRUGClassifier) -> None:
    assert_equal(found, expected)
    assert found.groups_ == expected.groups_
    assert found.fairness_.realised_gap == pytest.approx(expected.fairness_.realised_gap, abs=LAST_DIGITS)
    assert str(found.fairness_.expected) == str(expected.fairness_.expected)
