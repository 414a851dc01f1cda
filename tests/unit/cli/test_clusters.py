"""`train --dask`: from Parquet files to a model that needs no cluster."""

from pathlib import Path

import pytest

from rugcore import RUGClassifier, load_model
from rugcore.cli import main
from tests.unit.on_dask.tables_in_parts import people

COLUMNS = ["income", "purpose", "owner"]
pytestmark = pytest.mark.usefixtures("plain_main")


def test_files_that_fit_a_pattern_are_trained_on_by_a_local_cluster(tmp_path: Path) -> None:
    frame = people(200)[[*COLUMNS, "outcome", "group"]]
    (tmp_path / "loans").mkdir()
    frame.iloc[:120].to_parquet(tmp_path / "loans" / "1.parquet")
    frame.iloc[120:].to_parquet(tmp_path / "loans" / "2.parquet")
    saved = tmp_path / "model.json"
    told = ["--target", "outcome", "--drop", "group", "--depth", "2", "--rounds", "2", "--save", str(saved)]
    assert main(["train", str(tmp_path / "loans" / "*.parquet"), "--dask", "local", *told]) == 0
    expected = RUGClassifier(max_depth=2, max_iter=2, random_state=0).fit(frame[COLUMNS], frame["outcome"])
    assert load_model(saved).rules_ == expected.rules_


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere/*.parquet", "--dask", "local"], "Expected Parquet files, but none fits 'nowhere/*.parquet'"),
        (["x.parquet", "--dask", "nonsense://1"], "Expected a Dask scheduler at 'nonsense://1'"),
        (["x.parquet", "--dask", "local", "--dictionary", "d.csv"], "Expected no --dictionary with --dask"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", *arguments, "--target", "y"]) == 2
    assert sentence in capsys.readouterr().err
