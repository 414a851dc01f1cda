"""A stranger's table with codes, cryptic names, a protected column and a leak, from upload to a rejected person."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from rugboard.runs.opening import open_results
from rugboard.runs.store import RunStore
from rugcore.dictionary import ColumnEntry, DataDictionary
from tests.browser.steps import TIMEOUT, choose, expect_scorecard, go_to, press, settle, upload

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
    line = page.locator(".st-key-suggestions").get_by_test_id("stHorizontalBlock").filter(has_text=text).last
    line.get_by_role("button", name=what).click()
    expect(page.locator(".st-key-suggestions").get_by_text(text)).to_have_count(0, timeout=TIMEOUT)
    settle(page)


def bring_dictionary(page: Page, folder: Path) -> None:
    path = folder / "meanings.csv"
    path.write_text(LABELS.to_csv(), encoding="utf-8")
    page.get_by_role("tab", name="As a file").click()
    page.get_by_test_id("stFileUploader").filter(visible=True).last.locator("input[type=file]").set_input_files(path)
    expect(page.get_by_text("tells of 5 of the 8 columns of this table")).to_be_visible(timeout=TIMEOUT)
    page.get_by_role("tab", name="Suggestions").click()
    settle(page)


def test_rules_and_reasons_of_a_strange_table_speak_in_labels(page: Page, tmp_path: Path, store: RunStore) -> None:
    press(page, "Use my own data")
    upload(page, applications(tmp_path))
    expect(page.get_by_role("heading", name="applications.csv")).to_be_visible(timeout=TIMEOUT)
    choose(page, "Which column is the outcome?", "dec")
    page.get_by_test_id("stRadio").get_by_text("1", exact=True).click()
    settle(page)
    bring_dictionary(page, tmp_path)

    answer(page, "Accept", "Its name says 'sex'")
    answer(page, "Accept", "'fee_paid' gives the target")
    meaning = page.get_by_role("textbox", name="What -9 means")
    meaning.fill("never late")
    meaning.press("Enter")
    settle(page)
    answer(page, "Accept", "-9 stands in")
    answer(page, "Accept", "more of 'dti' should harm")
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
    expect(page.get_by_text(re.compile("Directions were kept: more of “household income .EUR.” helps"))).to_be_visible()

    results = open_results(store, page.url.partition("run=")[2].partition("&")[0])
    used = set(results.rug.rules_.features())
    assert {"household income (EUR)", "debt burden (%)"} <= used
    assert not used & {*RAW, "sex"}
    assert set(results.rug.classes_) == {"granted", "refused"}

    go_to(page, "Applicants")
    expect(page.get_by_text(re.compile("household income|debt burden")).first).to_be_visible(timeout=TIMEOUT)
    settle(page)
    said = page.get_by_test_id("stMain").inner_text()
    assert not re.search(r"\b(hinc|dti|mslq|fee_paid)\b", said)
