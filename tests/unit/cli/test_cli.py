"""The command line: what it prints, what it saves, how it says no."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rugcore import RUGClassifier, audit, choose_settings, list_demos, load_demo, load_model
from rugcore.cli import main

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "income": rng.integers(10, 90, 200) * 1_000,
            "purpose": rng.choice(["car", "house", ""], 200),
            "zip": [f"{1000 + number}" for number in rng.integers(0, 4, 200)],
            "name": [f"person {number}" for number in range(200)],
        }
    )
    frame["outcome"] = np.where((frame["income"] <= 42_000) & (frame["purpose"] != "house"), "refused", "granted")
    path = tmp_path / "loans.csv"
    frame.to_csv(path, index=False)
    return path


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def refusal(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one sentence of a refused command."""
    assert run(*arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1
    assert "Traceback" not in error
    return error


# --- train ------------------------------------------------------------------------------------------------------


def test_train_measures_trains_shows_and_saves(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = tmp_path / "model.json"
    assert run("train", table, "--target", "outcome", "--drop", "name", "--save", saved) == 0
    printed = capsys.readouterr()
    assert re.search(r"Accuracy on 40 held-out rows: \d+\.\d% \(always saying the most frequent class: ", printed.out)
    model = RUGClassifier.load(saved)
    assert f"{len(model.rules_)} rules from 200 rows" in printed.out
    assert str(model.rules_) in printed.out
    assert f"Saved to {saved}" in printed.out
    assert printed.err == ""  # no progress: nobody is looking
    frame = pd.read_csv(table, keep_default_na=False, na_values=[""])
    features = frame[["income", "purpose", "zip"]]
    assert model.score(features, frame["outcome"]) > 0.97


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_other_delimiters_give_the_same_rules(
    delimiter: str, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("--target", "outcome", "--drop", "name", "--test-share", 0)
    run("train", table, *arguments)
    expected = capsys.readouterr().out
    other = tmp_path / "other.csv"
    other.write_text(table.read_text().replace(",", delimiter))
    run("train", other, *arguments)
    assert capsys.readouterr().out == expected


def test_settings_reach_the_model(table: Path, tmp_path: Path) -> None:
    saved = tmp_path / "model.json"
    options = "--depth 2 --penalty 0.5 --rounds 3 --rule-cost unit --weight-threshold 0 --solver highs --seed 4"
    options += " --min-support 7 --special income=-9:unknown,-8 --direction income=+1"
    options += " --favourable granted"
    run("train", table, "--target", "outcome", "--test-share", 0, "--save", saved, *options.split())
    assert RUGClassifier.load(saved).get_params() == {
        "max_depth": 2,
        "penalty": 0.5,
        "max_iter": 3,
        "rule_cost": "unit",
        "weight_threshold": 0.0,
        "pricing": "tree",
        "loss": "margin",
        "min_support": 7.0,
        "special_values": {"income": {-9.0: "unknown", -8.0: "-8"}},
        "monotonic_cst": {"income": 1},
        "positive_class": "granted",
        "solver": "highs",
        "time_limit": None,
        "callback": None,
        "random_state": 4,
    }


def test_two_runs_with_one_seed_print_the_same(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for _ in range(2):
        run("train", table, "--target", "outcome", "--seed", 7)
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


def test_rows_without_an_outcome_are_left_out_and_counted(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.write_text(table.read_text() + "5000,car,0001,nobody,\n")
    assert run("train", table, "--target", "outcome", "--test-share", 0) == 0
    printed = capsys.readouterr()
    assert "1 rows without a value of 'outcome' are left out." in printed.err
    assert "rules from 200 rows" in printed.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--target", "verdict"], "Expected a column 'verdict', but .* has only 'income', 'purpose'"),
        (["--target", "outcome", "--drop", "shoe size"], "Expected a column 'shoe size'"),
        (["--target", "name"], "occurs once.*--test-share 0"),
        (["--target", "outcome", "--test-share", "1.5"], "--test-share to lie between 0 and 1, but got 1.5"),
        (["--target", "outcome", "--depth", "0"], "--depth to be a whole number, 1 to"),
        (["--target", "outcome", "--penalty", "-1"], "--penalty to be a number, 0 or more"),
        (["--target", "outcome", "--time-limit", "-1"], "--time-limit to be a number"),
        (["--target", "outcome", "--save", "no/such/folder/m.json"], "a folder that exists, but got no/such/folder"),
        (
            ["--target", "outcome", *["--drop", "income", "--drop", "purpose", "--drop", "zip", "--drop", "name"]],
            "one column",
        ),
    ],
)
def test_train_refuses_with_one_sentence(
    arguments: list[str], words: str, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert re.search(words, refusal(capsys, "train", table, *arguments))


def test_a_target_of_one_class(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.write_text("x,y\n" + "1,a\n" * 9)
    assert "only one class: 'a'" in refusal(capsys, "train", table, "--target", "y", "--test-share", 0)


def test_a_continuous_target(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.write_text("x,y\n" + "\n".join(f"{n},{n / 7}" for n in range(50)))
    assert "continuous" in refusal(capsys, "train", table, "--target", "y", "--test-share", 0)


def test_files_that_are_no_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no file" in refusal(capsys, "train", tmp_path / "none.csv", "--target", "y")
    (tmp_path / "empty.csv").write_text("")
    assert "cannot be read as a table" in refusal(capsys, "train", tmp_path / "empty.csv", "--target", "y")
    (tmp_path / "twice.csv").write_text("a,a,y\n1,2,3\n")
    assert "'a' stands on 2 columns" in refusal(capsys, "train", tmp_path / "twice.csv", "--target", "y")


def test_a_folder_is_no_place_to_save_to(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sentence = refusal(capsys, "train", table, "--target", "outcome", "--save", tmp_path)
    assert f"name a file in a folder that exists, but got {tmp_path}" in sentence


def test_a_full_disk(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, *_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "replace", full)
    path = tmp_path / "model.json"
    sentence = refusal(capsys, "train", table, "--target", "outcome", "--test-share", 0, "--save", path)
    assert "cannot be used (No space left on device)" in sentence


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["dance"],
        ["train", "t.csv"],
        ["train", "t.csv", "--target", "y", "--depth", "deep"],
        ["train", "t.csv", "--target", "y", "--pricing", "guess"],
        ["train", "t.csv", "--target", "y", "--seed", "-1"],
        ["train", "t.csv", "--target", "y", "--seed", str(2**32)],
        ["explain", "m.json"],
        ["audit", "m.json", "t.csv", "--target", "y"],
        ["audit", "m.json", "t.csv", "--target", "y", "--sensitive", "g", "--epsilon", "small"],
    ],
)
def test_wrong_arguments_end_with_the_usage_and_code_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: python -m rugcore" in capsys.readouterr().err


# --- Progress -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("extra", [[], ["--time-limit", "0"], ["--rounds", "0"]])
def test_progress_is_one_line_a_training_and_only_on_a_terminal(
    extra: list[str], table: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert run("train", table, "--target", "outcome", *extra) == 0
    lines = capsys.readouterr().err.split("\n")
    assert lines[-1] == ""  # what follows begins on a line of its own
    assert len(lines) == 3
    assert lines[0].split("\r")[1].startswith("measuring on held-out rows: round 0 of")
    assert lines[1].split("\r")[1].startswith("training on all rows: round 0 of")


# --- choose and stability ---------------------------------------------------------------------------------------


def test_choose_prints_the_curve_and_saves_all_settings(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "curve.csv"
    grid = ("--depths", 1, 2, "--penalties", 1, 10, "--folds", 3, "--rounds", 2, "--save", saved)
    assert run("choose", table, "--target", "outcome", "--drop", "name", *grid) == 0
    printed = capsys.readouterr()
    frame = pd.read_csv(table, keep_default_na=False, na_values=[""], dtype={"zip": str})
    X = frame[["income", "purpose", "zip"]]
    curve = choose_settings(X, frame["outcome"], depths=(1, 2), penalties=(1, 10), cv=3, max_iter=2)
    assert f"Take {curve.recommended.name}" in printed.out
    assert f"--depth {curve.recommended.depth} --penalty {curve.recommended.penalty:g}" in printed.out
    assert pd.read_csv(saved)["accuracy"].tolist() == pytest.approx(curve.to_frame()["accuracy"].tolist())
    assert printed.err == ""


def test_stability_says_how_often_every_rule_comes_back(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "rules.csv"
    options = ("--drop", "name", "--depth", 2, "--samples", 4, "--save", saved)
    assert run("stability", table, "--target", "outcome", *options) == 0
    printed = capsys.readouterr()
    lines = pd.read_csv(saved)
    for line in lines.itertuples():
        assert re.search(rf"{line.recurs:.0%} \(.*\): if {re.escape(line.rule)} then {line.label}", printed.out)
    assert "4 samples of 200 rows, drawn with replacement." in printed.out
    assert printed.err == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["choose", "--depths", "0"], "Expected --depths to be a whole number, 1 to 14, but got 0"),
        (["choose", "--folds", "1"], "Expected --folds to be a whole number, 2 or more, but got 1"),
        (["choose", "--drop", "shoe size"], "Expected a column 'shoe size'"),
        (["stability", "--samples", "0"], "Expected --samples to be a whole number, 1 or more, but got 0"),
    ],
)
def test_choose_and_stability_refuse_with_one_sentence(
    arguments: list[str], words: str, table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *options = arguments
    assert words in refusal(capsys, command, table, "--target", "outcome", *options)


# --- explain ------------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    path = tmp_path / "model.json"
    run("train", table, "--target", "outcome", "--drop", "name", "--test-share", 0, "--save", path)
    capsys.readouterr()
    return path


def test_explain_says_why(saved: Path, table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.read_csv(table, keep_default_na=False, na_values=[""])
    for row in (1, 7, 200):
        assert run("explain", saved, table, "--row", row) == 0
        assert capsys.readouterr().out == f"{RUGClassifier.load(saved).explain(frame.iloc[row - 1])}\n"


def test_text_stays_text_in_a_file_of_one_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    many, one, saved = tmp_path / "many.csv", tmp_path / "one.csv", tmp_path / "m.json"
    many.write_text("grade,y\n" + "1,no\nA,yes\n" * 20)
    one.write_text("grade\n1\n")
    run("train", many, "--target", "y", "--test-share", 0, "--save", saved)
    assert run("explain", saved, one) == 0
    assert "Decision: no" in capsys.readouterr().out


def test_explain_gives_true_reasons(saved: Path, table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.read_csv(table, keep_default_na=False, na_values=[""])
    model = RUGClassifier.load(saved)
    decided = model.predict(frame[list(model.schema_.names)])
    refused, granted = (int(np.flatnonzero(decided == label)[0]) for label in ("refused", "granted"))
    assert run("explain", saved, table, "--row", refused + 1, "--favourable", "granted") == 0
    printed = capsys.readouterr().out
    assert "Reasons, compared with people who were decided granted:\n- " in printed
    assert "income is low" in printed
    assert run("explain", saved, table, "--row", refused + 1, "--favourable", "granted", "--sensitive", "income") == 0
    assert "income is low" not in capsys.readouterr().out
    assert run("explain", saved, table, "--row", granted + 1, "--favourable", "granted") == 0
    assert "easons" not in capsys.readouterr().out
    assert "has no column 'shoe size'" in refusal(
        capsys, "explain", saved, table, "--favourable", "granted", "--sensitive", "shoe size"
    )
    assert "--favourable to be one of the classes" in refusal(capsys, "explain", saved, table, "--favourable", "x")


def test_explain_says_when_a_file_does_not_know_whom_to_compare_with(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = ROOT / "tests" / "files" / "version_0_1" / "rug.json"
    demo = load_demo("hmda")
    rows = tmp_path / "rows.csv"
    X = demo.X.head(700).drop(columns=list(demo.sensitive_options))
    X.to_csv(rows, index=False)
    row = int(np.flatnonzero(load_model(old).predict(X) != demo.favourable)[0]) + 1
    asked = ("explain", old, rows, "--row", row, "--favourable", demo.favourable)
    assert run(*asked) == 0
    assert "No reasons: this model file does not say whom to compare with." in capsys.readouterr().out
    assert run(*asked, "--background", rows) == 0
    assert f"Reasons, compared with people who were decided {demo.favourable}:" in capsys.readouterr().out
    assert "lacks" in refusal(capsys, *asked, "--background", table)


def test_explain_refuses_with_one_sentence(
    saved: Path, table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "a row from 1 to 200, but got 0" in refusal(capsys, "explain", saved, table, "--row", 0)
    assert "a row from 1 to 200, but got 201" in refusal(capsys, "explain", saved, table, "--row", 201)
    assert "is not a model file" in refusal(capsys, "explain", table, table)
    assert "there is no file" in refusal(capsys, "explain", tmp_path / "none.json", table)
    other = tmp_path / "other.csv"
    other.write_text("shoe size\n43\n")
    assert "value for column 'income', but the row has none" in refusal(capsys, "explain", saved, other)
    saved.write_text(saved.read_text().replace("refused", "granted"))
    assert "checksum" in refusal(capsys, "explain", saved, table)


# --- audit --------------------------------------------------------------------------------------------------------


@pytest.fixture
def audited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, Path]:
    """A model, and a table with groups that it does not know of."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"income": rng.integers(10, 90, 600) * 1_000, "sex": rng.choice(["f", "m", ""], 600)})
    frame["single"] = rng.choice(["yes", "no"], 600)
    frame["outcome"] = np.where(frame["income"] + rng.normal(0, 9_000, 600) > 42_000, "granted", "refused")
    table, model = tmp_path / "people.csv", tmp_path / "audited.json"
    frame.to_csv(table, index=False)
    run("train", table, "--target", "outcome", "--drop", "sex", "--drop", "single", "--test-share", 0, "--save", model)
    capsys.readouterr()
    return model, table


def test_audit_says_what_the_audit_found(audited: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--target", "outcome", "--sensitive", "sex", "--favourable", "granted", "--epsilon", 0.05)
    assert run("audit", *audited, *options) == 0
    printed = capsys.readouterr()
    model, frame = RUGClassifier.load(audited[0]), pd.read_csv(audited[1])
    found = audit(
        frame["outcome"],
        model.predict(frame[["income"]]),
        sensitive_features=frame["sex"],
        positive_class="granted",
        epsilon=0.05,
    )
    assert printed.out == f"Groups by sex: {found}\n"
    assert printed.err == ""
    assert found.groups.index.tolist() == ["f", "m", "missing"]
    assert "epsilon 0.05 is" in printed.out
    assert "four fifths" in printed.out


def test_audit_of_combined_groups_saved(
    audited: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "audit.csv"
    options = ("--target", "outcome", "--sensitive", "sex", "--sensitive", "single", "--save", saved)
    assert run("audit", *audited, *options) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Groups by sex and single: 600 rows in 6 groups. The positive class is not known.")
    assert f"Saved to {saved}" in printed
    table = pd.read_csv(saved)
    assert {"dmc gap", "odm gap", "selection_rate", "error rate of the class"} <= set(table["measure"])
    assert "sex f, single yes" in set(table["group"])
    errors = table[table["measure"] == "error"].set_index("group")
    assert errors["n"].sum() == 600
    assert errors["value"].between(errors["lower"], errors["upper"]).all()


def test_audit_of_classes_that_look_like_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    table.write_text("x,g,y\n" + "1,a,0\n9,b,1\n1,b,0\n9,a,1\n" * 40 + "5,a,\n")
    run("train", table, "--target", "y", "--drop", "g", "--test-share", 0, "--save", model)
    capsys.readouterr()
    assert run("audit", model, table, "--target", "y", "--sensitive", "g") == 0
    printed = capsys.readouterr()
    assert "160 rows in 2 groups. The positive class is 1." in printed.out
    assert "1 rows without a value of 'y' are left out." in printed.err
    assert run("audit", model, table, "--target", "y", "--sensitive", "g", "--favourable", "0") == 0
    assert "The positive class is 0." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--target verdict --sensitive sex", "Expected a column 'verdict', but .* has only 'income', 'sex'"),
        ("--target outcome --sensitive Sex", "Expected a column 'Sex'.*Did you mean 'sex'?"),
        ("--target outcome --sensitive gender,sex", "--sensitive can be repeated"),
        (
            "--target outcome --sensitive sex --favourable yes",
            "--favourable to be one of .* granted, refused, but got yes",
        ),
        ("--target outcome --sensitive sex --epsilon 5", "--epsilon to be a number from 0 to 1, but got 5"),
        ("--target single --sensitive sex", "Expected --target to hold the classes 'granted', 'refused', but it holds"),
        ("--target outcome --sensitive sex --save no/such/a.csv", "a folder that exists, but got no/such/a.csv"),
    ],
)
def test_audit_refuses_with_one_sentence(
    options: str, words: str, audited: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert re.search(words, refusal(capsys, "audit", *audited, *options.split()))


def test_audit_of_too_many_groups_or_without_the_columns_of_the_model(
    audited: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = audited[0]
    many = tmp_path / "many.csv"
    many.write_text("income,shoe,outcome\n" + "\n".join(f"{n},{n / 7},granted" for n in range(300)))
    sentence = refusal(capsys, "audit", model, many, "--target", "outcome", "--sensitive", "shoe")
    assert "'shoe' has 300 different values. Cut it into bands first" in sentence
    many.write_text("sex,outcome\nf,granted\n")
    sentence = refusal(capsys, "audit", model, many, "--target", "outcome", "--sensitive", "sex")
    assert re.search("Expected the columns that the model was trained on, but .* lacks 'income'", sentence)


# --- demo -----------------------------------------------------------------------------------------------------------


def test_a_demo_shows_rules_and_a_decision_without_sensitive_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("demo", "hmda", "--rounds", 3) == 0
    printed = capsys.readouterr().out
    lines = printed.splitlines()
    demo = load_demo("hmda")
    assert lines[0] == demo.description
    assert lines[1] == "Not used in the rules, because they may be sensitive: African American, single."
    rules = [line for line in lines if line.startswith("if ")]
    assert rules
    assert not any(name in rule for rule in rules for name in demo.sensitive_options)
    assert "The first row of the table:\nDecision: " in printed


def test_an_unknown_demo(capsys: pytest.CaptureFixture[str]) -> None:
    sentence = refusal(capsys, "demo", "iris")
    assert all(name in sentence for name in list_demos())


# --- The real thing -------------------------------------------------------------------------------------------------


def test_a_real_process(table: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rugcore", "train", str(table), "--target", "outcome", "--rounds", "2"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert "rules from 200 rows" in done.stdout
    assert done.stderr == ""


def test_a_reader_that_has_seen_enough_is_no_error(table: Path) -> None:
    """`python -m rugcore train ... | head -0`: the pipe is closed before anything is written."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "rugcore", "train", str(table), "--target", "outcome", "--rounds", "0"],
            cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    finally:
        os.close(writing)
    assert done.stderr == ""
    assert done.returncode == 0


def test_ctrl_c_ends_with_a_word_and_no_traceback(
    table: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(RUGClassifier, "fit", interrupted)
    assert run("train", table, "--target", "outcome") == 130
    assert capsys.readouterr().err == "\nStopped.\n"


# --- Fair training and experiments --------------------------------------------------------------------------


def test_a_fair_model_is_trained_saved_and_audited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    demo = load_demo("hmda")
    file, model = tmp_path / "loans.csv", tmp_path / "fair.json"
    demo.X.assign(outcome=demo.y).to_csv(file, index=False)
    fair = ["--sensitive", demo.sensitive, "--epsilon", "0.05", "--depth", "2", "--rounds", "3"]
    assert main(["train", str(file), "--target", "outcome", *fair, "--save", str(model)]) == 0
    told = capsys.readouterr().out
    assert "asked for a gap of at most 0.050" in told
    assert "Gap between groups there (DMC)" in told
    rules = load_model(model).rules_
    assert all(demo.sensitive not in rule.features for rule in rules)
    assert main(["audit", str(model), str(file), "--target", "outcome", "--sensitive", demo.sensitive]) == 0


def test_the_sensitive_column_enters_rules_only_if_asked(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    group = rng.choice(["a", "b"], 800)
    frame = pd.DataFrame({"group": group, "noise": rng.random(800), "outcome": np.where(group == "a", "yes", "no")})
    frame.loc[:90, "outcome"] = "yes"
    frame.loc[91:180, "outcome"] = "no"
    file, model = tmp_path / "t.csv", tmp_path / "m.json"
    frame.to_csv(file, index=False)
    train = ["train", str(file), "--target", "outcome", "--sensitive", "group", "--epsilon", "1", "--test-share", "0"]
    assert main([*train, "--save", str(model), "--sensitive-in-rules"]) == 0
    assert any("group" in rule.features for rule in load_model(model).rules_)
    assert main([*train, "--save", str(model)]) == 0
    assert not any("group" in rule.features for rule in load_model(model).rules_)


def test_eop_asks_for_the_favourable_outcome(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    demo = load_demo("hmda")
    file = tmp_path / "loans.csv"
    demo.X.assign(outcome=demo.y).to_csv(file, index=False)
    train = ["train", str(file), "--target", "outcome", "--sensitive", demo.sensitive, "--fairness", "eop"]
    train += ["--rounds", "1", "--depth", "2"]
    assert main(train) == 2
    assert "--favourable" in capsys.readouterr().err
    assert main([*train, "--favourable", "nothing"]) == 2
    assert "approved, denied, but got nothing" in capsys.readouterr().err
    assert main([*train, "--favourable", demo.favourable]) == 0


def test_the_measures_of_the_paper_on_a_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment", "hmda", "--depth", "1", "--save", str(tmp_path / "out.csv")]) == 0
    table = pd.read_csv(tmp_path / "out.csv")
    assert table["model"].tolist() == ["RUG"] + ["FairRUG realised", "FairRUG proxy"] * 3
    assert table["notion"].dropna().tolist() == ["dmc", "dmc", "odm", "odm", "eop", "eop"]
    assert table["test_score"].dropna().between(0, 1).all()
    assert main(["experiment", "hmda", "--data", str(tmp_path)]) == 2
    assert "one of the experiments interpretability" in capsys.readouterr().err
    assert main(["experiment", "exact"]) == 2
    assert "Expected --data DIR" in capsys.readouterr().err


@pytest.mark.filterwarnings("ignore::rugcore.errors.FairnessWarning")
def test_other_notions_and_a_tested_promise_can_be_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    demo = load_demo("hmda")
    file = tmp_path / "loans.csv"
    demo.X.assign(outcome=demo.y).to_csv(file, index=False)
    train = ["train", str(file), "--target", "outcome", "--sensitive", demo.sensitive, "--depth", "1", "--rounds", "2"]
    asked = ["--fairness", "demographic_parity", "--favourable", "approved"]
    assert main([*train, *asked]) == 0
    told = capsys.readouterr().out
    assert "Demographic parity (selection rates) by African American: asked for a gap of at most 0.025" in told
    assert "Gap between groups there (Demographic parity)" in told
    assert main([*train, *asked, "--guarantee", "proxy"]) == 2
    assert "There is no such constraint for it." in capsys.readouterr().err
    assert main([*train, "--guarantee", "confident"]) == 0
    assert "assured with this table" in capsys.readouterr().out


def test_a_demo_can_be_trained_fairly(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "hmda", "--fair", "--depth", "1", "--rounds", "1"]) == 0
    assert "asked for a gap" in capsys.readouterr().out
