"""The page Rules in a real browser: read, filter, open, re-weight, leave out, take home."""

import csv
import io
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from rugboard.runs.opening import open_results
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugcore.export import to_sql
from rugcore.rules import Rule, RuleSet
from tests.browser.patience import expect
from tests.browser.steps import (
    TIMEOUT,
    cells,
    choose,
    decided_by,
    download,
    file_button,
    go_to,
    open_line,
    settle,
    show_rules_after,
    train_mortgages,
    until_done,
)

pytestmark = pytest.mark.browser


@pytest.fixture
def trained(page: Page, server: str, store: RunStore) -> Results:
    """A visitor who has tried the demo and went on to its rules."""
    return open_results(store, show_rules_after(train_mortgages, page, server))


def numbers(page: Page, label: str) -> Locator:
    """A number in the box with the sliders."""
    box = page.locator(".st-key-weighing")
    return box.get_by_test_id("stMetric").filter(has_text=label).get_by_test_id("stMetricValue")


def show_rug(page: Page) -> None:
    page.get_by_role("radio", name="RUG", exact=True).click()
    expect(page.get_by_role("heading", name="The rules of RUG")).to_be_visible(timeout=TIMEOUT)
    settle(page)


def test_rules_are_read_re_weighted_and_taken_home(page: Page, trained: Results, tmp_path: Path) -> None:
    show_rug(page)
    all_rules = trained.rug.rules_
    expect(page.get_by_text(f"{len(all_rules)} rules. Click on a line")).to_be_visible(timeout=TIMEOUT)

    choose(page, "Outcome", "denied")
    page.keyboard.press("Escape")
    denied = [rule for rule in all_rules if rule.label == "denied"]
    expect(page.get_by_text(f"{len(denied)} of {len(all_rules)} rules")).to_be_visible(timeout=TIMEOUT)
    expect(cells(page, table=0).filter(has_text=str(denied[0])).first).to_be_attached(timeout=TIMEOUT)

    detail = page.locator(".st-key-rule_detail")
    open_line(page, 0, shown=detail)
    for condition in denied[0].conditions:
        expect(detail.get_by_text(str(condition), exact=True)).to_be_visible(timeout=TIMEOUT)
    expect(detail.get_by_test_id("stPlotlyChart")).to_be_visible(timeout=TIMEOUT)

    weighed = move_price(page, trained)
    weighed = leave_out_first(page, trained, weighed.rules_)

    path = download(page, "Rules as JSON", tmp_path)
    assert path.name.endswith("-rug-rules.json")
    from_file = RuleSet.from_json(path.read_text())
    assert from_file == weighed.rules_
    assert decided_by(from_file, trained) == weighed.predict(trained.X_test).tolist()

    lines = list(csv.DictReader(io.StringIO(download(page, "Rules as CSV", tmp_path).read_text("utf-8-sig"))))
    assert [line["rule"] for line in lines] == [str(rule) for rule in weighed.rules_]


def test_the_rules_are_taken_to_production(page: Page, trained: Results, tmp_path: Path) -> None:
    show_rug(page)
    choose(page, "Format", "Python")
    path = download(page, "Download Python", tmp_path)
    assert path.name.endswith("-rug.py")
    done = subprocess.run([sys.executable, "-I", "-S", path], capture_output=True, text=True, check=False)
    assert done.stdout == "100 of 100 test cases as the model decides them.\n", done.stderr
    choose(page, "Format", "SQL")
    choose(page, "Database", "SQLite")
    type_and_click_at_once(page, "bank.people")

    def take_home() -> None:
        """Once the file at the link is for this database, too."""
        text = download(page, "Download SQL for “bank.people”", tmp_path).read_text(encoding="utf-8")
        assert text == to_sql(trained.rug, "bank.people", "sqlite")

    until_done(page, take_home)


