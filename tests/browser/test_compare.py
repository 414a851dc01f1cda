"""The page Compare in a real browser: five models with progress, cancelled and gone on with; the case study."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from rugboard.applicants.search import DISAGREE, QUEUES
from rugboard.compare.job import Job
from rugboard.compare.report import KEYS
from rugboard.runs.home import Home
from rugboard.runs.jobs import CANCELLED, FINISHED
from rugboard.shell.theme import name_of_model
from tests.browser.patience import expect
from tests.browser.steps import (
    TIMEOUT,
    cells,
    click_canvas,
    click_until,
    download,
    expect_scorecard,
    go_to,
    press,
    settle,
    show_after,
    train_mortgages,
    use_demo,
)

pytestmark = pytest.mark.browser

PEERS = [name_of_model(key) for key in KEYS.values()]


def job_of(page: Page, home: Home) -> Job:
    found = re.search(r"run=([\w-]+)", page.url)
    assert found is not None
    return Job(home, found[1])


def try_the_demo(page: Page) -> None:
    press(page, "Try it on consumer loans")
    expect_scorecard(page, "rug", "fair")
    settle(page)
    go_to(page, "Compare")


def train_on_adult(page: Page) -> None:
    """A table on which the other models take some seconds."""
    use_demo(page, "Incomes in the US census")
    press(page, "Go on to training")
    expect(page.get_by_role("heading", name="Train", exact=True)).to_be_visible(timeout=TIMEOUT)
    settle(page)
    page.get_by_role("slider", name="Longest rule").press("Home")
    settle(page)
    press(page, "Train")
    expect_scorecard(page, "rug", "fair")
    settle(page)
    go_to(page, "Compare")


def expect_whole_page(page: Page) -> None:
    expect(page.get_by_role("heading", name="Who is decided differently")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    for name in ("RUG", "FairRUG", *PEERS):
        expect(cells(page, table=0).get_by_text(name, exact=True).first).to_be_attached(timeout=TIMEOUT)
    chart = page.get_by_test_id("stPlotlyChart").first
    for name in ("RUG", "FairRUG", *PEERS):
        expect(chart.get_by_text(name, exact=True).first).to_be_visible(timeout=TIMEOUT)


def test_five_models_are_compared(page: Page, new_visitor: Callable[[], Page], tmp_path: Path) -> None:
    try_the_demo(page)
    page.get_by_role("button", name="Compare with other models").click()
    box = page.locator(".st-key-comparison_progress")
    expect(box.get_by_text(re.compile(r"Now training: .* \(\d of 5\)"))).to_be_visible(timeout=TIMEOUT)
    page.reload()  # the worker goes on, and is found again
    expect_whole_page(page)
    expect(page.get_by_test_id("stPlotlyChart")).to_have_count(7, timeout=TIMEOUT)
    expect(page.get_by_text(re.compile(r"allowed for .*:\s*\d+\.\d points")).first).to_be_visible(timeout=TIMEOUT)

    lines = list(csv.DictReader(io.StringIO(download(page, "The table as CSV", tmp_path).read_text("utf-8-sig"))))
    assert [line["model"] for line in lines] == ["Always good", "RUG", "FairRUG", *PEERS]
    assert all(0.5 < float(line["accuracy"]) <= 1 for line in lines)

    colleague = new_visitor()  # what was found once is there for everybody
    colleague.goto(page.url)
    expect_whole_page(colleague)

    look_at_somebody_explained_differently(colleague)

    page.get_by_role("button", name="Look at these applicants one by one").click()
    expect(page.get_by_role("heading", name="Applicants", exact=True)).to_be_visible(timeout=TIMEOUT)
    queue = page.get_by_role("combobox", name="Go through")
    expect(queue).to_have_value(QUEUES[DISAGREE], timeout=TIMEOUT)
    settle(page)


def look_at_somebody_explained_differently(page: Page) -> None:
    page.get_by_text("Do both name the same columns for the same applicant?").click()
    expect(page.get_by_text(re.compile(r"Over a sample of \d+ of the \d+ test rows"))).to_be_visible(timeout=TIMEOUT)
    settle(page)
    listed = page.get_by_test_id("stDataFrame").filter(has_text=re.compile("of . column"))
    number = listed.locator("[role=gridcell]").filter(has_text=re.compile(r"^\d+$")).first.text_content()
    applicants = page.get_by_role("heading", name="Applicants", exact=True)
    click_canvas(page, listed, 150, 55, shown=applicants)  # the first line, below the heading
    expect(applicants).to_be_visible(timeout=TIMEOUT)
    expect(page).to_have_url(re.compile(rf"applicant={number}\b"), timeout=TIMEOUT)


def test_a_comparison_is_cancelled_and_gone_on_with(page: Page, home: Home) -> None:
    train_on_adult(page)
    page.get_by_role("button", name="Compare with other models").click()
    expect(page.get_by_text(re.compile("Now training: AdaBoost|Now training: LightGBM"))).to_be_visible(timeout=TIMEOUT)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text(re.compile(r"Cancelled with \d of 5 models trained"))).to_be_visible(timeout=TIMEOUT)
    job = job_of(page, home)
    assert job.progress().status == CANCELLED
    kept = job.read()
    assert kept is not None
    assert 2 <= len(kept.lines) < 5
    expect(cells(page, table=0).get_by_text("Decision tree", exact=True).first).to_be_attached(timeout=TIMEOUT)

    page.get_by_role("button", name="Train what is missing").click()
    expect_whole_page(page)
    done = job.read()
    assert done is not None
    assert done.lines[: len(kept.lines)] == kept.lines
    assert job.progress().status == FINISHED
    assert done.shap is not None
    expect(page.get_by_text(f"a sample of {done.shap.n:,} of the {done.shap.n_total:,} test rows")).to_be_visible()


def test_the_case_study_is_one_click_and_has_an_address(page: Page, new_visitor: Callable[[], Page]) -> None:
    go_to(page, "Compare")
    page.get_by_text("Case study: Lending Club").first.click()
    page.get_by_role("button", name="Train the case study").click()
    expect(page.get_by_role("heading", name="The rules of both settings")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    for step in ("few", "more", "leaves"):
        expect(page.locator(f".st-key-case_{step}").get_by_text("paper: ").first).to_be_visible(timeout=TIMEOUT)
    expect(page).to_have_url(re.compile(r"/compare\?.*view=case"))

    colleague = new_visitor()
    colleague.goto(page.url)
    expect(colleague.get_by_role("heading", name="The rules of both settings")).to_be_visible(timeout=TIMEOUT)
    expect(colleague.get_by_text("No model yet")).to_have_count(0)
    settle(colleague)
    expect(colleague.get_by_test_id("stPlotlyChart")).to_have_count(2, timeout=TIMEOUT)
    loans = colleague.locator(".st-key-case_loan").get_by_role("radio")
    assert loans.count() >= 2
    rule = colleague.get_by_text(re.compile(r"weight \d+\.\d\d$")).first
    before = rule.text_content()
    loans.last.click()
    expect(rule).not_to_have_text(before or "", timeout=TIMEOUT)
    expect(colleague.get_by_text("What became of the loan, according to the data")).to_be_visible(timeout=TIMEOUT)
    settle(colleague)


def test_the_rules_of_the_case_study_can_be_taken_home(page: Page, tmp_path: Path) -> None:
    go_to(page, "Compare")
    page.get_by_text("Case study: Lending Club").first.click()
    settle(page)
    if page.get_by_role("button", name="Train the case study").count():
        page.get_by_role("button", name="Train the case study").click()
    expect(page.get_by_role("heading", name="The rules of both settings")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    lines = list(csv.DictReader(io.StringIO(download(page, "The rules as CSV", tmp_path).read_text("utf-8-sig"))))
    assert {line["setting"] for line in lines} == {"RUG, few rules", "RUG, more rounds"}


def test_models_to_read_are_trained_and_read_word_for_word(
    page: Page, server: str, new_visitor: Callable[[], Page]
) -> None:
    show_after(train_mortgages, page, server, "Compare")
    press(page, "Train models to read")
    box = page.locator(".st-key-readable_progress")
    expect(box.get_by_text(re.compile(r"Now training: .* \(\d of \d\)"))).to_be_visible(timeout=TIMEOUT)
    page.reload()  # the worker goes on, and is found again
    expect_short_list(page)
    expect(page.locator(".st-key-readable_binoct").get_by_text("Exactly one of these holds:")).to_be_attached()

    colleague = new_visitor()  # what was found once is there for everybody
    colleague.goto(page.url)
    expect_short_list(colleague)
    chart = colleague.get_by_test_id("stPlotlyChart").first
    expect(chart.get_by_text(re.compile(r"\bShort list\b")).first).to_be_visible(timeout=TIMEOUT)


def expect_short_list(page: Page) -> None:
    """Its rules one by one, and what becomes of all others."""
    named = page.locator(".st-key-readable_list")
    expect(named.get_by_text(re.compile(r"^Short list: \d+ rules?, \d+\.\d % right$"))).to_be_visible(timeout=TIMEOUT)
    settle(page)
    click_until(page, named.locator("summary"), named.get_by_text(re.compile(r"^Everybody else: ")))
    expect(named.get_by_text(re.compile(r"\(\d+\.\d % of people, right for \d+\.\d % of them\)")).first).to_be_visible()
