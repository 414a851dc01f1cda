"""Journeys through the dashboard in a real browser, from the first click to the scorecard."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, Page

from rugboard.runs.opening import open_results
from rugboard.runs.store import RunStore
from rugcore.rules import RuleSet
from tests.browser.patience import expect
from tests.browser.steps import (
    ATTEMPT,
    TIMEOUT,
    cells,
    choose,
    click_until,
    decided_by,
    download,
    expect_scorecard,
    go_to,
    metric,
    press,
    settle,
    start_endless_training,
    until_done,
    upload,
    use_demo,
)

pytestmark = pytest.mark.browser


def test_one_click_leads_to_rules_and_reasons(page: Page) -> None:
    press(page, "Try it on consumer loans")
    expect(page.get_by_text("The heaviest")).to_be_visible(timeout=TIMEOUT)
    expect(page.get_by_text("One applicant, explained")).to_be_visible()
    expect(cells(page, table=0).filter(has_text=re.compile("income|records|job|amount")).first).to_be_attached()
    expect_scorecard(page, "rug", "fair")
    assert "run=" in page.url
    for name in ("Data", "Train", "Rules", "Applicants", "Fairness", "Compare"):
        go_to(page, name)
        expect(page).to_have_title(f"{name} · RUG Dashboard")
        expect(page).to_have_url(re.compile(f"/{name.lower()}\\?run="))


def test_a_demo_is_chosen_trained_read_and_judged(page: Page) -> None:
    use_demo(page, "Consumer loans")
    press(page, "Go on to training")
    settle(page)
    press(page, "Train")
    expect_scorecard(page, "rug", "fair")
    page.get_by_role("link", name="Read the rules").click()
    expect(page.get_by_text(re.compile(r"^\d+ rules. Click on a line"))).to_be_visible(timeout=TIMEOUT)
    go_to(page, "Fairness")
    expect(page.get_by_role("heading", name="What more fairness would cost")).to_be_visible(timeout=TIMEOUT)
    page.get_by_text("How far the groups are apart, by every notion", exact=True).click()
    settle(page)
    expect(page.get_by_text("Equal mistakes for every outcome").first).to_be_visible(timeout=TIMEOUT)


def loans_file(folder: Path) -> Path:
    """Semicolons, text, blanks and an identifier, as an office exports it."""
    rng = np.random.default_rng(7)
    n_rows = 900
    income = rng.normal(40_000, 12_000, n_rows).round()
    sex = rng.choice(["female", "male"], n_rows)
    is_repaid = (income + 6_000 * (sex == "male") + rng.normal(0, 5_000, n_rows)) > 38_000
    table = pd.DataFrame(
        {
            "loan id": [f"L-{number:05d}" for number in range(n_rows)],
            "income": pd.Series(income).mask(rng.random(n_rows) < 0.05),
            "purpose": pd.Series(rng.choice(["car", "house", "new roof"], n_rows)).mask(rng.random(n_rows) < 0.1),
            "sex": sex,
            "repaid": np.where(is_repaid, "yes", "no"),
        }
    )
    path = folder / "loans.csv"
    table.to_csv(path, sep=";", index=False)
    return path


def test_an_own_file_is_read_asked_about_and_trained_on(page: Page, tmp_path: Path, store: RunStore) -> None:
    press(page, "Use my own data")
    upload(page, loans_file(tmp_path))
    expect(page.get_by_role("heading", name="loans.csv")).to_be_visible(timeout=TIMEOUT)
    choose(page, "Which column is the outcome?", "repaid")
    expect(page.get_by_text("please say which outcome serves the applicant well")).to_be_visible(timeout=TIMEOUT)
    page.get_by_test_id("stRadio").get_by_text("yes", exact=True).click()
    settle(page)
    choose(page, "Sensitive attribute", "sex")
    page.keyboard.press("Escape")
    press(page, "Go on to training")
    expect(page.get_by_role("heading", name="Train", exact=True)).to_be_visible(timeout=TIMEOUT)
    settle(page)
    press(page, "Train")
    expect_scorecard(page, "rug", "fair")
    plan = next(run for run in store.runs() if run.name == "loans.csv").plan
    assert plan.target == "repaid"
    assert plan.favourable == "yes"
    assert plan.sensitive == ("sex",)
    assert set(plan.features) == {"income", "purpose"}
    expect_rules_that_reproduce_the_model(page, store, tmp_path)


def expect_rules_that_reproduce_the_model(page: Page, store: RunStore, folder: Path) -> None:
    """The file with FairRUG's rules is all that is needed to decide as FairRUG does."""
    go_to(page, "Rules")
    page.get_by_role("radio", name="FairRUG", exact=True).click()
    expect(page.get_by_role("heading", name="The rules of FairRUG")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    rules = RuleSet.from_json(download(page, "Rules as JSON", folder).read_text())
    results = open_results(store, page.url.rpartition("run=")[2])
    assert rules == results.fair.rules_
    assert decided_by(rules, results) == results.fair.predict(results.X_test).tolist()


def test_a_training_is_cancelled(page: Page) -> None:
    start_endless_training(page)
    press(page, "Cancel")
    expect(page.get_by_text("Cancelled. Change the settings and train again.")).to_be_visible(timeout=TIMEOUT)
    settle(page)


def run_in(address: str) -> str:
    return parse_qs(urlsplit(address).query)["run"][0]


def test_a_training_survives_page_switch_and_refresh(page: Page) -> None:
    start_endless_training(page)
    address = page.url
    go_to(page, "Data")
    go_to(page, "Train")
    expect(page.get_by_text("Training RUG")).to_be_visible(timeout=TIMEOUT)
    page.reload()
    expect(page.get_by_text("Training RUG")).to_be_visible(timeout=TIMEOUT)
    assert run_in(page.url) == run_in(address)
    expect(page.get_by_text(re.compile(r"^round \d+ of about 208"))).to_be_visible(timeout=TIMEOUT)
    press(page, "Cancel")
    expect(page.get_by_text("Cancelled. Change the settings and train again.")).to_be_visible(timeout=TIMEOUT)


def test_two_visitors_train_at_once_and_see_their_own(new_visitor: Callable[[], Page], server: str) -> None:
    first, second = new_visitor(), new_visitor()
    for page, demo in ((first, "Mortgages in Boston"), (second, "Consumer loans")):
        page.goto(server)
        use_demo(page, demo)
        press(page, "Go on to training")
        settle(page)
    for page in (first, second):
        press(page, "Train")
    for page, demo in ((first, "Mortgages in Boston"), (second, "Consumer loans")):
        expect_scorecard(page, "rug", "fair")
        expect(page.get_by_text(demo).first).to_be_visible()
    assert first.url != second.url


def test_a_link_shows_a_colleague_the_same(page: Page, new_visitor: Callable[[], Page]) -> None:
    press(page, "Try it on consumer loans")
    expect_scorecard(page, "rug", "fair")
    go_to(page, "Train")
    colleague = new_visitor()
    colleague.goto(page.url)
    expect_scorecard(colleague, "rug", "fair")
    for model in ("rug", "fair"):
        for label in ("Right decisions", "Largest gap", "Rules"):
            expect(metric(colleague, model, label)).to_have_text(metric(page, model, label).inner_text())


def test_a_run_is_renamed_and_deleted(page: Page, store: RunStore) -> None:
    press(page, "Try it on consumer loans")
    expect_scorecard(page, "rug", "fair")
    run_id = page.url.rpartition("run=")[2]
    settle(page)

    dialog = page.get_by_role("dialog")
    wish(page, "Rename", shown=dialog.get_by_role("textbox", name="Name"))
    dialog.get_by_role("textbox", name="Name").fill("Spring <b>2026</b>")
    dialog.get_by_role("button", name="Rename").click()
    expect(page.get_by_text("Spring <b>2026</b>").first).to_be_visible(timeout=TIMEOUT)
    expect(dialog).to_have_count(0, timeout=TIMEOUT)
    settle(page)
    assert store.get(run_id).name == "Spring <b>2026</b>"

    wish(page, "Delete", shown=page.get_by_role("button", name="Delete it", exact=True))
    press(page, "Delete it")
    expect(page.get_by_text("Spring <b>2026</b>")).to_have_count(0, timeout=TIMEOUT)
    assert run_id not in [run.id for run in store.runs()]
    page.goto(page.url.partition("?")[0] + f"?run={run_id}")
    expect(page.get_by_text("There is no such run")).to_be_visible(timeout=TIMEOUT)


def wish(page: Page, what: str, shown: Locator) -> None:
    """From the menu of the newest run, which is on top of the list."""
    item = page.get_by_role("menuitem", name=what)

    def choose_it() -> None:
        if not shown.count():
            click_until(page, page.locator(".st-key-past_runs").get_by_role("button", name="More").first, shown=item)
            item.click(timeout=ATTEMPT)
        expect(shown).to_be_visible(timeout=ATTEMPT)

    until_done(page, choose_it)
