"""SHAP values: they add up to the output, one row is as in a sample, and a stump has a closed form."""

import numpy as np
import pandas as pd
import pytest

from rugcore import InputError, PeerClassifier, RUGClassifier, ShapExplainer
from tests.enumeration import by_enumeration
from tests.tables import mixed_outcome, mixed_table

TABLE = mixed_table(300)
THREE = mixed_outcome(TABLE)
TWO = THREE.where(THREE == "refuse", "grant")
COLUMNS = ["income", "purpose", "region", "employed"]


def explainer_for(y: pd.Series) -> ShapExplainer:
    return ShapExplainer(PeerClassifier(settings={"n_estimators": 15}).fit(TABLE, y))


@pytest.fixture(scope="module")
def two() -> ShapExplainer:
    return explainer_for(TWO)


@pytest.fixture(scope="module")
def three() -> ShapExplainer:
    return explainer_for(THREE)


def strangers() -> pd.DataFrame:
    """Rows with text never seen, and blanks everywhere."""
    rows = TABLE.head(6).copy()
    rows["purpose"] = pd.array(["a yacht", None, "car", "missing", None, "house"], dtype="str")
    rows["income"] = [np.nan, 10.0, 1e9, -3.0, np.nan, 35_000.0]
    return rows


def test_two_classes_add_up_to_the_output(two: ShapExplainer) -> None:
    for table in (TABLE, strangers()):
        sample = two.sample(table)
        raw = two.model.raw_output(table)
        assert sample.values.shape == (len(table), TABLE.shape[1])
        assert sample.values.sum(axis=1) + sample.base_values == pytest.approx(raw)
        assert sample.towards("refuse").sum(axis=1) + sample.base_values == pytest.approx(raw)
        assert sample.towards("grant").sum(axis=1) - sample.base_values == pytest.approx(-raw)
        assert np.array_equal(sample.predicted, two.model.predict(table))


def test_three_classes_add_up_to_the_output(three: ShapExplainer) -> None:
    for table in (TABLE, strangers()):
        sample = three.sample(table)
        raw = three.model.raw_output(table)
        assert sample.values.shape == (len(table), TABLE.shape[1], 3)
        assert sample.values.sum(axis=1) + sample.base_values == pytest.approx(raw)
        assert np.array_equal(sample.predicted, three.model.predict(table))


@pytest.mark.parametrize("name", ["two", "three"])
def test_one_row_is_as_in_a_sample(name: str, request: pytest.FixtureRequest) -> None:
    explainer = request.getfixturevalue(name)
    table = pd.concat([TABLE.head(15), strangers()], ignore_index=True)
    sample = explainer.sample(table)
    predicted = explainer.model.predict(table)
    for row in range(len(table)):
        for towards in (None, *explainer.classes):
            found = explainer.explain(table.iloc[row], towards)
            assert found.predicted == predicted[row]
            assert found.towards == (predicted[row] if towards is None else towards)
            own = dict(zip(sample.columns, sample.towards(found.towards)[row], strict=True))
            assert {item.column: item.amount for item in found.contributions} == pytest.approx(own)
            assert found.output == pytest.approx(found.base_value + sum(own.values()))
            sizes = [abs(item.amount) for item in found.contributions]
            assert sizes == sorted(sizes, reverse=True)


def test_several_rows_at_once_are_as_one_by_one(three: ShapExplainer) -> None:
    rows = [TABLE.iloc[row] for row in range(5)]
    towards = ["ask", "grant", "refuse", "ask", "ask"]
    single = [three.explain(row, label) for row, label in zip(rows, towards, strict=True)]
    for one, other in zip(single, three.explain_several(rows, towards), strict=True):
        assert one.towards == other.towards
        assert one.output == pytest.approx(other.output)


def test_contributions_carry_the_row_s_own_values(two: ShapExplainer) -> None:
    found = two.explain({**two.model.schema_.cells(TABLE.iloc[0]), "purpose": None, "income": 17.0})
    values = {item.column: item.value for item in found.contributions}
    assert set(values) == set(TABLE.columns)
    assert values["purpose"] is None
    assert values["income"] == 17.0
    shown, rest = found.top(2)
    assert shown == found.contributions[:2]
    assert found.base_value + sum(item.amount for item in shown) + rest == pytest.approx(found.output)


def test_a_stump_in_closed_form() -> None:
    """One split: its column carries the whole way from the mean to the leaf, and no other column anything."""
    x = np.arange(100.0)
    table = pd.DataFrame({"x": x, "other": x[::-1] % 7})
    settings = {"n_estimators": 1, "num_leaves": 2, "learning_rate": 1.0}
    model = PeerClassifier(settings=settings).fit(table, x >= 30)
    raw = model.raw_output(table)
    sample = ShapExplainer(model).sample(table)
    assert sample.base_values == pytest.approx([raw.mean()])
    assert sample.values[:, 0] == pytest.approx(raw - raw.mean())
    assert not sample.values[:, 1].any()


