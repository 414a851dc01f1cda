"""Values to watch: what the model did on the test rows, from where on somebody acts, and what newer people show."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from rugcore.fairness import notion_of
from rugcore.monitoring import NO_RULE, RIGHT, TIE, Monitoring
from rugcore.report.blocks import Block, Column, Grid, Heading
from rugcore.report.evidence import Evidence
from rugcore.report.formats import percent, points
from rugcore.report.sections.common import faint, known, lines_of, share_of
from rugcore.rules import words

PROPOSED, ENTERED = "proposed", "entered"
UNKNOWN = "not known"
Side = Literal["below", "above"]


@dataclass(frozen=True)
class WatchedValue:
    """One measure, and the value from which on somebody acts."""

    name: str
    tested: float | None
    side: Side
    act: float | None
    who: str
    now: float | None  # among newer people; None: not known
    write: Callable[[float], str] = percent
    without: str = "nobody"  # what stands where nothing was tested

    @property
    def is_possible(self) -> bool:
        """Nothing is above the whole, or below nothing."""
        return self.act is None or not (self.write is percent and self.act == {"above": 1.0, "below": 0.0}[self.side])

    @property
    def is_crossed(self) -> bool:
        if self.now is None or self.act is None:
            return False
        return self.now < self.act if self.side == "below" else self.now > self.act

    def line(self, *, with_now: bool) -> tuple[str, ...]:
        tested = self.without if self.tested is None else self.write(self.tested)
        act = "no proposal" if self.act is None else f"{self.side} {self.write(self.act)}"
        if not with_now:
            return self.name, tested, act, self.who
        now = UNKNOWN if self.now is None else f"{self.write(self.now)}{', crossed' if self.is_crossed else ''}"
        return self.name, tested, act, self.who, now


def values_to_watch(evidence: Evidence) -> tuple[Block, ...]:
    with_now = evidence.newer is not None
    return (
        Heading("Values to watch"),
        Grid(
            "What the model did on the test rows, and when somebody should look",
            (
                Column("Measure", width=1.6),
                Column("Test rows", width=1.3),
                Column("Act"),
                Column("Who says so", width=0.7),
                *((Column("Newer people"),) if with_now else ()),
            ),
            tuple(value.line(with_now=with_now) for value in watched(evidence) if value.is_possible),
        ),
        faint(
            "Proposed values are the bounds of the 95 % intervals on the test rows, or the limit that was asked for. "
            "Those that a person entered stand in their place."
        ),
    )


def watched(evidence: Evidence) -> list[WatchedValue]:
    n = len(evidence.test)
    right = share_of(int(evidence.is_right.sum()), n)
    uncovered = share_of(int((evidence.decisions.is_uncovered | evidence.decisions.is_tie).sum()), n)
    favoured = share_of(int((evidence.decided == evidence.favourable).sum()), n)
    now = _NowShares(None if evidence.newer is None else evidence.newer.found)
    decided = now.of(f"decided {words.clear(evidence.favourable)}")
    return [
        _value(evidence, "accuracy", "Right decisions", right[0], "below", right[1], now.of(RIGHT)),
        _value(
            evidence, "uncovered", "No rule decides (manual review)", uncovered[0], "above", uncovered[2],
            now.of(NO_RULE, TIE),
        ),
        _value(evidence, "favourable_lowest", "Favourable decisions", favoured[0], "below", favoured[1], decided),
        _value(evidence, "favourable_highest", "Favourable decisions", favoured[0], "above", favoured[2], decided),
        *_gap(evidence, now),
    ]  # fmt: skip


class _NowShares:
    """Shares among newer people by what they are of."""

    def __init__(self, found: Monitoring | None) -> None:
        self._found = found

    def of(self, *names: str) -> float | None:
        """Of several that exclude each other, the sum; None where one is not known."""
        if self._found is None:
            return None
        shares = dict(zip(self._found.decisions["what"], self._found.decisions["now"], strict=True))
        found = [known(shares.get(name)) for name in names]
        return None if any(share is None for share in found) else sum(share for share in found if share is not None)

    def gap(self) -> float | None:
        gaps = None if self._found is None else self._found.gaps
        if gaps is None:
            return None
        own: pd.DataFrame = gaps[gaps["matters"].astype(bool)]
        return known(own["gap_now"].iloc[0]) if len(own) else None


def _gap(evidence: Evidence, now: _NowShares) -> list[WatchedValue]:
    found, name = evidence.test_audit, notion_of(evidence.fairness).name
    line = None if found is None else lines_of(found.gaps).get(name)
    if line is None:
        return []
    entered = evidence.statements.thresholds.get("gap")
    limit = evidence.epsilon if evidence.epsilon is not None else float(line["upper"])
    act = entered if entered is not None else limit
    return [
        WatchedValue(
            name="Largest gap between groups",
            tested=known(line["gap"]),
            side="above",
            act=None if math.isnan(act) else act,
            who=PROPOSED if entered is None else ENTERED,
            now=now.gap(),
            write=points,
            without="not estimable",
        )
    ]


def _value(
    evidence: Evidence,
    key: str,
    name: str,
    tested: float | None,
    side: Side,
    proposed: float | None,
    now: float | None,
) -> WatchedValue:
    entered = evidence.statements.thresholds.get(key)
    who = PROPOSED if entered is None else ENTERED
    return WatchedValue(name, tested, side, proposed if entered is None else entered, who, now)
