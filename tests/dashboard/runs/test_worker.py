"""What the worker does with a run, here without a process of its own."""

from collections.abc import Callable
from typing import Any, ClassVar
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from rugboard.runs import worker
from rugboard.runs.errors import RunError
from rugboard.runs.opening import open_results
from rugboard.runs.plan import FAIR, Plan
from rugboard.runs.records import Run
from rugboard.runs.store import RunStore
from rugboard.setup.charts import objective
from rugcore import RUGClassifier
from rugcore.errors import InputError

MakePlan = Callable[..., Plan]


class FairStandIn:
    """Takes what the fair model takes, and notes it; what it learns is not the point here."""

    given: ClassVar[dict[str, Any]] = {}

    def __init__(
        self, *, fairness: str, epsilon: float, guarantee: str, positive_class: object, **settings: Any
    ) -> None:
        own = {"fairness": fairness, "epsilon": epsilon, "guarantee": guarantee, "positive_class": positive_class}
        self.given.update(own, **settings)
        self._model = RUGClassifier(**settings)

    def fit(self, X: Any, y: Any, sensitive_features: Any) -> None:
        self.given["groups"] = sensitive_features
        self._model.fit(X, y)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    load = RUGClassifier.load


def broken(error: Exception) -> Callable[..., Mock]:
    """A kind of model that fails in a chosen way."""
    return Mock(return_value=Mock(fit=Mock(side_effect=error)))


@pytest.fixture
def use_model(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Any], None]:
    """Put another model in the place of one, for the worker and for whoever opens the results."""

    def use(name: str, model: Any) -> None:
        from rugboard.runs import results

        known = results.model_class
        for module in (worker, results):
            monkeypatch.setattr(module, "model_class", lambda wanted: model if wanted == name else known(wanted))

    return use


def done(store: RunStore, plan: Plan, meanwhile: Callable[[str], object] = str) -> Run:
    """Do a run in this process."""
    run_id = store.create(plan)
    store.home.run_folder(run_id).mkdir(parents=True, exist_ok=True)
    assert store.claim(run_id, slots=99)
    meanwhile(run_id)
    assert worker.main(run_id) == 0
    return store.get(run_id)


def test_a_run_gives_a_model_that_opens_again(store: RunStore, make_plan: MakePlan) -> None:
    run = done(store, make_plan(max_iter=3))
    assert (run.status, run.error, run.notes) == ("finished", None, ())
    results = open_results(store, run.id)
    summary = results.summaries["rug"]
    assert results.rug.score(results.X_test, results.y_test) == pytest.approx(summary.test_accuracy)
    assert results.rug.score(results.X_train, results.y_train) == pytest.approx(summary.train_accuracy)
    assert (len(results.X_train), len(results.X_test)) == (summary.train_rows, summary.test_rows)
    assert len(results.rug.rules_) == summary.rules
    assert [item.number for item in store.rounds(run.id)] == list(range(summary.rounds))


def test_a_proof_is_kept_with_the_run_and_drawn(store: RunStore, make_plan: MakePlan) -> None:
    plan = make_plan(max_iter=1, max_depth=1, penalty=20.0, pricing="exact")
    run = done(store, plan)
    summary = store.summaries(run.id)["rug"]
    assert (run.error, summary.stop_reason) == (None, "converged")
    assert summary.proof_gap == pytest.approx(0.0, abs=1e-6)
    rounds = store.rounds(run.id)
    assert rounds[0].lower_bound is None
    assert rounds[-1].lower_bound == pytest.approx(rounds[-1].objective)
    cost, bound = objective(rounds, plan.max_iter).data
    assert (cost.name, bound.name, bound.line.dash) == ("RUG", "RUG, at least", "dot")
    assert list(bound.y) == [record.lower_bound for record in rounds if record.lower_bound is not None]


def test_the_test_rows_are_a_fifth_in_the_proportions_of_the_outcomes(store: RunStore, make_plan: MakePlan) -> None:
    results = open_results(store, done(store, make_plan(max_iter=0)).id)
    assert results.is_test.mean() == pytest.approx(0.2, abs=0.001)
    shares = [part.value_counts(normalize=True).sort_index() for part in (results.y_train, results.y_test)]
    np.testing.assert_allclose(*shares, atol=0.002)


def test_the_same_plan_gives_the_same_model(store: RunStore, make_plan: MakePlan) -> None:
    first, second = (open_results(store, done(store, make_plan(max_iter=3)).id) for _ in range(2))
    assert [str(rule) for rule in first.rug.rules_] == [str(rule) for rule in second.rug.rules_]
    assert first.is_test.tolist() == second.is_test.tolist()


