"""A table in a named folder, of which pages have a sample, and a cluster inside this process that trains on it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from rugboard.runs import cluster_worker, table_parts
from rugboard.runs.data_folders import FOLDERS, DataFolders
from rugboard.runs.plan import LargeTable, Place, Plan
from rugboard.runs.store import RunStore
from rugboard.runs.table_parts import described, draw_sample, parts_of
from rugcore.dictionary import ColumnEntry, DataDictionary

HERE = {"dashboard_address": "127.0.0.1:0", "worker_dashboard_address": "127.0.0.1:0"}
N_ROWS, N_SAMPLED = 1500, 400


def loans(n_rows: int = N_ROWS) -> pd.DataFrame:
    """Numbers, text, blanks, a group, and an outcome that some rows lack."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "income": rng.normal(40, 12, n_rows).round(1),
            "children": rng.integers(0, 4, n_rows),
            "purpose": rng.choice(["car", "home", "trip"], n_rows),
            "who": rng.choice(["A", "B"], n_rows, p=[0.7, 0.3]),
        }
    )
    is_good = (frame["income"] > 38 - 4 * (frame["who"] == "A")) & (frame["purpose"] != "trip")
    frame["result"] = np.where(is_good ^ (rng.random(n_rows) < 0.1), "paid", "lost")
    frame.loc[rng.random(n_rows) < 0.05, ["income"]] = np.nan
    frame.loc[rng.random(n_rows) < 0.02, "result"] = None
    return frame


def write_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three files, one of them with other widths and without a purpose, another in a folder of its own."""
    folder = tmp_path / "loans"
    (folder / "later").mkdir(parents=True)
    frame = loans()
    frame.iloc[:600].to_parquet(folder / "a.parquet", row_group_size=250)
    frame.iloc[600:601].astype({"children": "int8"}).to_parquet(folder / "b.parquet")
    frame.iloc[601:].to_parquet(folder / "later" / "c.parquet")
    monkeypatch.setenv(FOLDERS, str(folder))
    monkeypatch.setattr(table_parts, "MOST_SAMPLED", N_SAMPLED)
    return folder


@contextmanager
def small_cluster() -> Iterator[Client]:
    """One thread inside this process."""
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, **HERE) as cluster,
        Client(cluster) as client,
    ):
        yield client


def train_inside(client: Client, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A cluster inside this process for every run; the addresses that were asked for."""
    asked: list[str] = []

    @contextmanager
    def connected(address: str) -> Iterator[Client]:
        asked.append(address)
        yield client

    monkeypatch.setattr(cluster_worker, "connected", connected)
    return asked


def sampled(store: RunStore, place: Place = Place("loans")) -> tuple[LargeTable, str]:  # noqa: B008 - frozen
    folders = DataFolders.current()
    paths = folders.files(place)
    parts = parts_of(paths)
    table = described(place, paths, parts)
    return table, store.snapshots.save(draw_sample(table, parts, lambda _: None))


def plan_for(store: RunStore) -> Plan:
    """Both models of the whole folder."""
    table, snapshot = sampled(store)
    said = DataDictionary({"who": ColumnEntry(label="office", values={"A": "north", "B": "south"})})
    return Plan(
        snapshot=snapshot,
        data_name="loans",
        target="result",
        favourable="paid",
        features=("income", "children", "purpose"),
        sensitive=("who",),
        max_depth=2,
        max_iter=3,
        fairness="odm",
        dictionary=said,
        large=table,
    )
