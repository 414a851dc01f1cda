"""Numbers as a person writes them, and files that no spreadsheet runs."""

import io

import pandas as pd
import pytest

from rugboard.shell import formats
from rugboard.shell.downloads import to_csv
from rugboard.shell.text import brief, listed


def test_shares_and_differences() -> None:
    assert formats.percent(0.8834) == "88.3 %"
    assert formats.points(0.03) == "3.0 points"
    assert formats.points_between(0.71878, 0.75243) == 3.3  # between 71.9 % and 75.2 %, as printed
    assert formats.percent(float("nan")) == formats.NOTHING


def test_counts() -> None:
    assert formats.counted(1, "rule") == "1 rule"
    assert formats.counted(2380, "row") == "2,380 rows"
    assert formats.whole(12_345.0) == "12,345"
    assert formats.short(0.3) == "0.3"
    assert formats.short(10.0) == "10"


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.27, "0.3 s"), (42, "42 s"), (185, "3 min 5 s"), (7_800, "2 h 10 min")]
)
def test_durations(seconds: float, words: str) -> None:
    assert formats.duration(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "words"), [(5, "just now"), (60, "1 minute ago"), (7_300, "2 hours ago"), (90_000, "1 day ago")]
)
def test_moments(seconds: float, words: str) -> None:
    assert formats.ago(1_000_000 - seconds, now=1_000_000) == words


def test_lists_of_names() -> None:
    assert listed(["a"]) == "“a”"
    assert listed(["a", "b"]) == "“a” and “b”"
    assert listed("abcdef", most=2) == "“a”, “b” and 4 more"
    assert brief("x" * 100, 10) == "x" * 9 + "…"


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"])
def test_no_cell_of_an_export_is_a_formula(cell: str) -> None:
    text = to_csv(pd.DataFrame({cell: [cell, "plain"]}))
    read = pd.read_csv(io.BytesIO(text), encoding="utf-8-sig", keep_default_na=False)
    assert read.columns[0].startswith("'")
    assert str(read.iloc[0, 0]).startswith("'")
    assert read.iloc[1, 0] == "plain"


def test_numbers_in_an_export_stay_numbers() -> None:
    read = pd.read_csv(io.BytesIO(to_csv(pd.DataFrame({"gap": [-0.5, 2.0]}))), encoding="utf-8-sig")
    assert read["gap"].tolist() == [-0.5, 2.0]
