"""From a demo to a fairer model in a real browser: verdict, frontier, another limit, and the files to take home."""

import re
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Locator, Page

from tests.browser.patience import expect
from tests.browser.steps import (
    ATTEMPT,
    TIMEOUT,
    file_button,
    go_to,
    press,
    settle,
    show_after,
    train_mortgages,
    until_done,
)

pytestmark = pytest.mark.browser

FRONTIER = ".st-key-fairness-frontier"


def open_fairness(page: Page, server: str) -> None:
    show_after(train_mortgages, page, server, "Fairness")
    expect(page.get_by_text("of test rows right").first).to_be_visible(timeout=TIMEOUT)
    unfold(page, "What FairRUG was asked for, and what it did")


def unfold(page: Page, name: str) -> None:
    page.get_by_text(name, exact=True).click()
    settle(page)


def number(page: Page, label: str) -> Locator:
    """A number of FairRUG's account."""
    account = page.locator(".st-key-asked_and_done")
    return account.get_by_test_id("stMetric").filter(has_text=label).get_by_test_id("stMetricValue")


def wait_for_frontier(page: Page) -> None:
    expect(page.get_by_text(re.compile(r"^\d+ of \d+ limits$"))).to_have_count(0, timeout=TIMEOUT)
    settle(page)
    expect(page.locator(FRONTIER).locator(".scatterlayer .trace").first).to_be_attached(timeout=TIMEOUT)


def choose_last_point(page: Page, asked: str) -> None:
    """The loosest limit, among the dots of the training rows; a chart that is drawn anew loses clicks and dots."""
    dot = page.locator(FRONTIER).locator(".x2y2 .scatterlayer .trace path.point").last

    def click() -> None:
        if number(page, "Asked for").inner_text() == asked:
            dot.scroll_into_view_if_needed(timeout=ATTEMPT)
            box = dot.bounding_box(timeout=ATTEMPT)
            assert box is not None
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(number(page, "Asked for")).not_to_have_text(asked, timeout=ATTEMPT)

    until_done(page, click)


def test_a_point_of_the_frontier_is_chosen_and_everything_follows(page: Page, server: str) -> None:
    open_fairness(page, server)
    expect(number(page, "Asked for")).to_have_text("2.5 points")
    before = number(page, "Decisions, training").inner_text()
    wait_for_frontier(page)
    choose_last_point(page, "2.5 points")
    expect(page.get_by_text("Re-weighted from")).to_be_visible()
    expect(number(page, "Decisions, training")).not_to_have_text(before)
    chosen = number(page, "Asked for").inner_text()
    go_to(page, "Train")
    go_to(page, "Fairness")
    unfold(page, "What FairRUG was asked for, and what it did")
    expect(number(page, "Asked for")).to_have_text(chosen, timeout=TIMEOUT)
    press(page, "Back to as trained")
    expect(number(page, "Asked for")).to_have_text("2.5 points", timeout=TIMEOUT)
    expect(number(page, "Decisions, training")).to_have_text(before)


def test_the_slider_and_lightgbm_change_the_picture(page: Page, server: str) -> None:
    open_fairness(page, server)
    cards, slider = page.locator(".st-key-verdict_rug"), page.get_by_role("slider", name="Largest allowed gap")
    until_done(page, slider.scroll_into_view_if_needed)
    before = cards.bounding_box()
    slider.press("ArrowRight")
    expect(number(page, "Asked for")).to_have_text("3.0 points", timeout=TIMEOUT)
    after = cards.bounding_box()
    assert before is not None
    assert after is not None
    assert after["y"] == before["y"]  # the line that says so had its place already
    page.get_by_text("Compare with LightGBM").click()
    expect(page.locator(".st-key-verdict_lightgbm")).to_be_visible(timeout=TIMEOUT)
    unfold(page, "Who is decided wrongly, and how often")
    page.get_by_text("Training rows", exact=True).first.click()
    expect(page.get_by_text("These rows are counted in full")).to_be_visible(timeout=TIMEOUT)
    settle(page)


def test_the_audit_is_taken_home(page: Page, server: str, tmp_path: Path) -> None:
    open_fairness(page, server)
    with page.expect_download() as waiting:
        file_button(page, "Download the audit").click()
    download = waiting.value
    # No two runs have one name: those that tests before this one trained on the same server are told apart.
    assert re.fullmatch(r"mortgages-in-boston(-\d+)?-fairness-audit\.csv", download.suggested_filename)
    download.save_as(tmp_path / "audit.csv")
    frame = pd.read_csv(tmp_path / "audit.csv")
    assert set(frame["model"]) == {"RUG", "FairRUG"}
    assert set(frame["rows"]) == {"training", "test"}
    assert frame["run"].nunique() == 1
    assert re.fullmatch(r"Mortgages in Boston( \(\d+\))?", frame["run"][0])
    assert set(frame["limit"]) == {0.025}
    shown = page.locator(".st-key-verdict_fair").get_by_test_id("stMetric").filter(has_text="Gap, test rows")
    gap = frame.query("model == 'FairRUG' and rows == 'test' and measure == 'dmc gap'")["value"].item()
    expect(shown.get_by_test_id("stMetricValue")).to_have_text(f"{100 * gap:.1f} points")
    wait_for_frontier(page)
