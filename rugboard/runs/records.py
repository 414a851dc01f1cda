"""What the store keeps of a run, as values: the run itself, its rounds, and a summary of each trained model."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from rugboard.people.person import Person
from rugboard.runs.plan import Plan
from rugboard.runs.processes import Process

QUEUED, RUNNING, FINISHED, FAILED, CANCELLED = "queued", "running", "finished", "failed", "cancelled"

TEXT, NUMBER, NOTHING = (str,), (int, float), (type(None),)
# What the store keeps as what; SQLite itself takes text where a number belongs.
KINDS: dict[str, tuple[type, ...]] = (
    dict.fromkeys(("id", "owner", "name", "snapshot", "plan", "status", "phase"), TEXT)
    | dict.fromkeys(("progress", "created"), NUMBER)
    | dict.fromkeys(("cancel_asked", "started", "ended"), NUMBER + NOTHING)
    | {"error": TEXT + NOTHING}
)
NOT_SHOWN = ("position", "pid", "birth")
DAMAGED = "What the store says about this run is damaged. Delete the run, and train it again."


@dataclass(frozen=True)
class Run:
    """One run as the store knows it; times are seconds since 1970."""

    id: str
    owner: str
    name: str
    snapshot: str
    plan_text: str
    status: str
    phase: str
    progress: float  # from 0 to 1
    error: str | None
    notes: tuple[str, ...]
    process: Process | None
    cancel_asked: float | None
    created: float
    started: float | None
    ended: float | None

    @cached_property
    def plan(self) -> Plan:
        """Read when asked for, and once: a damaged plan must not hide the run from the list."""
        return Plan.from_json(self.plan_text)

    @property
    def is_over(self) -> bool:
        return self.status not in (QUEUED, RUNNING)

    def without_process(self) -> "Run":
        """As the folder of the run tells it, which does not know which process that was."""
        return replace(self, process=None)


def run_of(row: Mapping[str, Any]) -> Run:
    """A line of the store. A damaged one is a failed run that says so: it must not take the others along."""
    values = {name: row[name] for name in row.keys() if name not in NOT_SHOWN}  # noqa: SIM118 - a row is no mapping
    is_damaged = not all(isinstance(values[name], kinds) for name, kinds in KINDS.items())
    notes = _notes(values.pop("notes"))
    process = None if row["pid"] is None else Process(row["pid"], str(row["birth"]))
    if is_damaged or notes is None:
        values |= {name: _harmless(values[name], kinds) for name, kinds in KINDS.items()}
        values |= {"status": FAILED, "error": DAMAGED}
    return Run(plan_text=values.pop("plan"), notes=notes or (), process=process, **values)


def _notes(text: object) -> tuple[str, ...] | None:
    """None if they are damaged."""
    try:
        notes = json.loads(str(text))
    except (ValueError, RecursionError):
        return None
    return tuple(notes) if isinstance(notes, list) and all(isinstance(note, str) for note in notes) else None


def _harmless(value: object, kinds: tuple[type, ...]) -> object:
    if isinstance(value, kinds):
        return value
    return str(value) if kinds[0] is str else 0.0


@dataclass(frozen=True)
class Share:
    """Somebody besides the owner who may see a run."""

    kind: Literal["person", "team"]
    who: str  # the id of a person, or the name of a team


def may_see(person: Person, run: Run, shares: Iterable[Share]) -> bool:
    """As `rugboard.runs.visibility` asks the store, where its lines are at hand already."""
    is_shared = any(share.who in ((person.id,) if share.kind == "person" else person.teams) for share in shares)
    return person.sees_all or run.owner == person.id or is_shared


@dataclass(frozen=True)
class RoundRecord:
    """One point of the live plot."""

    model: str
    number: int
    objective: float
    rules: int  # with weight
    seconds: float
    lower_bound: float | None = None  # no rules cost less; known with exact pricing


@dataclass(frozen=True)
class ModelSummary:
    """What a trained model is worth, without loading it."""

    train_accuracy: float
    test_accuracy: float
    rules: int
    rounds: int
    objective: float
    stop_reason: str
    seconds: float
    train_rows: int
    test_rows: int
    proof_gap: float | None = None  # with exact pricing: the part of the objective above its lower bound
    test_gap: float | None = None  # NaN: not estimable; None: no groups, or trained before it was kept
