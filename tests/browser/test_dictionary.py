"""A stranger's table with codes, cryptic names, a protected column and a leak: from upload to a letter."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page

from rugboard.runs.opening import open_results
from rugboard.runs.store import RunStore
from rugcore.dictionary import ColumnEntry, DataDictionary
from tests.browser.patience import expect
from tests.browser.steps import (
    TIMEOUT,
    choose,
    download,
    expect_scorecard,
    go_to,
    next_applicant,
    press,
    settle,
    upload,
)

pytestmark = pytest.mark.browser


def applications(folder: Path) -> Path:
    """-9 is no record of a late payment, 999 an age that nobody told; the fee is only paid once the loan is granted."""
    rng = np.random.default_rng(5)
    n_rows = 900
    income = rng.lognormal(7.8, 0.5, n_rows).round()
    burden = rng.uniform(5, 70, n_rows).round(1)
    months = rng.integers(0, 90, n_rows)
    has_none = rng.random(n_rows) < 0.35
    age = rng.integers(19, 75, n_rows)
    score = 2 * np.log(income) - burden / 15 + np.where(has_none, 60, months) / 50 + rng.normal(0, 0.8, n_rows)
    is_granted = score > np.median(score)
    table = pd.DataFrame(
        {
            "apno": range(100_001, 100_001 + n_rows),
            "hinc": income,
            "dti": burden,
            "mslq": np.where(has_none, -9, months),
            "agey": np.where(rng.random(n_rows) < 0.05, 999, age),
            "sex": rng.choice([1, 2], n_rows),
            "fee_paid": np.where(is_granted, rng.uniform(50, 200, n_rows).round(2), 0.0),
            "dec": np.where(is_granted, 1, 0),
        }
    )
    path = folder / "applications.csv"
    table.to_csv(path, index=False)
    return path


LABELS = DataDictionary(
    {
        "hinc": ColumnEntry(label="household income", unit="EUR", effect="helps"),
        "dti": ColumnEntry(label="debt burden", unit="%"),
        "mslq": ColumnEntry(label="months since a late payment"),
        "agey": ColumnEntry(label="years of age"),
        "dec": ColumnEntry(label="decision", values={"1": "granted", "0": "refused"}),
    }
)
RAW = ("hinc", "dti", "mslq", "agey", "fee_paid", "apno")


def answer(page: Page, what: str, text: str) -> None:
    """Accept or refuse the suggestion that says this."""
    settle(page)
    said = page.locator(".st-key-suggestions").get_by_text(text)
    line = page.locator(".st-key-suggestions").get_by_test_id("stHorizontalBlock").filter(has_text=text).last
    line.get_by_role("button", name=what).click()
    expect(said).to_have_count(0, timeout=TIMEOUT)
    settle(page)


def bring_dictionary(page: Page, folder: Path) -> None:
    path = folder / "meanings.csv"
    path.write_text(LABELS.to_csv(), encoding="utf-8")
    page.get_by_role("tab", name="As a file").click()
    page.get_by_test_id("stFileUploader").filter(visible=True).last.locator("input[type=file]").set_input_files(path)
    expect(page.get_by_text("tells of 5 of the 8 columns of this table")).to_be_visible(timeout=TIMEOUT)
    page.get_by_role("tab", name="Suggestions").click()
    settle(page)


def test_from_a_strange_table_to_a_letter_and_new_people(
    page: Page, browser: Browser, tmp_path: Path, store: RunStore
) -> None:
    table = applications(tmp_path)
    press(page, "Use my own data")
    upload(page, table)
    expect(page.get_by_role("heading", name="applications.csv")).to_be_visible(timeout=TIMEOUT)
    choose(page, "Which column is the outcome?", "dec")
    page.get_by_test_id("stRadio").get_by_text("1", exact=True).click()
    settle(page)
    bring_dictionary(page, tmp_path)

    answer(page, "Accept", "Its name says 'sex'")
    answer(page, "Accept", "'fee_paid' gives the target")
    meaning = page.get_by_role("textbox", name="What -9 means")
    meaning.fill("never late")  # and straight on to the button
    answer(page, "Accept", "-9 stands in")
    answer(page, "Accept", "“dti” harms")
    answer(page, "Refuse", "999 stands in")
    page.get_by_role("tab", name="Use").click()
    expect(page.get_by_text("1 column is protected and not used: “sex”.")).to_be_visible(timeout=TIMEOUT)
    settle(page)

    press(page, "Go on to training")
    expect(page.get_by_role("heading", name="Train", exact=True)).to_be_visible(timeout=TIMEOUT)
    expect(page.get_by_text("Keep directions: 2 columns")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    press(page, "Train")
    expect_scorecard(page, "rug")
    expect(page.get_by_text(re.compile("Directions were kept. More of “household income .EUR.” helps"))).to_be_visible()

    results = open_results(store, page.url.partition("run=")[2].partition("&")[0])
    used = set(results.rug.rules_.features())
    assert {"household income (EUR)", "debt burden (%)"} <= used
    assert not used & {*RAW, "sex"}
    assert set(results.rug.classes_) == {"granted", "refused"}

    reasons, number = read_about_somebody(page)
    print_sheet(page, browser, reasons, tmp_path)
    decide_file(page, table, number, reasons, tmp_path)


def read_about_somebody(page: Page) -> tuple[list[str], int]:
    """Who was rejected by rules and can do something about it: reasons as they stand there, and the number."""
    go_to(page, "Applicants")
    expect(page.get_by_text(re.compile("household income|debt burden")).first).to_be_visible(timeout=TIMEOUT)
    settle(page)
    while not (page.get_by_test_id("stCode").count() and page.locator(".st-key-flip_0").count()):
        next_applicant(page)
    said = page.get_by_test_id("stMain").inner_text()
    assert not re.search(r"\b(hinc|dti|mslq|fee_paid)\b", said)
    assert "refused" in page.locator(".st-key-decision_card").inner_text()
    reasons = page.get_by_test_id("stCode").inner_text().replace("- ", "").splitlines()
    assert set(reasons) <= TRUE_BY_NATURE
    number = re.search(r"applicant=(\d+)", page.url)
    assert number is not None
    return reasons, int(number[1])


# Who earns little, owes much or was late not long ago is refused; nothing else is in the table.
PLAINLY_TRUE = {
    *("household income (EUR) is low", "debt burden (%) is high", "months since a late payment are low"),
    *("years of age are high", "years of age are low", "years of age are in an unfavourable range"),
}
TRUE_BY_NATURE = PLAINLY_TRUE | {f"{reason} for this application" for reason in PLAINLY_TRUE}


def print_sheet(page: Page, browser: Browser, reasons: list[str], folder: Path) -> None:
    """What is printed says what the page says: the decision, how sure it is, reasons, advice, run and model."""
    card = page.locator(".st-key-decision_card").inner_text()
    changes = page.locator(".st-key-flip_0").get_by_test_id("stMarkdown").first.inner_text().splitlines()
    path = download(page, "This applicant as one page", folder)
    paper = browser.new_page()
    paper.goto(path.as_uri())
    paper.emulate_media(media="print")
    printed = paper.inner_text("body").replace("\n", " ")
    assert len(paper.pdf(path=folder / "sheet.pdf", format="A4", prefer_css_page_size=True)) > 10_000
    assert (folder / "sheet.pdf").read_bytes().startswith(b"%PDF")
    paper.close()
    sure = re.search(r"Of [\d,]+ test people decided alike, .*?\)\.", card)
    assert sure is not None
    assert sure[0] in printed
    assert all(reason in printed for reason in reasons)
    assert all(change in printed for change in changes)
    assert changes
    run = re.search(r"run=([\w-]+)", page.url)
    assert run is not None
    assert f"Run {run[1]}" in printed


def decide_file(page: Page, table: Path, number: int, reasons: list[str], folder: Path) -> None:
    """The same person in a file of new people is decided alike, for the same reasons."""
    people = pd.read_csv(table).drop(columns=["dec", "fee_paid"])
    path = folder / "new_people.csv"
    people.iloc[number - 1 : number + 19].to_csv(path, index=False)
    go_to(page, "New cases")
    page.get_by_text("A file of people", exact=True).click()
    settle(page)
    upload(page, path)
    n_people = len(people.iloc[number - 1 : number + 19])
    expect(page.get_by_text("people can be put to the rules").first).to_be_visible(timeout=TIMEOUT)
    press(page, f"Decide {n_people} people")
    expect(page.get_by_role("heading", name="Decisions")).to_be_visible(timeout=TIMEOUT)
    settle(page)
    first = pd.read_csv(download(page, "All as CSV", folder), encoding="utf-8-sig").iloc[0]
    assert first["decision"] == "refused"
    told = [first[f"reason {place}"] for place in range(1, 5)]
    assert [text for text in told if isinstance(text, str)] == reasons
