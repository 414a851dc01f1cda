"""Runs on tables that stay where they lie: the rules and numbers of all rows, and a sample for the pages."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from distributed import Client
from scipy import stats

from rugboard.runs import worker
from rugboard.runs.all_rows import TEST, TRAINING, AllRows
from rugboard.runs.data_folders import FOLDERS
from rugboard.runs.judging import judge
from rugboard.runs.keeping import keep_models
from rugboard.runs.opening import open_results
from rugboard.runs.plan import FAIR, RUG, LargeTable, Place, Plan
from rugboard.runs.prepare import Prepared, is_test, prepare
from rugboard.runs.records import Run
from rugboard.runs.store import RunStore
from rugcore import FairRUGClassifier, RUGClassifier, audit
from rugcore.dictionary import DataDictionary
from rugcore.errors import InputError
from tests.dashboard.large import N_ROWS, N_SAMPLED, loans, plan_for, sampled, small_cluster, train_inside, write_folder


@pytest.fixture(scope="session")
def client() -> Iterator[Client]:
    with small_cluster() as client:
        yield client


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return write_folder(tmp_path, monkeypatch)


@pytest.fixture
def inside(client: Client, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    return train_inside(client, monkeypatch)


@pytest.fixture
def plan(store: RunStore, folder: Path) -> Plan:
    assert folder.is_dir()
    return plan_for(store)


def done(store: RunStore, plan: Plan, meanwhile: Callable[[str], object] = str) -> Run:
    run_id = store.create(plan)
    store.home.run_folder(run_id).mkdir(parents=True, exist_ok=True)
    assert store.claim(run_id, slots=99)
    meanwhile(run_id)
    assert worker.main(run_id) == 0
    return store.get(run_id)


def all_of_it(plan: Plan) -> tuple[Prepared, np.ndarray]:
    """The whole table in memory, as an uploaded one is read, and which rows are for the test."""
    data = prepare(loans(), plan)
    return data, is_test(data.rows, plan.split_seed, plan.test_share)


# -- the sample --------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("folder")
def test_the_sample_is_the_rows_that_it_says(store: RunStore) -> None:
    table, snapshot = sampled(store)
    assert (table.n_rows, table.n_files, table.n_sampled, table.is_sampled) == (N_ROWS, 3, N_SAMPLED, True)
    chosen = table.sampled_rows()
    assert len(set(chosen)) == N_SAMPLED
    assert (np.diff(chosen) > 0).all()
    pd.testing.assert_frame_equal(
        store.snapshots.load(snapshot), loans().iloc[chosen].reset_index(drop=True), check_dtype=False
    )
    assert LargeTable.read(vars(table)) == table


def test_every_row_is_equally_likely_to_be_in_a_sample() -> None:
    times = np.zeros(40)
    for seed in range(2000):
        times[LargeTable("loans", (), 1, 40, 10, seed, "").sampled_rows()] += 1
    assert stats.chisquare(times).pvalue > 0.001


def test_a_short_table_is_kept_whole(store: RunStore, folder: Path) -> None:
    table, snapshot = sampled(store, Place("loans", ("b.parquet",)))
    assert not table.is_sampled
    assert len(store.snapshots.load(snapshot)) == table.n_rows == 1
    assert folder.exists()


def test_test_rows_depend_on_their_numbers_alone_and_are_as_many_as_asked() -> None:
    rows = np.arange(200_000)
    whole = is_test(rows, 7, 0.2)
    np.testing.assert_array_equal(np.concatenate([is_test(part, 7, 0.2) for part in np.split(rows, 8)]), whole)
    assert stats.binomtest(int(whole.sum()), len(rows), 0.2).pvalue > 0.001
    both = whole & is_test(rows, 8, 0.2)  # another seed is another draw
    assert stats.binomtest(int(both.sum()), len(rows), 0.04).pvalue > 0.001
    assert stats.binomtest(int((whole[1:] & whole[:-1]).sum()), len(rows) - 1, 0.04).pvalue > 0.001


# -- the run -----------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::rugcore.errors.FairnessWarning")
def test_rules_and_numbers_are_those_of_all_rows(store: RunStore, plan: Plan, inside: list[str]) -> None:
    run = done(store, plan)
    assert (run.status, run.error) == ("finished", None)
    data, test = all_of_it(plan)
    assert run.notes == (f"{N_ROWS - len(data.y):,} of {N_ROWS:,} rows have no value in 'result' and were left out.",)
    assert inside == ["local"]
    results = open_results(store, run.id)
    for name, kind in ((RUG, RUGClassifier), (FAIR, FairRUGClassifier)):
        expected = kind(**plan.shown().settings_of(name))
        groups = {"sensitive_features": data.groups[~test]} if name == FAIR else {}
        expected.fit(data.X[~test], data.y[~test], **groups)
        assert results.model(name).rules_ == expected.rules_
        told, by_hand = results.summaries[name], judge(expected, 0.0, data, plan.shown(), test)
        assert vars(replace(told, seconds=0.0)) == pytest.approx(vars(by_hand))
        assert_counts(results.all_rows, name, expected, data, test)


def assert_counts(found: AllRows | None, name: str, model: Any, data: Prepared, test: np.ndarray) -> None:
    """Against pandas' cross table, and an audit of the rows themselves."""
    assert found is not None
    decided, covered = model.predict(data.X), model.covering_rules(data.X).toarray()
    for side, rows in ((TRAINING, ~test), (TEST, test)):
        counts = found.models[name][side]
        for place, group in enumerate(found.labels.groups):
            meant = rows & (data.groups == group).to_numpy()
            table = pd.crosstab(data.y[meant], decided[meant])
            expected = table.reindex(index=found.labels.classes, columns=found.labels.classes, fill_value=0)
            np.testing.assert_array_equal(counts.decided[:, :, place], expected)
            for code, label in enumerate(found.labels.classes):
                by_rule = covered[meant & (data.y == label).to_numpy()].sum(axis=0)
                np.testing.assert_array_equal(counts.covered[:, code, place], by_rule)
        own = found.audit(name, side, "paid", {"north": "N", "south": "S"})
        by_hand = audit(
            data.y[rows],
            decided[rows],
            sensitive_features=data.groups[rows].map({"north": "N", "south": "S"}),
            positive_class="paid",
        )
        pd.testing.assert_frame_equal(own.gaps, by_hand.gaps)
        pd.testing.assert_frame_equal(own.groups, by_hand.groups)


