"""Files in a real browser: a link goes on working whatever is drawn meanwhile, and says so when it cannot."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from rugboard.runs.opening import open_results
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugcore.rules import RuleSet
from tests.browser.patience import expect
from tests.browser.steps import TIMEOUT, file_button, go_to, settle, show_rules_after, train_loans

pytestmark = pytest.mark.browser

LABEL = "All rules as JSON"


@pytest.fixture
def trained(page: Page, server: str, store: RunStore) -> Results:
    """A visitor who looks at the rules of RUG on the demo."""
    run_id = show_rules_after(train_loans, page, server)
    page.get_by_role("radio", name="RUG", exact=True).click()
    expect(page.get_by_role("heading", name="The rules of RUG")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    return open_results(store, run_id)


def address(page: Page) -> str:
    found = file_button(page, LABEL).get_attribute("href")
    assert found is not None
    return found


def redraw(page: Page, key: str) -> None:
    """Weigh the rules anew, so that another file takes the place of the one on offer."""
    before = address(page)
    page.get_by_role("slider", name="Price of a rule").press(key)
    expect(file_button(page, LABEL)).not_to_have_attribute("href", before, timeout=TIMEOUT)
    settle(page)


def test_a_link_works_however_often_the_page_was_drawn_since(
    page: Page, server: str, trained: Results, new_visitor: Callable[[], Page]
) -> None:
    link = address(page)
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        redraw(page, key)
    colleague = new_visitor()  # a script that ends for anybody would clear away what is no longer shown
    colleague.goto(page.url)
    expect(file_button(colleague, LABEL)).to_be_visible(timeout=TIMEOUT)
    settle(colleague)
    go_to(page, "Data")
    answer = page.request.get(f"{server}{link}")
    assert answer.status == 200
    assert RuleSet.from_json(answer.text()) == trained.rug.rules_


def test_a_file_that_did_not_change_keeps_its_link(page: Page, trained: Results) -> None:
    link = address(page)
    redraw(page, "ArrowRight")
    redraw(page, "ArrowLeft")
    assert address(page) == link


def test_the_keyboard_is_enough(page: Page, trained: Results, tmp_path: Path) -> None:
    button = file_button(page, LABEL)
    button.focus()
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert RuleSet.from_json(waiting.value.path().read_text()) == trained.rug.rules_
    expect(page.get_by_role("heading", name="The rules of RUG")).to_be_visible()  # the page stays where it is


def test_a_file_that_is_gone_says_what_to_do(browser, server: str) -> None:
    page = browser.new_page()
    answer = page.goto(f"{server}/files/gone")
    assert answer is not None
    assert answer.status == 404
    expect(page.get_by_text("Reload the page that you came from")).to_be_visible()
    page.close()
