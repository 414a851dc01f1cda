"""Files in the browser: broken ones are refused in one sentence, and a good one outlives a refresh of the page."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.patience import expect
from tests.browser.steps import TIMEOUT, choose, go_to, settle, upload
from tests.dashboard.pages.test_data import BROKEN

pytestmark = pytest.mark.browser


def test_broken_files_are_refused_one_after_another(page: Page, tmp_path: Path) -> None:
    go_to(page, "Data")
    said = ""
    for name, content in BROKEN.items():
        path = tmp_path / name
        path.write_bytes(content)
        upload(page, path)
        alert = page.get_by_test_id("stAlert").filter(has_text=name)
        expect(alert).to_be_visible(timeout=TIMEOUT)
        settle(page)
        assert alert.inner_text() != said
        said = alert.inner_text()
    assert len(BROKEN) >= 12
    good = tmp_path / "good.csv"
    good.write_text("x,y\n" + "\n".join(f"{number},{'a' if number % 3 else 'b'}" for number in range(100)))
    upload(page, good)
    expect(page.get_by_role("heading", name="good.csv")).to_be_visible(timeout=TIMEOUT)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)


GERMAN = "Einkommen;Quote;Datum;Ergebnis\n" + "\n".join(
    f"{1 + row % 7}.{row % 9}84,25 €;{row % 61},5 %;2021-01-{1 + row % 28:02};{'ja' if row % 5 else 'nein'}"
    for row in range(600)
)


def test_a_file_with_units_is_read_and_outlives_a_refresh(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "antraege.csv"
    path.write_text(GERMAN)
    go_to(page, "Data")
    upload(page, path)
    expect(page.get_by_text("Numbers with '€' were read as numbers")).to_be_visible(timeout=TIMEOUT)
    choose(page, "Which column is the outcome?", "Ergebnis")
    page.get_by_test_id("stRadio").get_by_text("ja", exact=True).click()
    on = page.get_by_role("button", name="Go on to training")
    expect(on).to_be_visible(timeout=TIMEOUT)
    settle(page)
    page.reload()
    expect(page.get_by_role("heading", name="antraege.csv")).to_be_visible(timeout=TIMEOUT)
    expect(on).to_be_visible(timeout=TIMEOUT)
    expect(page.get_by_test_id("stRadio").get_by_role("radio", name="ja", exact=True)).to_be_checked()
