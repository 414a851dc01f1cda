"""Settings: measured as scikit-learn measures them, chosen as a reader of the figures would choose."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import ShuffleSplit, StratifiedKFold, cross_val_score

from rugcore import (
    FairRUGClassifier,
    InputError,
    RUGClassifier,
    RugError,
    SettingsCurve,
    SettingsPoint,
    choose_settings,
    error_rate_gap,
    make_loans,
)

GRID = {"depths": (1, 2), "penalties": (1, 10)}


@pytest.fixture(scope="module")
def loans() -> Any:
    return make_loans(1_200, 8, random_state=2)


@pytest.fixture(scope="module")
def curve(loans: Any) -> SettingsCurve:
    return choose_settings(loans.X, loans.y, **GRID, cv=4, random_state=7)


def test_accuracies_are_those_of_scikit_learn(loans: Any, curve: SettingsCurve) -> None:
    """Every setting is a training of its own, so that nothing but rounding may differ."""
    folds = StratifiedKFold(4, shuffle=True, random_state=7)
    assert [(point.depth, point.penalty) for point in curve.points] == [(1, 1), (1, 10), (2, 1), (2, 10)]
    always = cross_val_score(DummyClassifier(), loans.X, loans.y, cv=folds)
    for point in curve.points:
        model = RUGClassifier(max_depth=point.depth, penalty=point.penalty)
        expected = cross_val_score(model, loans.X, loans.y, cv=folds)
        assert point.fold_accuracy == pytest.approx(expected)
        assert point.accuracy == pytest.approx(expected.mean())
        assert point.standard_error == pytest.approx(pd.Series(expected).sem())
        assert point.fold_baseline == pytest.approx(always)


def test_what_there_is_to_read_is_that_of_fresh_trainings(loans: Any, curve: SettingsCurve) -> None:
    sizes = []
    for train, _ in StratifiedKFold(4, shuffle=True, random_state=7).split(loans.X, loans.y):
        rules = RUGClassifier(max_depth=2, penalty=1).fit(loans.X.iloc[train], loans.y.iloc[train]).rules_.to_frame()
        sizes.append((len(rules), rules["length"].sum()))
    assert (curve.points[2].n_rules, curve.points[2].n_conditions) == pytest.approx(tuple(np.mean(sizes, axis=0)))


def test_the_lead_has_the_corrected_error(curve: SettingsCurve) -> None:
    """Nadeau and Bengio: the variance of the differences times (1/k + test rows / training rows)."""
    point = curve.points[0]
    differences = np.array(point.fold_accuracy) - np.array(point.fold_baseline)
    assert point.lead == pytest.approx(differences.mean())
    assert point.lead_error**2 == pytest.approx(differences.var(ddof=1) * (1 / 4 + 1 / 3))


def test_planted_rules_beat_the_baseline_and_noise_does_not(curve: SettingsCurve) -> None:
    assert curve.beats_baseline
    assert "Warning" not in str(curve)
    beating = 0
    for seed, share in enumerate((0.5, 0.5, 0.8, 0.5, 0.8)):
        rng = np.random.default_rng(seed)
        noise = choose_settings(rng.normal(size=(300, 4)), (rng.random(300) < share).astype(int), **GRID)
        beating += noise.beats_baseline
        warning = "Warning: always saying the most common outcome is right in"
        assert (warning in str(noise)) != noise.beats_baseline
    assert beating <= 1  # two standard errors are passed by chance now and then: in 1 of 24 tables of noise


def test_one_seed_gives_one_curve(loans: Any, curve: SettingsCurve) -> None:
    again = choose_settings(loans.X, loans.y, **GRID, cv=4, random_state=7)
    pd.testing.assert_frame_equal(curve.to_frame(), again.to_frame())
    other = choose_settings(loans.X, loans.y, **GRID, cv=4, random_state=8)
    assert not curve.to_frame().equals(other.to_frame())


# --- what is chosen -----------------------------------------------------------------------------------------------


def point(accuracy: float, n_rules: float, n_conditions: float, error: float = 0.01, depth: int = 1) -> SettingsPoint:
    """Two folds around the accuracy, so that their standard error is the given one."""
    return SettingsPoint(
        depth, n_rules, (accuracy - error, accuracy + error), (0.5, 0.5), n_rules, n_conditions, 1.0, float("nan")
    )


POINTS = (
    point(0.70, 2, 2),
    point(0.795, 4, 6),
    point(0.78, 5, 9),
    point(0.80, 10, 25),
    point(0.79, 11, 20),
    point(0.80, 40, 160),
)


def made(about_n_rules: float | None = None, points: tuple[SettingsPoint, ...] = POINTS) -> SettingsCurve:
    return SettingsCurve(points, RUGClassifier, {}, len(points), 2, 100, about_n_rules)


def test_the_best_and_the_least_to_read_within_one_standard_error() -> None:
    assert made().best is POINTS[3]  # of two equals the one with fewer conditions
    assert made().recommended is POINTS[1]
    narrow = tuple(replace(own, fold_accuracy=(own.accuracy, own.accuracy)) for own in POINTS)
    assert made(points=narrow).recommended.n_conditions == 25


@pytest.mark.parametrize(
    ("wished", "n_rules"),
    [(10, 10), (11, 10), (5, 4), (13, 10), (25, 11), (39, 40), (1_000, 40), (0, 2)],
)
def test_about_so_many_rules(wished: float, n_rules: float) -> None:
    """Within a quarter (or one rule) the most accurate, else the nearest."""
    assert made(wished).recommended.n_rules == n_rules


def test_undominated_is_what_comparing_all_pairs_says() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        points = tuple(point(a / 10, n, n) for a, n in rng.integers(1, 8, (12, 2)).tolist())
        found = made(points=points).undominated

        def beats(one: SettingsPoint, two: SettingsPoint) -> bool:
            no_worse = one.accuracy >= two.accuracy and one.n_conditions <= two.n_conditions
            return no_worse and (one.accuracy > two.accuracy or one.n_conditions < two.n_conditions)

        free = {(own.accuracy, own.n_conditions) for own in points if not any(beats(other, own) for other in points)}
        assert [(own.accuracy, own.n_conditions) for own in found] == sorted(free, key=lambda pair: pair[1])


# --- what comes out -----------------------------------------------------------------------------------------------


def test_a_frame_an_estimator_words_and_a_chart(loans: Any, curve: SettingsCurve) -> None:
    frame = curve.to_frame()
    assert len(frame) == 4
    assert frame["is_recommended"].sum() == frame["is_best"].sum() == 1
    assert frame["baseline"].nunique() == 1
    assert "gap" not in frame
    chosen = curve.recommended
    untrained = curve.estimator()
    assert type(untrained) is RUGClassifier
    assert (untrained.max_depth, untrained.penalty) == (chosen.depth, chosen.penalty)
    assert not hasattr(untrained, "rules_")
    assert curve.estimator(curve.points[0]).penalty == 1
    assert len(untrained.fit(loans.X, loans.y).rules_) > 0
    text = str(curve)
    assert text.startswith("4 settings, each measured on 4 folds of 1,200 rows")
    assert f"Take depth {chosen.depth}, penalty {chosen.penalty:g}" in text
    assert "recommended" in curve._repr_html_()
    figure = curve.plot()
    assert list(figure.data[0].x) == [point.n_conditions for point in curve.points]
    assert list(figure.data[2].y) == [chosen.accuracy]
    assert figure.layout.shapes[0].y0 == pytest.approx(chosen.baseline)
    assert figure.layout.yaxis.range[0] < chosen.baseline


def test_settings_reach_the_models(loans: Any) -> None:
    curve = choose_settings(loans.X, loans.y, depths=[2], penalties=[1], cv=2, max_iter=0, rule_cost="unit")
    assert curve.estimator().get_params()["max_iter"] == 0
    assert curve.estimator().rule_cost == "unit"
    folds = StratifiedKFold(2, shuffle=True, random_state=0)
    model = RUGClassifier(max_depth=2, max_iter=0, rule_cost="unit")
    assert curve.best.fold_accuracy == pytest.approx(cross_val_score(model, loans.X, loans.y, cv=folds))


def test_weights_weigh_accuracy_and_rows_without_are_absent(loans: Any) -> None:
    weight = np.where(np.arange(1_200) < 800, 1.0, 0.0)
    given = {"depths": [1], "penalties": [3], "cv": 3}
    whole = choose_settings(loans.X, loans.y, sample_weight=weight, **given)
    part = choose_settings(loans.X[:800], loans.y[:800], **given)
    assert whole.best.fold_accuracy == pytest.approx(part.best.fold_accuracy)
    assert whole.n_rows == 800
    heavy = np.where(loans.y == "repaid", 1.0, 9.0)
    curve = choose_settings(loans.X, loans.y, sample_weight=heavy, **given)
    is_common = 9 * (loans.y == "defaulted").sum() > (loans.y == "repaid").sum()
    assert is_common
    assert curve.best.baseline == pytest.approx(heavy[loans.y == "defaulted"].sum() / heavy.sum(), abs=0.01)


def test_a_splitter_of_scikit_learn(loans: Any) -> None:
    cv = ShuffleSplit(3, test_size=0.25, random_state=0)
    curve = choose_settings(loans.X, loans.y, depths=[1], penalties=[3], cv=cv)
    expected = cross_val_score(RUGClassifier(max_depth=1, penalty=3), loans.X, loans.y, cv=cv)
    assert curve.best.fold_accuracy == pytest.approx(expected)


def test_groups_make_the_models_fair_and_show_the_gap(loans: Any) -> None:
    X, who = loans.X.drop(columns="group"), loans.X["group"]
    given = {"max_iter": 2, "epsilon": 0.05, "fairness": "odm"}
    curve = choose_settings(X, loans.y, depths=[2], penalties=[3], cv=2, sensitive_features=who, **given)
    fair = curve.estimator()
    assert isinstance(fair, FairRUGClassifier)
    assert fair.epsilon == 0.05
    decided = pd.Series(index=X.index, dtype=object)
    for train, test in StratifiedKFold(2, shuffle=True, random_state=0).split(X, loans.y):
        fair.fit(X.iloc[train], loans.y.iloc[train], sensitive_features=who.iloc[train])
        decided.iloc[test] = fair.predict(X.iloc[test])
    gap = error_rate_gap(loans.y, decided, sensitive_features=who, fairness="odm")
    assert curve.to_frame()["gap"][0] == pytest.approx(gap)
    assert f"The largest gap between groups on rows not trained on: {gap:.3f}" in str(curve)


def test_a_callback_counts_and_ends_it(loans: Any) -> None:
    seen = []

    def stop_at(last: int) -> Any:
        def count(done: int, total: int) -> bool:
            seen.append((done, total))
            return done < last

        return count

    curve = choose_settings(loans.X, loans.y, **GRID, cv=2, callback=stop_at(5))
    assert seen == [(number, 8) for number in range(1, 6)]
    assert len(curve.points) == 2  # the third was measured on one of two folds
    assert not curve.is_complete
    assert "2 settings (ended early: 4 were asked for)" in str(curve)
    assert len(choose_settings(loans.X, loans.y, **GRID, cv=2, callback=stop_at(4)).points) == 2
    with pytest.raises(RugError, match="Expected to measure at least one setting"):
        choose_settings(loans.X, loans.y, **GRID, cv=2, callback=stop_at(1))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"depths": 3}, "Expected depths to be several numbers, such as .* but got 3. Put it in a list"),
        ({"depths": []}, "Expected at least one number in depths, but got none"),
        ({"depths": [0]}, "Expected every one of depths to be a whole number, 1 to 14, but got 0"),
        ({"penalties": [-1]}, "Expected every one of penalties to be a number, 0 or more, but got -1"),
        ({"cv": 1}, "Expected cv to be a whole number, 2 or more, but got 1"),
        ({"cv": "five"}, "Expected cv to be a whole number, 2 or more, but got 'five'"),
        ({"about_n_rules": -2}, "Expected about_n_rules to be a number, 0 or more, but got -2"),
        ({"max_depth": 3}, "Expected depths instead of max_depth"),
        ({"penalty": 3}, "Expected penalties instead of penalty"),
        ({"epsilon": 0.1}, "Expected parameters of RUGClassifier .* but got 'epsilon'"),
        ({"callback": 1}, "Expected callback to be a function"),
        ({"random_state": -1}, "Expected random_state to be a whole number"),
        ({"max_iter": -1}, "Expected max_iter to be a whole number, 0 or more"),
    ],
)
def test_refusals(given: dict[str, Any], sentence: str, loans: Any) -> None:
    with pytest.raises(InputError, match=sentence):
        choose_settings(loans.X, loans.y, **{**GRID, **given})


def test_a_rare_outcome_is_refused(loans: Any) -> None:
    y = loans.y.copy()
    y.iloc[:3] = "unknown"
    with pytest.raises(InputError, match="Expected at least 5 rows of every outcome.* but 'unknown' has 3. Take a sma"):
        choose_settings(loans.X, y)