def type_and_click_at_once(page: Page, table: str) -> None:
    """A name that the server has not heard of yet: its file is not there, and that for the old name must not come."""
    old = file_button(page, "Download SQL for")
    until_done(page, old.scroll_into_view_if_needed)
    page.get_by_role("textbox", name="Table").fill(table)
    expect(old).to_have_css("pointer-events", "none", timeout=TIMEOUT)
    place = old.bounding_box()
    assert place is not None
    page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    expect(file_button(page, f"Download SQL for “{table}”")).to_be_visible(timeout=TIMEOUT)
    expect(file_button(page, "Download SQL for")).to_have_css("pointer-events", "auto", timeout=TIMEOUT)
    settle(page)


def move_price(page: Page, trained: Results) -> Any:
    slider = page.get_by_role("slider", name="Price of a rule")
    slider.press("ArrowRight")
    weighed = trained.rug.refit(penalty=10.0)
    expect(numbers(page, "Rules")).to_have_text(str(len(weighed.rules_)), timeout=TIMEOUT)
    expect(page.get_by_text("re-weighted; the run stays as it is")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    return weighed


def leave_out_first(page: Page, trained: Results, rules: RuleSet) -> Any:
    first: Rule = next(rule for rule in rules if rule.label == "denied")
    detail = page.locator(".st-key-rule_detail")
    open_line(page, 0, shown=detail.get_by_text(str(first.conditions[0]), exact=True))
    page.get_by_role("button", name="Leave out this rule").click()
    expect(page.get_by_text("1 rule left out")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    return trained.rug.refit(penalty=10.0, without=first)


def test_what_was_set_stays_until_it_is_taken_back(page: Page, trained: Results) -> None:
    show_rug(page)
    weighed = move_price(page, trained)
    go_to(page, "Data")
    go_to(page, "Rules")
    expect(numbers(page, "Rules")).to_have_text(str(len(weighed.rules_)), timeout=TIMEOUT)
    page.get_by_role("button", name=re.compile("^Back to price 3|undo Back to price 3")).click()
    expect(page.get_by_role("button", name="Back to price 3")).to_be_disabled(timeout=TIMEOUT)
    expect(numbers(page, "Rules")).to_have_text(str(len(trained.rug.rules_)), timeout=TIMEOUT)


def test_tables_offer_no_csv_with_live_formulas(page: Page, trained: Results) -> None:
    """Streamlit's own button writes cells as they are; ours make them harmless."""
    own = page.locator("button[aria-label^='Download as CSV']")
    expect(own.first).to_be_attached()
    page.get_by_test_id("stDataFrame").first.hover()
    expect(page.locator("button[aria-label^='Search']").first).to_be_visible()
    assert not any(own.nth(place).is_visible() for place in range(own.count()))


def test_fairrug_and_the_differences(page: Page, trained: Results, new_visitor: Callable[[], Page]) -> None:
    page.get_by_role("radio", name="FairRUG", exact=True).click()
    expect(page.get_by_role("heading", name="The rules of FairRUG")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    page.get_by_role("slider", name="Largest allowed gap").press("Home")
    expect(page.get_by_text("Both as re-weighted now.")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    n_rug, n_fair = len(trained.rug.rules_), len(trained.fair.refit(epsilon=0.0).rules_)
    colleague = new_visitor()  # sees the same, because the address says what was set
    colleague.goto(page.url)
    expect(colleague.get_by_text(f"RUG has {n_rug} rules, FairRUG {n_fair}")).to_be_visible(timeout=TIMEOUT)
    n_fair = len(trained.fair.rules_)
    colleague = new_visitor()  # what one visitor sets is not what another sees
    colleague.goto(re.sub(r"&?limit=[^&]*", "", page.url))
    expect(colleague.get_by_text(f"RUG has {n_rug} rules, FairRUG {n_fair}")).to_be_visible(timeout=TIMEOUT)
    colleague.get_by_text(re.compile("^Only in FairRUG")).first.click()
    settle(colleague)
