"""A file is there whole, or as it was before."""

from pathlib import Path

import pytest

from rugboard.runs.files import write_text
from rugcore.atomic import whole_file


def test_a_text_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_text(path, "old")
    write_text(path, "new, with ümlauts")
    assert path.read_text(encoding="utf-8") == "new, with ümlauts"
    assert list(tmp_path.iterdir()) == [path]


def test_a_writer_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(b"old")
    with pytest.raises(RuntimeError), whole_file(path) as file:  # noqa: PT012 - the error comes in the middle of it
        file.write(b"half of the n")
        raise RuntimeError("power cut")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_until_it_is_whole_the_old_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with whole_file(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
