"""Folders of this machine whose tables may be trained on where they lie: those that the operator has named, no others.

RUG_DATA_FOLDERS   the folders, parted as in PATH; where it is not set, nothing of all this is offered
RUG_DASK           the address of the Dask scheduler that trains on them; not set: a cluster here for every run

What a visitor asks for is walked down name by name, and every name must stand in the listing of the folder before it.
".." stands in no listing, nor does a path; a name in other letters, or with its accents put together in another way, is
another name. Links are not listed and so never followed. Whatever text comes in, nothing outside can be reached.
"""

import logging
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rugboard.people.settings import OperatorSettings, variable
from rugboard.runs.plan import Place
from rugcore.errors import InputError

FOLDERS, SCHEDULER = variable("data_folders"), variable("dask")
ON_THIS_MACHINE = "local"
PARQUET = ".parquet"
NOT_SHOWN = (".", "_")  # how names begin that are not for people: hidden files, and what Spark writes beside tables
NO_SUCH = "There is no such folder or file here. Choose one from the list."
LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Listing:
    """What a folder holds that a table can be made of."""

    folders: tuple[str, ...]
    files: tuple[str, ...]


@dataclass(frozen=True)
class DataFolders:
    """The named folders by what visitors know them as, and who trains on them."""

    roots: Mapping[str, Path]
    scheduler: str = ON_THIS_MACHINE

    @classmethod
    def current(cls) -> "DataFolders":
        """What the operator has set; a folder that is not there is left out, and the log says so."""
        settings = OperatorSettings.current()
        named = [Path(text).expanduser() for text in settings.data_folders.split(os.pathsep) if text]
        scheduler = settings.dask or ON_THIS_MACHINE
        return cls(_by_name([path.resolve() for path in named if _is_usable(path)]), scheduler)

    def listing(self, place: Place) -> Listing:
        """Folders and Parquet files directly in a folder, by name."""
        found = sorted(_entries(self._path(place)), key=lambda entry: entry.name)
        return Listing(
            tuple(entry.name for entry in found if entry.is_dir(follow_symlinks=False)),
            tuple(entry.name for entry in found if _is_table(entry)),
        )

    def files(self, place: Place) -> list[Path]:
        """The file, or all Parquet files in the folder and the folders below it, by name."""
        path = self._path(place)
        if path.is_file():
            return [path]
        found = sorted(_tables_below(path))
        if not found:
            raise InputError(f"Expected Parquet files in {place}, but there are none that end in {PARQUET}.")
        return found

    def _path(self, place: Place) -> Path:
        if place.folder not in self.roots:
            raise InputError(NO_SUCH)
        path = self.roots[place.folder]
        for name in place.names:
            if not any(entry.name == name for entry in _entries(path)):
                raise InputError(NO_SUCH)
            path = path / name
        return path


def _is_usable(path: Path) -> bool:
    is_usable = path.is_absolute() and path.is_dir()
    if not is_usable:
        LOG.warning("%s names %s, which is no folder with a full path: it is not offered.", FOLDERS, path)
    return is_usable


def _by_name(paths: list[Path]) -> dict[str, Path]:
    """By their last names; visitors need not know where on the machine they are."""
    roots: dict[str, Path] = {}
    for path in dict.fromkeys(paths):
        name = path.name or "data"
        same = sum(own == name or own.startswith(f"{name} (") for own in roots)
        roots[f"{name} ({same + 1})" if same else name] = path
    return roots


def _entries(path: Path) -> list["os.DirEntry[str]"]:
    """What is in a folder, but for links and what is not shown; nothing in what is no folder."""
    try:
        with os.scandir(path) as found:
            return [entry for entry in found if not entry.is_symlink() and not entry.name.startswith(NOT_SHOWN)]
    except NotADirectoryError:
        return []
    except OSError as error:
        raise InputError(
            f"The folder {path.name} cannot be read ({error.strerror}). Ask who runs this server."
        ) from error


def _is_table(entry: "os.DirEntry[str]") -> bool:
    return entry.name.endswith(PARQUET) and entry.is_file(follow_symlinks=False)


def _tables_below(path: Path) -> Iterator[Path]:
    for entry in _entries(path):
        if entry.is_dir(follow_symlinks=False):
            yield from _tables_below(Path(entry.path))
        elif _is_table(entry):
            yield Path(entry.path)
