"""What a visitor does, in words of the screen."""

import re
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Locator, Page

from rugboard.runs.results import Results
from rugcore.rules import RuleSet
from tests.browser.patience import TIMEOUT, expect, once_single

SETTLED = "[data-testid=stApp][data-test-script-state=notRunning]"
ATTEMPT = 20_000  # milliseconds after which a click is taken to be lost
HEADER, LINE, WORDS = 36, 68, 120  # pixels of the table of rules: heading, a line, where the words of a line stand
PERCENT = re.compile(r"^\d+\.\d %$")


def settle(page: Page) -> None:
    page.wait_for_selector(SETTLED)


def go_to(page: Page, name: str) -> None:
    """By the navigation at the top."""
    page.get_by_test_id("stTopNavLink").filter(has_text=name).click()
    expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible(timeout=TIMEOUT)
    settle(page)


def press(page: Page, name: str) -> None:
    once_single(page, page.get_by_role("button", name=name, exact=True).click)


def use_demo(page: Page, title: str) -> None:
    go_to(page, "Data")
    choose(page, "Demo data", title)
    press(page, "Use this demo")
    expect(page.get_by_role("heading", name=title)).to_be_visible(timeout=TIMEOUT)
    expect(page.get_by_role("button", name="Go on to training")).to_be_visible(timeout=TIMEOUT)
    settle(page)


def train_mortgages(page: Page) -> None:
    """Both models on a demo, with the usual settings."""
    use_demo(page, "Mortgages in Boston")
    press(page, "Go on to training")
    expect(page.get_by_role("heading", name="Train", exact=True)).to_be_visible(timeout=TIMEOUT)
    settle(page)
    press(page, "Train")
    expect_scorecard(page, "rug", "fair")
    settle(page)


_TRAINED: dict[tuple[str, str], str] = {}  # by server and way of training: a run that an earlier test left there


def show_rules_after(train: Callable[[Page], None], page: Page, server: str) -> str:
    return show_after(train, page, server, "Rules")


def show_after(train: Callable[[Page], None], page: Page, server: str, name: str) -> str:
    """A page of a run trained in this way; a second test finds the run of the first. Returns its id."""
    earlier = _TRAINED.get((server, train.__name__))
    if earlier is None:
        train(page)
        go_to(page, name)
        _TRAINED[server, train.__name__] = page.url.partition("run=")[2].partition("&")[0]
    else:
        page.goto(f"{server}/{name.lower()}?run={earlier}")
        expect(page.get_by_role("heading", name=name, exact=True)).to_be_visible()
    settle(page)
    return _TRAINED[server, train.__name__]


def train_loans(page: Page) -> None:
    """Both models on the demo of the first page, with one click."""
    press(page, "Try it on consumer loans")
    expect_scorecard(page, "rug", "fair")
    settle(page)


def choose(page: Page, label: str, option: str) -> None:
    """An option of a list; it is typed, because a long list near the edge of the window shows only its first lines."""
    box = page.get_by_role("combobox", name=label)

    def pick() -> None:
        box.click()
        box.fill(option)
        page.get_by_role("option", name=option, exact=True).click(timeout=ATTEMPT)

    until_done(page, pick)
    settle(page)


def choose_counted(page: Page, label: str, name: str) -> None:
    """An option that also says how many there are."""
    named = re.compile(rf"^{re.escape(name)} \([\d,]+\)$")

    def pick() -> None:
        page.get_by_role("combobox", name=label).click()
        page.get_by_role("option", name=named).click(timeout=ATTEMPT)

    until_done(page, pick)
    settle(page)


def open_line(page: Page, line: int, shown: Locator) -> None:
    """The rule on a line of the table of rules, by a click on its words."""
    click_canvas(page, page.get_by_test_id("stDataFrame").first, WORDS, HEADER + LINE * line + 20, shown)


def click_canvas(page: Page, table: Locator, x: float, y: float, shown: Locator) -> None:
    """Click on a place of a table until what it opens is there.

    The table forgets a click while it is painted, and a second click on a line that is open closes it.
    """

    def click() -> None:
        if not shown.count():
            table.scroll_into_view_if_needed(timeout=ATTEMPT)
            settle(page)
            table.click(position={"x": x, "y": y}, timeout=ATTEMPT)
        expect(shown).to_be_attached(timeout=ATTEMPT)

    until_done(page, click)
    settle(page)


