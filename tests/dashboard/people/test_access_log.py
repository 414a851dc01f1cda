"""The access log grows, and shows what was done to it."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rugboard.runs.access_log import AccessLog
from tests.dashboard.people.conftest import ADA, BOB


@pytest.fixture
def log(tmp_path: Path) -> AccessLog:
    return AccessLog(tmp_path)


def file_of(log: AccessLog) -> Path:
    (path,) = log._folder.glob("*.jsonl")
    return path


def test_lines_are_told_newest_first_and_hold_together(log: AccessLog) -> None:
    log.write(ADA, "opened", 'run 1 "Löans"\nsecond line', "bob")
    log.write(BOB, "deleted", "run 1")
    assert [(entry.person, entry.did, entry.owner) for entry in log.entries()] == [
        ("bob", "deleted", ""),
        ("ada", "opened", "bob"),
    ]
    assert log.entries()[1].about == 'run 1 "Löans"\nsecond line'
    assert len(file_of(log).read_text().splitlines()) == 2
    assert log.broken_at() is None
    assert file_of(log).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("harm", ["alter", "take out", "swap", "insert", "garble"])
def test_what_is_done_to_lines_is_found(log: AccessLog, harm: str) -> None:
    for number in range(4):
        log.write(ADA, "opened", f"run {number}")
    lines = file_of(log).read_text().splitlines(keepends=True)
    forged = json.dumps(json.loads(lines[1]) | {"person": "bob"}) + "\n"
    harmed = {
        "alter": [lines[0], forged, *lines[2:]],
        "take out": [lines[0], *lines[2:]],
        "swap": [lines[0], lines[2], lines[1], lines[3]],
        "insert": [lines[0], lines[0], *lines[1:]],
        "garble": [lines[0], "garbage\n", *lines[2:]],
    }[harm]
    file_of(log).write_text("".join(harmed))
    assert log.broken_at() == f"{file_of(log).name}:2"


def test_many_write_at_once(log: AccessLog) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: log.write(ADA, "opened", f"run {number}"), range(40)))
    assert {entry.about for entry in log.entries()} == {f"run {number}" for number in range(40)}
    assert log.broken_at() is None


def test_the_chain_goes_on_from_month_to_month(log: AccessLog) -> None:
    log.write(ADA, "opened")
    file_of(log).rename(log._folder / "2001-01.jsonl")
    log.write(ADA, "deleted")
    assert len(list(log._folder.glob("*.jsonl"))) == 2
    assert log.broken_at() is None
    (log._folder / "2001-01.jsonl").unlink()
    assert log.broken_at() is not None


def test_a_full_disk_keeps_nobody_from_working(log: AccessLog, caplog: pytest.LogCaptureFixture) -> None:
    log._folder.write_text("a file where the folder should be")
    log.write(ADA, "deleted", "run 1")
    assert "run 1" in caplog.text
