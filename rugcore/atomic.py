"""Files that are there whole or not at all: a reader, or a crash, finds the old file or the new one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

PARTIAL = ".partial"


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, which takes the place of `path` when all is on the disk; after an error nothing is left."""
    target = Path(path)
    partial = partial_of(target)
    try:
        with partial.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def partial_of(path: Path) -> Path:
    """Where a file is written before it is whole; two writers of one file do not meet."""
    return path.with_name(f"{path.name}.{uuid4().hex}{PARTIAL}")
