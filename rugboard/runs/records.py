"""What the store keeps of a run, as values: the run itself, its rounds, and a summary of each trained model."""

from dataclasses import dataclass

from rugboard.runs.plan import Plan
from rugboard.runs.processes import Process

QUEUED, RUNNING, FINISHED, FAILED, CANCELLED = "queued", "running", "finished", "failed", "cancelled"


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

    @property
    def plan(self) -> Plan:
        """Read when asked for: a damaged plan must not hide the run from the list."""
        return Plan.from_json(self.plan_text)

    @property
    def is_over(self) -> bool:
        return self.status not in (QUEUED, RUNNING)


@dataclass(frozen=True)
class RoundRecord:
    """One point of the live plot."""

    model: str
    number: int
    objective: float
    rules: int  # with weight
    seconds: float


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
    test_gap: float | None = None  # NaN: not estimable; None: no groups, or trained before it was kept
