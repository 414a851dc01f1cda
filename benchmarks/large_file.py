"""Somebody brings a CSV of 100 MB by browser and trains on it: how much memory that takes at its peak.

The peak is told of all processes of the server together, whoever else trains meanwhile included, and of each alone: the
server takes the file that arrives and reads the table from it, and a worker trains.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pandas as pd
from playwright.sync_api import Page, expect, sync_playwright

from rugcore import make_loans
from tests.browser.conftest import BROWSER_OPTIONS, browser_path
from tests.browser.steps import TIMEOUT, press, settle, upload

N_COLUMNS = 20
SECONDS_BETWEEN_LOOKS = 0.1
PATIENCE = 10 * TIMEOUT  # milliseconds


def write_large_file(path: Path, megabytes: float) -> float:
    """A CSV about as large as asked for; returns the megabytes of its table in memory."""
    sample = _table(10_000)
    n_rows = int(megabytes * 1e6 / (len(sample.to_csv(index=False)) / len(sample)))
    table = _table(n_rows)
    table.to_csv(path, index=False)
    return float(table.memory_usage(deep=False).sum()) / 1e6


def _table(n_rows: int) -> pd.DataFrame:
    made = make_loans(n_rows, N_COLUMNS)
    return made.X.assign(outcome=made.y).round(3)


def train_on_file(address: str, cookies: dict[str, str], file: Path, is_training: Event) -> None:
    """From the upload to the end of the training, with the usual settings and no sensitive attribute."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=BROWSER_OPTIONS)
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        context.add_cookies([{"name": name, "value": value, "url": address} for name, value in cookies.items()])
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{address}/data")
        settle(page)
        bring(page, file)
        press(page, "Train")
        is_training.set()
        page.locator(".st-key-card_rug").get_by_test_id("stMetricValue").first.wait_for()
        browser.close()


def bring(page: Page, file: Path) -> None:
    """Upload the file, choose its outcome, and go to Train."""
    choose_outcome(page, file)
    press(page, "Go on to training")
    expect(page.get_by_role("heading", name="Train", exact=True)).to_be_visible(timeout=PATIENCE)
    settle(page)


def choose_outcome(page: Page, file: Path) -> None:
    upload(page, file)
    expect(page.get_by_role("heading", name=file.name)).to_be_visible(timeout=PATIENCE)
    settle(page)
    pick(page, "Which column is the outcome?", "outcome")
    page.get_by_test_id("stRadio").get_by_text("repaid", exact=True).click()
    expect(page.get_by_role("button", name="Go on to training")).to_be_visible(timeout=PATIENCE)
    settle(page)


def pick(page: Page, label: str, option: str) -> None:
    """By typing: a long list shows its beginning only."""
    page.get_by_role("combobox", name=label).fill(option)
    page.get_by_role("option", name=option, exact=True).click()
    settle(page)


# -- memory of a process and of those it started ----------------------------------------------------------------------


class PeakMemory:
    """In megabytes: when the looks began, and at most since; of all together, of the server, of a worker.

    A worker that waits for work has loaded Python and its packages already.
    """

    def __init__(self, process: int) -> None:
        self.process = process
        self.before = self.peak = self.server_before = self.server_peak = self.worker_before = self.worker_peak = 0.0
        self.look()
        self.before, self.server_before, self.worker_before = self.peak, self.server_peak, self.worker_peak

    def look(self) -> None:
        """What the processes have written to; programs and files that were only read can be had again."""
        server, *workers = (_own_megabytes(process) for process in _family(self.process))
        self.peak = max(self.peak, server + sum(workers))
        self.server_peak = max(self.server_peak, server)
        self.worker_peak = max(self.worker_peak, *workers, 0.0)


@contextmanager
def watched_memory(process: int) -> Iterator[PeakMemory]:
    memory, is_over = PeakMemory(process), Event()

    def watch() -> None:
        while not is_over.wait(SECONDS_BETWEEN_LOOKS):
            memory.look()

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield memory
    finally:
        is_over.set()
        thread.join()


def _family(process: int) -> list[int]:
    found = [process]
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:  # the thread has ended
            continue
        for child in children:
            found += _family(int(child))
    return found


def _own_megabytes(process: int) -> float:
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:  # the process has ended
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("RssAnon:")) * 1.024 / 1000
