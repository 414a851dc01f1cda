"""Data dictionaries, kept by the columns of their tables: a newer file with the same columns is recognised.

RUG_HOME/dictionaries/<digest of the names of the columns>.json
RUG_HOME/dictionaries/<digest of a person's id>/...   where people sign in: what one says, others do not read
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from rugboard.runs import files
from rugboard.runs.home import ONLY_THE_OWNER, Home
from rugcore.dictionary import DataDictionary, Recognition
from rugcore.errors import InputError


@dataclass(frozen=True)
class KeptDictionary:
    """A dictionary, and what a person said about it."""

    table: str  # what the table was called for which it was last written
    dictionary: DataDictionary  # knows every column of the table, if only by name
    refused: tuple[str, ...] = ()  # suggestions that are not made again
    taken_from: str = ""  # the table with about the same columns whose dictionary this was at first
    known: int = 0  # of the columns, those that were known there

    def to_json(self) -> str:
        content = vars(self) | {"dictionary": json.loads(self.dictionary.to_json())}
        return json.dumps(content, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> "KeptDictionary":
        """The inverse of `to_json`; a `ValueError` if the text is none of its like."""
        try:
            content: dict[str, Any] = json.loads(text)
            dictionary = DataDictionary.from_json(json.dumps(content.pop("dictionary")))
            return cls(**content | {"refused": tuple(content["refused"])}, dictionary=dictionary)
        except (KeyError, TypeError, AttributeError, InputError, RecursionError) as error:
            raise ValueError("This is no dictionary of ours.") from error


@dataclass(frozen=True)
class Recognised:
    """The dictionary of another table that has about the same columns."""

    kept: KeptDictionary
    how_far: Recognition


@dataclass(frozen=True)
class Dictionaries:
    """All that a person keeps in a home; one that is damaged counts as none."""

    home: Home = field(default_factory=Home.current)
    person: str = ""  # whose they are

    def find(self, columns: Iterable[str]) -> KeptDictionary | None:
        """The one for a table with exactly these columns."""
        return read_kept(self.text_for(columns))

    def text_for(self, columns: Iterable[str]) -> str:
        """The same as it is written; nothing where there is none."""
        return _text(self._path(columns))

    def keep(self, kept: KeptDictionary) -> None:
        path = self._path(kept.dictionary.columns)
        path.parent.mkdir(mode=ONLY_THE_OWNER, parents=True, exist_ok=True)
        files.write_text(path, kept.to_json())

    def recognise(self, columns: Iterable[str]) -> Recognised | None:
        """Of those that know most of these columns, the one that knows the most."""
        names = list(columns)
        found = [Recognised(kept, kept.dictionary.recognises(names)) for kept in self._all()]
        same = [one for one in found if one.how_far.is_same]
        return max(same, key=lambda one: (len(one.how_far.common), -len(one.how_far.new)), default=None)

    def _all(self) -> Iterator[KeptDictionary]:
        for path in sorted(self._folder.glob("*.json")):
            kept = read_kept(_text(path))
            if kept is not None:
                yield kept

    @property
    def _folder(self) -> Path:
        folder = self.home.root / "dictionaries"
        return folder / sha256(self.person.encode()).hexdigest() if self.person else folder

    def _path(self, columns: Iterable[str]) -> Path:
        """Whatever the order of the columns."""
        return self._folder / f"{sha256(json.dumps(sorted(columns)).encode()).hexdigest()}.json"


def read_kept(text: str) -> KeptDictionary | None:
    """What such a file says; a damaged one says nothing."""
    with suppress(ValueError):
        return KeptDictionary.from_json(text)
    return None


def _text(path: Path) -> str:
    with suppress(OSError, ValueError):
        return path.read_text(encoding="utf-8")
    return ""
