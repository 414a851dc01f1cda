"""A visitor's first minute, in a real browser."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser

SETTLED = "[data-testid=stApp][data-test-script-state=notRunning]"
TIMEOUT = 90_000  # milliseconds; training included, on a busy machine
PERCENT = re.compile(r"^\d+\.\d %$")


def train(page: Page) -> None:
    page.get_by_role("button", name="Train on this data").click()
    expect(page.get_by_role("heading", name="Why this decision?")).to_be_visible(timeout=TIMEOUT)
    page.wait_for_selector(SETTLED)


def metric(page: Page, label: str) -> Locator:
    return page.get_by_test_id("stMetric").filter(has_text=label).get_by_test_id("stMetricValue")


def cells(page: Page, table: int) -> Locator:
    """The cells of a table. It is painted on a canvas, and what a screen reader gets lies inside."""
    return page.get_by_test_id("stDataFrame").nth(table).locator("[role=gridcell]")


def test_one_click_leads_to_rules_and_reasons(page: Page) -> None:
    page.wait_for_selector(SETTLED)
    expect(page.get_by_text("No model yet.")).to_be_visible()
    expect(page.get_by_role("combobox", name="Demo data")).to_have_value("Mortgages in Boston")

    train(page)

    expect(page.get_by_text("No model yet.")).to_have_count(0)
    expect(metric(page, "Test accuracy")).to_have_text(PERCENT)
    expect(metric(page, "Always “approved”")).to_have_text("88.1 %")
    expect(cells(page, table=0).filter(has_text="denied mortgage insurance").first).to_be_attached()
    expect(cells(page, table=1).filter(has_text="loan to value ratio")).to_be_attached()
    expect(metric(page, "Decision of the rules")).to_have_text(re.compile("approved|denied"))


def test_another_row_has_values_of_its_own(page: Page) -> None:
    train(page)
    first_value = cells(page, table=1).nth(1)
    expect(first_value).to_have_text("0.28")
    row = page.get_by_role("spinbutton", name="Test row")
    row.fill("25")
    row.press("Enter")
    expect(first_value).to_have_text("0.331", timeout=TIMEOUT)
    page.wait_for_selector(SETTLED)
    expect(page.get_by_text("For: ")).to_be_visible()