def click_until(page: Page, button: Locator, shown: Locator) -> None:
    """Click until what it opens is there: a page that is drawn anew closes menus and dialogs, and loses clicks."""

    def click() -> None:
        if not shown.first.is_visible():
            button.click(timeout=ATTEMPT)
        expect(shown.first).to_be_visible(timeout=ATTEMPT)

    until_done(page, click)


def until_done(page: Page, step: Callable[[], None]) -> None:
    """Do it again, as a person does, if the page was drawn anew in the middle: lists close, and clicks get lost."""
    deadline = time.monotonic() + TIMEOUT / 1000
    while True:
        try:
            return step()
        except (PlaywrightError, AssertionError):
            if time.monotonic() > deadline:
                raise
            page.keyboard.press("Escape")


def next_applicant(page: Page) -> None:
    """And wait until all of the page is about that one: the address changes first, the files at the end last."""
    before = page.url
    press(page, "Next")
    expect(page).not_to_have_url(before, timeout=TIMEOUT)
    number = re.search(r"applicant=(\d+)", page.url)
    assert number is not None
    card = page.locator(".st-key-decision_card")
    expect(card.get_by_text(re.compile(rf"^Applicant {number[1]}\b"))).to_be_visible(timeout=TIMEOUT)
    settle(page)


def upload(page: Page, path: Path) -> None:
    page.get_by_test_id("stFileUploader").locator("input[type=file]").set_input_files(path)


def metric(page: Page, model: str, label: str) -> Locator:
    """A number on the card of a model."""
    card = page.locator(f".st-key-card_{model}")
    return card.get_by_test_id("stMetric").filter(has_text=label).get_by_test_id("stMetricValue")


def expect_scorecard(page: Page, *models: str) -> None:
    """One card a model; on a busy machine the cards of the training and of its end may both be there for a moment."""
    for model in models:
        expect(metric(page, model, "Right decisions").last).to_have_text(PERCENT, timeout=TIMEOUT)
        expect(metric(page, model, "Rules").last).to_have_text(re.compile(r"^\d+$"), timeout=TIMEOUT)
        expect(metric(page, model, "Rules")).to_have_count(1, timeout=TIMEOUT)


def start_endless_training(page: Page) -> None:
    """On a table that keeps the engine busy for minutes."""
    use_demo(page, "Incomes in the US census")
    press(page, "Go on to training")
    expect(page.get_by_role("heading", name="Train", exact=True)).to_be_visible(timeout=TIMEOUT)
    settle(page)
    page.get_by_role("slider", name="Longest rule").press("End")
    settle(page)
    page.get_by_role("slider", name="Price of a rule").press("Home")
    settle(page)
    page.get_by_text("Advanced").click()
    rounds = page.get_by_role("spinbutton", name="Most rounds")
    rounds.fill("200")
    rounds.press("Enter")
    settle(page)
    press(page, "Train")
    expect(page.get_by_text("Training RUG")).to_be_visible(timeout=TIMEOUT)


def cells(page: Page, table: int) -> Locator:
    """The cells of a table. It is painted on a canvas, and what a screen reader gets lies inside."""
    return page.get_by_test_id("stDataFrame").nth(table).locator("[role=gridcell]")


def file_button(page: Page, name: str) -> Locator:
    """It looks like a button, and is a link to a file."""
    return page.get_by_role("link", name=name)


def download(page: Page, button: str, folder: Path) -> Path:
    with page.expect_download() as waiting:
        file_button(page, button).click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def decided_by(rules: RuleSet, results: Results) -> list[Any]:
    """Worked out by hand: the outcome with the larger sum of weights; a tie, or nothing, is the most common outcome."""
    frequency = results.y_train.value_counts()
    usual = sorted(frequency.index, key=lambda label: (-frequency[label], label))

    def decide(cells: dict[str, Any]) -> Any:
        votes: dict[Any, float] = defaultdict(float)
        for rule in rules:
            votes[rule.label] += rule.weight * rule.holds(cells)
        return max(usual, key=lambda label: round(votes[label], 9))

    rows = (results.X_test.iloc[[place]] for place in range(len(results.X_test)))
    return [decide(results.rug.schema_.cells(row)) for row in rows]
