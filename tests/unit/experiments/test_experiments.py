"""The paper's experiments: the protocol against scikit-learn's own grid search, results that are never lost, tables."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier

from rugcore import RUGClassifier
from rugcore.cli import main
from rugcore.comparison import PeerClassifier, binoct
from rugcore.comparison.tree_rules import Patterns
from rugcore.errors import InputError
from rugcore.experiments import EXPERIMENTS, DataFolder, cells_of, results_table, run_cells, to_markdown
from rugcore.experiments.definitions import DecidingRUG
from rugcore.experiments.measures import reading
from rugcore.experiments.writing import paper_figures
from rugcore.tables import encode, read_table


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    """Two sets of the paper by name, made up; the others are missing."""
    rng = np.random.default_rng(0)
    catalog = {}
    for name, n_classes in (("liver", 2), ("wine", 3)):
        X = pd.DataFrame(rng.integers(0, 9, (150, 3)), columns=["a", "b", "c"])
        y = (X["a"] + X["b"] + rng.integers(0, 4, 150)) * n_classes // 20
        if n_classes == 2:
            X["kind"] = rng.integers(0, 3, 150)
        X.assign(target=y).to_csv(tmp_path / f"{name}.csv.gz", index=False)
        texts = ["kind"] if n_classes == 2 else []
        catalog[name] = {"categorical": texts, "sensitive": None, "positive_class": 1 if n_classes == 2 else None}
    (tmp_path / "catalog.json").write_text(json.dumps(catalog))
    return DataFolder(tmp_path)


def test_the_protocol_is_that_of_a_grid_search_with_scikit_learn(folder: DataFolder, tmp_path: Path) -> None:
    cells, missing = cells_of(EXPERIMENTS["multiclass"], folder, tmp_path / "out", systems=["DT"])
    assert folder.load("liver").training.X["kind"].map(type).eq(str).all()
    assert missing == ["ecoli", "glass", "seeds", "sensorless"]
    (done,) = run_cells(cells, folder, cores=1)
    frame = pd.read_csv(tmp_path / "wine.csv.gz")
    X, y = frame.drop(columns="target"), frame["target"]
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=21, stratify=y)
    peer = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [3, 5, 7, 9, 11, 13, 15]},
        cv=StratifiedKFold(5, shuffle=True, random_state=21),
    ).fit(X_train, y_train)
    assert done.result is not None
    assert done.result["parameters"] == peer.best_params_
    assert done.result["cross_validated"] == pytest.approx(peer.best_score_)
    assert done.result["measures"]["acc"] == pytest.approx(100 * peer.score(X_test, y_test))
    assert done.result["measures"]["n_rules"] == peer.best_estimator_.get_n_leaves()


def test_a_system_is_asked_for_the_notions_that_it_knows(folder: DataFolder, tmp_path: Path) -> None:
    catalog = json.loads((tmp_path / "catalog.json").read_text())
    (tmp_path / "catalog.json").write_text(json.dumps(catalog | {"adult": {"sensitive": "sex"}}))
    (tmp_path / "adult.csv.gz").touch()
    cells, _ = cells_of(EXPERIMENTS["fairness-binary"], folder, tmp_path, sets=["adult"])
    notions = {
        system: [cell.notion for cell in cells if cell.system == system] for system in ("STreeD, fair", "FairRUG")
    }
    assert notions == {"STreeD, fair": ["eop"], "FairRUG": ["dmc", "eop"]}


def test_what_was_found_is_not_worked_out_again_unless_it_is_damaged(
    folder: DataFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells, _ = cells_of(EXPERIMENTS["multiclass"], folder, tmp_path / "out", systems=["DT"])
    (first,) = run_cells(cells, folder, cores=1)
    with monkeypatch.context() as patched:
        patched.setattr(DataFolder, "load", lambda *_: 1 / 0)
        assert [done.result for done in run_cells(cells, folder, cores=1)] == [first.result]
        (other_limit,) = run_cells([replace(cells[0], limit=1.0)], folder, cores=1)
        assert "ZeroDivisionError" in str(other_limit.error)
    cells[0].path.write_text("{")
    (again,) = run_cells(cells, folder, cores=1)
    assert again.result is not None
    assert first.result is not None
    assert again.result["measures"]["acc"] == first.result["measures"]["acc"]


def test_a_cell_that_fails_is_told_and_takes_no_other_along(folder: DataFolder, tmp_path: Path) -> None:
    (tmp_path / "wine.csv.gz").write_bytes(b"no gzip")
    cells, _ = cells_of(EXPERIMENTS["multiclass"], folder, tmp_path / "out", systems=["DT"])
    (done,) = run_cells(cells, folder, cores=1)
    assert done.result is None
    assert done.error
    assert not cells[0].path.exists()


def test_exact_pricing_takes_the_parameters_over_and_knows_its_gap(
    folder: DataFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    (out / "exact").mkdir(parents=True)
    found = {"limit": 300.0, "parameters": {"max_depth": 2, "penalty": 3.0, "max_iter": 2}, "measures": {"acc": 50.0}}
    of_trees = found | {"set": "liver", "system": "RUG", "notion": ""}
    (out / "exact" / "liver--RUG.json").write_text(json.dumps(of_trees))
    ask = ["experiment", "exact", "--data", str(folder.path), "--out", str(out), "--cores", "1", "--sets", "liver"]
    assert main([*ask, "musk", "--systems", "RUG", "RUG exact"]) == 0
    said = capsys.readouterr().out
    assert "musk: its file is missing" in said
    assert "2 of 2 cells" in said
    result = json.loads((out / "exact" / "liver--RUG-exact.json").read_text())
    assert result["parameters"] == found["parameters"]
    assert result["stop_reason"] == "converged"
    assert result["measures"]["proof_gap"] == pytest.approx(0.0, abs=1e-4)
    table = pd.read_csv(out / "exact.csv", keep_default_na=False).set_index(["set", "system"])
    assert table.loc[("musk", "RUG"), "status"] == "set is missing, quoted"
    ours = float(table.loc[("liver", "RUG exact"), "acc"])
    assert float(table.loc[("liver", "RUG exact"), "acc_difference"]) == pytest.approx(ours - 57.97)
    assert "(57.97, " in (out / "exact.md").read_text()


def test_means_are_over_comparable_sets_that_both_have() -> None:
    experiment = EXPERIMENTS["interpretability"]
    results = [
        {"set": name, "system": "RUG", "notion": "", "measures": {"acc": acc}}
        for name, acc in (("adult", 86.0), ("liver", 60.0), ("hearts", 1.0))
    ]
    table = results_table(experiment, results)
    text = to_markdown(experiment, table)
    paper = paper_figures().query("experiment == 'interpretability' and system == 'RUG'").set_index("set")["acc"]
    assert "| RUG, 2 sets |" in text
    mean = round((paper["adult"] + paper["liver"]) / 2, 2)
    assert f"73 ({mean:g}, " in text
    assert table.query("set == 'magic' and system == 'DT-h'")["status"].tolist() == ["quoted"]
    assert "the paper's has another target" in text


def test_the_figures_are_the_papers() -> None:
    """A few, read off the paper by eye; and no line twice."""
    figures = paper_figures()
    keys = ["experiment", "set", "system", "notion"]
    assert not figures.duplicated(keys).any()
    figures = figures.set_index(keys)
    assert figures.loc[("interpretability", "mammography", "RUG", ""), "f1"] == 70.45
    assert figures.loc[("multiclass", "ecoli", "LightGBM", ""), "n_rules"] == 14097
    assert figures.loc[("exact", "transfusion", "RUG exact", ""), "f1"] == 0
    assert figures.loc[("fairness-binary", "compas", "FairCG", "eop"), "score"] == 63.93
    assert figures.loc[("fairness-multiclass", "student", "FairRUG", "odm"), "acc"] == 70.77
    assert figures.loc[("case-study", "loan, accurate", "RUG", ""), "acc"] == 98.96
    known = {name: set(experiment.sets) for name, experiment in EXPERIMENTS.items()}
    assert all(name in known[experiment] for experiment, name, *_ in figures.index)


@pytest.mark.parametrize("kind", ["decision tree", "random forest", "AdaBoost", "LightGBM"])
def test_depths_of_leaves_against_the_packages_own(kind: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((300, 3))
    y = (X[:, 0] + X[:, 1] > 1).astype(int)
    model = PeerClassifier(kind).fit(X, y)  # type: ignore[arg-type]
    found = reading(model, X)
    if kind == "LightGBM":
        frame = model.estimator_.booster_.trees_to_dataframe()
        leaves = frame[frame["left_child"].isna()]
        assert found["n_rules"] == len(leaves)
        assert found["avg_rule_length"] == pytest.approx((leaves["node_depth"] - 1).mean())
        return
    members = [model.estimator_] if kind == "decision tree" else model.estimator_.estimators_
    matrix = model.matrix(X)
    paths = [np.asarray(member.decision_path(matrix).sum(axis=1)).ravel() - 1 for member in members]
    assert found["rules_per_row"] == len(members)
    assert found["n_rules"] == sum(member.get_n_leaves() for member in members)
    assert found["rule_length_per_row"] == pytest.approx(np.mean(paths))


def test_what_is_not_known_is_refused_with_what_is(folder: DataFolder, tmp_path: Path) -> None:
    experiment = EXPERIMENTS["multiclass"]
    with pytest.raises(InputError, match="RUG, DT, RF, ADA, LightGBM"):
        cells_of(experiment, folder, tmp_path, systems=["tree"])
    with pytest.raises(InputError, match="ecoli, glass"):
        cells_of(experiment, folder, tmp_path, sets=["liver"])


@pytest.mark.parametrize("name", ["liver", "wine"])
def test_rules_without_chances_decide_as_those_with_them(folder: DataFolder, name: str) -> None:
    data = folder.load(name)
    settings = {"max_depth": 2, "max_iter": 3}
    quick = DecidingRUG(**settings).fit(data.training.X, data.training.y)
    whole = RUGClassifier(**settings).fit(data.training.X, data.training.y)
    assert list(quick.rules_) == list(whole.rules_)
    np.testing.assert_array_equal(quick.predict(data.test.X), whole.predict(data.test.X))


def test_parameters_that_a_system_cannot_cope_with_are_left_out(
    folder: DataFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    liver = folder.load("liver").training
    encoded = encode(read_table(liver.X), np.ones(len(liver.y)), np.random.RandomState(0), max_bins=10)
    patterns = Patterns.of(encoded.columns, encoded.codes, liver.y, None)
    monkeypatch.setattr(binoct, "MOST_ENTRIES", binoct.n_entries(patterns, 3))
    experiment = EXPERIMENTS["interpretability"]
    cells, _ = cells_of(experiment, folder, tmp_path / "out", systems=["BinOCT"], limit=0.3)
    (done,) = run_cells(cells, folder, cores=1)
    assert done.result is not None
    assert done.result["parameters"] == {"max_depth": 3}
    assert done.result["stop_reason"] == "time limit"
    assert done.result["measures"]["proof_gap"] > 0
    assert done.result["measures"]["rules_per_row"] == 1.0
    monkeypatch.setattr(binoct, "MOST_ENTRIES", 1)
    (done,) = run_cells([replace(cells[0], limit=1.0)], folder, cores=1)
    assert (
        done.error
        == "SolverError: No model was found with any parameters of the grid, in the time and memory there is."
    )
