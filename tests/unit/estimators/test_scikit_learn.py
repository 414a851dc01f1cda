"""FairRUGClassifier among scikit-learn's own tools: its checks, its routing of groups, its searches and displays."""

import warnings
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.calibration import CalibrationDisplay, calibration_curve
from sklearn.compose import make_column_transformer
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from rugcore import FairnessWarning, FairRUGClassifier, RUGClassifier, error_rate_gap, make_loans

# --- scikit-learn's checks ------------------------------------------------------------------------------------------


class WithGroups(FairRUGClassifier):
    """scikit-learn's checks know nothing of groups: every row here brings its own, by what stands in it.

    Equal rows are in one group, wherever they stand and however often, so that the checks of weights and of the order
    of rows mean something. Some checks use a single row over and over: there, every second is in the other group.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "WithGroups":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FairnessWarning)  # on rows of pure noise no model need be fair
            return super().fit(X, y, sample_weight, sensitive_features=groups_of(X, y))


def groups_of(X: Any, y: Any) -> np.ndarray:
    rows = np.asarray(X, dtype=object)
    if rows.ndim != 2:
        return np.array(["a"])  # not a table, which is what fit says before it looks at groups
    by_content = np.array(["ab"[crc32(repr([str(cell) for cell in row]).encode()) % 5 % 2] for row in rows])
    labels = np.asarray(y, dtype=object).ravel().tolist()
    n_cells = len(set(zip(labels, by_content.tolist(), strict=False)))
    return by_content if n_cells == 2 * len(set(labels)) else np.resize(["a", "b"], len(rows))


@parametrize_with_checks(
    [
        WithGroups(epsilon=0.2, min_cell_size=1, max_iter=3),
        WithGroups(epsilon=0.1, min_cell_size=1, max_iter=3, fairness="odm"),
        WithGroups(epsilon=0.1, min_cell_size=1, max_iter=3, guarantee="proxy"),
    ]
)
def test_scikit_learn_s_own_checks(estimator: Any, check: Any) -> None:
    """One exception: chances know more than the margin, so they need not rank rows as `decision_function` does."""
    if check.func.__name__ == "check_decision_proba_consistency":
        pytest.skip("predict_proba is not a function of the margin")
    check(estimator)


def test_without_groups_every_check_passes_or_hears_that_they_are_missing() -> None:
    results = check_estimator(FairRUGClassifier(), on_fail=None, on_skip=None)
    passed = [result["check_name"] for result in results if result["status"] == "passed"]
    failed = [result for result in results if result["status"] == "failed"]
    assert {"check_estimator_cloneable", "check_parameters_default_constructible"} <= set(passed)
    assert failed
    for result in failed:
        assert "Expected sensitive_features" in all_messages(result["exception"]), result["check_name"]


def all_messages(error: BaseException | None) -> str:
    return "" if error is None else f"{error} {all_messages(error.__cause__ or error.__context__)}"


# --- Groups on their way to fit and to scorers ----------------------------------------------------------------------


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """The score says more about group a than about group b. The rows have numbers of their own."""
    rng = np.random.default_rng(0)
    group = rng.choice(["a", "b"], 600)
    score = rng.normal(0, 1, 600).round(1)
    is_good = score + rng.normal(0, np.where(group == "b", 1.5, 0.3)) > 0
    frame = {"score": score, "noise": rng.normal(0, 1, 600).round(1), "group": group}
    return pd.DataFrame(frame | {"good": np.where(is_good, "yes", "no")}, index=np.arange(600) + 1_000)


def gap_scorer(**settings: Any) -> Any:
    scorer = make_scorer(error_rate_gap, greater_is_better=False, min_cell_size=5, **settings)
    return scorer.set_score_request(sensitive_features=True)


def fair(**settings: Any) -> FairRUGClassifier:
    model = FairRUGClassifier(max_depth=2, max_iter=2, epsilon=0.05, **settings)
    return model.set_fit_request(sensitive_features=True)


COLUMNS = ["score", "noise"]
FOLDS = StratifiedKFold(3)


def kinds_of_groups(people: pd.DataFrame) -> list[Any]:
    return [people["group"], people["group"].to_numpy(), people["group"].tolist(), people[["group"]]]


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("kind", range(4))
def test_cross_validation_takes_the_groups_of_every_fold_along(people: pd.DataFrame, kind: int) -> None:
    groups = kinds_of_groups(people)[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        found = cross_validate(
            fair(),
            people[COLUMNS],
            people["good"],
            scoring={"accuracy": "accuracy", "gap": gap_scorer()},
            params={"sensitive_features": groups},
            cv=FOLDS,
            return_estimator=True,
            error_score="raise",
        )
    for (train, test), model, gap in zip(
        FOLDS.split(people, people["good"]), found["estimator"], found["test_gap"], strict=True
    ):
        rows = people.iloc[test]
        decided = model.predict(rows[COLUMNS])
        by_hand = error_rate_gap(rows["good"], decided, sensitive_features=rows["group"], min_cell_size=5)
        assert gap == pytest.approx(-by_hand)
        assert sum(cell.n_rows for cell in model.fairness_.cells) == len(train)
        assert model.groups_ == ("a", "b")


@pytest.mark.usefixtures("routing")
def test_a_search_chooses_by_the_gap_and_fits_with_groups(people: pd.DataFrame) -> None:
    search = GridSearchCV(
        fair(),
        {"epsilon": [0.05, 1.0]},
        scoring={"gap": gap_scorer(), "accuracy": "accuracy"},
        refit="gap",
        cv=FOLDS,
        error_score="raise",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        search.fit(people[COLUMNS], people["good"], sensitive_features=people["group"])
    mean = search.cv_results_["mean_test_gap"]
    assert search.best_params_["epsilon"] == [0.05, 1.0][int(np.argmax(mean))]
    assert search.best_estimator_.fairness_.epsilon == search.best_params_["epsilon"]
    score = search.score(people[COLUMNS], people["good"], sensitive_features=people["group"])
    decided = search.predict(people[COLUMNS])
    gap = error_rate_gap(people["good"], decided, sensitive_features=people["group"], min_cell_size=5)
    assert score == pytest.approx(-gap)


@pytest.mark.usefixtures("routing")
def test_a_gap_that_cannot_be_measured_is_ranked_last(people: pd.DataFrame) -> None:
    """With a cell size that no fold has, every model is as good as unknown."""
    scorer = make_scorer(error_rate_gap, greater_is_better=False, min_cell_size=10_000)
    scorer.set_score_request(sensitive_features=True)
    search = GridSearchCV(fair(), {"epsilon": [0.5, 1.0]}, scoring=scorer, cv=FOLDS, refit=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(people[COLUMNS], people["good"], sensitive_features=people["group"])
    assert np.isnan(search.cv_results_["mean_test_score"]).all()


@pytest.mark.usefixtures("routing")
def test_groups_and_weights_pass_through_a_pipeline(people: pd.DataFrame) -> None:
    scaled = make_column_transformer(
        (StandardScaler().set_fit_request(sample_weight=False), COLUMNS), verbose_feature_names_out=False
    )
    model = fair(fairness="odm").set_fit_request(sensitive_features=True, sample_weight=True)
    pipeline = make_pipeline(scaled.set_output(transform="pandas"), model)
    weight = np.linspace(0.5, 1.5, len(people))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        pipeline.fit(people[COLUMNS], people["good"], sensitive_features=people["group"], sample_weight=weight)
    assert pipeline[-1].fairness_.notion == "odm"
    assert set(pipeline[-1].rules_.features()) <= set(COLUMNS)


# --- Displays -------------------------------------------------------------------------------------------------------


def test_shares_can_be_held_against_outcomes() -> None:
    """What a calibration display draws, without the package that draws it."""
    loans = make_loans(2_000, random_state=0)
    model = RUGClassifier(max_depth=2, max_iter=3, random_state=0).fit(loans.X, loans.y)
    is_second = (loans.y == model.classes_[1]).to_numpy()
    share, predicted = calibration_curve(is_second, model.predict_proba(loans.X)[:, 1], n_bins=5)
    assert len(share) == len(predicted) >= 2
    assert share[-1] > share[0]


def test_scikit_learn_s_calibration_display_fits() -> None:
    pytest.importorskip("matplotlib")
    loans = make_loans(500, random_state=0)
    model = RUGClassifier(max_depth=2, max_iter=2, random_state=0).fit(loans.X, loans.y)
    display = CalibrationDisplay.from_estimator(model, loans.X, loans.y, pos_label=model.classes_[1])
    assert len(display.y_prob) == 500
