"""How long a visitor waits: clicks in a real browser on a trained census model; many watchers; a large upload.

Seconds depend on the machine, so each is also given as a multiple of switching to the page Train in the same run, on
which nothing has to be worked out: what is above one is ours, the rest is the browser's and the web server's.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

from benchmarks import watching
from benchmarks.large_file import choose_outcome, pick
from rugcore import make_loans
from tests.browser.conftest import BROWSER_OPTIONS, browser_path
from tests.browser.screenshots import server, server_process
from tests.browser.steps import TIMEOUT, expect_scorecard, press, settle, use_demo

# What must be on the screen before a page counts as shown.
CONTENT = {
    "Rules": (".st-key-weighing", "[data-testid=stDataFrame] canvas"),
    "Fairness": (".st-key-verdict_fair", ".st-key-fairness-gaps .trace", ".st-key-fairness-error-rates .trace"),
    "Applicants": (".st-key-shap_waterfall .main-svg",),
    "Compare": ("[data-testid=stDataFrame] canvas",),
    "Train": (".st-key-card_fair",),
}
READING = 3_000  # milliseconds that a visitor looks at what has appeared
PAUSE = 1_200
# Until the script has run and the page is drawn, on the browser's own clock.
UNTIL_QUIET = """async () => {
    const state = () => document.querySelector('[data-testid=stApp]').getAttribute('data-test-script-state');
    const start = performance.now();
    for (let hasRun = false; ;) {
        await new Promise(requestAnimationFrame);
        if (state() !== 'notRunning') hasRun = true;
        else if (hasRun || performance.now() - start > 3000) return (performance.now() - start) / 1000;
    }
}"""
N_LARGE, N_COLUMNS = 400_000, 42

Waits = dict[str, list[float]]


def run(data: Path | None, quick: bool) -> dict[str, Any]:  # noqa: ARG001 - the demo data is enough
    with tempfile.TemporaryDirectory() as home, server(Path(home)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=BROWSER_OPTIONS)
        page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        page.set_default_timeout(TIMEOUT)
        page.goto(address)
        settle(page)
        page.wait_for_timeout(2 * READING)
        waits = _waits(page, rounds=2 if quick else 4)
        browser.close()
    _tell(waits)
    found: dict[str, Any] = {"waits": waits, "watching": watching.run()}
    return found | ({} if quick else {"memory": _memory()})


def _waits(page: Page, rounds: int) -> Waits:
    waits: Waits = {"Try it: first rules": [_clock(lambda: _try_it(page))]}
    expect_scorecard(page, "rug", "fair")
    _train_census(page)
    page.wait_for_timeout(READING)
    for number in range(rounds):
        for name in CONTENT:
            visit = "first visit" if number == 0 else "later visits"
            waits.setdefault(f"{name}, {visit}", []).append(_clock(lambda name=name: _open(page, name)))  # type: ignore[misc]
            page.wait_for_timeout(READING if number == 0 else PAUSE)
            settle(page)
    page.wait_for_timeout(2 * READING)
    return waits | _slider_waits(page) | _applicant_waits(page)


def _clock(action: Callable[[], None]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def _try_it(page: Page) -> None:
    page.get_by_role("button", name="Try it on consumer loans").click()
    expect(page.get_by_text("The heaviest")).to_be_visible(timeout=TIMEOUT)


def _train_census(page: Page) -> None:
    use_demo(page, "Incomes in the US census")
    press(page, "Go on to training")
    settle(page)
    press(page, "Train")
    expect_scorecard(page, "rug", "fair")
    settle(page)


def _open(page: Page, name: str) -> None:
    page.get_by_test_id("stTopNavLink").filter(has_text=name).click()
    for part in CONTENT[name]:
        page.locator(part).first.wait_for(state="attached")
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()


def _slider_waits(page: Page) -> Waits:
    """New values, one step at a time to either side of the trained one."""
    waits: Waits = {}
    _open(page, "Rules")
    for model, sliders in {"RUG": ["Price of a rule"], "FairRUG": ["Price of a rule", "Largest allowed gap"]}.items():
        page.get_by_role("radio", name=model, exact=True).click()
        page.wait_for_timeout(READING)
        for name in sliders:
            there = [_move(page, name, "ArrowRight") for _ in range(2)]
            known = [_move(page, name, "ArrowLeft") for _ in range(2)]
            waits[f"{model}, {name.lower()}: new value"] = there + [_move(page, name, "ArrowLeft") for _ in range(2)]
            waits[f"{model}, {name.lower()}: known value"] = known
    return waits


def _move(page: Page, slider: str, key: str) -> float:
    page.get_by_role("slider", name=slider).focus()
    return _until_quiet(page, lambda: page.keyboard.press(key))


def _applicant_waits(page: Page) -> Waits:
    _open(page, "Applicants")
    page.wait_for_timeout(READING)
    return {"Next applicant": [_until_quiet(page, lambda: press(page, "Next")) for _ in range(6)]}


def _until_quiet(page: Page, action: Callable[[], None]) -> float:
    page.evaluate(f"() => {{ window.untilQuiet = ({UNTIL_QUIET})(); }}")
    action()
    seconds = float(page.evaluate("() => window.untilQuiet"))
    page.wait_for_timeout(PAUSE)
    return seconds


def _tell(waits: Waits) -> None:
    unit = statistics.median(waits["Train, later visits"])
    for name, seconds in waits.items():
        middle, longest = statistics.median(seconds), max(seconds)
        print(f"{name:42s} {middle:5.2f} s, longest {longest:5.2f} s  = {middle / unit:4.1f} x page Train", flush=True)


# -- memory ------------------------------------------------------------------------------------------------------------


def _memory() -> dict[str, float]:
    """A large Parquet file, from the upload to a model of depth 2: how much the server process grows at most."""
    with (
        tempfile.TemporaryDirectory() as home,
        server_process(Path(home)) as (address, process),
        sync_playwright() as playwright,
    ):
        file, whole = Path(home) / "loans.parquet", 8 * N_LARGE * N_COLUMNS / 1e6
        table = make_loans(N_LARGE, N_COLUMNS)
        table.X.assign(outcome=table.y).to_parquet(file)
        del table
        browser = playwright.chromium.launch(executable_path=browser_path(), args=BROWSER_OPTIONS)
        page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
        page.set_default_timeout(10 * TIMEOUT)
        page.goto(f"{address}/data")
        settle(page)
        before = _steady_memory(page, process)
        _train_large(page, file)
        trained = _memory_of(process, "VmHWM") - before
        for name in ("Rules", "Fairness", "Train"):
            _open(page, name)
            settle(page)
        looked_at = _memory_of(process, "VmHWM") - before
        browser.close()
    for name, grown in {"trained": trained, "looked at on Rules and Fairness": looked_at}.items():
        times = f"{grown / whole:.2f} x the table as float64"
        print(f"{N_LARGE:,} x {N_COLUMNS} as Parquet, {name}: the server grew by {grown:.0f} MB = {times}", flush=True)
    return {"before": before, "float64": whole, "trained": trained, "looked_at": looked_at}


def _train_large(page: Page, file: Path) -> None:
    choose_outcome(page, file)
    pick(page, "Sensitive attribute", "group")
    page.keyboard.press("Escape")
    settle(page)
    press(page, "Go on to training")
    expect(page.get_by_role("heading", name="Train", exact=True)).to_be_visible(timeout=TIMEOUT)
    settle(page)
    page.get_by_role("slider", name="Longest rule").press("ArrowLeft")
    settle(page)
    press(page, "Train")
    for model in ("rug", "fair"):
        page.locator(f".st-key-card_{model}").get_by_test_id("stMetricValue").first.wait_for()
    settle(page)


def _steady_memory(page: Page, process: int) -> float:
    """Once the server has loaded in the background what the first click would otherwise wait for."""
    seen = [0.0]
    while _memory_of(process, "VmRSS") - seen[-1] > 1.0:
        seen.append(_memory_of(process, "VmRSS"))
        page.wait_for_timeout(5 * READING)
    return _memory_of(process, "VmRSS")


def _memory_of(process: int, line: str) -> float:
    """In megabytes; VmRSS now, VmHWM at most since the process began."""
    status = Path(f"/proc/{process}/status").read_text()
    return next(int(text.split()[1]) for text in status.splitlines() if text.startswith(line)) / 1024
