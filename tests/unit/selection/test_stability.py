"""Rules that made the labels come back on every sample; rules about nothing do not."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from rugcore import FairRUGClassifier, InputError, RUGClassifier, make_loans, rule_stability
from rugcore.estimators import RuleClassifier
from rugcore.selection import stability, stability_in_words

COLUMNS = [
    "rule",
    "label",
    "weight",
    "recurs",
    "recurs_low",
    "recurs_high",
    "recurs_exactly",
    "weight_mean",
    "weight_low",
    "weight_high",
    "best_overlap",
]


@pytest.fixture(scope="module")
def loans() -> Any:
    return make_loans(3_000, 8, noise=0.0, missing=0.0, random_state=1)


@pytest.fixture(scope="module")
def planted(loans: Any) -> RUGClassifier:
    return RUGClassifier(max_depth=2, penalty=3.0).fit(loans.X, loans.y)


@pytest.fixture(scope="module")
def found(loans: Any, planted: RUGClassifier) -> pd.DataFrame:
    return rule_stability(planted, loans.X, loans.y, n_samples=10)


@pytest.fixture(scope="module")
def noise() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    return pd.DataFrame(rng.normal(size=(300, 5)), columns=list("abcde")), rng.integers(0, 2, 300)


def test_planted_rules_come_back(loans: Any, planted: RUGClassifier, found: pd.DataFrame) -> None:
    """A rule of the model that covers whom a planted one covers is the truth, and every sample should find it."""
    coverage = planted.covering_rules(loans.X).toarray()
    n_true = 0
    for rule in loans.planted:
        is_planted = rule.matches(loans.X)
        shares = (coverage & is_planted[:, None]).sum(axis=0) / (coverage | is_planted[:, None]).sum(axis=0)
        for number in np.flatnonzero((shares > 0.97) & (found["label"] == rule.label).to_numpy()):
            n_true += 1
            assert found["recurs"][number] >= 0.8, found["rule"][number]
            assert found["best_overlap"][number] > 0.9
    assert n_true >= 3
    assert found.attrs["decision_agreement"] > 0.97
    assert found.attrs["agreement_with_model"] > 0.97


def test_rules_about_nothing_do_not_come_back(noise: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = noise
    frame = rule_stability(RUGClassifier(max_depth=3, penalty=1.0).fit(X, y), X, y, n_samples=10)
    assert len(frame) > 5
    assert frame["recurs"].mean() < 0.2
    assert frame["recurs"].max() <= 0.6
    assert frame.attrs["decision_agreement"] < 0.85


def test_a_line_a_rule_with_intervals(planted: RUGClassifier, found: pd.DataFrame) -> None:
    assert list(found.columns) == COLUMNS
    own = planted.rules_.to_frame()
    for name in ("rule", "label", "weight"):
        assert found[name].tolist() == own[name].tolist()
    for line in found.itertuples():
        interval = binomtest(round(line.recurs * 10), 10).proportion_ci(0.95, method="wilson")
        assert (line.recurs_low, line.recurs_high) == pytest.approx((interval.low, interval.high), abs=1e-9)
        assert line.recurs_exactly <= line.recurs
        assert 0 <= line.best_overlap <= 1
        if line.recurs:
            assert line.weight_low <= line.weight_mean <= line.weight_high
        else:
            assert np.isnan([line.weight_mean, line.weight_low, line.weight_high]).all()


def test_agreement_is_what_pairs_say(noise: tuple[pd.DataFrame, np.ndarray], monkeypatch: pytest.MonkeyPatch) -> None:
    """All samples' models are caught, and every pair of them is compared row by row, rule by rule."""
    X, y = noise
    model = RUGClassifier(max_depth=2, penalty=3.0).fit(X, y)
    samples: list[RuleClassifier] = []
    original = stability.trained

    def caught(*given: Any) -> Any:
        samples.append(original(*given))
        return samples[-1]

    monkeypatch.setattr(stability, "trained", caught)
    frame = rule_stability(model, X, y, n_samples=4)
    decided = [sample.predict(X) for sample in samples]
    pairs = [np.mean(one == two) for one, two in combinations(decided, 2)]
    assert frame.attrs["decision_agreement"] == pytest.approx(np.mean(pairs))
    own = model.predict(X)
    assert frame.attrs["agreement_with_model"] == pytest.approx(np.mean([np.mean(one == own) for one in decided]))
    exact = [
        np.mean([any((r.label, str(r)) == (rule.label, str(rule)) for r in sample.rules_) for sample in samples])
        for rule in model.rules_
    ]
    assert frame["recurs_exactly"].tolist() == pytest.approx(exact)


