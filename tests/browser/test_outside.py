"""Another model's score, from a column of a file to rules that imitate it, in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from rugcore import load_demo
from tests.browser.steps import TIMEOUT, choose, expect_scorecard, go_to, press, settle, upload

pytestmark = pytest.mark.browser


def test_a_bank_s_score_is_audited_and_imitated(page: Page, tmp_path: Path) -> None:
    demo = load_demo("hmda")
    risk = demo.X["payments to income ratio"].rank(pct=True, method="first").round(3)
    path = tmp_path / "bank.csv"
    demo.X.assign(**{"bank risk": risk}, decision=demo.y).to_csv(path, index=False)

    go_to(page, "Data")
    upload(page, path)
    expect(page.get_by_role("heading", name="bank.csv")).to_be_visible(timeout=TIMEOUT)
    choose(page, "Which column is the outcome?", "decision")
    page.get_by_text("approved", exact=True).first.click()
    settle(page)
    choose(page, "Sensitive attribute", "afam")
    page.keyboard.press("Escape")
    page.get_by_text("Another model's decisions, if the table has some").click()
    choose(page, "Which column holds what another model decided?", "bank risk")
    expect(page.get_by_text("The other model decides")).to_contain_text("50.0 %", timeout=TIMEOUT)
    page.get_by_text("below the cut-off").click()
    settle(page)
    page.get_by_role("slider", name="Cut-off").press("End")
    expect(page.get_by_text("Everybody is decided").or_(page.get_by_text("99."))).to_be_visible(timeout=TIMEOUT)
    for _ in range(10):
        page.get_by_role("slider", name="Cut-off").press("ArrowLeft")
    expect(page.get_by_text("The other model decides")).to_contain_text("of 2,380 people", timeout=TIMEOUT)
    settle(page)
    press(page, "Go on to training")
    expect(page.get_by_role("heading", name="Train", exact=True)).to_be_visible(timeout=TIMEOUT)
    settle(page)
    press(page, "Train")
    expect_scorecard(page, "rug", "fair")
    settle(page)

    go_to(page, "Fairness")
    expect(page.locator(".st-key-verdict_outside")).to_contain_text("Other model", timeout=TIMEOUT)
    go_to(page, "Compare")
    press(page, "Learn rules that imitate it")
    expect(page.get_by_text("people that they were not learned from")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    press(page, "Look at these applicants one by one")
    expect(page.get_by_role("heading", name="Applicants", exact=True)).to_be_visible(timeout=TIMEOUT)
    expect(page.locator(".st-key-decision_card")).to_contain_text("Other model:", timeout=TIMEOUT)