# --- Against people of one's own choice --------------------------------------------------------------------------


@pytest.mark.parametrize("outcome", [TWO, THREE], ids=["two classes", "three classes"])
def test_against_other_rows_they_add_up_to_the_difference(outcome: pd.Series) -> None:
    """Text, categories, blanks and values never seen; what LightGBM itself says is the oracle."""
    background = TABLE.iloc[50:90]
    explainer = ShapExplainer(explainer_for(outcome).model, background)
    for table in (TABLE, strangers()):
        sample, raw = explainer.sample(table), explainer.model.raw_output(table)
        assert sample.values.sum(axis=1) + sample.base_values == pytest.approx(raw)
        assert sample.base_values == pytest.approx(np.atleast_1d(explainer.model.raw_output(background).mean(axis=0)))
        assert np.array_equal(sample.predicted, explainer.model.predict(table))


@pytest.mark.parametrize("settings", [{}, {"zero_as_missing": True}, {"use_missing": False}], ids=str)
def test_against_other_rows_they_are_those_of_shap(settings: dict[str, bool]) -> None:
    """On numbers, where the package can do it too: with blanks, and zeros that LightGBM may take for blanks."""
    import shap

    rng = np.random.default_rng(1)
    matrix = rng.integers(-3, 4, (300, 4)).astype(float)
    matrix[rng.random(matrix.shape) < 0.2] = np.nan
    y = np.nan_to_num(matrix[:, 0]) + np.isnan(matrix[:, 1]) + matrix[:, 2] ** 2 > 2
    model = PeerClassifier(settings={"n_estimators": 8, **settings}).fit(matrix, y)
    found = ShapExplainer(model, matrix[:30]).sample(matrix[30:60])
    raw = model.raw_output(matrix[30:60])
    assert found.values.sum(axis=1) + found.base_values == pytest.approx(raw)
    if not settings:  # shap does not know these
        theirs = shap.TreeExplainer(model.estimator_, matrix[:30], feature_perturbation="interventional")
        np.testing.assert_allclose(
            found.values, theirs(matrix[30:60]).values, atol=1e-5
        )  # it counts in single precision


def test_against_other_rows_they_are_what_all_subsets_give() -> None:
    rows, background = TABLE[COLUMNS].head(3), TABLE[COLUMNS].iloc[10:16]
    model = PeerClassifier(settings={"n_estimators": 10}).fit(TABLE[COLUMNS], TWO)
    found = ShapExplainer(model, background).sample(rows)
    for row in range(len(rows)):
        expected = by_enumeration(model.raw_output, rows.iloc[[row]], background)
        assert dict(zip(COLUMNS, found.values[row], strict=True)) == pytest.approx(expected)


def test_a_model_that_learned_nothing_has_nothing_to_say() -> None:
    table = pd.DataFrame({"x": np.zeros(50), "text": ["a"] * 50})
    explainer = ShapExplainer(PeerClassifier().fit(table, [True, False] * 25))
    found = explainer.explain(table.iloc[0])
    assert [item.amount for item in found.contributions] == [0.0, 0.0]
    assert explainer.sample(table).importance().tolist() == [0.0, 0.0]


def test_a_sample_says_that_it_is_one(two: ShapExplainer) -> None:
    some = two.sample(TABLE, 40, random_state=5)
    assert (some.n, some.n_total, some.is_sample) == (40, len(TABLE), True)
    assert len(set(some.rows)) == 40
    assert np.array_equal(some.rows, np.sort(some.rows))
    assert np.array_equal(some.rows, two.sample(TABLE, 40, random_state=5).rows)
    assert some.values == pytest.approx(two.sample(TABLE).values[some.rows])
    assert not two.sample(TABLE).is_sample


def test_importance_is_the_mean_of_sizes(two: ShapExplainer, three: ShapExplainer) -> None:
    sample = two.sample(TABLE)
    expected = dict(zip(sample.columns, np.abs(sample.values).mean(axis=0), strict=True))
    assert sample.importance().to_dict() == pytest.approx(expected)
    assert sample.importance().is_monotonic_decreasing
    values = three.sample(TABLE).values
    assert three.sample(TABLE).importance().sum() == pytest.approx(np.abs(values).mean(axis=0).sum())


def test_what_cannot_be_explained_is_refused(two: ShapExplainer) -> None:
    with pytest.raises(InputError, match="LightGBM"):
        ShapExplainer(PeerClassifier("decision tree").fit(TABLE, TWO))
    with pytest.raises(InputError, match="LightGBM"):
        ShapExplainer(RUGClassifier())  # type: ignore[arg-type]
    with pytest.raises(InputError, match="classes"):
        two.explain(TABLE.iloc[0], "perhaps")
    with pytest.raises(InputError, match="at least one row"):
        two.sample(TABLE, 0)
