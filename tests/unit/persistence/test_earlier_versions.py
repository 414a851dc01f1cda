"""What version 0.1 wrote still opens: models and pools."""

import json
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from rugcore import FairnessWarning, InputError, load_demo, load_model, load_pool, reasons_table

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
def test_reasons_need_the_training_rows_and_are_not_guessed(name: str, tmp_path: Path) -> None:
    model = load_model(FILES / f"{name}.json")
    assert model.reference_ is None
    with pytest.raises(InputError, match="earlier version.*background=X_train"):
        reasons_table(model, table(), DEMO.favourable)
    assert "reasons" in reasons_table(model, table(), DEMO.favourable, background=table())["status"].tolist()
    model.save(tmp_path / "again.json")
    assert load_model(tmp_path / "again.json").reference_ is None
    load_pool(model, FILES / f"{name}.pool")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        assert model.refit(penalty=2.0).reference_ is None


@pytest.mark.parametrize("name", EXPECTED)
def test_a_pool_is_solved_again_to_the_same_objective(name: str) -> None:
    model = load_model(FILES / f"{name}.json")
    load_pool(model, FILES / f"{name}.pool")
    assert model.pool_.certificate()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        again = model.refit(penalty=model.penalty)
    # Two rules that are one are joined today, which costs less than the two.
    assert again.objective_ <= EXPECTED[name]["objective"] + 1e-6
    assert again.objective_ == pytest.approx(EXPECTED[name]["objective"], rel=0.02)
