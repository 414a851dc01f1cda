"""Small text files in a run's folder, written whole or not at all."""

from pathlib import Path

from rugcore.atomic import whole_file


def write_text(path: Path, text: str) -> None:
    with whole_file(path) as file:
        file.write(text.encode("utf-8"))