def test_samples_keep_the_shares_of_the_classes() -> None:
    codes = np.array([0] * 50 + [1] * 3 + [2] * 20)
    rng = np.random.default_rng(0)
    for _ in range(20):
        drawn = stability._sample(codes, rng)
        assert np.bincount(codes[drawn]).tolist() == [50, 3, 20]
    assert len(set(drawn.tolist())) < len(codes)  # with replacement


def test_one_seed_gives_one_result_and_the_model_stays_as_it_is(loans: Any, planted: RUGClassifier) -> None:
    before = planted.rules_.to_json()
    frames = [rule_stability(planted, loans.X, loans.y, n_samples=2, random_state=seed) for seed in (5, 5, 6)]
    pd.testing.assert_frame_equal(frames[0], frames[1])
    assert frames[0].attrs == frames[1].attrs
    assert frames[0].attrs != frames[2].attrs
    assert planted.rules_.to_json() == before


def test_a_callback_counts_and_ends_it(loans: Any) -> None:
    seen = []
    of_training: list[Any] = []
    model = RUGClassifier(max_depth=1, callback=of_training.append).fit(loans.X, loans.y)
    of_training.clear()

    def stop_at_two(done: int, total: int) -> bool:
        seen.append((done, total))
        return done < 2

    frame = rule_stability(model, loans.X, loans.y, n_samples=9, callback=stop_at_two)
    assert seen == [(1, 9), (2, 9)]
    assert (frame.attrs["n_samples"], frame.attrs["n_samples_asked"]) == (2, 9)
    assert "ended early: 9 were asked for" in stability_in_words(frame)[0]
    assert of_training == []  # the progress of a training is none of this
    assert set(frame["recurs"]) <= {0.0, 0.5, 1.0}
    alone = rule_stability(model, loans.X, loans.y, n_samples=1)
    assert np.isnan(alone.attrs["decision_agreement"])
    assert "nan" not in " ".join(stability_in_words(alone))


def test_rows_without_weight_are_absent(noise: tuple[pd.DataFrame, np.ndarray]) -> None:
    X, y = noise
    weight = np.where(np.arange(len(y)) < 200, 2.0, 0.0)
    model = RUGClassifier(max_depth=2).fit(X, y, weight)
    whole = rule_stability(model, X, y, n_samples=3, sample_weight=weight)
    part = rule_stability(model, X[:200], y[:200], n_samples=3, sample_weight=weight[:200])
    pd.testing.assert_frame_equal(whole, part)
    assert whole.attrs == part.attrs
    assert whole.attrs["n_rows"] == 200


def test_arrays_and_three_classes(noise: tuple[pd.DataFrame, np.ndarray]) -> None:
    X = noise[0].to_numpy()
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    frame = rule_stability(RUGClassifier(max_depth=1, penalty=3.0).fit(X, y), X, y, n_samples=3)
    assert set(frame["label"]) <= {0, 1, 2}
    assert frame["recurs"].max() == 1


def test_fair_models_are_trained_with_their_groups(loans: Any) -> None:
    X, who = loans.X.drop(columns="group"), loans.X["group"]
    fair = FairRUGClassifier(max_depth=2, max_iter=3, epsilon=0.05).fit(X, loans.y, sensitive_features=who)
    frame = rule_stability(fair, X, loans.y, n_samples=2, sensitive_features=who)
    assert len(frame) == len(fair.rules_)
    assert frame["recurs"].max() > 0
    with pytest.raises(InputError, match="Expected the sensitive_features that .* none came. Pass them"):
        rule_stability(fair, X, loans.y)


def test_refusals(loans: Any, planted: RUGClassifier) -> None:
    X, y = loans.X, loans.y
    with pytest.raises(NotFittedError):
        rule_stability(RUGClassifier(), X, y)
    with pytest.raises(InputError, match="Expected a trained RUGClassifier .* got LogisticRegression. Train"):
        rule_stability(LogisticRegression(), X, y)
    with pytest.raises(InputError, match="Expected n_samples to be a whole number, 1 or more, but got 0"):
        rule_stability(planted, X, y, n_samples=0)
    with pytest.raises(InputError, match="Expected no sensitive_features, .* Leave them out"):
        rule_stability(planted, X, y, sensitive_features=X["group"])
    with pytest.raises(InputError, match="Expected the outcomes that the model was trained on.*Pass the training rows"):
        rule_stability(planted, X, (y == "repaid").astype(int))
    with pytest.raises(InputError, match="Expected one label per row"):
        rule_stability(planted, X, y[:-1])
    with pytest.raises(InputError, match="Expected callback to be a function"):
        rule_stability(planted, X, y, callback=3)
    with pytest.raises(InputError, match="Expected random_state to be a whole number"):
        rule_stability(planted, X, y, random_state="today")
