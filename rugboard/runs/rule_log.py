"""The log of a run: which rules people vetoed, locked, edited or wrote, who, when and why, and what that did."""

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

from rugboard.runs.errors import RunError

LONGEST_REASON = 2_000  # letters
LONGEST_WHO = 120


@dataclass(frozen=True)
class LoggedFigures:
    """What a model was worth on the test rows."""

    accuracy: float
    gap: float | None  # None: no groups, or it cannot be told
    rules: int


@dataclass(frozen=True)
class LoggedChange:
    """One accepted change: a line of the log."""

    when: str  # 2026-01-31T12:00:00Z
    who: str  # as typed: there is no sign-in
    why: str
    model: str  # "rug" or "fair"
    what: tuple[str, ...]  # a line for each rule
    before: LoggedFigures
    after: LoggedFigures
    n_decided_otherwise: int  # test rows
    n_test: int
    knowingly: str = ""  # what was accepted although the page warned of it
    parent: str = ""  # the run that was changed
    run: str = ""  # the run that came of it

    def __post_init__(self) -> None:
        """A change without a name or a reason is none."""
        if not self.who.strip() or len(self.who) > LONGEST_WHO:
            raise RunError(f"Say who makes the change, in 1 to {LONGEST_WHO} letters.")
        if not self.why.strip() or len(self.why) > LONGEST_REASON:
            raise RunError(f"Say why the rules are changed, in 1 to {LONGEST_REASON:,} letters.")

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "LoggedChange":
        """The inverse; a `RunError` if the text is none of its like."""
        try:
            values: dict[str, Any] = json.loads(text)
            figures = {name: LoggedFigures(**values[name]) for name in ("before", "after")}
            return cls(**(values | figures | {"what": tuple(values["what"])}))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RunError("The log of this run is damaged: one of its entries cannot be read.") from error


def told_gap(gap: float | None) -> float | None:
    """A gap as a log holds it: nothing where it cannot be told."""
    return None if gap is None or math.isnan(gap) else gap
