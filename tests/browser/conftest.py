"""The real server and a real browser. A test fails if either of them complained meanwhile."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from rugboard.runs.home import VARIABLE, Home
from rugboard.runs.store import RunStore

ROOT = Path(__file__).resolve().parents[2]
FIND_BROWSER = Path(__file__).with_name("install_chromium.sh")

SECONDS_TO_START = 300  # on a machine whose cores are busy many times over
SECONDS_TO_STOP = 10
SECONDS_TO_APPEAR = 300  # training included, on a machine whose cores are busy many times over
expect.set_options(timeout=1000 * SECONDS_TO_APPEAR)  # or five seconds, in which a busy browser may not load its parts

# Streamlit looks for its server below a page that is opened directly before it looks at the root (its issue 7074).
PROBE = re.compile(r":\d+/\w+/_stcore/(health|host-config)$")

BROWSER_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


FAILED = pytest.StashKey[bool]()
PICTURES = ROOT / ".pytest_cache" / "failed"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = browser_path()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, headless=True, args=BROWSER_OPTIONS)
        yield browser
        browser.close()


def browser_path() -> str:
    found = subprocess.run(["bash", FIND_BROWSER, "--find"], capture_output=True, text=True, check=False)
    if found.returncode == 0:
        return found.stdout.strip()
    reason = "no Chromium or Chrome found; 'bash tests/browser/install_chromium.sh' installs one"
    if os.environ.get("CI", "").lower() in ("1", "true"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Where the server of these tests keeps its runs."""
    return Home(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def store(home: Home) -> RunStore:
    return RunStore(home)


@pytest.fixture(scope="session")
def server(home: Home, store: RunStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a dashboard that runs while the tests run; its workers end with it."""
    log = tmp_path_factory.mktemp("server") / "log.txt"
    address = f"http://127.0.0.1:{free_port()}"
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.port",
        address.rpartition(":")[2],
    ]
    environment = os.environ | {VARIABLE: str(home.root)}
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        wait_until_healthy(address, process, log)
        yield address
    finally:
        stop(process)
        for run in store.runs(status="running"):
            if run.process is not None:
                run.process.send(signal.SIGKILL)
    assert "Traceback" not in log.read_text(), log.read_text()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_healthy(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=1):
                return
        except (URLError, OSError):
            time.sleep(0.1)  # nothing to wait on: the port opens when it opens
    pytest.fail(f"The server did not start:\n{log.read_text()}")


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@pytest.fixture
def new_visitor(browser: Browser, server: str, request: pytest.FixtureRequest) -> Iterator[Callable[[], Page]]:
    """Makes visitors, each with a browser window of its own; none of them may hear a complaint."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def visit() -> Page:
        contexts.append(browser.new_context(viewport={"width": 1280, "height": 900}))
        contexts[-1].set_default_timeout(1000 * SECONDS_TO_APPEAR)
        page = contexts[-1].new_page()
        listen(page, server, complaints)
        return page

    yield visit
    if request.node.stash.get(FAILED, False):
        keep_pictures(request.node.name, contexts)
    for context in contexts:
        with suppress(Exception):  # a window may be closed already
            context.close()
    assert complaints == []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[Any]:
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


def keep_pictures(name: str, contexts: list[BrowserContext]) -> None:
    """What each visitor of a test that failed saw last."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for number, page in enumerate(page for context in contexts for page in context.pages):
        with suppress(Exception):  # a window may be closed already
            page.screenshot(path=PICTURES / f"{name}-{number}.png", full_page=True, timeout=10_000)


@pytest.fixture
def page(new_visitor: Callable[[], Page], server: str) -> Page:
    """A fresh visitor on the first page."""
    page = new_visitor()
    page.goto(server)
    return page


def listen(page: Page, server: str, complaints: list[str]) -> None:
    """Note what goes wrong on the page, and requests to any other server."""
    own = (server, server.replace("http", "ws", 1), "data:", "blob:")

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error" and not PROBE.search(message.location.get("url", "")):
            complaints.append(f"{message.text} {message.location}")

    def on_request(request: Request) -> None:
        if not request.url.startswith(own):
            complaints.append(f"asked {request.url}")

    page.on("console", on_console)
    page.on("request", on_request)
    page.on("pageerror", lambda error: complaints.append(str(error)))
