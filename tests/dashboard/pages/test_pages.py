"""What holds for every page: it is calm whatever happens, and says what to do next."""

import errno
import logging
import shutil

import pytest
from streamlit.config import get_option

from rugboard.runs.home import Home
from rugboard.runs.plan import Plan
from rugboard.shell import guard
from rugboard.shell.guard import guarded
from rugcore.errors import InputError
from tests.dashboard.conftest import Open, TrainNow, is_calm, texts

PAGES = ("start", "data", "train", "rules", "applicants", "fairness", "compare")


@pytest.mark.parametrize("name", PAGES)
def test_every_page_opens_without_a_run(open_page: Open, name: str) -> None:
    app = open_page(name)
    assert is_calm(app)
    assert app.title


@pytest.mark.parametrize("name", PAGES)
def test_every_page_opens_with_a_trained_run(
    open_page: Open, train_now: TrainNow, mortgage_plan: Plan, name: str
) -> None:
    app = open_page(name, run=train_now(mortgage_plan))
    assert is_calm(app)
    assert app.query_params["run"]


@pytest.fixture
def _routed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "is_routed", lambda: True)


@pytest.mark.usefixtures("_routed")
def test_a_refusal_is_a_sentence(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(guard.st, "error", lambda text, **_: shown.append(text))

    @guarded
    def refuse() -> None:
        raise InputError("Column *a* is empty.")

    refuse()
    assert shown == [r"Column \*a\* is empty\."]
    assert not caplog.records


@pytest.mark.usefixtures("_routed")
def test_anything_else_is_an_apology_and_a_line_in_the_log(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(guard.st, "error", lambda text, **_: shown.append(text))

    @guarded
    def break_down() -> None:
        raise KeyError("secret")

    with caplog.at_level(logging.ERROR):
        break_down()
    assert shown == [guard.SORRY]
    assert caplog.records[0].exc_info is not None


@pytest.mark.usefixtures("_routed")
@pytest.mark.parametrize(("number", "words"), [(errno.ENOSPC, "disk is full"), (errno.EROFS, "cannot be written to")])
def test_trouble_with_the_disk_is_a_sentence(
    number: int, words: str, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(guard.st, "error", lambda text, **_: shown.append(text))
    home.make()

    @guarded
    def write() -> None:
        raise OSError(number, "as the system says it")

    write()
    assert words in shown[0]
    shutil.rmtree(home.root)
    write()
    assert "is gone" in shown[1]


def test_garbage_is_not_collected_after_every_script_run() -> None:
    """A full collection costs up to 200 ms each time: two watchers of a training would take a whole core."""
    assert get_option("runner.postScriptGC") is False


def test_without_a_model_the_result_pages_say_where_to_go(open_page: Open) -> None:
    for name in ("rules", "fairness"):
        assert "No model yet" in texts(open_page(name))
