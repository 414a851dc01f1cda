"""`report` on the command line: what it writes, and how it says no."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rugcore import load_model, save_pool
from rugcore.cli import main
from rugcore.estimators import FairRUGClassifier
from rugcore.report import Grid, ModelReport

PADDING = "Padding and importance by outcome and group, training rows"
COLUMNS = ("--target", "paid", "--sensitive", "sex", "--favourable", "yes")


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(0)
    n = 900
    income = rng.integers(10, 90, n) * 1_000
    frame = pd.DataFrame(
        {
            "income": income,
            "job": rng.choice(["a", "b", "c"], n),
            "sex": rng.choice(["f", "m"], n),
            "paid": np.where((income > 40_000) ^ (rng.random(n) < 0.1), "yes", "no"),
        }
    )
    frame.iloc[:600].to_csv(folder / "train.csv", index=False)
    frame.iloc[600:].to_csv(folder / "test.csv", index=False)
    model = FairRUGClassifier(max_depth=2, max_iter=2, positive_class="yes", random_state=0)
    trained = frame.iloc[:600]
    model.fit(trained[["income", "job"]], trained["paid"], sensitive_features=trained["sex"])
    model.save(folder / "model.json")
    save_pool(model, folder / "model.pool")
    return folder


@pytest.mark.parametrize("has_outcomes", [True, False])
def test_newer_people_stand_in_the_report(files: Path, has_outcomes: bool) -> None:
    newer = pd.read_csv(files / "test.csv").assign(income=20_000)
    newer.drop(columns=[] if has_outcomes else ["paid", "sex"]).to_csv(files / "newer.csv", index=False)
    out = files / "newer.json"
    more = ("--newer", files / "newer.csv", "--out", out)
    assert run("report", files / "model.json", files / "test.csv", *COLUMNS, *more) == 0
    text = out.read_text(encoding="utf-8")
    assert "income has moved far" in text
    assert ("the file had no outcomes" in text) is not has_outcomes
    assert ("Decisions are right less often" in text) is has_outcomes


def test_four_files_from_one_report(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = [argument for form in ("pdf", "html", "docx", "json") for argument in ("--out", files / f"report.{form}")]
    statements = files / "statements.json"
    statements.write_text('{"purpose": "Decides on loans."}', encoding="utf-8")
    more = ("--training", files / "train.csv", "--statements", statements, "--date", "2026-01-31", "--frontier")
    assert run("report", files / "model.json", files / "test.csv", *COLUMNS, *more, *out) == 0
    assert f"Saved to {files / 'report.pdf'}" in capsys.readouterr().out

    report = ModelReport.from_json((files / "report.json").read_text(encoding="utf-8"))
    assert report.date == "2026-01-31T00:00:00Z"
    text = report.to_json()
    assert "Decides on loans." in text
    assert "The certificate holds." in text, "the pool beside the model was read"
    assert "Logistic regression" in text
    assert "The same rules weighed for other limits" in text
    assert (files / "report.pdf").read_bytes().startswith(b"%PDF-1.7")
    assert zipfile.is_zipfile(io.BytesIO((files / "report.docx").read_bytes()))
    model = load_model(files / "model.json")
    test = pd.read_csv(files / "test.csv")
    right = (model.predict(test[["income", "job"]]) == test["paid"]).mean()
    assert f"{100 * right:.1f} % of 300 test people" in text


def test_groups_that_say_little_are_called_with_their_column(files: Path) -> None:
    """In the data, in what the training says of itself, and of newer people: "f" alone says nothing."""
    out = files / "groups.json"
    more = ("--training", files / "train.csv", "--newer", files / "test.csv", "--out", out)
    assert run("report", files / "model.json", files / "test.csv", *COLUMNS, *more) == 0
    report = ModelReport.from_json(out.read_text(encoding="utf-8"))
    grids = {block.caption: block for own in report.sections for block in own.blocks if isinstance(block, Grid)}
    by_group = {"Groups by sex": 0, "Rates by group, test rows": 0, PADDING: 1}
    for caption, place in by_group.items():
        assert {row[place] for row in grids[caption].rows} == {"sex: f", "sex: m"}
    assert {row[1] for row in grids["Every pair of groups on the training rows: first minus second"].rows} == {"sex: f"}


def test_the_same_command_twice_writes_the_same_bytes(files: Path) -> None:
    made = []
    for name in ("first", "second"):
        assert run("report", files / "model.json", files / "test.csv", *COLUMNS, "--out", files / f"{name}.pdf") == 0
        made.append((files / f"{name}.pdf").read_bytes())
    assert made[0] == made[1]


def test_what_was_not_given_is_said(files: Path) -> None:
    out = files / "bare.json"
    alone = ("--target", "paid", "--favourable", "yes", "--out", out)
    assert run("report", files / "model.json", files / "test.csv", *alone) == 0
    text = out.read_text(encoding="utf-8")
    assert "training rows were not given" in text
    assert "No sensitive attribute was named" in text
    assert "not recorded" in text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--out", "report.txt"), "Expected --out to name a file that ends in .pdf, .html, .docx, .json"),
        (("--out", "nowhere/report.pdf"), "Expected --out to name a file in a folder that exists"),
        (("--out", "r.json", "--date", "31.1."), "Expected --date like 2026-01-31"),
        (("--out", "r.json", "--favourable", "perhaps"), "Expected --favourable to be one of the classes no, yes"),
        (("--out", "r.json", "--sensitive", "colour"), "Expected a column 'colour'"),
    ],
)
def test_refusals_are_one_sentence(
    files: Path, arguments: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("report", files / "model.json", files / "test.csv", "--target", "paid", *arguments) == 2
    assert sentence in capsys.readouterr().err


def test_a_damaged_template_is_refused(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = files / "guidance.json"
    own.write_text(json.dumps({"note": "x"}), encoding="utf-8")
    out = ("--out", files / "r.json", "--guidance", own)
    assert run("report", files / "model.json", files / "test.csv", *COLUMNS, *out) == 2
    assert "Expected a template of guidance" in capsys.readouterr().err
