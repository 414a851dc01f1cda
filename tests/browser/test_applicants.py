"""Applicants in a real browser: from the demo to a rejected applicant, both explanations, and a change that helps."""

import re
from collections.abc import Callable
from functools import partial

from playwright.sync_api import Locator, Page

from tests.browser.patience import expect
from tests.browser.steps import (
    ATTEMPT,
    TIMEOUT,
    choose_counted,
    click_canvas,
    expect_scorecard,
    file_button,
    go_to,
    next_applicant,
    press,
    settle,
    show_after,
    until_done,
    use_demo,
)

MARKS, HEADER, LINE = 40, 35, 35  # pixels of a table


def chart(page: Page) -> Locator:
    return page.locator(".st-key-shap_waterfall .js-plotly-plot")


def answer(page: Page) -> Locator:
    return page.locator(".st-key-whatif_answer")


def card(page: Page) -> Locator:
    return page.locator(".st-key-decision_card")


def train_demo(page: Page) -> None:
    """A run of this file's own, since a test marks what cannot change."""
    use_demo(page, "Mortgages in Boston")
    go_to(page, "Train")
    press(page, "Train")
    expect_scorecard(page, "rug", "fair")


def read_both_explanations(page: Page) -> None:
    expect(card(page).get_by_text("denied", exact=True)).to_be_visible(timeout=TIMEOUT)
    expect(page.get_by_text("For “denied”", exact=True)).to_be_visible()
    expect(page.get_by_text(re.compile(r"^here ")).first).to_be_visible()
    expect(page.get_by_text(re.compile("LightGBM decides"))).to_be_visible(timeout=TIMEOUT)
    expect(chart(page)).to_be_visible(timeout=TIMEOUT)
    expect(page.get_by_text("Do they agree?")).to_be_visible()


def find_somebody_with_a_way_out(page: Page) -> None:
    """Go along the queue until there is a proposal."""
    apply = page.get_by_role("button", name="Apply", exact=True)
    while not apply.count():
        next_applicant(page)
    expect(apply.first).to_be_visible()


def apply_first_change(page: Page) -> None:
    expect(answer(page).get_by_text("denied", exact=True)).to_be_visible()
    page.get_by_role("button", name="Apply", exact=True).first.click()
    expect(answer(page).get_by_text("The decision flips")).to_be_visible(timeout=TIMEOUT)
    expect(answer(page).get_by_text("approved", exact=True)).to_be_visible()
    expect(page.get_by_text("Rules that leave")).to_be_visible()
    settle(page)


def take_sheet_home(page: Page) -> None:
    with page.expect_download() as download:
        file_button(page, "This applicant as one page").click()
    text = download.value.path().read_text()
    assert re.search(r"Applicant \d+", text)
    assert "denied" in text
    assert "What would lead to approved" in text


def test_from_the_demo_to_a_change_that_helps(page: Page, server: str, new_visitor: Callable[[], Page]) -> None:
    show_after(train_demo, page, server, "Applicants")
    choose_counted(page, "Go through", "Rejected")
    read_both_explanations(page)
    find_somebody_with_a_way_out(page)
    apply_first_change(page)
    take_sheet_home(page)
    page.get_by_role("button", name="Reset").click()
    expect(answer(page).get_by_text("The decision flips")).to_have_count(0, timeout=TIMEOUT)
    expect(page).to_have_url(re.compile(r"applicant=\d+"))
    number = re.search(r"applicant=(\d+)", page.url)
    colleague = new_visitor()
    colleague.goto(page.url)
    assert number is not None
    expect(card(colleague).get_by_text(f"Applicant {number[1]} · RUG decides")).to_be_visible(timeout=TIMEOUT)
    expect(chart(colleague)).to_be_visible(timeout=TIMEOUT)


