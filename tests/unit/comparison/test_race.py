"""All models on the same rows: the numbers held against scikit-learn's and the audit's own."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score

from rugcore import (
    FairRUGClassifier,
    InputError,
    PeerClassifier,
    RUGClassifier,
    compare,
    comparison_table,
    fairness_report,
    interpretability_report,
    make_loans,
)
from rugcore.comparison import ModelRow, Step
from tests.tables import mixed_outcome, mixed_table

LOANS = make_loans(700, random_state=1)
TRAIN, TEST = slice(0, 400), slice(400, 700)
MODELS = {
    "RUG": RUGClassifier(max_depth=2, max_iter=4),
    "line": PeerClassifier("logistic regression"),
    "tree": PeerClassifier("decision tree"),
    "forest": PeerClassifier("random forest", settings={"n_estimators": 8}),
    "boosted": PeerClassifier("AdaBoost", settings={"n_estimators": 8}),
    "light": PeerClassifier("LightGBM", settings={"n_estimators": 8}),
}


def run(models: dict[str, object], **settings: object) -> list[ModelRow]:
    rows = compare(
        models,  # type: ignore[arg-type]
        LOANS.X.iloc[TRAIN],
        LOANS.y.iloc[TRAIN],
        LOANS.X.iloc[TEST],
        LOANS.y.iloc[TEST],
        **({"sensitive_features": LOANS.X["group"].iloc[TEST], "positive_class": "repaid"} | settings),  # type: ignore[arg-type]
    )
    return list(rows)


@pytest.fixture(scope="module")
def rows() -> list[ModelRow]:
    return run(dict(MODELS))


def test_two_classes_are_measured_as_elsewhere(rows: list[ModelRow]) -> None:
    y = LOANS.y.iloc[TEST]
    assert [row.name for row in rows] == list(MODELS)
    for row in rows:
        predicted = row.model.predict(LOANS.X.iloc[TEST])
        shares = row.model.predict_proba(LOANS.X.iloc[TEST])
        assert np.array_equal(row.predicted, predicted)
        assert row.accuracy == pytest.approx(accuracy_score(y, predicted))
        assert row.f1_binary == pytest.approx(f1_score(y, predicted, pos_label="repaid"))
        assert row.f1_macro == pytest.approx(f1_score(y, predicted, average="macro"))
        assert row.f1_weighted == pytest.approx(f1_score(y, predicted, average="weighted"))
        assert row.auc == pytest.approx(roc_auc_score(y == "repaid", shares[:, 1]))
        report = fairness_report(y, predicted, sensitive_features=LOANS.X["group"].iloc[TEST], positive_class="repaid")
        assert row.gaps == pytest.approx(report["gap"].to_dict(), nan_ok=True)
        assert row.fit_seconds > 0


def test_sizes_are_counted_in_the_model_s_own_unit(rows: list[ModelRow]) -> None:
    by_name = {row.name: row for row in rows}
    rug = by_name["RUG"]
    report = interpretability_report(rug.model, LOANS.X.iloc[TEST])
    assert (rug.size.unit, rug.size.count) == ("rules", len(rug.model.rules_))
    assert rug.size.average_rule_length == pytest.approx(report["average_rule_length"])
    assert rug.size.rules_per_row == pytest.approx(report["rules_per_row"])
    assert rug.size.uncovered_share == pytest.approx(report["uncovered_share"])
    line = by_name["line"]
    assert line.size.unit == "coefficients"
    assert line.size.count == len(line.model.encoder_.origins)
    assert np.isnan(line.size.average_rule_length)
    tree = by_name["tree"]
    assert (tree.size.unit, tree.size.count) == ("leaves", tree.model.estimator_.get_n_leaves())
    assert tree.size.rules_per_row == 1
    assert 1 <= tree.size.average_rule_length <= 5
    forest = by_name["forest"]
    assert forest.size.count == sum(member.get_n_leaves() for member in forest.model.estimator_.estimators_)
    assert forest.size.rules_per_row == 8
    boosted = by_name["boosted"]
    assert boosted.size.count == 2 * len(boosted.model.estimator_.estimators_)
    assert boosted.size.average_rule_length == 1
    light = by_name["light"]
    leaves = light.model.estimator_.booster_.trees_to_dataframe()["split_gain"].isna().sum()
    assert (light.size.count, light.size.rules_per_row) == (leaves, 8)


def test_two_conditions_on_one_column_are_read_as_one() -> None:
    x = np.linspace(0, 1, 80)
    table = pd.DataFrame({"x": x})
    y = np.where((x * 8).astype(int) % 2 == 0, "no", "yes")
    tree = PeerClassifier("decision tree", settings={"max_depth": 3})
    light = PeerClassifier("LightGBM", settings={"n_estimators": 3, "min_child_samples": 2})
    for row in compare({"tree": tree, "light": light}, table, y, table, y):
        assert row.size.count > 3
        assert row.size.average_rule_length == 1
        assert row.gaps == {}


def test_three_classes() -> None:
    table = mixed_table(300)
    y = mixed_outcome(table)
    (row,) = compare({"light": PeerClassifier(settings={"n_estimators": 5})}, table, y, table, y)
    shares = row.model.predict_proba(table)
    assert row.auc == pytest.approx(roc_auc_score(y, shares, multi_class="ovr", labels=row.model.classes_))
    assert row.f1_macro == pytest.approx(f1_score(y, row.predicted, average="macro"))
    assert np.isnan(row.f1_binary)  # nobody said which class serves people well
    assert row.size.rules_per_row == 15  # five rounds of a tree for every class
    (row,) = compare({"light": row.model}, table, y, table, y, positive_class="grant")
    assert row.f1_binary == pytest.approx(f1_score(y == "grant", row.predicted == "grant"))


def test_a_class_that_the_test_rows_lack_or_add() -> None:
    table = mixed_table(200)
    y = mixed_outcome(table)
    model = PeerClassifier("decision tree").fit(table, y)
    is_some = (y != "grant").to_numpy()
    (row,) = compare({"tree": model}, table, y, table[is_some], y[is_some])
    assert 0 < row.auc <= 1
    strange = y.copy()
    strange.iloc[:5] = "unheard of"
    (row,) = compare({"tree": model}, table, y, table, strange)
    assert row.accuracy == pytest.approx((row.predicted == strange).mean())


def test_progress_is_told_and_can_end_the_comparison() -> None:
    trained = PeerClassifier("decision tree").fit(LOANS.X.iloc[TRAIN], LOANS.y.iloc[TRAIN])
    models = {"trained": trained, "tree": MODELS["tree"], "line": MODELS["line"]}
    steps: list[Step] = []
    assert len(run(models, progress=steps.append)) == 3
    assert [(step.name, step.stage, step.number) for step in steps] == [
        ("trained", "measure", 1),
        ("tree", "train", 2),
        ("tree", "measure", 2),
        ("line", "train", 3),
        ("line", "measure", 3),
    ]
    assert {step.total for step in steps} == {3}
    assert [row.name for row in run(models, progress=lambda step: step.name != "tree")] == ["trained"]
    assert [row.name for row in run(models, progress=lambda step: step.number < 3)] == ["trained", "tree"]


def test_given_models_stay_as_they_are() -> None:
    assert not hasattr(MODELS["tree"], "estimator_")
    trained = PeerClassifier("decision tree").fit(LOANS.X.iloc[TRAIN], LOANS.y.iloc[TRAIN])
    assert run({"trained": trained})[0].model is trained


def test_the_table_has_a_line_a_model(rows: list[ModelRow]) -> None:
    frame = comparison_table(rows)
    assert frame["model"].tolist() == list(MODELS)
    assert {"accuracy", "f1_macro", "auc", "gap_dmc", "gap_odm", "gap_eop", "size", "unit"} <= set(frame.columns)
    assert frame["accuracy"].tolist() == [row.accuracy for row in rows]


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(InputError, match="at least one model"):
        run({})
    with pytest.raises(InputError, match="to be trained"):
        run({"fair": FairRUGClassifier()})
    with pytest.raises(InputError, match="positive_class"):
        run({"tree": MODELS["tree"]}, positive_class="nobody")
