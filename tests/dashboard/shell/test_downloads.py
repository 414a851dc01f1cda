"""Files on offer: how long they can be fetched, what is kept of them, and what the server answers."""

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import pytest
from starlette.applications import Starlette
from streamlit.testing.v1 import AppTest

from rugboard.shell import downloads, offers
from rugboard.shell.offers import SECONDS_KEPT, Content, Offers
from tests.dashboard.conftest import offered_files


@dataclass
class Clock:
    """Goes on only when told to."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shop(clock: Clock) -> Offers:
    return Offers(clock=clock)


def put(shop: Offers, content: Content, *, visitor: str = "ada", place: str = "rules", name: str = "rules.csv") -> str:
    return shop.offer(visitor, place, name, "text/csv", content)


def get(shop: Offers, token: str) -> bytes | None:
    found = shop.find(token)
    return None if found is None else shop.fetch(found)


# -- how long ----------------------------------------------------------------------------------------------


def test_a_link_outlives_every_redraw_by_anybody(shop: Offers) -> None:
    first = put(shop, b"first")
    for number in range(50):
        put(shop, f"later {number}")
        put(shop, f"other {number}", visitor="bob")
    assert get(shop, first) == b"first"


def test_the_same_file_keeps_its_link_and_another_gets_another(shop: Offers) -> None:
    token = put(shop, b"same")
    assert put(shop, b"same") == token
    assert put(shop, "same") == token
    others = [
        put(shop, b"else"),
        put(shop, b"same", visitor="bob"),
        put(shop, b"same", place="else"),
        put(shop, b"same", name="else.csv"),
    ]
    assert len({token, *others}) == 5
    assert len(token) >= 32  # too long to be guessed


def test_a_link_ends_half_an_hour_after_its_last_offer(shop: Offers, clock: Clock) -> None:
    token = put(shop, b"content")
    clock.now += SECONDS_KEPT
    assert put(shop, b"content") == token
    clock.now += SECONDS_KEPT
    assert get(shop, token) == b"content"
    clock.now += 1
    assert get(shop, token) is None
    assert get(shop, put(shop, b"content")) == b"content"  # a page that is drawn again offers it again


def test_what_an_open_page_shows_never_ends(clock: Clock) -> None:
    shop = Offers(lambda visitor: visitor == "ada", clock)
    old, shown, gone = put(shop, b"old"), put(shop, b"shown"), put(shop, b"gone", visitor="bob")
    clock.now += 10 * SECONDS_KEPT
    put(shop, b"more", visitor="eve")
    assert [get(shop, token) for token in (old, shown, gone)] == [None, b"shown", None]


# -- how much ----------------------------------------------------------------------------------------------


def test_the_oldest_go_when_there_are_too_many(shop: Offers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers, "MOST_FILES", 3)
    tokens = [put(shop, str(number)) for number in range(3)]
    assert put(shop, "0") == tokens[0]  # offered again, and so the youngest
    put(shop, "3")
    assert [get(shop, token) for token in tokens] == [b"0", None, b"2"]


def test_the_oldest_go_when_they_are_too_large(shop: Offers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers, "MOST_BYTES", 10)
    first, second = put(shop, b"12345"), put(shop, b"67890")
    large = put(shop, b"x" * 100)  # too large by itself, and still given to whoever asked for it
    assert [get(shop, token) for token in (first, second)] == [None, None]
    assert get(shop, large) == b"x" * 100


def test_what_is_made_counts_as_well(shop: Offers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers, "MOST_BYTES", 10)
    slow, quick = put(shop, lambda: b"x" * 8), put(shop, b"12345")
    assert get(shop, slow) == b"x" * 8
    assert get(shop, quick) is None


def test_functions_are_few(shop: Offers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers, "MOST_FUNCTIONS", 2)
    held = [[number] for number in range(3)]
    tokens = [put(shop, text_of(thing)) for thing in held]
    assert [get(shop, token) for token in tokens] == [None, b"[1]", b"[2]"]


def text_of(thing: object) -> Callable[[], str]:
    return lambda: str(thing)


# -- made when fetched -------------------------------------------------------------------------------------


def test_a_file_is_made_at_the_first_fetch_and_once(shop: Offers) -> None:
    made: list[int] = []

    def make() -> str:
        time.sleep(0.05)  # so that all of them wait for it
        made.append(1)
        return "slow"

    token = put(shop, make)
    assert made == []
    found: list[bytes | None] = []
    threads = [threading.Thread(target=lambda: found.append(get(shop, token))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [b"slow"] * 5
    assert made == [1]


def test_a_function_is_the_same_if_it_works_on_the_same_things(shop: Offers) -> None:
    thing = ["a list"]
    assert put(shop, text_of(thing)) == put(shop, text_of(thing))
    assert put(shop, text_of("words")) == put(shop, text_of("".join(["wo", "rds"])))
    assert put(shop, text_of(thing)) != put(shop, text_of(["a list"]))  # equal now, and perhaps not later
    assert put(shop, text_of(1)) != put(shop, text_of(True))


def test_a_failure_is_not_kept(shop: Offers) -> None:
    answers: list[Any] = [ValueError("no"), "yes"]

    def make() -> str:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return str(answer)

    token = put(shop, make)
    with pytest.raises(ValueError, match="no"):
        get(shop, token)
    assert get(shop, token) == b"yes"


# -- over the network --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: str


def ask(address: str, method: str = "GET") -> Answer:
    """What the server answers, without a network."""
    sent: list[dict[str, Any]] = []
    scope = {"type": "http", "method": method, "path": address, "headers": [], "query_string": b""}

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    def serve() -> None:
        asyncio.run(Starlette(routes=downloads.routes())(scope, receive, send))

    thread = threading.Thread(target=serve)  # in this one a browser of another test may run
    thread.start()
    thread.join()
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], headers, b"".join(part.get("body", b"") for part in sent[1:]).decode())


def offer(content: Content, name: str = "rules.csv") -> str:
    return downloads.address_of(downloads.OFFERS.offer("ada", "test", name, "text/csv", content))


def test_a_file_comes_with_its_name_and_is_kept_nowhere_else() -> None:
    answer = ask(offer(b"a,b\n1,2\n", 'größe "1"\r\n.csv'))
    assert (answer.status, answer.body) == (200, "a,b\n1,2\n")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-type"].startswith("text/csv")
    kind, simple, full = answer.headers["content-disposition"].split("; ")
    assert kind == "attachment"
    assert simple == 'filename="gr__e _1___.csv"'
    assert unquote(full.removeprefix("filename*=UTF-8''")) == 'größe "1"\r\n.csv'


def test_an_unknown_file_is_a_sentence() -> None:
    answer = ask(downloads.address_of("guessed"))
    assert answer.status == 404
    assert "Reload the page" in answer.body
    assert "content-disposition" not in answer.headers


def test_a_file_that_cannot_be_made_is_a_sentence(caplog: pytest.LogCaptureFixture) -> None:
    def make() -> str:
        raise RuntimeError("the secret of the server")

    answer = ask(offer(make))
    assert answer.status == 500
    assert "could not be made" in answer.body
    assert "secret" not in answer.body
    assert "the secret of the server" in caplog.text


def test_files_are_only_read() -> None:
    assert ask(offer(b"content"), "POST").status == 405


# -- the button --------------------------------------------------------------------------------------------


def test_a_button_offers_its_file_and_a_disabled_one_none() -> None:
    def page() -> None:
        from rugboard.shell.downloads import show_file

        show_file("Now", "text", "now.json", "now", help_text="A file")
        show_file("Later", lambda: b"made", "later.html", "later", kind="tertiary")
        show_file("Never", b"nothing", "never.csv", "never", disabled=True)

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert offered_files(app) == {"Now": b"text", "Later": b"made"}
    now, later, never = (item.proto for item in app.get("link_button"))
    assert (now.type, later.type, never.type) == ("secondary", "tertiary", "secondary")
    assert now.help == "A file"
    assert never.disabled
    assert never.url == "#"
    again = AppTest.from_function(page).run()
    assert next(item.proto.url for item in again.get("link_button")) == now.url
