"""What version 0.1 wrote still opens: models, pools, and a whole home with a run and its comparison."""

import json
import shutil
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from rugcore import FairnessWarning, load_demo, load_model, load_pool

FILES = Path(__file__).resolve().parents[2] / "files" / "version_0_1"
EXPECTED: dict[str, Any] = json.loads((FILES / "expected.json").read_text(encoding="utf-8"))
DEMO = load_demo("hmda")


def table() -> pd.DataFrame:
    return DEMO.X.head(700).drop(columns=list(DEMO.sensitive_options))


@pytest.mark.parametrize("name", EXPECTED)
def test_a_model_decides_as_it_did(name: str) -> None:
    model = load_model(FILES / f"{name}.json")
    expected = EXPECTED[name]
    assert [str(rule) for rule in model.rules_] == expected["rules"]
    assert [rule.weight for rule in model.rules_] == expected["weights"]
    assert (model.predict(table()) == DEMO.favourable).sum() == expected["n_favourable"]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_pool_is_solved_again_to_the_same_objective(name: str) -> None:
    model = load_model(FILES / f"{name}.json")
    load_pool(model, FILES / f"{name}.pool")
    assert model.pool_.certificate()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        again = model.refit(penalty=model.penalty)
    assert again.objective_ == pytest.approx(EXPECTED[name]["objective"])


def test_a_home_opens_with_its_run_and_its_comparison(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rugboard.compare.job import Job
    from rugboard.runs.home import VARIABLE, Home
    from rugboard.runs.results import open_results
    from rugboard.runs.store import RunStore

    shutil.copytree(FILES / "home", tmp_path / "home")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "home"))
    store = RunStore(Home.current())
    (run,) = store.runs()
    results = open_results(store, run.id)
    assert (run.name, run.status) == ("An earlier run", "finished")
    assert set(results.summaries) == {"rug", "fair"}
    assert results.rug.refit(penalty=9.0).rules_ is not None
    report = Job(Home.current(), run.id).read()
    assert report is not None
    assert report.is_finished
