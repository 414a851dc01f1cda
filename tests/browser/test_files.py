"""A dozen broken files: each is refused in one sentence, and the page goes on."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.app.test_data import BROKEN
from tests.browser.steps import TIMEOUT, go_to, settle, upload

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
