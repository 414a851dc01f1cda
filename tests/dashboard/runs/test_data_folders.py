"""Folders that the operator has named: what is in them can be chosen, and nothing else can be reached."""

import os
import unicodedata
from pathlib import Path

import pandas as pd
import pytest

from rugboard import serve
from rugboard.runs.data_folders import FOLDERS, SCHEDULER, DataFolders
from rugboard.runs.plan import Place
from rugcore.errors import InputError

CAFE = unicodedata.normalize("NFC", "café")


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A named folder with tables, and beside it what nobody may see."""
    folder, secret = tmp_path / "loans", tmp_path / "secret"
    for place in (folder / "2024", folder / CAFE, folder / "empty", secret / "2024"):
        place.mkdir(parents=True)
    table = pd.DataFrame({"a": [1]})
    for file in (folder / "2024" / "b.parquet", folder / "2024" / "a.parquet", secret / "own.parquet"):
        table.to_parquet(file)
    (folder / "2024" / "notes.txt").write_text("no table")
    (folder / "_SUCCESS.parquet").touch()
    (folder / ".hidden.parquet").touch()
    (folder / "link.parquet").symlink_to(secret / "own.parquet")
    (folder / "away").symlink_to(secret)
    (folder / "round").symlink_to(folder)
    monkeypatch.setenv(FOLDERS, str(folder))
    return folder


def test_what_is_listed_are_folders_and_tables_and_no_links(named: Path) -> None:
    folders = DataFolders.current()
    assert list(folders.roots) == ["loans"]
    top = folders.listing(Place("loans"))
    assert (top.folders, top.files) == (("2024", CAFE, "empty"), ())
    assert folders.listing(Place("loans", ("2024",))).files == ("a.parquet", "b.parquet")
    assert folders.files(Place("loans")) == [named / "2024" / "a.parquet", named / "2024" / "b.parquet"]
    assert folders.files(Place("loans", ("2024", "b.parquet"))) == [named / "2024" / "b.parquet"]


@pytest.mark.parametrize(
    "names",
    [
        ("..",),
        ("..", "secret"),
        ("2024", "..", "..", "secret"),
        ("2024/../../secret",),
        (".",),
        ("",),
        ("2024", ""),
        ("2024/a.parquet",),
        ("2024\\a.parquet",),
        ("/etc",),
        ("~",),
        ("away",),
        ("away", "own.parquet"),
        ("round", "2024"),
        ("link.parquet",),
        (".hidden.parquet",),
        ("_SUCCESS.parquet",),
        ("2024", "A.PARQUET"),
        ("2024 ",),
        ("2024\x00",),
        (unicodedata.normalize("NFD", CAFE),),
        ("\uff0e\uff0e", "secret"),
        ("%2e%2e", "secret"),
        ("2024", "a.parquet", "x"),
        ("*",),
    ],
)
@pytest.mark.usefixtures("named")
def test_nothing_else_can_be_reached_whatever_is_asked(names: tuple[str, ...]) -> None:
    folders = DataFolders.current()
    for ask in (folders.listing, folders.files):
        with pytest.raises(InputError, match="no such folder or file here"):
            ask(Place("loans", names))


@pytest.mark.parametrize("folder", ["", "secret", "/etc", "..", "LOANS", "loans/2024"])
@pytest.mark.usefixtures("named")
def test_a_folder_that_nobody_named_is_not_there(folder: str) -> None:
    with pytest.raises(InputError, match="no such folder or file here"):
        DataFolders.current().files(Place(folder))


def test_a_full_path_as_a_name_is_no_name(named: Path) -> None:
    with pytest.raises(InputError, match="no such folder or file here"):
        DataFolders.current().files(Place("loans", (str(named.parent / "secret"),)))


@pytest.mark.usefixtures("named")
def test_a_folder_without_tables_says_so() -> None:
    with pytest.raises(InputError, match="Expected Parquet files in loans/empty, but there are none"):
        DataFolders.current().files(Place("loans", ("empty",)))


def test_two_folders_of_one_name_are_told_apart_and_missing_ones_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    paths = [tmp_path / "a" / "loans", tmp_path / "b" / "loans"]
    for path in paths:
        path.mkdir(parents=True)
    monkeypatch.setenv(FOLDERS, os.pathsep.join([*map(str, paths), str(tmp_path / "gone"), "relative"]))
    monkeypatch.setenv(SCHEDULER, "tcp://scheduler:8786")
    found = DataFolders.current()
    assert found.roots == {"loans": paths[0], "loans (2)": paths[1]}
    assert found.scheduler == "tcp://scheduler:8786"
    assert "gone" in caplog.text
    assert "relative" in caplog.text


def test_the_command_names_folders_for_the_server_and_refuses_what_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(FOLDERS, "")
    monkeypatch.setenv(SCHEDULER, "")
    assert serve.main(["--data-folder", str(tmp_path / "gone")]) == serve.REFUSED
    assert "Expected --data-folder to be a folder" in capsys.readouterr().err
    (tmp_path / "loans").mkdir()
    serve._name_folders([tmp_path / "loans"], "tcp://scheduler:8786")
    assert DataFolders.current() == DataFolders({"loans": tmp_path / "loans"}, "tcp://scheduler:8786")


def test_where_nothing_is_named_there_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FOLDERS, raising=False)
    monkeypatch.delenv(SCHEDULER, raising=False)
    assert DataFolders.current() == DataFolders({}, "local")
