"""What the estimators for clusters take, refuse and give back."""

import inspect
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client
from sklearn.base import clone

from rugcore import FairRUGClassifier, RUGClassifier, load_model, reasons_table
from rugcore.dask import DaskFairRUGClassifier, DaskRUGClassifier, cluster, training_rows
from rugcore.errors import InputError
from rugcore.persistence.fared import fared_to_dict
from tests.unit.on_dask.tables_in_parts import in_parts, people

COLUMNS = ["income", "purpose", "owner"]
FRAME = people(200)[[*COLUMNS, "outcome"]]
PAIRS = [(DaskRUGClassifier, RUGClassifier), (DaskFairRUGClassifier, FairRUGClassifier)]


@pytest.fixture(scope="module")
def trained(client: Client) -> DaskRUGClassifier:
    model = DaskRUGClassifier(client=client, max_depth=2, max_iter=2, penalty=2.0)
    return model.fit(in_parts(FRAME, 3), "outcome")


@pytest.mark.parametrize(("distributed", "local"), PAIRS)
def test_constructors_match_but_for_the_client(distributed: type, local: type) -> None:
    own = dict(inspect.signature(distributed).parameters)
    assert own.pop("client").default is None
    assert own == dict(inspect.signature(local).parameters)


def test_predictions_stay_in_their_partitions_until_they_are_asked_for(trained: DaskRUGClassifier) -> None:
    parts = in_parts(FRAME, 3)[COLUMNS]
    decided, chances = trained.predict(parts), trained.predict_proba(parts)
    assert isinstance(decided, dd.Series)
    assert isinstance(chances, dd.DataFrame)
    assert decided.npartitions == 3
    np.testing.assert_array_equal(decided.compute(), trained.to_local().predict(FRAME[COLUMNS]))
    np.testing.assert_array_equal(chances.compute(), trained.to_local().predict_proba(FRAME[COLUMNS]))
    assert list(chances.columns) == trained.classes_.tolist()
    assert decided.compute().index.equals(FRAME.index)


def test_a_local_model_saves_explains_and_is_refitted(trained: DaskRUGClassifier, tmp_path: Path) -> None:
    local = trained.to_local()
    assert type(local) is RUGClassifier
    assert not hasattr(local, "client")
    local.save(tmp_path / "model.json")
    assert load_model(tmp_path / "model.json").rules_ == trained.rules_
    assert local.explain(FRAME.iloc[0]).decision == local.predict(FRAME.iloc[[0]][COLUMNS])[0]
    assert local.pool_.certificate().holds()
    assert len(local.refit(penalty=50.0).rules_) < len(local.rules_)


def test_reasons_compare_with_people_who_stayed_on_the_cluster(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_rows, "MOST_PEOPLE_KEPT", 0)
    settings: dict[str, Any] = {"max_depth": 2, "max_iter": 2, "penalty": 2.0}
    found = DaskRUGClassifier(client=client, **settings).fit(in_parts(FRAME, 4), "outcome").to_local()
    expected = RUGClassifier(**settings).fit(FRAME[COLUMNS], FRAME["outcome"])
    told = [reasons_table(model, FRAME[COLUMNS], positive_class="middle") for model in (found, expected)]
    pd.testing.assert_frame_equal(*told)
    fared = [fared_to_dict(model.fared_) for model in (found, expected)]
    assert fared[0] == fared[1]
    assert sum(fared[0]["all"]) == len(FRAME)
    again = found.refit(penalty=1.0)
    assert again.reference_ is again.fared_ is None


def test_a_client_is_not_pickled_and_is_shared_by_clones(trained: DaskRUGClassifier, client: Client) -> None:
    again = pickle.loads(pickle.dumps(trained))
    assert again.client is None
    assert again.rules_ == trained.rules_
    assert clone(trained).client is client
    assert clone(trained).get_params()["penalty"] == 2.0


def test_without_a_client_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> Client:
        raise ValueError("no clients found")

    monkeypatch.setattr(cluster, "default_client", nobody)
    with pytest.raises(InputError, match="Expected a Dask client, but there is none"):
        DaskRUGClassifier().fit(in_parts(FRAME, 2), "outcome")


def test_the_default_client_is_taken(client: Client) -> None:
    with client.as_current():
        assert cluster.client_of(None) is client


def cut(change: dict[str, Any]) -> dd.DataFrame:
    """Two partitions; the second one with other columns."""
    other = FRAME.iloc[100:].assign(**change)
    return dd.from_map(lambda part: part, [FRAME.iloc[:100], other], meta=FRAME.iloc[:0], enforce_metadata=False)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {"income": "much"},
            "'income' to hold one kind of value, but it holds numbers in partition 0 and text in part",
        ),
        ({"income": np.inf}, "In partition 1: Expected finite numbers, but column 'income'"),
        ({"outcome": None}, "the target y is blank \\(NaN\\) in 100 of 200 rows"),
    ],
)
def test_a_partition_that_disagrees_is_named(client: Client, change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        DaskRUGClassifier(client=client).fit(cut(change), "outcome")


def test_what_cannot_be_used_is_refused_in_words(client: Client, tmp_path: Path) -> None:
    model, fair = DaskRUGClassifier(client=client), DaskFairRUGClassifier(client=client)
    with pytest.raises(InputError, match="a folder of Parquet files, or a list of such files, but got DataFrame"):
        model.fit(FRAME, "outcome")
    with pytest.raises(InputError, match="Expected a column 'result' in the table, but it has 'income'"):
        model.fit(in_parts(FRAME, 2), "result")
    with pytest.raises(InputError, match="as many partitions as the table, 2, but it has 3"):
        model.fit(in_parts(FRAME, 2)[COLUMNS], in_parts(FRAME, 3)["outcome"])
    with pytest.raises(InputError, match="there are none that end in .parquet"):
        model.fit(tmp_path, "outcome")
    with pytest.raises(InputError, match="Expected sensitive_features"):
        fair.fit(in_parts(FRAME, 2), "outcome")
    FRAME.to_parquet(tmp_path / "1.parquet")
    FRAME[COLUMNS].to_parquet(tmp_path / "2.parquet")
    with pytest.raises(InputError, match="1.parquet has 'outcome' and .*2.parquet does not"):
        model.fit(tmp_path, "outcome")


def test_nothing_loads_dask_until_it_is_used() -> None:
    """`import dask` would hardly be noticed; its frames and its cluster would."""
    program = (
        "import sys, rugcore, rugcore.cli; [getattr(rugcore, name) for name in rugcore.__all__]; "
        "print(*[name for name in ('distributed', 'dask.dataframe') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
