"""What `predict_proba` says: calibrated, honest where nothing is known, and the same for the same rows."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, roc_auc_score

from rugcore import FairRUGClassifier, RUGClassifier, load_model, load_pool, save_pool
from rugcore.training.logistic import ridge_logistic, scaled_softmax
from rugcore.training.trust import dealt
from tests.tables import mixed_outcome, mixed_table

FILES = Path(__file__).resolve().parents[2] / "files" / "version_0_1"


def known(n_rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Rows with the chance that they were drawn with, and what was drawn."""
    generator = np.random.default_rng(seed)
    X = pd.DataFrame(generator.normal(size=(n_rows, 5)), columns=list("abcde"))
    chance = expit(1.5 * X["a"] - X["b"] + (X["c"] > 0.5)).to_numpy()
    return X, chance, (generator.random(n_rows) < chance).astype(int)


def three_classes(n_rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    X = pd.DataFrame(generator.normal(size=(n_rows, 4)), columns=list("abcd"))
    chance = softmax(2.0 * X[["a", "b", "c"]].to_numpy(), axis=1)
    drawn = (generator.random((n_rows, 1)) > np.cumsum(chance, axis=1)).sum(axis=1)
    return X, chance, np.array(["x", "y", "z"])[drawn]


def calibration_error(happened: np.ndarray, said: np.ndarray, n_bins: int = 10) -> float:
    number = np.minimum((said * n_bins).astype(int), n_bins - 1)
    bins = [number == place for place in range(n_bins) if (number == place).any()]
    return float(sum(abs(said[rows].mean() - happened[rows].mean()) * rows.mean() for rows in bins))


# --- Against chances that are known -------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_rows", "most"), [(300, 0.1), (1_000, 0.06), (6_000, 0.06)])
def test_what_is_said_happens_as_often(n_rows: int, most: float) -> None:
    """300 rows are few: over five draws of them the calibration error was .04, .04, .04, .05 and .08."""
    X, _, y = known(n_rows, seed=0)
    test, chance, happened = known(20_000, seed=1)
    model = RUGClassifier(penalty=2.0, max_iter=8).fit(X, y)
    said, shares = model.predict_proba(test)[:, 1], model.decisions(test).shares[:, 1]
    assert calibration_error(happened, said) < most
    if n_rows >= 1_000:
        assert calibration_error(happened, said) < 0.6 * calibration_error(happened, shares)
    assert brier_score_loss(happened, said) < brier_score_loss(happened, shares)
    assert np.abs(said - chance).mean() < np.abs(shares - chance).mean()


@pytest.mark.parametrize("n_rows", [300, 6_000])
def test_rows_are_ranked_no_worse_than_by_margin(n_rows: int) -> None:
    X, _, y = known(n_rows, seed=2)
    test, _, happened = known(20_000, seed=3)
    model = RUGClassifier(penalty=2.0, max_iter=8).fit(X, y)
    by_margin = roc_auc_score(happened, model.decision_function(test))
    assert roc_auc_score(happened, model.predict_proba(test)[:, 1]) >= by_margin - 0.002


def test_three_classes_are_calibrated_each() -> None:
    X, _, y = three_classes(1_500, seed=0)
    test, chance, happened = three_classes(10_000, seed=1)
    model = RUGClassifier(penalty=2.0, max_iter=8).fit(X, y)
    said, shares = model.predict_proba(test), model.decisions(test).shares
    for code, label in enumerate(model.classes_):
        error = calibration_error(happened == label, said[:, code])
        assert error < 0.1
        assert error < calibration_error(happened == label, shares[:, code])
    assert np.abs(said - chance).mean() < np.abs(shares - chance).mean()


def test_noise_is_hardly_believed() -> None:
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(400, 6)), generator.integers(0, 2, 400)
    model = RUGClassifier(penalty=0.5, max_iter=8).fit(X, y)
    said = model.predict_proba(generator.normal(size=(2_000, 6)))[:, 1]
    assert np.abs(said - 0.5).mean() < 0.12
    assert model.score(X, y) > 0.7  # though the rules fit the rows they were found on


