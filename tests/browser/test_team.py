"""A team in real browsers, signed in at a real OpenID provider: what one trains is hers until she shares it."""

import asyncio
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets
from playwright.sync_api import Browser, BrowserContext, Page
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from rugboard.runs.access_log import AccessLog
from rugboard.runs.home import VARIABLE, Home
from tests.browser.conftest import ROOT, SECONDS_TO_APPEAR, free_port, stop, wait_until_healthy
from tests.browser.patience import expect
from tests.browser.steps import TIMEOUT, click_until, expect_scorecard, file_button, go_to, press, settle

PEOPLE = {
    "ada": {"name": "Ada", "role": "analyst", "teams": ["risk"]},
    "bob": {"name": "Bob", "role": "analyst", "teams": ["risk"]},
    "eve": {"name": "Eve", "role": "auditor", "teams": ["audit"]},
    "root": {"name": "Root", "role": "administrator", "teams": []},
}
NO_SUCH_RUN = "There is no such run; perhaps it was deleted."
SECRETS = {name: secrets.token_hex(24) for name in ("RUG_OIDC_CLIENT_SECRET", "RUG_COOKIE_SECRET")}


@dataclass(frozen=True)
class Team:
    """A dashboard with sign-in."""

    address: str
    home: Home
    log: Path


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    import oidc_provider_mock

    folder, port = tmp_path_factory.mktemp("team"), free_port()
    found = Team(f"http://localhost:{port}", Home(folder / "home"), folder / "log.txt")
    with oidc_provider_mock.run_server_in_thread() as provider:
        issuer = f"http://localhost:{provider.server_port}"
        for sub, claims in PEOPLE.items():
            httpx.put(f"{issuer}/users/{sub}", json=claims).raise_for_status()
        environment = (
            os.environ
            | SECRETS
            | {
                VARIABLE: str(found.home.root),
                "RUG_OIDC_METADATA_URL": f"{issuer}/.well-known/openid-configuration",
                "RUG_OIDC_CLIENT_ID": "rug",
                "RUG_PUBLIC_URL": found.address,
                "RUG_LOG_FORMAT": "json",
            }
        )
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
        with found.log.open("w") as output:
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
        try:
            wait_until_healthy(found.address, process, found.log)
            yield found
        finally:
            stop(process)
    said = found.log.read_text()
    assert "Traceback" not in said
    assert not [name for name, value in SECRETS.items() if value in said]
    assert "oauth2callback?" not in said  # its address holds the code of a sign-in


@pytest.fixture(scope="module")
def browsers(browser: Browser) -> Iterator[list[BrowserContext]]:
    contexts: list[BrowserContext] = []
    yield contexts
    for context in contexts:
        with suppress(Exception):
            context.close()


def signed_in(browser: Browser, browsers: list[BrowserContext], team: Team, who: str) -> Page:
    """A window of somebody who has just signed in."""
    browsers.append(browser.new_context(viewport={"width": 1366, "height": 900}))
    browsers[-1].set_default_timeout(1000 * SECONDS_TO_APPEAR)
    page = browsers[-1].new_page()
    page.goto(team.address)
    sign_in(page, team, who)
    return page


def sign_in(page: Page, team: Team, who: str) -> None:
    press(page, "Sign in")
    page.locator("input[name=sub]").fill(who)
    page.get_by_role("button", name="Authorize").click()
    page.wait_for_url(f"{team.address}/**")
    expect(page.get_by_text(f"{PEOPLE[who]['name']} · {PEOPLE[who]['role']}")).to_be_visible()
    settle(page)


def open_rules(page: Page, team: Team, run_id: str) -> None:
    page.goto(f"{team.address}/rules?run={run_id}")
    settle(page)


def test_what_one_trains_is_hers_until_she_shares_it(
    team: Team, browser: Browser, browsers: list[BrowserContext], tmp_path: Path
) -> None:
    ada, bob, eve = (signed_in(browser, browsers, team, who) for who in ("ada", "bob", "eve"))
    press(ada, "Try it on consumer loans")
    expect_scorecard(ada, "rug", "fair")
    settle(ada)
    run_id = ada.url.partition("run=")[2].partition("&")[0]
    expect(ada.get_by_text("private").first).to_be_visible()

    # Bob cannot see, open or guess it.
    bob.reload()
    expect(bob.get_by_text("None yet.")).to_be_visible()
    open_rules(bob, team, run_id)
    expect(bob.get_by_text(NO_SUCH_RUN)).to_be_visible()

    # Nor fetch a file that was made for her.
    open_rules(ada, team, run_id)
    link = str(file_button(ada, "CSV").first.get_attribute("href"))
    with ada.expect_download() as waiting:
        file_button(ada, "CSV").first.click()
    assert "rule" in Path(waiting.value.path()).read_text(encoding="utf-8-sig").lower()
    address = link if link.startswith("http") else f"{team.address}/{link.lstrip('/')}"
    assert ada.request.get(address).status == HTTPStatus.OK
    assert bob.request.get(address).status == HTTPStatus.NOT_FOUND
    assert httpx.get(address).status_code == HTTPStatus.UNAUTHORIZED

    # She shares it with her team; Bob reads, and cannot rename or delete.
    ada.goto(f"{team.address}/?run={run_id}")
    settle(ada)
    share = ada.get_by_role("menuitem", name="Share").or_(ada.get_by_text("Share", exact=True)).first
    click_until(ada, ada.get_by_role("button", name="More"), shown=share)
    click_until(ada, share, shown=ada.get_by_role("combobox", name="Teams"))
    click_until(ada, ada.get_by_role("combobox", name="Teams"), shown=ada.get_by_role("option", name="risk"))
    ada.get_by_role("option", name="risk").click()
    ada.keyboard.press("Escape")
    ada.get_by_role("dialog").get_by_role("button", name="Share", exact=True).click()
    expect(ada.get_by_role("dialog")).to_have_count(0)
    open_rules(bob, team, run_id)
    expect(bob.get_by_text("shared by Ada, to read")).to_be_visible(timeout=TIMEOUT)
    bob.goto(f"{team.address}/?run={run_id}")
    expect(bob.get_by_role("heading", name="Runs")).to_be_visible()
    settle(bob)
    expect(bob.get_by_role("button", name="More")).to_have_count(0)

    # The auditor is not of that team.
    open_rules(eve, team, run_id)
    expect(eve.get_by_text(NO_SUCH_RUN)).to_be_visible()
    go_to(eve, "All reports")
    expect(eve.get_by_text("None yet.")).to_be_visible()
    eve.goto(team.address)
    expect(eve.get_by_text("your role is that of an auditor")).to_be_visible()
    expect(eve.get_by_role("button", name="Try it on consumer loans")).to_have_count(0)

    did = {(entry.person, entry.did) for entry in AccessLog(team.home.root).entries()}
    assert {
        ("ada", "signed in"),
        ("ada", "trained"),
        ("ada", "opened"),
        ("ada", "downloaded"),
        ("ada", "shared"),
    } <= did
    assert ("bob", "opened") in did
    assert not {(who, what) for who, what in did if who == "eve"} - {("eve", "signed in")}
    assert AccessLog(team.home.root).broken_at() is None


