"""Who has signed in so far, and which sign-ins were ended: small files, so that to ask costs a look at the disk.

RUG_HOME/people/<digest of the id>.json     name, role, teams, when last seen
RUG_HOME/sign_ins/<sign-in>                 there since its first visit
RUG_HOME/sign_ins/<sign-in>.ended           there if it was ended: signed out
RUG_HOME/sign_ins/<digest of the id>.before all sign-ins of this person up to then were ended, by an administrator
"""

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rugboard.people.person import Person, Role
from rugboard.runs import files
from rugboard.runs.home import ONLY_THE_OWNER, Home

A_MONTH = 32 * 24 * 3600.0  # longer than the cookie of any sign-in lives


@dataclass(frozen=True)
class KnownPerson:
    """Somebody who has signed in before."""

    person: Person
    seen: float  # seconds since 1970


class KnownPeople:
    """All who have signed in to a home."""

    def __init__(self, home: Home) -> None:
        self._people, self._sign_ins = home.root / "people", home.root / "sign_ins"

    def greet(self, person: Person, sign_in: str) -> bool:
        """Note that somebody is here; whether this sign-in is new."""
        for folder in (self._people, self._sign_ins):
            folder.mkdir(mode=ONLY_THE_OWNER, parents=True, exist_ok=True)
        content = {"id": person.id, "name": person.name, "role": person.role.value, "teams": sorted(person.teams)}
        files.write_text(self._people / f"{person.digest}.json", json.dumps(content, ensure_ascii=False))
        try:
            (self._sign_ins / sign_in).touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            return False
        self._remove_old()
        return True

    def people(self) -> list[KnownPerson]:
        """By name."""
        found = [known for path in self._people.glob("*.json") if (known := _read(path)) is not None]
        return sorted(found, key=lambda known: (known.person.name.casefold(), known.person.id))

    def names(self) -> dict[str, str]:
        """By id; two of the same name are told apart by it."""
        people = [known.person for known in self.people()]
        shared = {one.name for one in people if sum(other.name == one.name for other in people) > 1}
        return {one.id: f"{one.name} ({one.id})" if one.name in shared else one.name for one in people}

    def teams(self) -> list[str]:
        return sorted({team for known in self.people() for team in known.person.teams})

    # -- ends of sign-ins ----------------------------------------------------------------------------------

    def end(self, sign_in: str) -> None:
        """In every tab and browser that has it, at the next action."""
        self._sign_ins.mkdir(mode=ONLY_THE_OWNER, parents=True, exist_ok=True)
        (self._sign_ins / f"{sign_in}.ended").touch(mode=0o600)

    def end_all(self, person: Person) -> None:
        """All sign-ins of a person until now."""
        self._sign_ins.mkdir(mode=ONLY_THE_OWNER, parents=True, exist_ok=True)
        files.write_text(self._sign_ins / f"{person.digest}.before", repr(time.time()))

    def has_ended(self, person: Person, sign_in: str, issued: float) -> bool:
        if (self._sign_ins / f"{sign_in}.ended").exists():
            return True
        try:
            return issued <= float((self._sign_ins / f"{person.digest}.before").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return False

    def _remove_old(self) -> None:
        for path in self._sign_ins.iterdir():
            with suppress(FileNotFoundError):  # somebody else was quicker
                if time.time() - path.stat().st_mtime > A_MONTH:
                    path.unlink()


def _read(path: Path) -> KnownPerson | None:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        person = Person(values["id"], values["name"], Role(values["role"]), frozenset(values["teams"]))
        return KnownPerson(person, path.stat().st_mtime)
    except (OSError, ValueError, KeyError, TypeError):
        return None
