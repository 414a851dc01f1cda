"""A person, and what their role lets them do. Whoever asks the store is one, also where nobody signs in."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a person may do, from one claim of their sign-in."""

    ANALYST = "analyst"  # trains, and shares what is theirs
    AUDITOR = "auditor"  # reads what is shared, and all reports; changes nothing
    ADMINISTRATOR = "administrator"  # an analyst who also sees to limits, deletion and the access log
    ALONE = "alone"  # where nobody signs in: everything is theirs; no sign-in gives this role


@dataclass(frozen=True)
class Person:
    """Somebody, as their sign-in tells."""

    id: str  # unlike a name, it never changes and is nobody else's
    name: str
    role: Role
    teams: frozenset[str] = frozenset()

    @property
    def sees_all(self) -> bool:
        return self.role is Role.ALONE

    @property
    def may_change(self) -> bool:
        """Whether they may train, upload, and change what is theirs."""
        return self.role is not Role.AUDITOR

    @property
    def reads_all_reports(self) -> bool:
        return self.role in (Role.AUDITOR, Role.ALONE)

    @property
    def looks_after_server(self) -> bool:
        return self.role is Role.ADMINISTRATOR

    @property
    def digest(self) -> str:
        """For the names of files: an id may hold any letters."""
        return hashlib.sha256(self.id.encode()).hexdigest()


ALONE = Person("", "You", Role.ALONE)