def test_a_fair_model_is_calibrated_better_than_its_shares() -> None:
    X, _, y = known(1_000, seed=4)
    test, _, happened = known(20_000, seed=5)
    model = FairRUGClassifier(epsilon=0.05, penalty=2.0, max_iter=6)
    model.fit(X, y, sensitive_features=np.where(X["d"] > 0, "p", "q"))
    said, shares = model.predict_proba(test)[:, 1], model.decisions(test).shares[:, 1]
    assert calibration_error(happened, said) < 0.08
    assert calibration_error(happened, said) < 0.6 * calibration_error(happened, shares)


# --- Properties -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model() -> RUGClassifier:
    table = mixed_table()
    return RUGClassifier(max_iter=5, penalty=0.3, max_depth=2).fit(table, mixed_outcome(table))


def test_lines_add_up_and_nothing_is_certain(model: RUGClassifier) -> None:
    for rows in (mixed_table(), mixed_table(400, seed=9, blanks=0.4)):
        chances = model.predict_proba(rows)
        np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-12)
        assert chances.min() > 0.0
        assert chances.max() < 1.0


def test_nothing_is_certain_where_classes_are_apart() -> None:
    X = np.arange(6_000.0)[:, None]
    chances = RUGClassifier().fit(X, X[:, 0] > 2_500).predict_proba(X)
    assert chances.min() > 0.0
    assert chances.max() < 1.0


def test_the_decided_class_has_the_highest_chance(model: RUGClassifier) -> None:
    for rows in (mixed_table(), mixed_table(400, seed=9, blanks=0.4)):
        highest = model.classes_[model.predict_proba(rows).argmax(axis=1)]
        np.testing.assert_array_equal(highest, model.predict(rows))


def test_uncovered_rows_get_the_shares_of_their_like_drawn_to_those_of_all() -> None:
    X = pd.DataFrame({"x": [1.0] * 40 + [2.0] * 60})
    y = ["few"] * 40 + ["many"] * 60
    model = RUGClassifier(penalty=0.01).fit(X, y)
    blank = pd.DataFrame({"x": [np.nan]})
    np.testing.assert_allclose(model.predict_proba(blank), [[0.4, 0.6]])  # no such row was seen
    heavy = RUGClassifier(penalty=1_000.0).fit(X, y)
    assert len(heavy.rules_) == 0
    np.testing.assert_allclose(heavy.predict_proba(X), [[0.4, 0.6]] * 100)


def test_the_order_of_rows_makes_no_difference() -> None:
    X, _, y = known(400, seed=6)
    order = np.random.default_rng(0).permutation(400)
    one, two = RUGClassifier(max_iter=4).fit(X, y), RUGClassifier(max_iter=4).fit(X.iloc[order], y[order])
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), rtol=1e-9)


def test_a_row_of_weight_two_is_a_row_twice() -> None:
    X, _, y = known(300, seed=7)
    X = X.round(1)
    is_doubled = np.arange(300) % 3 == 0
    twice = RUGClassifier(max_iter=4).fit(pd.concat([X, X[is_doubled]]), np.concatenate([y, y[is_doubled]]))
    weighted = RUGClassifier(max_iter=4).fit(X, y, sample_weight=1.0 + is_doubled)
    np.testing.assert_allclose(twice.predict_proba(X), weighted.predict_proba(X), rtol=1e-7)


def test_equal_rows_share_a_fold_and_every_class_is_in_all() -> None:
    generator = np.random.default_rng(0)
    different, class_codes = generator.integers(0, 60, 500), generator.integers(0, 3, 500)
    different = np.unique(different, return_inverse=True)[1]
    fold = dealt(different, class_codes)
    for number in range(different.max() + 1):
        assert len(set(fold[different == number])) == 1
    assert all(set(fold[class_codes == code]) == set(range(5)) for code in range(3))


