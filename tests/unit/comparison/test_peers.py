"""Other kinds of model on the user's own table: text, blanks, values never seen."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rugcore import InputError, PeerClassifier
from rugcore.comparison import PEERS, default_peers
from rugcore.comparison.features import FeatureEncoder
from rugcore.tables.table import read_table
from tests.tables import mixed_outcome, mixed_table

SMALL = {
    "logistic regression": {},
    "decision tree": {},
    "random forest": {"n_estimators": 10},
    "AdaBoost": {"n_estimators": 10},
    "LightGBM": {"n_estimators": 10},
}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return mixed_table(300)


@pytest.fixture(scope="module")
def target(table: pd.DataFrame) -> pd.Series:
    return mixed_outcome(table)


def peer(kind: str, **changes: object) -> PeerClassifier:
    return PeerClassifier(kind, settings=SMALL[kind], **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", PEERS)
def test_every_kind_learns_from_text_and_blanks(kind: str, table: pd.DataFrame, target: pd.Series) -> None:
    model = peer(kind).fit(table, target)
    shares = model.predict_proba(table)
    assert shares.shape == (len(table), 3)
    assert shares.sum(axis=1) == pytest.approx(1.0)
    assert set(model.predict(table)) <= set(target)
    assert (model.predict(table) == target).mean() > (target == target.mode()[0]).mean()
    assert model.fit_seconds_ > 0


@pytest.mark.parametrize("kind", PEERS)
def test_new_values_and_new_blanks_do_not_stop_a_prediction(kind: str, table: pd.DataFrame, target: pd.Series) -> None:
    model = peer(kind).fit(table, target)
    other = table.head(4).copy()
    other["purpose"] = pd.array(["a yacht", None, "car", "another yacht"], dtype="str")
    other["region"] = pd.Categorical(["moon", None, "north", "mars"])
    other["income"] = [np.nan, 1e12, -5.0, 0.0]  # there was no blank in training
    other["branch"] = pd.Categorical([99, 7, None, 12])
    assert len(model.predict(other)) == 4
    yachts = model.predict_proba(other.assign(purpose=pd.array(["x", "y", "car", "z"], dtype="str")))
    assert yachts[[0, 3]] == pytest.approx(model.predict_proba(other)[[0, 3]])  # one new value is like another


@pytest.mark.parametrize("kind", PEERS)
def test_the_same_seed_gives_the_same_model(kind: str, table: pd.DataFrame, target: pd.Series) -> None:
    first, second = peer(kind, random_state=3), peer(kind, random_state=3, n_jobs=2)
    assert np.array_equal(first.fit(table, target).predict_proba(table), second.fit(table, target).predict_proba(table))


def test_a_clone_is_untrained_and_equal(table: pd.DataFrame) -> None:
    for name, model in default_peers(random_state=7, n_jobs=2).items():
        assert model.kind == name
        assert clone(model).get_params() == model.get_params()


def test_a_column_without_a_value_is_left_out(table: pd.DataFrame, target: pd.Series) -> None:
    model = peer("LightGBM").fit(table.assign(empty=None), target)
    assert "empty" not in model.encoder_.names
    assert np.array_equal(model.predict(table.assign(empty=3)), model.predict(table.assign(empty="x")))


def test_the_encoder_looks_at_the_training_rows_only() -> None:
    train = pd.DataFrame({"n": [1.0, 2.0, 9.0], "text": ["a", "b", "b"]})
    encoder = FeatureEncoder.fit(read_table(train))
    test = read_table(pd.DataFrame({"n": [np.nan, 4.0, 1.0], "text": ["c", None, "a"]}))
    expected = np.array([[np.nan, 3], [4, 0], [1, 2]])  # b is the most frequent; 0 is a blank, 3 any other
    assert np.array_equal(encoder.codes(test), expected, equal_nan=True)
    # n with its median for a blank; then blank, b, a
    assert encoder.indicators(test).tolist() == [[2, 0, 0, 0], [4, 1, 0, 0], [1, 0, 0, 1]]
    assert encoder.origins.tolist() == [0, 1, 1, 1]


def test_one_row_is_encoded_as_in_a_table(table: pd.DataFrame, target: pd.Series) -> None:
    model = peer("LightGBM").fit(table, target)
    codes = model.encoder_.codes(model.schema_.read(table))
    for row in range(30):
        own = model.encoder_.codes_of_row(model.schema_.cells(table.iloc[row]))
        assert np.array_equal(own[0], codes[row], equal_nan=True)


@pytest.mark.parametrize("changes", [{"kind": "oracle"}, {"n_jobs": 0}, {"n_jobs": -1}])
def test_what_cannot_be_trained_is_refused(changes: dict[str, object], table: pd.DataFrame, target: pd.Series) -> None:
    with pytest.raises(InputError):
        PeerClassifier().set_params(**changes).fit(table, target)
