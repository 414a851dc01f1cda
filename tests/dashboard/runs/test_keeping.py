"""Models that a visitor re-weighted, kept as a run: its files, its plan, and that it lives on without its origin."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from rugboard.runs import locks, worker
from rugboard.runs.errors import RunError
from rugboard.runs.keeping import keep_models
from rugboard.runs.opening import open_results
from rugboard.runs.plan import Origin, Plan
from rugboard.runs.records import FINISHED
from rugboard.runs.results import Results
from rugboard.runs.runner import Runner
from rugboard.runs.store import RunStore
from rugcore import audit
from tests.dashboard.runs.conftest import DEMO, MakePlan


@pytest.fixture
def results(store: RunStore, make_plan: MakePlan) -> Results:
    features = tuple(DEMO.X.columns.drop(list(DEMO.sensitive_options)))
    run_id = store.create(make_plan(sensitive=(DEMO.sensitive,), features=features, max_iter=4), "first")
    store.home.run_folder(run_id).mkdir(parents=True, exist_ok=True)
    with locks.exclusive(store.home.lifeline(run_id)):
        assert store.claim(run_id, slots=9)
        assert worker.main(run_id) == 0
    return open_results(store, run_id)


def test_a_kept_run_decides_as_the_re_weighted_models_and_outlives_its_origin(
    store: RunStore, results: Results, make_runner: Callable[..., Runner]
) -> None:
    left_out = results.rug.rules_[0]
    models = {"rug": results.rug.refit(penalty=8.0, without=[left_out]), "fair": results.fair.refit(epsilon=0.2)}
    (results.folder / "wording.json").write_text("{}")
    run_id = keep_models(store, results, models, {"rug": ("price 8",), "fair": ()}, "  my own  ")
    store.delete(results.run.id)
    make_runner().sweep()  # as after a restart of the server

    kept = open_results(store, run_id)
    assert (kept.run.name, kept.run.status, kept.plan.models) == ("my own", FINISHED, ("rug", "fair"))
    np.testing.assert_array_equal(kept.is_test, results.is_test)
    for name, model in models.items():
        np.testing.assert_array_equal(kept.model(name).predict(results.data.X), model.predict(results.data.X))
    # What was left out stays out, whatever the price is set to later.
    again = kept.rug.refit(penalty=results.plan.penalty)
    assert (left_out.conditions, left_out.label) not in {(rule.conditions, rule.label) for rule in again.rules_}
    assert (kept.folder / "wording.json").read_text() == "{}"
    assert len(store.rounds(run_id)) > 0


def test_the_plan_says_where_a_kept_run_comes_from(store: RunStore, results: Results) -> None:
    models = {"rug": results.rug.refit(penalty=8.0), "fair": results.fair.refit(epsilon=0.2)}
    plan = store.get(keep_models(store, results, models, {"rug": ("price 8",), "fair": ()}, "kept")).plan
    assert plan.origin == Origin(results.run.id, "first", {"rug": ("price 8",)}, {"rug": 8.0, "fair": 3.0})
    assert (plan.penalty_of("rug"), plan.penalty_of("fair"), plan.epsilon) == (8.0, 3.0, 0.2)
    assert replace(plan, origin=None, penalty=results.plan.penalty, epsilon=results.plan.epsilon) == results.plan
    deeper = replace(plan, origin=replace(plan.origin, before=plan.origin))
    assert Plan.from_json(deeper.to_json()) == deeper


def test_the_summaries_are_those_of_the_kept_models(store: RunStore, results: Results) -> None:
    model = results.rug.refit(penalty=8.0)
    kept = open_results(store, keep_models(store, results, {"rug": model}, {"rug": ("price 8",)}, "kept"))
    summary, decided = kept.summaries["rug"], model.predict(results.X_test)
    assert summary.test_accuracy == pytest.approx(np.mean(decided == results.y_test.to_numpy(dtype=object)))
    assert (summary.rules, summary.test_rows) == (len(model.rules_), len(decided))
    groups = results.data.groups[results.is_test]
    found = audit(results.y_test, decided, sensitive_features=groups, positive_class=results.plan.favourable)
    assert summary.test_gap == pytest.approx(found.gaps.loc["dmc", "gap"], nan_ok=True)


def test_what_cannot_be_kept_leaves_nothing_behind(store: RunStore, results: Results) -> None:
    before = set((store.home.root / "runs").iterdir())
    with pytest.raises(RunError, match="name"):
        keep_models(store, results, {"rug": results.rug}, {}, "   ")
    assert set((store.home.root / "runs").iterdir()) == before
    assert len(store.runs()) == 1
