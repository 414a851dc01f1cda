"""Which runs a person may see, as a condition of a query: their own, and those shared with them or their teams."""

import json
from typing import Any

from rugboard.people.person import Person

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
