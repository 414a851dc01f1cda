"""Pictures of every page in light and dark: `python -m tests.browser.screenshots FOLDER`, or `make screenshots`."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from rugboard.runs.home import VARIABLE
from tests.browser.conftest import BROWSER_OPTIONS, ROOT, browser_path, free_port, stop, wait_until_healthy
from tests.browser.patience import expect
from tests.browser.steps import TIMEOUT, expect_scorecard, go_to, press, settle, use_demo

THEMES = ("light", "dark")
SIZES = ((1280, 800), (1920, 1080))
PAGES = ("Data", "Train", "Rules", "Applicants", "New cases", "Fairness", "Compare", "Report", "Runs")


@dataclass(frozen=True)
class Camera:
    """Takes pictures of one browser window."""

    page: Page
    folder: Path
    ending: str

    def take(self, name: str) -> None:
        settle(self.page)
        self.page.mouse.move(0, 0)  # nothing is to look hovered over
        expect(self.page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=TIMEOUT)
        self.page.wait_for_function("document.fonts.status === 'loaded'")
        self.page.wait_for_timeout(500)  # canvases and charts say nothing when they are painted
        self.page.screenshot(path=self.folder / f"{name}-{self.ending}.png")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home, server(Path(home)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=BROWSER_OPTIONS)
        for theme in THEMES:
            for size in SIZES:
                take_all(browser, address, folder, theme, size)
        browser.close()


@contextmanager
def server(home: Path) -> Iterator[str]:
    """The address of a dashboard with runs of its own."""
    with server_process(home) as (address, _):
        yield address


@contextmanager
def server_process(home: Path) -> Iterator[tuple[str, int]]:
    """The same, with the number of its process."""
    port = free_port()
    log = home / "server.txt"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    with log.open("w") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=os.environ | {VARIABLE: str(home / "runs")}, stdout=output)
    try:
        wait_until_healthy(f"http://127.0.0.1:{port}", process, log)
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        stop(process)


def take_all(browser: Browser, address: str, folder: Path, theme: str, size: tuple[int, int]) -> None:
    width, height = size
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)  # type: ignore[arg-type]
    context.set_default_timeout(TIMEOUT)
    camera = Camera(context.new_page(), folder, f"{theme}-{width}")
    page = camera.page
    page.goto(address)
    expect(page.get_by_role("heading", name="Decisions you can read")).to_be_visible()
    camera.take("start-empty")
    use_demo(page, "Mortgages in Boston")
    camera.take("data-demo")
    go_to(page, "Train")
    press(page, "Train")
    expect_scorecard(page, "rug", "fair")
    for name in PAGES:
        go_to(page, name)
        camera.take(name.lower())
    page.get_by_test_id("stTopNavLink").filter(has_text="Start").click()
    expect(page.get_by_text("The heaviest")).to_be_visible()
    camera.take("start")
    context.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots"))