def test_somebody_is_chosen_from_the_list(page: Page, server: str, new_visitor: Callable[[], Page]) -> None:
    show_after(train_demo, page, server, "Applicants")
    choose_counted(page, "Go through", "Everyone")
    page.get_by_text("Choose from the list").click()
    table = page.locator(".st-key-find").get_by_test_id("stDataFrame")
    expect(table).to_be_visible(timeout=TIMEOUT)
    settle(page)
    third = int(table.get_by_test_id("glide-cell-1-2").inner_text())  # after the column of marks, from 0
    chosen = card(page).get_by_text(f"Applicant {third} · RUG decides")
    click_canvas(page, table, MARKS + 30, HEADER + 2.5 * LINE, shown=chosen)
    expect(chosen).to_be_visible(timeout=TIMEOUT)
    expect(page).to_have_url(re.compile(rf"applicant={third}\b.*queue=everyone|queue=everyone.*applicant={third}\b"))
    colleague = new_visitor()
    colleague.goto(page.url)
    expect(card(colleague).get_by_text(f"Applicant {third} · RUG decides")).to_be_visible(timeout=TIMEOUT)
    expect(colleague.get_by_role("combobox", name="Go through")).to_have_value(re.compile(r"^Everyone \(\d+\)$"))


def saved(page: Page, button: str) -> str:
    with page.expect_download() as download:
        file_button(page, button).click()
    return download.value.path().read_text(encoding="utf-8-sig")


def mark_numbers(page: Page) -> None:
    """That no number can change, one below the other, as one does with the keyboard."""
    table = page.locator("[class*=st-key-marks_][class*=_numbers]").get_by_test_id("stDataFrame")
    expect(table).to_be_visible(timeout=TIMEOUT)
    marks = table.locator("[data-testid^=glide-cell-1-]")
    expect(marks.first).to_be_attached(timeout=TIMEOUT)
    for line in range(marks.count()):
        until_done(page, partial(mark_number, page, table, line))
        settle(page)


def mark_number(page: Page, table: Locator, line: int) -> None:
    """The mark before has left the keyboard on this line, unless the page was drawn again meanwhile."""
    name = f"glide-cell-1-{line}"
    selected = table.locator(f"[data-testid={name}][aria-selected=true]")
    click_canvas(page, table, 220, HEADER + (line + 0.5) * LINE, shown=selected)
    page.keyboard.press("Enter")
    expect(page.get_by_role("option", name="only up")).to_be_visible(timeout=ATTEMPT)
    page.keyboard.type("cannot")
    expect(page.get_by_role("option", name="only up")).to_have_count(0, timeout=ATTEMPT)
    page.keyboard.press("Enter")
    expect(table.get_by_test_id(name)).to_have_text("cannot change", timeout=ATTEMPT)


def test_files_say_what_was_worded_and_marked(page: Page, server: str, new_visitor: Callable[[], Page]) -> None:
    """They are made at the click, where nothing is known of the visitor any more."""
    show_after(train_demo, page, server, "Applicants")
    choose_counted(page, "Go through", "Rejected")
    find_somebody_with_a_way_out(page)
    page.get_by_text("What can change").click()
    mark_numbers(page)
    page.get_by_text("Change the wording").click()
    field = page.get_by_test_id("stExpander").filter(has_text="Change the wording").get_by_role("textbox").first
    field.fill("{foo} too")
    field.press("Enter")
    expect(page.get_by_text("no other words in braces than {column}")).to_be_visible(timeout=TIMEOUT)
    field.fill("Our own words")
    field.press("Enter")
    expect(page.get_by_test_id("stCode").get_by_text("Our own words")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    sheet, table = saved(page, "This applicant as one page"), saved(page, "Reasons of")
    assert "Our own words" in sheet
    assert "Our own words" in table
    proposals = sheet.partition("What would lead to approved")[2].partition("</section>")[0]
    assert "ratio" not in proposals  # the numbers of this table
    colleague = new_visitor()
    colleague.goto(page.url)
    expect(colleague.get_by_test_id("stCode").get_by_text("Our own words")).to_be_visible(timeout=TIMEOUT)


def test_reset_clears_every_field(page: Page, server: str) -> None:
    show_after(train_demo, page, server, "Applicants")
    field = page.get_by_role("spinbutton", name="payments to income ratio")
    expect(field).to_have_value(re.compile(r"\d"), timeout=TIMEOUT)  # it is filled in after it is drawn
    own = field.input_value()
    field.fill("-5")
    field.press("Enter")
    expect(answer(page).get_by_text("nothing can be said about -5")).to_be_visible(timeout=TIMEOUT)
    page.get_by_role("button", name="Reset").click()
    expect(field).to_have_value(own, timeout=TIMEOUT)
    expect(answer(page).get_by_text("nothing can be said")).to_have_count(0)
