"""Before a model is trusted: settings that are worth their rules, rules that come back, and chances with a cut-off."""

import re
from functools import partial

import pytest
from playwright.sync_api import Locator, Page

from tests.browser.patience import expect
from tests.browser.steps import ATTEMPT, TIMEOUT, expect_scorecard, go_to, press, settle, until_done, use_demo

pytestmark = pytest.mark.browser


def test_settings_are_found_rules_come_back_and_a_cut_off_is_moved(page: Page) -> None:
    use_demo(page, "Mortgages in Boston")
    go_to(page, "Train")
    take_a_setting_that_was_found(page)
    press(page, "Train")
    expect_scorecard(page, "rug", "fair")
    settle(page)

    go_to(page, "Rules")
    page.get_by_role("button", name="See how sure the rules are").click()
    expect(page.get_by_text(re.compile(r"came back in more than half of 10 samples"))).to_be_visible(timeout=TIMEOUT)
    settle(page)

    go_to(page, "Compare")
    cut_off = page.get_by_role("slider", name=re.compile("from a chance of"))
    right = page.get_by_text(re.compile(r"Of \d+ people who were in fact “approved”")).first
    expect(right).to_be_visible(timeout=TIMEOUT)
    before = right.text_content()
    cut_off.press("End")
    expect(right).not_to_have_text(before or "", timeout=TIMEOUT)
    settle(page)


def choose_another_point(page: Page, tried: Locator) -> None:
    """The recommended one lies under a star; and the chart may be drawn again meanwhile."""
    chosen = page.get_by_text("Your choice.")
    for number in range(tried.count()):
        if chosen.count():
            break
        tried.nth(number).click(force=True, timeout=ATTEMPT)
        settle(page)
    expect(chosen).to_be_visible(timeout=ATTEMPT)


def take_a_setting_that_was_found(page: Page) -> None:
    """The first settings come in at once; nobody need wait for all of them."""
    page.get_by_role("button", name="Find good settings").click()
    expect(page.get_by_text(re.compile(r"[3-9] of 25 settings measured"))).to_be_visible(timeout=TIMEOUT)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text(re.compile(r"Cancelled with \d+ of 25 settings measured"))).to_be_visible(timeout=TIMEOUT)
    settle(page)
    chart = page.locator(".st-key-search").get_by_test_id("stPlotlyChart")
    tried = chart.locator(".scatterlayer .trace").first.locator(".point")
    until_done(page, partial(choose_another_point, page, tried))
    settle(page)
    chosen = page.locator(".st-key-search").get_by_text(re.compile("^Longest rule [1-5], price")).first.text_content()
    press(page, "Take these settings")
    depth = (chosen or "").removeprefix("Longest rule ").partition(",")[0]
    slider = page.get_by_role("slider", name="Longest rule")
    expect(slider).to_have_value(depth, timeout=TIMEOUT)
    settle(page)
