"""Rules that people decide on, in a real browser: one vetoed and one written, accepted, and told to whoever is late."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from rugboard.runs.opening import open_results
from rugboard.runs.store import RunStore
from rugboard.session.adjustments import rule_id
from rugcore import governance_of
from tests.browser.patience import expect
from tests.browser.steps import (
    ATTEMPT,
    TIMEOUT,
    cells,
    choose,
    click_until,
    go_to,
    open_line,
    press,
    settle,
    train_mortgages,
    until_done,
)

pytestmark = pytest.mark.browser


def open_first_rule(page: Page, words: str) -> None:
    """Once the page is drawn to its end: a table that is drawn again forgets a click."""
    expect(page.get_by_role("heading", name="The rules of RUG")).to_be_visible(timeout=TIMEOUT)
    expect(page.get_by_role("heading", name="Take the rules to production")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    expect(cells(page, table=0).filter(has_text=words).first).to_be_attached(timeout=TIMEOUT)
    open_line(page, 0, shown=page.locator(".st-key-rule_detail"))


def give_reason(page: Page, who: str, why: str) -> None:
    """Typed, and not yet sent: the click that follows brings it along."""
    name, reason = page.get_by_role("textbox", name="Who"), page.get_by_role("textbox", name="Why")

    def type_both() -> None:
        expect(reason).to_have_count(1, timeout=ATTEMPT)  # those of the version before may not be gone yet
        name.fill(who)
        reason.fill(why)
        expect(name).to_have_value(who, timeout=ATTEMPT)
        expect(reason).to_have_value(why, timeout=ATTEMPT)

    until_done(page, type_both)


def test_rules_are_vetoed_and_written_by_two_people(
    page: Page, store: RunStore, new_visitor: Callable[[], Page]
) -> None:
    train_mortgages(page)
    go_to(page, "Rules")
    expect(page).to_have_url(re.compile("run="), timeout=TIMEOUT)
    settle(page)
    run_id = page.url.rpartition("run=")[2].partition("&")[0]
    heavy = open_results(store, run_id).rug.rules_[0]
    open_first_rule(page, str(heavy))
    press(page, "Veto")
    expect(page.get_by_text("Proposed: 1 change")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    give_reason(page, "Ada", "It stands in for the district.")

    late = new_visitor()
    late.goto(page.url)
    expect(late.get_by_role("heading", name="Decide on rules")).to_be_visible(timeout=TIMEOUT)
    settle(late)
    press(late, "Write a rule")
    settle(late)
    choose(late, "Columns", "payments to income ratio")
    late.keyboard.press("Escape")
    threshold = late.get_by_role("spinbutton", name="payments to income ratio: more than")
    threshold.fill("0.377")
    threshold.press("Tab")
    settle(late)
    choose(late, "Then the rule votes for", "denied")
    late.get_by_text("It must have a say").click()
    settle(late)
    press(late, "Propose this rule")
    expect(late.get_by_text(re.compile("Write: if payments to income ratio > 0.377, then denied"))).to_be_visible(
        timeout=TIMEOUT
    )
    settle(late)
    give_reason(late, "Ben", "Agreed by the committee.")

    press(page, "Accept the change")
    expect(page.get_by_text("Accepted, and kept as")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    press(late, "Accept the change")
    expect(late.get_by_text("Somebody else changed the rules of this run meanwhile")).to_be_visible(timeout=TIMEOUT)
    settle(late)
    press(late, "Open the newest")
    expect(
        late.get_by_text("version 2", exact=True).or_(late.get_by_text(re.compile("version 2"))).first
    ).to_be_visible(timeout=TIMEOUT)
    settle(late)
    # The form of the newest version; the one before it is still there for a moment.
    name = late.get_by_role("textbox", name="Name of the new version")
    expect(name).to_have_value(re.compile("version 3$"), timeout=TIMEOUT)
    settle(late)
    give_reason(late, "Ben", "Agreed by the committee.")
    press(late, "Accept the change")
    expect(late.get_by_text("Accepted, and kept as")).to_be_visible(timeout=TIMEOUT)
    settle(late)
    click_until(late, late.get_by_text("Log of rule changes · 2 changes"), late.get_by_role("link", name="Log as CSV"))

    newest = store.newest(run_id)
    assert [(entry.who, entry.why) for entry in store.rule_log(newest)] == [
        ("Ada", "It stands in for the district."),
        ("Ben", "Agreed by the committee."),
    ]
    model = open_results(store, newest).rug
    assert rule_id(heavy) in {rule_id(rule) for rule in governance_of(model).vetoed}
    assert [str(rule) for rule in governance_of(model).written] == ["payments to income ratio > 0.377"]
