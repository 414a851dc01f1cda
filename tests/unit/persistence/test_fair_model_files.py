"""Fair models as files: the same model and the same promise back, and a clear word about every file that is none."""

import hashlib
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rugcore import FairnessWarning, FairRUGClassifier, InputError, ModelFileError, RUGClassifier, load_model
from tests.tables import mixed_outcome, mixed_table


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return mixed_table(400)


def trained(table: pd.DataFrame, **settings: Any) -> FairRUGClassifier:
    """Two groups of some size, and five rows of which nobody knows the group."""
    outcome = mixed_outcome(table)
    groups = np.where(table["purpose"].isin(["car", "missing"]), "low", "high").astype(object)
    groups[:5] = None
    given: dict[str, Any] = {"max_iter": 3, "max_depth": 2, "penalty": 0.3, "min_cell_size": 10}
    given |= {"epsilon": 0.01, "random_state": 3}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        model = FairRUGClassifier(**(given | settings))
        return model.fit(table.drop(columns="income"), outcome, sensitive_features=groups)


@pytest.fixture(scope="module")
def model(table: pd.DataFrame) -> FairRUGClassifier:
    return trained(table)


@pytest.fixture
def path(tmp_path: Path, model: FairRUGClassifier) -> Path:
    target = tmp_path / "fair.json"
    model.save(target)
    return target


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"guarantee": "proxy", "epsilon": 0.0},
        {"epsilon": np.inf},
        {"guarantee": "proxy", "epsilon": float("inf")},
        {"fairness": "eop", "positive_class": "grant"},
        {"fairness": "odm", "epsilon": np.float64(0.3)},
        {"fairness": "eod"},
        {"guarantee": "confident", "epsilon": 0.9},
    ],
)
def test_a_loaded_model_is_the_same_model(settings: dict[str, Any], table: pd.DataFrame, tmp_path: Path) -> None:
    model = trained(table, **settings)
    model.save(tmp_path / "m.json")
    loaded = FairRUGClassifier.load(tmp_path / "m.json")
    rows = table.drop(columns="income")
    np.testing.assert_array_equal(loaded.predict(rows), model.predict(rows))
    np.testing.assert_array_equal(loaded.decision_function(rows), model.decision_function(rows))
    assert loaded.rules_ == model.rules_
    assert loaded.get_params() == model.get_params()
    assert loaded.groups_ == model.groups_
    assert loaded.history_ == model.history_
    assert repr(loaded.fairness_) == repr(model.fairness_).replace("np.float64(0.3)", "0.3")
    assert loaded.fairness_.met == model.fairness_.met
    assert str(loaded.fairness_) == str(model.fairness_)


def test_every_kind_of_figure_was_in_the_file(model: FairRUGClassifier) -> None:
    """Or the test above would have compared little."""
    fit = model.fairness_
    assert fit.not_estimable
    assert any(np.isnan(cell.error) for cell in fit.cells)
    assert any(round_.gap is not None for round_ in model.history_)
    assert len(fit.contrasts) > 1


def test_a_loaded_model_can_be_saved_and_trained_again(path: Path, tmp_path: Path, table: pd.DataFrame) -> None:
    loaded = FairRUGClassifier.load(path)
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()
    with pytest.raises(InputError, match="loaded from a file"):
        loaded.refit(epsilon=0.1)
    loaded.set_params(epsilon=5.0).fit(
        table.drop(columns="income"), mixed_outcome(table), sensitive_features=table["income"] < 45_000
    )
    assert loaded.fairness_.met


def test_load_model_gives_whichever_class_was_saved(path: Path, tmp_path: Path, table: pd.DataFrame) -> None:
    fair = load_model(path)
    assert type(fair) is FairRUGClassifier
    assert fair.fairness_.notion == "dmc"
    RUGClassifier(max_iter=1).fit(table, mixed_outcome(table)).save(tmp_path / "rug.json")
    plain = load_model(tmp_path / "rug.json")
    assert type(plain) is RUGClassifier
    assert not hasattr(plain, "fairness_")


def test_a_file_of_the_other_class_is_refused_with_a_sentence(path: Path, tmp_path: Path, table: pd.DataFrame) -> None:
    with pytest.raises(ModelFileError, match="Expected a RUGClassifier, but .* holds 'FairRUGClassifier'"):
        RUGClassifier.load(path)
    RUGClassifier(max_iter=1).fit(table, mixed_outcome(table)).save(tmp_path / "rug.json")
    with pytest.raises(ModelFileError, match="Expected a FairRUGClassifier, but .* holds 'RUGClassifier'"):
        FairRUGClassifier.load(tmp_path / "rug.json")