@pytest.mark.usefixtures("inside")
def test_the_pages_have_the_sample_and_no_test_row_of_it_was_trained_on(store: RunStore, plan: Plan) -> None:
    results = open_results(store, done(store, replace(plan, sensitive=(), dictionary=DataDictionary())).id)
    assert results.is_sampled
    assert results.plan.large is not None
    rows = results.plan.large.sampled_rows()[results.data.rows]
    np.testing.assert_array_equal(results.is_test, is_test(rows, plan.split_seed, plan.test_share))
    assert results.all_rows is not None
    assert results.all_rows.labels.groups == ("",)
    assert sum(results.all_rows.n_rows.values()) == len(all_of_it(plan)[0].y) > len(results.data.y)
    kept = keep_models(store, results, {RUG: results.rug.refit(penalty=9.0)}, {RUG: ("dearer",)}, "dearer")
    again = open_results(store, kept)
    assert again.is_sampled
    assert again.all_rows is None  # nobody counted what the changed model decides about all rows
    assert again.summaries[RUG].test_rows == int(results.is_test.sum())


@pytest.mark.usefixtures("inside")
def test_files_that_changed_or_are_allowed_no_longer_are_refused(
    store: RunStore, plan: Plan, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loans(5).to_parquet(folder / "new.parquet")
    run = done(store, plan)
    assert run.status == "failed"
    assert "The files in loans are not those that the sample was taken from" in (run.error or "")
    monkeypatch.setenv(FOLDERS, str(folder / "later"))
    assert "no such folder or file here" in (done(store, plan).error or "")


@pytest.mark.usefixtures("inside")
def test_a_cancelled_run_keeps_nothing(store: RunStore, plan: Plan, client: Client) -> None:
    run = done(store, plan, meanwhile=lambda run_id: store.ask_to_cancel(run_id))
    assert run.status == "cancelled"
    assert not (store.home.run_folder(run.id) / "all-rows.json").exists()
    assert not any(client.processing().values())


@pytest.mark.usefixtures("inside")
def test_a_part_that_cannot_be_read_as_planned_is_named(store: RunStore, plan: Plan) -> None:
    run = done(store, replace(plan, features=("income", "purpose"), kinds={"purpose": "number"}, train_fair=False))
    assert run.status == "failed"
    assert (run.error or "").startswith("In a.parquet, row group 0")
    assert str(store.home.root.parent) not in (run.error or "")


def test_a_plan_keeps_its_table_and_refuses_what_cannot_be(plan: Plan) -> None:
    assert Plan.from_json(plan.to_json()) == plan
    with pytest.raises(InputError, match="about its table is damaged"):
        replace(plan, large={"folder": "loans"})
