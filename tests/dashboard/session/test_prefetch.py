"""What is worked out before anybody asks is what the pages ask for."""

import pytest

from rugboard import features
from rugboard.applicants import cached as applicants
from rugboard.applicants.cached import ChosenModel
from rugboard.rules import cached as rules
from rugboard.runs.plan import Plan
from rugboard.runs.store import RunStore
from rugboard.session import evaluations, explainers, lightgbm, prefetch, server
from rugboard.session.adjustments import AS_TRAINED
from tests.dashboard.conftest import TrainNow

WARM_UP = prefetch.warm_up  # no test warms up by itself: see conftest


def finish() -> None:
    prefetch._worker().submit(lambda: None).result()


def test_the_pages_find_everything_done(
    train_now: TrainNow, mortgage_plan: Plan, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = train_now(mortgage_plan)
    results = server.results(run_id)
    features.register()
    monkeypatch.setattr(prefetch, "MANY_ROWS", 10_000)
    prefetch.look_ahead(store.get(run_id), results)
    finish()

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("This was to be worked out already.")

    for module, name in ((rules.RuleStatistics, "of"), (evaluations, "judge"), (lightgbm, "trained")):
        monkeypatch.setattr(module, name, fail)
    for name in ("FlipFinder", "ReasonFinder"):
        monkeypatch.setattr(applicants, name, fail)
    for model in ("rug", "fair"):
        assert rules.current_statistics(results, model).rules == results.model(model).rules_
        assert evaluations.evaluate(results, model, AS_TRAINED).n_rules == len(results.model(model).rules_)
    assert explainers.of_lightgbm(results, "rug", AS_TRAINED) is not None
    assert applicants.finder(ChosenModel(results, "rug", AS_TRAINED)) is not None
    assert applicants.reason_finder(ChosenModel(results, "rug", AS_TRAINED)) is not None


def test_a_large_table_waits_until_somebody_asks(
    train_now: TrainNow, mortgage_plan: Plan, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = train_now(mortgage_plan)
    worked = []
    monkeypatch.setattr(prefetch, "_work", worked.append)
    monkeypatch.setattr(prefetch, "MANY_ROWS", 2_379)  # the table has one more
    prefetch.look_ahead(store.get(run_id), server.results(run_id))
    finish()
    assert not worked


def test_what_fails_at_the_start_holds_nothing_up(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    done: list[str] = []
    monkeypatch.setattr(prefetch, "_at_start", {})
    prefetch.register_at_start("first", lambda: 1 / 0)
    prefetch.register_at_start("second", lambda: done.append("old"))
    prefetch.register_at_start("second", lambda: done.append("new"))
    WARM_UP()
    assert done == ["new"]
    assert "Warming up first failed" in caplog.text


def test_a_run_that_goes_away_meanwhile_is_no_error(
    train_now: TrainNow, mortgage_plan: Plan, store: RunStore, caplog: pytest.LogCaptureFixture
) -> None:
    run_id = train_now(mortgage_plan)
    results = server.results(run_id)
    features.register()
    store.delete(run_id)
    prefetch._work(results)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