def test_an_administrator_reads_the_log_and_sees_no_rules(
    team: Team, browser: Browser, browsers: list[BrowserContext]
) -> None:
    root = signed_in(browser, browsers, team, "root")
    go_to(root, "Server")
    expect(root.get_by_text("all as they were written")).to_be_visible()
    with root.expect_download() as waiting:
        file_button(root, "Export as CSV").click()
    assert "trained" in Path(waiting.value.path()).read_text(encoding="utf-8-sig")
    runs = [path.name for path in team.home.runs.iterdir()]
    open_rules(root, team, runs[0])
    expect(root.get_by_text(NO_SUCH_RUN)).to_be_visible()


def test_signing_out_ends_it_in_other_tabs(team: Team, browser: Browser, browsers: list[BrowserContext]) -> None:
    first = signed_in(browser, browsers, team, "bob")
    second = first.context.new_page()
    second.goto(team.address)
    expect(second.get_by_text("Bob · analyst")).to_be_visible()
    cookies = {str(cookie["name"]): str(cookie["value"]) for cookie in first.context.cookies(team.address)}
    press(first, "Sign out")
    expect(
        first.get_by_role("button", name=re.compile("Sign in|Log ?out|Confirm|End", re.IGNORECASE)).first
    ).to_be_visible()
    settle(second)
    second.get_by_test_id("stTopNavLink").filter(has_text="Train").click()
    expect(second.get_by_text("You have signed out")).to_be_visible()
    assert answered(said_to(team, cookies)) == {"Please sign in"}  # a copy of the cookie is of no use either


# -- without a browser -------------------------------------------------------------------------------------


def answered(question: Coroutine[Any, Any, set[str]]) -> set[str]:
    """In a thread of its own: Playwright has the loop of this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, question).result()


async def said_to(
    team: Team, cookies: dict[str, str], *, origin: str | None = None, xsrf: str | None = None
) -> set[str]:
    """Which of two words a page holds that is asked for by web socket."""
    token = cookies.get("_streamlit_xsrf", "") if xsrf is None else xsrf
    stream = team.address.replace("http", "ws", 1) + "/_stcore/stream"
    headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
    protocols = ["streamlit", token.strip('"') or "none"]
    async with websockets.connect(
        stream,
        subprotocols=protocols,
        additional_headers=headers,
        origin=origin or team.address,
        max_size=None,  # type: ignore[arg-type]
    ) as line:
        message = BackMsg()
        message.rerun_script.query_string = ""
        await line.send(message.SerializeToString())
        found = b""
        async for packet in line:
            found += packet  # type: ignore[operator]
            if ForwardMsg.FromString(packet).WhichOneof("type") == "script_finished":  # type: ignore[arg-type]
                break
    words = {"Please sign in": b"Sign in", "inside": b"Decisions you can read"}
    return {word for word, sign in words.items() if sign in found}


def test_a_web_socket_needs_the_cookie_the_token_and_the_origin(
    team: Team, browser: Browser, browsers: list[BrowserContext]
) -> None:
    page = signed_in(browser, browsers, team, "ada")
    cookies = {str(cookie["name"]): str(cookie["value"]) for cookie in page.context.cookies(team.address)}
    assert answered(said_to(team, cookies)) == {"inside"}
    without_cookie = {name: value for name, value in cookies.items() if name != "_streamlit_user"}
    assert answered(said_to(team, without_cookie)) == {"Please sign in"}
    assert answered(said_to(team, cookies, xsrf="2|00000000|" + "0" * 32 + "|1")) == {"Please sign in"}
    tampered = cookies | {"_streamlit_user": "x" + cookies["_streamlit_user"][1:]}
    assert answered(said_to(team, tampered)) == {"Please sign in"}
    with pytest.raises(websockets.exceptions.WebSocketException):
        answered(said_to(team, cookies, origin="https://evil.example"))
    put = httpx.put(f"{team.address}/_stcore/upload_file/some-session/1", cookies=cookies, files={"file": b"x"})
    assert put.status_code in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)
