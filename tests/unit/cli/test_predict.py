"""`predict` and `dictionary` on the command line: what they print, what they write, how they say no."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rugcore import DataDictionary, load_model, reasons_table
from rugcore.cli import main
from rugcore.readers import read_file

QUICK = ("--depth", 2, "--rounds", 3, "--test-share", 0)


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("people")
    rng = np.random.default_rng(0)
    n = 700
    months = rng.integers(0, 60, n)
    months[rng.random(n) < 0.2] = -9
    income = rng.integers(10, 90, n) * 1_000
    frame = pd.DataFrame(
        {
            "customer_id": [f"=c{number}" for number in range(n)],
            "annualIncome": income,
            "monthsSinceDelq": months,
            "job": rng.integers(1, 4, n),
            "sex": rng.choice(["f", "m"], n),
            "paid": np.where(((income > 40_000) & (months != -9)) ^ (rng.random(n) < 0.1), "yes", "no"),
        }
    )
    frame.iloc[:600].to_csv(folder / "train.csv", index=False)
    new = frame.iloc[600:].drop(columns="paid").astype({"annualIncome": object})
    new.iloc[0, 1] = "12k"
    new.to_csv(folder / "new.csv", index=False)
    return folder


def test_a_dictionary_is_suggested_used_for_training_and_for_deciding(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dictionary, model = files / "d.csv", files / "model.json"
    outcome = ("--target", "paid")
    assert run("dictionary", files / "train.csv", *outcome, "--favourable", "yes", "--save", dictionary) == 0
    assert "-9 stands in" in capsys.readouterr().out
    book = DataDictionary.from_csv(dictionary.read_bytes())
    as_json = files / "d.json"
    assert run("dictionary", files / "train.csv", *outcome, "--favourable", "yes", "--save", as_json) == 0
    assert DataDictionary.from_json(as_json.read_bytes()) == book
    capsys.readouterr()
    assert book.entry("monthsSinceDelq").special == {-9.0: "code -9"}
    assert book.entry("sex").protected

    assert run("train", files / "train.csv", *outcome, "--dictionary", dictionary, *QUICK, "--save", model) == 0
    printed = capsys.readouterr().out
    assert "Not used in the rules, as the dictionary says: customer id, sex." in printed
    assert '"code -9"' in printed
    assert load_model(model).schema_.names == ("annual income", "months since delq", "job")

    known = ("--dictionary", dictionary, "--favourable", "yes")
    out = files / "out.csv"
    assert run("predict", model, files / "new.csv", *known, "--background", files / "train.csv", "--out", out) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Note: 'annual income' could not be read for 1 person")
    assert lines[-2].startswith("100 people: ")
    decided = pd.read_csv(out, encoding="utf-8-sig")
    is_open = decided["status"] == "manual review"
    assert lines[-2].endswith(f"{is_open.sum()} for manual review.")
    assert is_open[0]
    assert decided["customer_id"].tolist()[:2] == ["'=c600", "'=c601"]
    X = book.applied(read_file(files / "new.csv").iloc[1:].astype({"annualIncome": float}))
    X = X[list(load_model(model).schema_.names)]
    expected = reasons_table(load_model(model), X, "yes", only_unfavourable=False)
    assert decided["decision"].tolist()[1:] == expected["decision"].tolist()
    reasons = decided["reason 1"].fillna("")[1:].reset_index(drop=True)
    is_given = ~is_open[1:].to_numpy()
    assert reasons[is_given].tolist() == expected["reason 1"][is_given].tolist()
    assert decided["chance of yes"].isna().tolist() == [True] + [False] * 99

    assert run("explain", model, files / "new.csv", *known, "--row", 2) == 0
    assert run("audit", model, files / "train.csv", "--dictionary", dictionary, *outcome, "--sensitive", "sex") == 0


def test_directions_are_those_of_the_dictionary_and_typed_ones_go_before(files: Path) -> None:
    dictionary, model = files / "directions.csv", files / "directed.json"
    text = "column,label,more of it,special codes\nannualIncome,Income,helps,\nmonthsSinceDelq,Months,helps,-9 = none\n"
    dictionary.write_text(text)
    known = ("--dictionary", dictionary, "--with-directions", "--favourable", "yes", "--drop", "customer_id")
    typed = ("--direction", "monthsSinceDelq=-1", "--special", "monthsSinceDelq=-9:never")
    assert run("train", files / "train.csv", "--target", "paid", *known, *typed, *QUICK, "--save", model) == 0
    trained = load_model(model)
    assert trained.monotonic_cst == {"Income": 1, "Months": -1}
    assert trained.special_values == {"Months": {-9.0: "never"}}


@pytest.fixture(scope="module")
def model(files: Path) -> Path:
    path = files / "plain.json"
    columns = ("--target", "paid", "--drop", "customer_id")
    assert run("train", files / "train.csv", *columns, *QUICK, "--save", path) == 0
    return path


def test_without_a_file_the_first_lines_are_shown(files: Path, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run("predict", model, files / "new.csv") == 0
    printed = capsys.readouterr().out
    assert "and 80 more; --out FILE writes all of them." in printed
    assert "reason 1" not in printed
    assert "=c600" in printed


def test_a_workbook_is_written_and_people_are_called_as_asked(files: Path, model: Path) -> None:
    out = files / "out.xlsx"
    assert run("predict", model, files / "new.csv", "--id", "job", "--out", out) == 0
    found = read_file(out)
    assert found.columns[0] == "job"
    assert found["job"].tolist() == read_file(files / "new.csv")["job"].tolist()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("predict", "plain.json", "new.csv", "--out", "x.txt"), "--out to name a .csv or an .xlsx file"),
        (("predict", "plain.json", "new.csv", "--out", "nowhere/x.csv"), "--out to name a file in a folder"),
        (
            ("predict", "plain.json", "new.csv", "--favourable", "maybe"),
            "--favourable to be one of the classes no, yes",
        ),
        (("predict", "plain.json", "new.csv", "--id", "name"), "a column 'name'"),
        (("predict", "plain.json", "new.csv", "--dictionary", "new.csv"), "names of columns"),
        (("predict", "plain.json", "new.csv", "--dictionary", "plain.json"), "something else"),
        (("dictionary", "train.csv", "--save", "d.txt"), "a .json or a .csv file"),
        (("dictionary", "train.csv", "--favourable", "yes"), "--target with --favourable"),
        (("dictionary", "train.csv", "--target", "payed"), "Did you mean 'paid'?"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    files: Path,
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.chdir(files)
    capsys.readouterr()
    assert run(*arguments) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_monitor_says_what_moved_and_refuses_a_column_that_is_not_there(
    files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, newer = tmp_path / "model.json", tmp_path / "newer.csv"
    drop = ("--drop", "customer_id")
    assert run("train", files / "train.csv", "--target", "paid", "--save", model, *drop, *QUICK) == 0
    frame = pd.read_csv(files / "train.csv")
    frame.assign(annualIncome=frame["annualIncome"] + 30_000).to_csv(newer, index=False)
    then = ("--then", files / "train.csv", "--target", "paid")
    groups = ("--sensitive", "sex", "--favourable", "yes", "--epsilon", 0.5)
    assert run("monitor", model, newer, *then, *groups) == 0
    said = capsys.readouterr().out
    assert "annualIncome has moved far" in said
    assert "Gaps between groups" in said
    assert run("monitor", model, files / "train.csv", *then) == 0
    assert "Nothing has moved" in capsys.readouterr().out
    assert run("monitor", model, newer, "--then", files / "train.csv", "--target", "payed") != 0
    assert "Did you mean 'paid'?" in capsys.readouterr().err