def test_whoever_stops_training_need_not_wait_for_folds() -> None:
    X, _, y = known(400, seed=8)
    seen: list[int] = []

    def stop(round_: object) -> bool:
        seen.append(1)
        return len(seen) < 2

    model = RUGClassifier(callback=stop).fit(X, y)
    assert len(seen) == 2  # the folds do not report
    assert model.chances_ is not None
    assert model.chances_.trust.scale == 1.0


def test_a_class_with_a_single_row_is_no_obstacle() -> None:
    X, _, y = known(200, seed=9)
    labels = np.where(np.arange(200) == 17, 2, y)
    chances = RUGClassifier(max_iter=3).fit(X, labels).predict_proba(X)
    assert chances.shape == (200, 3)
    assert chances.min() > 0.0


# --- Refitting and files --------------------------------------------------------------------------------------------


def test_a_refit_has_chances_of_its_own(model: RUGClassifier) -> None:
    table = mixed_table()
    before = model.predict_proba(table)
    other = model.refit(penalty=20.0)
    assert other.rules_ != model.rules_
    assert other.chances_ is not None
    assert other.chances_.evidence.effect.shape == (len(other.rules_), 3)
    np.testing.assert_allclose(other.predict_proba(table).sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict_proba(table), before)
    np.testing.assert_allclose(model.refit().predict_proba(table), before, rtol=1e-6)


def test_chances_survive_files_and_pickles(model: RUGClassifier, tmp_path: Path) -> None:
    rows = mixed_table(200, seed=4, blanks=0.2)
    model.save(tmp_path / "m.json")
    save_pool(model, tmp_path / "m.pool")
    loaded = RUGClassifier.load(tmp_path / "m.json")
    for other in (loaded, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(rows), model.predict_proba(rows))
    load_pool(loaded, tmp_path / "m.pool")
    np.testing.assert_allclose(
        loaded.refit(penalty=2.0).predict_proba(rows), model.refit(penalty=2.0).predict_proba(rows), rtol=1e-7
    )


def test_an_earlier_model_says_the_shares_of_weight(tmp_path: Path) -> None:
    from rugcore import load_demo

    demo = load_demo("hmda")
    rows = demo.X.head(200).drop(columns=list(demo.sensitive_options))
    model = load_model(FILES / "rug.json")
    assert model.chances_ is None
    np.testing.assert_array_equal(model.predict_proba(rows), model.decisions(rows).shares)
    model.save(tmp_path / "again.json")
    assert load_model(tmp_path / "again.json").chances_ is None
    load_pool(model, FILES / "rug.pool")
    assert model.refit(penalty=2.0).predict_proba(rows).min() > 0.0


# --- The regressions below ------------------------------------------------------------------------------------------


def test_the_ridge_regression_is_that_of_scikit_learn() -> None:
    generator = np.random.default_rng(0)
    features = generator.random((300, 8)) < 0.3
    target = (generator.random(300) < expit(features @ generator.normal(size=8) - 0.3)).astype(float)
    weight = generator.integers(1, 4, 300).astype(float)
    found = ridge_logistic(sparse.csr_array(features), target, weight, 8.0)
    mean = weight @ target / weight.sum()
    imaginary = np.vstack([features, np.zeros((2, 8))])
    peer = LogisticRegression(C=1 / 8.0, tol=1e-10, max_iter=10_000).fit(
        imaginary, np.concatenate([target, [1.0, 0.0]]), np.concatenate([weight, [mean, 1.0 - mean]])
    )
    np.testing.assert_allclose(found, np.concatenate([peer.intercept_, peer.coef_[0]]), atol=1e-5)


def test_a_scale_that_was_there_is_found() -> None:
    generator = np.random.default_rng(0)
    evidence = generator.normal(size=(40_000, 3))
    truth = softmax(0.6 * evidence + [0.3, 0.0, -0.3], axis=1)
    drawn = (generator.random((40_000, 1)) > np.cumsum(truth, axis=1)).sum(axis=1)
    scale, shift = scaled_softmax(evidence, drawn, np.ones(40_000), 0.1)
    assert scale == pytest.approx(0.6, abs=0.03)
    np.testing.assert_allclose(shift - shift.mean(), [0.3, 0.0, -0.3], atol=0.05)
