"""Who did what, in files that only ever grow: RUG_HOME/access/<year>-<month>.jsonl, one JSON object a line.

Every line ends with a digest of itself and of the line before, so that a line that was altered, or taken out of the
middle, is found. What was cut off at the end cannot be told from what never happened: ship the files elsewhere if that
matters.
"""

import hashlib
import json
import logging
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from rugboard.people.person import Person
from rugboard.runs import locks
from rugboard.runs.home import ONLY_THE_OWNER

MONTH, MOMENT = "%Y-%m", "%Y-%m-%dT%H:%M:%SZ"
CHAIN = "chain"
TAIL = 1 << 16  # bytes that surely hold the last line
LONGEST = 500  # letters of what a line says
LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class AccessEntry:
    """One line."""

    at: str  # UTC
    person: str  # the id
    name: str
    role: str
    did: str  # a verb
    about: str = ""  # a run, a file, a person
    owner: str = ""  # whose run that is: the id


class AccessLog:
    """All lines of a home."""

    def __init__(self, root: Path) -> None:
        self._folder = root / "access"

    def write(self, person: Person, did: str, about: str = "", owner: str = "") -> None:
        """What cannot be written stands in the server's log: a full disk must not keep anybody from deleting."""
        now = time.gmtime()
        words = (text[:LONGEST] for text in (person.id, person.name, person.role.value, did, about, owner))
        entry = AccessEntry(time.strftime(MOMENT, now), *words)
        try:
            self._append(self._folder / f"{time.strftime(MONTH, now)}.jsonl", asdict(entry))
        except OSError as error:
            LOG.error("The access log cannot be written (%s): %s", error.strerror, json.dumps(asdict(entry)))

    def _append(self, path: Path, values: dict[str, str]) -> None:
        self._folder.mkdir(mode=ONLY_THE_OWNER, parents=True, exist_ok=True)
        with locks.exclusive(self._folder / "lock"):
            values[CHAIN] = _link(self._last_link(), values)
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(descriptor, (json.dumps(values, ensure_ascii=False) + "\n").encode())
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def entries(self) -> list[AccessEntry]:
        """The newest first."""
        found = [values for _, values in self._lines() if values is not None]
        return [
            AccessEntry(**{name: values.get(name, "") for name in AccessEntry.__annotations__}) for values in found
        ][::-1]

    def broken_at(self) -> str | None:
        """The first line that is not as it was written, as file:number; None if all are."""
        link = ""
        for place, values in self._lines():
            if values is None:
                return place
            said = values.pop(CHAIN, "")
            link = _link(link, values)
            if said != link:
                return place
        return None

    def _lines(self) -> Iterator[tuple[str, dict[str, str] | None]]:
        for path in self._files():
            for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
                yield f"{path.name}:{number}", _values(line)

    def _files(self) -> list[Path]:
        return sorted(self._folder.glob("*.jsonl"))

    def _last_link(self) -> str:
        for path in reversed(self._files()):
            with path.open("rb") as file:
                file.seek(max(path.stat().st_size - TAIL, 0))
                lines = file.read().splitlines()
            if lines:
                return str((_values(lines[-1].decode(errors="replace")) or {}).get(CHAIN, ""))
        return ""


def _link(before: str, values: dict[str, str]) -> str:
    return hashlib.sha256(f"{before}\n{json.dumps(values, sort_keys=True)}".encode()).hexdigest()


def _values(line: str) -> dict[str, str] | None:
    """None for a line that is damaged, as one is that the power went from."""
    try:
        values = json.loads(line)
    except ValueError:
        return None
    return values if isinstance(values, dict) else None
