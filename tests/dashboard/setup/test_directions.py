"""Directions from the dictionary: kept in training, offered on Train, and what they cost."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from rugboard.runs.jobs import FINISHED
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Plan
from rugboard.runs.prepare import prepare, split
from rugboard.runs.store import RunStore
from rugboard.setup import directions_worker
from rugboard.setup.directions_job import DirectionsJob, DirectionsReport
from rugboard.setup.directions_words import cost_in_words, directions_in_words
from rugcore import RUGClassifier
from rugcore.dictionary import ColumnEntry, DataDictionary
from tests.dashboard.conftest import Open, TrainNow, texts
from tests.dashboard.pages.test_data import choose, draft

RATIO, SHOWN = "payments to income ratio", "debt service (share)"


@pytest.fixture
def directed(mortgage_plan: Plan) -> Plan:
    """More debt harms, and more unemployment too; the other columns are free."""
    known = {
        RATIO: ColumnEntry(label="debt service", unit="share", effect="harms"),
        "unemployment rate in industry": ColumnEntry(effect="harms", special={-9: "not told"}),
        "African American": ColumnEntry(protected=True, effect="helps"),
    }
    return replace(mortgage_plan, dictionary=DataDictionary(known), max_iter=3)


def test_only_what_rules_use_has_a_direction(directed: Plan) -> None:
    both = {SHOWN: -1, "unemployment rate in industry": -1}
    assert directed.directions() == directed.shown().directions() == both
    assert directed.shown().settings_of("rug")["monotonic_cst"] == both
    assert directed.shown().settings_of("rug")["special_values"] == {"unemployment rate in industry": {-9: "not told"}}
    assert replace(directed, keep_directions=False).shown().settings_of("fair")["monotonic_cst"] is None
    as_category = replace(directed, kinds={RATIO: "category"})
    assert list(as_category.directions()) == ["unemployment rate in industry"]


def test_what_harms_one_outcome_helps_the_other(directed: Plan) -> None:
    other = replace(directed, positive_class="denied").shown()
    assert other.settings_of("fair")["monotonic_cst"][SHOWN] == 1
    assert other.settings_of("fair")["positive_class"] == "denied"
    assert other.settings_of("rug")["monotonic_cst"][SHOWN] == -1
    assert other.settings_of("rug")["positive_class"] == "approved"


def test_more_debt_never_helps_in_a_run_with_directions(
    open_page: Open, train_now: TrainNow, directed: Plan, store: RunStore
) -> None:
    run_id = train_now(directed)
    results = open_results(store, run_id)
    people = results.X_test.head(60)
    for name in directed.models:
        model = results.model(name)
        favourable = [
            model.predict(people.assign(**{SHOWN: debt})) == results.plan.favourable for debt in np.linspace(0, 1.5, 16)
        ]
        assert (np.diff(np.array(favourable, dtype=int), axis=0) <= 0).all()
    assert f"Directions were kept. More of “{SHOWN}” and “unemployment rate in industry” harm." in texts(
        open_page("train", run=run_id)
    )


def test_directions_are_offered_and_can_be_declined(open_page: Open, train_now: TrainNow, directed: Plan) -> None:
    app = open_page("train", run=train_now(directed))
    assert next(item.label for item in app.toggle if "directions" in str(item.key)) == "Keep directions: 2 columns"
    app = choose(app, "toggle", "keep_directions", False)
    assert draft(app).to_plan().directions() == {}
    assert "From before you changed what columns mean." in texts(app)


def test_without_directions_nothing_is_offered(open_page: Open, train_now: TrainNow, mortgage_plan: Plan) -> None:
    app = open_page("train", run=train_now(mortgage_plan))
    assert not any("directions" in str(item.key) for item in app.toggle)
    assert "Directions" not in texts(app)


def test_the_cost_is_measured_on_rows_not_trained_on(directed: Plan, store: RunStore) -> None:
    """The same folds, trained here one by one."""
    plan = replace(directed, max_depth=1)
    job = DirectionsJob.of(store.home, plan)
    assert job == DirectionsJob.of(store.home, replace(plan, keep_directions=False, epsilon=0.3))
    job.folder.mkdir(parents=True)
    job.file("plan").write_text(plan.to_json())
    assert directions_worker.main(job.name) == 0
    progress = job.progress()
    assert progress.status == FINISHED
    assert progress.report is not None

    data = prepare(store.snapshots.load(plan.snapshot, plan.columns), plan)
    rows = split(data, plan).train
    X, y = data.X.iloc[rows], data.y.iloc[rows]
    folds = StratifiedKFold(5, shuffle=True, random_state=plan.split_seed)
    for directions, found in ((True, progress.report.with_them), (False, progress.report.without)):
        settings = replace(plan, keep_directions=directions).shown().rug_settings()
        right = [
            RUGClassifier(**settings).fit(X.iloc[train], y.iloc[train]).score(X.iloc[test], y.iloc[test])
            for train, test in folds.split(X, y)
        ]
        assert found == pytest.approx(right)


def test_words() -> None:
    amounts = {"income": 1, "debt": -1, "arrears": -1}
    assert directions_in_words(amounts) == "More of “income” helps; “debt” and “arrears” harm."
    words = directions_in_words({"rating": ("poor", "fair", "good")})
    assert words == "Best is “good” of “rating”."
    report = DirectionsReport(with_them=(0.7, 0.8), without=(0.74, 0.8), n_rows=1000)
    assert (report.cost, report.standard_error) == (pytest.approx(0.02), pytest.approx(0.02))
    assert cost_in_words(report).startswith(
        "RUG is right for 75.0 % with directions and 77.0 % without (-2.0 points, give or take 2.0)"
    )
