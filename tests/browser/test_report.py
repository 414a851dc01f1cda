"""The report in a real browser: written about, made with one click, watched, and taken home."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from rugcore.report import ModelReport, to_html
from tests.browser.patience import expect
from tests.browser.steps import TIMEOUT, expect_scorecard, file_button, go_to, press, settle
from tests.unit.report.reports import hostile

pytestmark = pytest.mark.browser


def test_a_model_is_written_about_and_put_on_paper(page: Page, tmp_path: Path) -> None:
    press(page, "Try it on consumer loans")
    expect_scorecard(page, "rug", "fair")
    settle(page)
    go_to(page, "Report")

    page.get_by_role("textbox", name="Purpose").fill("Decides on consumer loans <b>up to</b> 50,000.")
    press(page, "Keep")
    expect(page.get_by_text("What it is for · 1 of 4")).to_be_visible(timeout=TIMEOUT)
    settle(page)

    press(page, "Make the report")
    expect(page.get_by_text("The report is up to date.")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    saved = {}
    for label, ending in (("PDF", ".pdf"), ("HTML", ".html"), ("Word", ".docx"), ("JSON", ".json")):
        with page.expect_download() as download:
            file_button(page, label).click()
        assert download.value.suggested_filename.endswith(ending)
        saved[ending] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[ending])
    assert saved[".pdf"].read_bytes().startswith(b"%PDF-1.7")
    report = ModelReport.from_json(saved[".json"].read_text(encoding="utf-8"))
    assert "Decides on consumer loans <b>up to</b> 50,000." in report.to_json()
    page.reload()
    settle(page)
    expect(page.get_by_text("The report is up to date.")).to_be_visible(timeout=TIMEOUT)


def test_the_html_opens_alone_and_fits_a_phone(browser: Browser, tmp_path: Path) -> None:
    """No request but the file itself, and nothing wider than the screen but tables that scroll in their frame."""
    path = tmp_path / "report.html"
    path.write_text(to_html(hostile()), encoding="utf-8")
    for width in (1366, 390):
        page = browser.new_page(viewport={"width": width, "height": 800})
        asked: list[str] = []
        said: list[str] = []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.on("console", lambda message, said=said: said.append(message.text))
        page.goto(path.as_uri())
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert asked == [path.as_uri()]
        assert said == []
        page.close()
