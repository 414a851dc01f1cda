"""A page that is opened directly looks as if it had been reached by the navigation."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import listen
from tests.browser.patience import expect
from tests.browser.screenshots import server
from tests.browser.steps import TIMEOUT

pytestmark = pytest.mark.browser


@pytest.fixture
def fresh_server(tmp_path: Path):
    """A server that nobody has visited yet."""
    with server(tmp_path) as address:
        yield address


def test_the_first_visitor_of_a_server_may_come_by_a_link(browser: Browser, fresh_server: str) -> None:
    """Streamlit would take the folder pages/ for an app of its old kind, without our navigation and layout."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    complaints: list[str] = []
    page = context.new_page()
    listen(page, fresh_server, complaints)
    page.goto(f"{fresh_server}/data")
    expect(page.get_by_role("heading", name="Data", exact=True)).to_be_visible(timeout=TIMEOUT)
    expect(page.get_by_test_id("stTopNavLink").filter(has_text="Fairness")).to_be_visible(timeout=TIMEOUT)
    expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)
    expect(page).to_have_title("Data · RUG Dashboard")
    context.close()
    assert complaints == []
