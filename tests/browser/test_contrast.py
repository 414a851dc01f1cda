"""Whatever is written can be read, in the light and in the dark, as the browser paints it."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.patience import expect
from tests.browser.steps import ATTEMPT, TIMEOUT, go_to, settle, show_after, train_mortgages, until_done

pytestmark = pytest.mark.browser
MEASURE = Path(__file__).with_name("contrast.js").read_text()
READABLE = 4.5  # what WCAG asks of words
PAGES = ("Data", "Train", "Rules", "Applicants", "New cases", "Runs")
STEP = 500  # pixels
MAIN = "document.querySelector('[data-testid=stMain]')"


def unreadable(page: Page) -> dict[str, float]:
    """From the top of the page to its end."""
    found: dict[str, float] = {}
    height = int(page.evaluate(f"{MAIN}.scrollHeight"))
    for place in range(0, height, STEP):
        page.evaluate(f"{MAIN}.scrollTo(0, {place})")
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found |= page.evaluate(MEASURE, READABLE)
    return found


def test_words_can_be_read_in_both_themes(page: Page, server: str, browser: Browser) -> None:
    show_after(train_mortgages, page, server, "Rules")
    for theme in ("light", "dark"):
        window = browser.new_page(color_scheme=theme, viewport={"width": 1366, "height": 768})  # type: ignore[arg-type]
        window.set_default_timeout(TIMEOUT)
        window.goto(page.url)
        for name in PAGES:
            go_to(window, name)
            expect(window.get_by_test_id("stSkeleton")).to_have_count(0, timeout=TIMEOUT)
            settle(window)
            assert unreadable(window) == {}, (theme, name)
        window.close()


def test_words_of_a_dialog_can_be_read_in_both_themes(page: Page, server: str, browser: Browser) -> None:
    """A dialog hangs beside the app, and does not inherit which theme it is in."""
    run_id = show_after(train_mortgages, page, server, "Rules")
    for theme in ("light", "dark"):
        window = browser.new_page(color_scheme=theme, viewport={"width": 1366, "height": 768})  # type: ignore[arg-type]
        window.set_default_timeout(TIMEOUT)
        window.goto(f"{server}/?run={run_id}")
        settle(window)
        until_done(window, lambda window=window: open_dialog(window))  # type: ignore[misc]
        assert window.evaluate(MEASURE, READABLE) == {}, theme
        window.close()


def open_dialog(window: Page) -> None:
    window.get_by_role("button", name="More").first.click(timeout=ATTEMPT)
    window.get_by_text("Delete", exact=True).first.click(timeout=ATTEMPT)
    expect(window.get_by_role("dialog").get_by_role("button", name="Delete it")).to_be_visible(timeout=ATTEMPT)
    window.evaluate("Promise.all(document.getAnimations().map(own => own.finished))")


def test_what_cannot_be_read_is_found(page: Page) -> None:
    """The measure itself: grey on white, white on orange in a chart, words behind a veil."""
    page.set_content(
        """<body style="background:#fff"><p style="color:#767676">fine</p><p style="color:#999">grey</p>
        <p style="opacity:.5;color:#000">veiled</p><p style="opacity:0">hidden</p>
        <svg width="200" height="40"><rect width="200" height="40" fill="#d1610f"/>
        <text x="10" y="25" fill="#fff">inside</text></svg></body>"""
    )
    found = page.evaluate(MEASURE, READABLE)
    assert set(found) == {"grey", "veiled", "inside"}
    assert found["grey"] == pytest.approx(2.85, abs=0.01)
    assert found["inside"] == pytest.approx(3.87, abs=0.02)
