"""Watching a training costs next to nothing, however many do."""

import pytest

from rugboard.runs.plan import Plan
from rugboard.runs.store import RunStore
from rugboard.session import watching
from rugboard.session.watching import SECONDS_A_DRAWING, SHARE_OF_A_CORE, SharedAnswer, Watchers


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_many_watchers_take_no_more_than_their_share() -> None:
    clock = Clock()
    for n_watchers in (1, 2, 5, 20, 50, 200):
        crowd = Watchers(clock)
        pace = max(crowd.pace(f"visitor {number}", 0.5) for number in range(n_watchers))
        assert n_watchers * SECONDS_A_DRAWING / pace <= SHARE_OF_A_CORE
        assert pace <= max(0.5, 2 * n_watchers * SECONDS_A_DRAWING / SHARE_OF_A_CORE)


def test_who_left_is_not_counted() -> None:
    clock = Clock()
    crowd = Watchers(clock)
    for number in range(50):
        crowd.pace(f"visitor {number}", 0.5)
    clock.now += 60.0
    assert crowd.pace("visitor 0", 0.5) == 0.5


def test_one_look_at_the_store_serves_everybody() -> None:
    clock, asked = Clock(), []
    shared = SharedAnswer(lambda: asked.append(clock.now) or len(asked), clock)
    assert [shared.get() for _ in range(50)] == [1] * 50
    clock.now += 0.5
    assert shared.get() == 2
    assert len(asked) == 2


def test_an_error_is_not_kept() -> None:
    answers = iter([ZeroDivisionError, None])

    def ask() -> int:
        if (error := next(answers)) is not None:
            raise error
        return 1

    shared = SharedAnswer(ask)
    with pytest.raises(ZeroDivisionError):
        shared.get()
    assert shared.get() == 1


def test_fifty_who_watch_a_run_ask_the_store_once(
    store: RunStore, mortgage_plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = store.create(mortgage_plan)
    asked: list[str] = []
    real = RunStore.get
    monkeypatch.setattr(RunStore, "get", lambda self, wanted: asked.append(wanted) or real(self, wanted))
    assert {watching.look(run_id).run.id for _ in range(50)} == {run_id}
    assert asked == [run_id]
