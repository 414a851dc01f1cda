"""A model is kept under a name, set beside the first, and decides on new people: by form, and from a file."""

import re
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page

from rugboard.runs.opening import open_results
from rugboard.runs.results import Results
from rugboard.runs.store import RunStore
from rugcore import load_demo
from tests.browser.patience import expect
from tests.browser.steps import (
    TIMEOUT,
    choose,
    click_canvas,
    click_until,
    download,
    expect_scorecard,
    go_to,
    press,
    settle,
    upload,
    use_demo,
)

pytestmark = pytest.mark.browser


def test_a_model_is_kept_compared_and_decides_on_new_people(page: Page, store: RunStore, tmp_path: Path) -> None:
    use_demo(page, "Mortgages in Boston")
    go_to(page, "Train")
    press(page, "Train")
    expect_scorecard(page, "rug", "fair")
    settle(page)
    first = open_results(store, re.findall(r"run=([\w-]+)", page.url)[0])
    kept = keep_another(page, store, first)
    compare(page, first, kept)
    decide_one(page, kept)
    decide_file(page, kept, tmp_path)


def keep_another(page: Page, store: RunStore, first: Results) -> Results:
    go_to(page, "Rules")
    slider, button = (
        page.get_by_role("slider", name="Price of a rule"),
        page.get_by_role("button", name="Keep as a new run"),
    )
    for price in ("10", "30"):
        slider.press("ArrowRight")
        expect(page).to_have_url(re.compile(f"rug_price={price}(&|$)"), timeout=TIMEOUT)
    settle(page)
    dialog = page.get_by_role("dialog")
    click_until(page, button, shown=dialog.get_by_role("textbox", name="Name"))
    dialog.get_by_role("textbox", name="Name").fill("fewer rules")
    dialog.get_by_role("button", name="Keep", exact=True).click()
    expect(page.get_by_text(f"kept from “{first.run.name}”")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    (newest,) = (run for run in store.runs() if run.name == "fewer rules" and run.plan.origin.run == first.run.id)
    assert newest.id in page.url
    return open_results(store, newest.id)


def compare(page: Page, first: Results, kept: Results) -> None:
    go_to(page, "Runs")
    n_differing = int((first.rug.predict(first.X_test) != kept.rug.predict(first.X_test)).sum())
    assert n_differing > 0
    expect(page.get_by_text(f"The same data and the same {len(first.X_test)} test rows")).to_be_visible(timeout=TIMEOUT)
    expect(page.get_by_text(f"{n_differing} of {len(first.X_test)} test rows")).to_be_visible(timeout=TIMEOUT)
    people = page.get_by_test_id("stDataFrame").nth(2)
    applicants = page.get_by_role("heading", name="Applicants", exact=True)
    click_canvas(page, people, 200, 36 + 18, shown=applicants)
    expect(applicants).to_be_visible(timeout=TIMEOUT)
    differs = first.rug.predict(first.data.X) != kept.rug.predict(first.data.X)
    number = int(first.data.rows[(differs & first.is_test).argmax()]) + 1
    expect(page).to_have_url(re.compile(f"applicant={number}(&|$)"), timeout=TIMEOUT)
    settle(page)


def decide_one(page: Page, kept: Results) -> None:
    """The run of the first model is looked at, since one of its applicants was."""
    go_to(page, "New cases")
    expect(page.get_by_text("RUG as trained decides.")).to_be_visible(timeout=TIMEOUT)
    choose(page, "denied mortgage insurance", "yes")
    answer = page.locator(".st-key-new_case_answer")
    expect(answer.get_by_text("Manual review")).to_be_visible(timeout=TIMEOUT)
    expect(answer.get_by_text("is blank, and no training row has a blank there").first).to_be_visible()
    page.goto(re.sub(r"run=[\w-]+", f"run={kept.run.id}", page.url))
    expect(page.get_by_text("RUG as kept decides.")).to_be_visible(timeout=TIMEOUT)
    settle(page)


def decide_file(page: Page, kept: Results, folder: Path) -> None:
    demo = load_demo("hmda")
    people = demo.X.iloc[:200].assign(**{"loan": [f"L{n}" for n in range(200)], demo.target: demo.y.iloc[:200]})
    path = folder / "people.csv"
    people.to_csv(path, index=False)
    page.get_by_text("A file of people", exact=True).click()
    settle(page)
    upload(page, path)
    expect(page.get_by_text("The file has the outcome")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    choose(page, "People are called by", "loan")
    press(page, "Decide 200 people")
    expect(page.get_by_role("heading", name="Decisions")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    found = pd.read_csv(download(page, "All as CSV", folder), encoding="utf-8-sig")
    sheet = pd.read_excel(download(page, "All as Excel", folder), engine="calamine")
    expected = kept.rug.predict(people[list(kept.rug.schema_.names)])
    is_decided = (found["decision"] != "manual review").to_numpy()
    assert is_decided.any()
    assert found["decision"][is_decided].tolist() == expected[is_decided].tolist()
    assert found["applicant"].tolist() == people["loan"].tolist() == sheet["applicant"].tolist()
    link = page.get_by_role("link", name="All as CSV").get_attribute("href")
    go_to(page, "Rules")
    go_to(page, "New cases")
    expect(page.get_by_role("heading", name="Decisions")).to_have_count(0)
    assert link is not None
    assert page.request.get(link if link.startswith("http") else page.url.split("/new_cases")[0] + link).status == 404
