"""The work behind the frontier: it goes on while somebody looks, waits for visitors, and tells what went wrong."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from rugboard.fairness import frontier
from rugboard.fairness.frontier import Frontier, held, steps
from rugboard.session.adjustments import AS_TRAINED
from rugcore.errors import InputError

RESULTS: Any = SimpleNamespace()
EPSILONS = (0.01, 0.02, 0.05)


@pytest.fixture(autouse=True)
def own_worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The server's worker may still be busy with a frontier that the test of a page has begun."""
    with ThreadPoolExecutor(max_workers=1) as worker:
        monkeypatch.setattr(frontier, "_worker", lambda: worker)
        yield


def be_idle() -> None:
    frontier._worker().submit(lambda: None).result(timeout=30)


@pytest.fixture
def answer_with(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[float], Any]], list[float]]:
    """Points that are made by a function of epsilon; the list tells which were asked for."""

    def use(make: Callable[[float], Any]) -> list[float]:
        asked: list[float] = []
        made_for_pages = frontier._point

        def point(results: Any, change: Any, epsilon: float) -> Any:
            if results is not RESULTS:  # the server's worker goes on with a frontier that a page has begun
                return made_for_pages(results, change, epsilon)
            asked.append(epsilon)
            return make(epsilon)

        monkeypatch.setattr(frontier, "_point", point)
        return asked

    return use


def test_every_point_is_made_once_and_shown_in_order(answer_with: Callable[..., list[float]]) -> None:
    asked = answer_with(lambda epsilon: f"at {epsilon}")
    work = Frontier(AS_TRAINED, EPSILONS, start=0.02)
    assert not work.is_begun
    for _ in range(3):
        work.go_on(RESULTS)
        be_idle()
    assert work.is_complete
    assert work.points == ["at 0.01", "at 0.02", "at 0.05"]
    assert asked == [0.02, 0.01, 0.05]  # the neighbours of the start come next


def test_without_anybody_looking_the_work_pauses_and_goes_on_later(
    answer_with: Callable[..., list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    work = Frontier(AS_TRAINED, EPSILONS, start=0.02)

    def forget(epsilon: float) -> str:
        work._last_look -= 2 * frontier.PATIENCE
        return f"at {epsilon}"

    answer_with(forget)
    work.go_on(RESULTS)
    be_idle()
    assert len(work.points) == 1
    work.go_on(RESULTS)
    be_idle()
    assert len(work.points) == 2


def test_a_refusal_in_the_background_is_told_at_every_look(answer_with: Callable[..., list[float]]) -> None:
    def refuse(epsilon: float) -> None:
        raise InputError("No rules are left.")

    asked = answer_with(refuse)
    work = Frontier(AS_TRAINED, EPSILONS, start=0.02)
    work.go_on(RESULTS)
    be_idle()
    for _ in range(2):
        with pytest.raises(InputError, match="No rules are left"):
            work.go_on(RESULTS)
    assert asked == [0.02]


def test_a_visitor_who_waits_for_a_model_comes_first(
    answer_with: Callable[..., list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answer_with(lambda epsilon: f"at {epsilon}")
    is_waiting, wait = Event(), frontier._wait_until_free

    def tell_and_wait() -> None:
        is_waiting.set()
        wait()

    monkeypatch.setattr(frontier, "_wait_until_free", tell_and_wait)
    work = Frontier(AS_TRAINED, EPSILONS, start=0.02)
    with held():
        work.go_on(RESULTS)
        assert is_waiting.wait(timeout=30)
        assert asked == []
    be_idle()
    assert work.is_complete


def test_the_limits_tried_include_those_somebody_chose() -> None:
    assert 0.033 in steps(0.033)
    assert list(steps(0.033)) == sorted(steps(0.033))
