"""Which runs a person may see, as a condition of a query: their own, and what was shared with them or a team of theirs."""

import json
from collections.abc import Iterable
from typing import Any

from rugboard.people.person import Person
from rugboard.runs.records import Run, Share

NO_SUCH_RUN = "There is no such run; perhaps it was deleted."  # also said of runs that are not for the one who asks

_VISIBLE = """(runs.owner = :person OR EXISTS (
    SELECT 1 FROM shares WHERE run_id = runs.id AND (
        kind = 'person' AND who = :person
        OR kind = 'team' AND who IN (SELECT value FROM json_each(:teams))
    )
))"""



def condition(person: Person) -> str:
    """For the WHERE of a query about `runs`; `values_of` has the values that it asks for."""
    return "1" if person.sees_all else _VISIBLE


def values_of(person: Person) -> dict[str, Any]:
    return {"person": person.id, "teams": json.dumps(sorted(person.teams))}


def may_see(person: Person, run: Run, shares: Iterable[Share]) -> bool:
    """The same condition, where the lines of the store are at hand already."""
    is_shared = any(share.who in ((person.id,) if share.kind == "person" else person.teams) for share in shares)
    return person.sees_all or run.owner == person.id or is_shared
