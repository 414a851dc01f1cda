"""A copy of all runs, data and logs in one file, and back. The server may go on while a copy is made.

The list of runs is copied first, as SQLite does it, whole at one moment. Of a run that begins later there may be a
folder and no line; a restored home learns it from there (see `rugboard.runs.store.RunStore.recover`). One that was
training is told as failed. Every file stands in the archive with its SHA-256; nothing is put into place unchecked.
"""

import hashlib
import io
import json
import os
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path, PurePosixPath

from rugboard.runs.database import BESIDE
from rugboard.runs.errors import RunError
from rugboard.runs.home import DELETED, ONLY_THE_OWNER, Home
from rugcore.atomic import PARTIAL, whole_file

MANIFEST = "manifest.json"
VERSION = 1
NOT_COPIED = (".lock", ".lifeline", ".process", ".cancel", PARTIAL)  # they speak of processes
NAMES_NOT_COPIED = ("lock", "lifeline")


def back_up(home: Home, target: Path) -> int:
    """Write an archive; how many files it holds."""
    if not home.database.is_file():
        raise RunError(f"There are no runs in {home.root}. Set RUG_HOME to the folder that is to be copied.")
    digests: dict[str, str] = {}
    with whole_file(target) as file, tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as archive:
        for name, content in _contents(home):
            _add(archive, name, content)
            digests[name] = hashlib.sha256(content).hexdigest()
        _add(archive, MANIFEST, json.dumps({"version": VERSION, "files": digests}).encode())
    target.chmod(0o600)  # it is about people
    return len(digests)


def restore(home: Home, source: Path) -> int:
    """Put the files of an archive into a home that has none; how many there were."""
    if home.root.exists() and any(home.root.iterdir()):
        raise RunError(
            f"{home.root} is not empty, and nothing is overwritten. Move it away, or set RUG_HOME to another."
        )
    home.root.parent.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=".restore-", dir=home.root.parent))
    try:
        n_files = _unpack(source, place)
        place.chmod(ONLY_THE_OWNER)
        if home.root.exists():
            home.root.rmdir()
        place.rename(home.root)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return n_files


def _contents(home: Home) -> Iterator[tuple[str, bytes]]:
    """The list first: of every run that it calls finished, all files are there by then."""
    yield home.database.name, _copy_of(home.database)
    skipped = {home.database.name, *(home.database.name + ending for ending in BESIDE)}
    for folder, _, names in os.walk(home.root):
        for name in sorted(names):
            path = Path(folder) / name
            inside = path.relative_to(home.root)
            if str(inside) in skipped or _is_of_a_process(inside):
                continue
            try:
                yield inside.as_posix(), path.read_bytes()
            except FileNotFoundError:
                continue  # deleted meanwhile


def _is_of_a_process(path: Path) -> bool:
    is_deleted = any(part.endswith(DELETED) for part in path.parts)
    return is_deleted or path.name in NAMES_NOT_COPIED or path.name.endswith(NOT_COPIED)


def _copy_of(database: Path) -> bytes:
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(sqlite3.connect(database)) as own,
        closing(sqlite3.connect(Path(folder) / "copy")) as copy,
    ):
        own.backup(copy)
        copy.close()
        return (Path(folder) / "copy").read_bytes()


def _add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(content), 0o600
    archive.addfile(entry, io.BytesIO(content))


def _unpack(source: Path, place: Path) -> int:
    """An archive may come from anywhere: only plain files below the home, and only as they were copied."""
    found: dict[str, str] = {}
    manifest: object = None
    try:
        with tarfile.open(source, mode="r:gz") as archive:
            for entry in archive:
                content = archive.extractfile(entry) if entry.isreg() else None
                if content is None or not _is_inside(entry.name):
                    raise RunError(f"{source} holds {entry.name!r}, which no copy of runs does. Nothing was restored.")
                data = content.read()
                if entry.name == MANIFEST:
                    manifest = json.loads(data)
                    continue
                path = place / entry.name
                path.parent.mkdir(mode=ONLY_THE_OWNER, parents=True, exist_ok=True)
                path.write_bytes(data)
                path.chmod(0o600)
                found[entry.name] = hashlib.sha256(data).hexdigest()
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        raise RunError(f"{source} cannot be read as a copy of runs ({error}). Nothing was restored.") from error
    if manifest != {"version": VERSION, "files": found}:
        raise RunError(f"{source} is damaged or not complete. Nothing was restored.")
    return len(found)


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and "\\" not in name and bool(path.parts)