@pytest.mark.parametrize("content", ["", "{}", "[1, 2]", '{"format": "rugcore-model", "version": 2, "model": 3}'])
def test_load_model_refuses_what_is_no_model(content: str, tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(content)
    with pytest.raises(ModelFileError):
        load_model(tmp_path / "m.json")
    with pytest.raises(ModelFileError, match="there is no file"):
        load_model(tmp_path / "none.json")


Change = Callable[[dict[str, Any]], Any]
CHANGES: dict[str, tuple[Change, str]] = {
    "no fairness": (lambda m: m.pop("fairness"), "'fairness' is missing"),
    "no groups": (lambda m: m.pop("groups"), "'groups' is missing"),
    "groups as words": (lambda m: m.update(groups="low, high"), "'groups' has the wrong type str"),
    "fairness as words": (lambda m: m.update(fairness="very"), "'fairness' has the wrong type str"),
    "another notion": (lambda m: m["fairness"].update(notion="kind"), "unknown notion or guarantee"),
    "a notion as a list": (lambda m: m["fairness"].update(notion=["dmc"]), "'notion' has the wrong type list"),
    "another guarantee": (lambda m: m["fairness"].update(guarantee="sworn"), "unknown notion or guarantee"),
    "a negative gap": (lambda m: m["fairness"].update(realised_gap=-0.1), "numbers that cannot be"),
    "a gap as words": (lambda m: m["fairness"].update(realised_gap="none"), "'realised_gap' holds 'none'"),
    "a gap beyond numbers": (lambda m: m["fairness"].update(lp_gap=10**400), "'lp_gap' holds 1000"),
    "no epsilon": (lambda m: m["fairness"].pop("epsilon"), "'epsilon' is missing"),
    "no pairs": (lambda m: m["fairness"].update(contrasts=[]), "numbers that cannot be"),
    "a pair as words": (lambda m: m["fairness"].update(contrasts=["low against high"]), "is missing"),
    "a price as words": (lambda m: m["fairness"]["contrasts"][0].update(price="dear"), "'price' holds 'dear'"),
    "a signed gap as words": (
        lambda m: m["fairness"]["contrasts"][0].update(realised_gap="+0.1"),
        "'realised_gap' holds '+0.1'",
    ),
    "a class as a list": (lambda m: m["fairness"]["cells"][0].update(label=[1]), "expected text, a number"),
    "rows as words": (lambda m: m["fairness"]["cells"][0].update(n_rows="ten"), "'n_rows' has the wrong type str"),
    "a setting": (lambda m: m["settings"].update(epsilon=-1), "Expected epsilon to be a number"),
    "a setting as words": (lambda m: m["settings"].update(epsilon="infinite"), "Expected epsilon to be a number"),
    "another setting": (lambda m: m["settings"].update(guarantee="sworn"), "Expected guarantee to be one of"),
    "an unknown setting": (lambda m: m["settings"].update(hook="os.system"), "unknown setting 'hook'"),
    "a round as words": (lambda m: m["history"][-1].update(gap="small"), "'gap' has the wrong type str"),
}


def change(path: Path, alter: Change, with_new_checksum: bool) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    alter(document["model"])
    if with_new_checksum:
        text = json.dumps(document["model"], sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        document["digest"] = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    path.write_text(json.dumps(document), encoding="utf-8")


@pytest.mark.parametrize("name", CHANGES)
def test_every_change_is_noticed(name: str, path: Path) -> None:
    change(path, CHANGES[name][0], with_new_checksum=False)
    with pytest.raises(ModelFileError, match="checksum does not match"):
        FairRUGClassifier.load(path)


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_with_a_forged_checksum_is_refused_for_what_it_is(name: str, path: Path) -> None:
    alter, words = CHANGES[name]
    change(path, alter, with_new_checksum=True)
    for load in (FairRUGClassifier.load, load_model):
        with pytest.raises(ModelFileError) as refused:
            load(path)
        assert words in str(refused.value)
        assert str(path) in str(refused.value)


def test_a_file_rewritten_without_a_change_is_still_good(path: Path, model: FairRUGClassifier) -> None:
    change(path, lambda _: None, with_new_checksum=True)
    assert FairRUGClassifier.load(path).rules_ == model.rules_


def test_nobody_s_callback_is_written(tmp_path: Path, table: pd.DataFrame) -> None:
    trained(table, callback=lambda _: True).save(tmp_path / "m.json")
    assert load_model(tmp_path / "m.json").callback is None
