"""What is worked out before anybody asks is what the pages ask for."""

import pytest

from tests.app.conftest import TrainNow
from ui import ahead, applicant_known, fairness_standing, peers, rule_known, shared
from ui.applicant_known import Chosen
from ui.resolved import AS_TRAINED
from ui.runs.plan import Plan
from ui.runs.store import RunStore


def finish() -> None:
    ahead._worker().submit(lambda: None).result()


def test_the_pages_find_everything_done(
    train_now: TrainNow, mortgage_plan: Plan, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = train_now(mortgage_plan)
    results = shared.results(run_id)
    monkeypatch.setattr(ahead, "MANY_ROWS", 10_000)
    ahead.look_ahead(store.get(run_id), results)
    finish()

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("This was to be known already.")

    for module, name in ((rule_known.RuleFacts, "of"), (fairness_standing, "judge"), (peers, "trained")):
        monkeypatch.setattr(module, name, fail)
    monkeypatch.setattr(applicant_known, "FlipFinder", fail)
    for model in ("rug", "fair"):
        assert rule_known.facts(results, model).rules == results.model(model).rules_
        assert fairness_standing.standing(results, model, AS_TRAINED).n_rules == len(results.model(model).rules_)
    assert peers.explainer(results) is not None
    assert applicant_known.finder(Chosen(results, "rug", AS_TRAINED)) is not None


def test_a_large_table_waits_until_somebody_asks(
    train_now: TrainNow, mortgage_plan: Plan, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = train_now(mortgage_plan)
    worked = []
    monkeypatch.setattr(ahead, "_work", worked.append)
    monkeypatch.setattr(ahead, "MANY_ROWS", 2_379)  # the table has one more
    ahead.look_ahead(store.get(run_id), shared.results(run_id))
    finish()
    assert not worked


def test_a_run_that_goes_away_meanwhile_is_no_error(
    train_now: TrainNow, mortgage_plan: Plan, store: RunStore, caplog: pytest.LogCaptureFixture
) -> None:
    run_id = train_now(mortgage_plan)
    results = shared.results(run_id)
    store.delete(run_id)
    ahead._work(results)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