def test_a_column_can_be_of_another_kind(store: RunStore, make_plan: MakePlan) -> None:
    name = "unemployment rate in industry"
    results = open_results(store, done(store, make_plan(max_iter=1, kinds={name: "category"})).id)
    assert name in results.rug.schema_.names_of("code")


def test_the_fair_model_gets_what_the_plan_says(
    store: RunStore, make_plan: MakePlan, use_model: Callable[[str, Any], None]
) -> None:
    use_model(FAIR, FairStandIn)
    plan = make_plan(sensitive=("single", "African American"), fairness="eop", epsilon=0.1, max_iter=2)
    run = done(store, plan)
    assert run.error is None
    results = open_results(store, run.id)
    given = FairStandIn.given
    assert (given["fairness"], given["epsilon"], given["guarantee"]) == ("eop", 0.1, "realised")
    assert given["positive_class"] == "approved"
    assert given["max_iter"] == 2
    expected = results.data.groups[~results.is_test]
    pd.testing.assert_series_equal(given["groups"], expected)
    assert set(results.summaries) == {"rug", "fair"}
    assert len(results.fair.rules_) == results.summaries["fair"].rules
    assert {item.model for item in store.rounds(run.id)} == {"rug", "fair"}


def test_a_model_that_was_trained_before_a_failure_stays(
    store: RunStore, make_plan: MakePlan, use_model: Callable[[str, Any], None]
) -> None:
    use_model(FAIR, broken(InputError("The groups are too small.")))
    run = done(store, make_plan(sensitive=("single",), max_iter=1))
    assert (run.status, run.error) == ("failed", "The groups are too small.")
    results = open_results(store, run.id)
    assert len(results.rug.rules_) > 0
    with pytest.raises(RunError, match="no trained model 'fair'"):
        results.model(FAIR)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (InputError("Say what you mean."), "Say what you mean."),
        (MemoryError(), "more memory than there is"),
        (OSError(28, "No space left on device"), "The disk is full"),
        (KeyError("secret of a stranger"), "internal error (KeyError)"),
    ],
    ids=lambda item: type(item).__name__,
)
def test_an_error_becomes_a_sentence(
    error: Exception, words: str, store: RunStore, make_plan: MakePlan, use_model: Callable[[str, Any], None]
) -> None:
    use_model("rug", broken(error))
    run = done(store, make_plan())
    assert run.status == "failed"
    assert run.error is not None
    assert words in run.error
    assert "secret" not in run.error
    with pytest.raises(RunError, match="no trained model"):
        open_results(store, run.id)


def test_a_damaged_plan_fails_with_its_reason(store: RunStore, make_plan: MakePlan) -> None:
    run = done(store, make_plan(), meanwhile=lambda _: store._changed("UPDATE runs SET plan = '{'"))
    assert run.status == "failed"
    assert run.error is not None
    assert "damaged" in run.error


def test_data_that_is_gone_fails_with_its_reason(store: RunStore, make_plan: MakePlan) -> None:
    plan = make_plan()
    run = done(store, plan, meanwhile=lambda _: store.snapshots.remove(plan.snapshot))
    assert run.error is not None
    assert "gone or damaged" in run.error


def test_a_column_that_is_not_there_is_named(store: RunStore, make_plan: MakePlan) -> None:
    run = done(store, make_plan(features=("height",)))
    assert run.error == "The data has no column 'height'. Choose the columns again."


def test_a_run_cancelled_before_it_began_writes_nothing(store: RunStore, make_plan: MakePlan) -> None:
    run = done(store, make_plan(), meanwhile=store.ask_to_cancel)
    assert run.status == "cancelled"
    assert list(store.home.run_folder(run.id).iterdir()) == [store.home.record(run.id)]


def test_a_run_cancelled_between_its_models_keeps_neither(
    store: RunStore, make_plan: MakePlan, use_model: Callable[[str, Any], None]
) -> None:
    class Cancelling(FairStandIn):
        def fit(self, X: Any, y: Any, sensitive_features: Any) -> None:
            store.ask_to_cancel(store.runs()[0].id)
            super().fit(X, y, sensitive_features)

    use_model(FAIR, Cancelling)
    run = done(store, make_plan(sensitive=("single",), max_iter=1))
    assert run.status == "cancelled"
    assert store.summaries(run.id) == {}
    assert list(store.home.run_folder(run.id).iterdir()) == [store.home.record(run.id)]


def test_a_run_that_nobody_claimed_is_not_done(store: RunStore, make_plan: MakePlan) -> None:
    run_id = store.create(make_plan())
    assert worker.main(run_id) == 1
    assert store.get(run_id).status == "queued"
