"""What each rule does to the gap between groups: the decisions without it, and whether it stands in for the group."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy import sparse

from rugboard.runs.results import Results
from rugboard.session import group_names
from rugboard.shell.formats import counted, points
from rugboard.shell.text import named
from rugcore.fairness import rule_gaps_for

if TYPE_CHECKING:
    from rugcore.estimators import RuleClassifier

NO_CHANGE = 0.0005  # of the gap: shown as 0.0 points


@dataclass(frozen=True, eq=False)
class RuleGaps:
    """One entry per rule, on the test rows or on the training rows."""

    rows: str
    gap: float  # the largest, of all rules together; NaN where no two groups can be compared
    without: np.ndarray
    n_changed: np.ndarray  # people decided otherwise without the rule
    tells: np.ndarray
    told: tuple[tuple[str, str] | None, ...]  # the two groups that it tells apart best

    @property
    def pushes(self) -> np.ndarray:
        """By how much the gap is wider with the rule than without it; below 0 it narrows the gap."""
        return self.gap - self.without

    @classmethod
    def of(
        cls, results: Results, model: "RuleClassifier", coverage: sparse.csr_array, is_meant: np.ndarray, rows: str
    ) -> "RuleGaps":
        plan = results.plan
        found = rule_gaps_for(
            model,
            sparse.csr_array(coverage[np.flatnonzero(is_meant)]),
            results.data.y[is_meant],
            group_names.of_rows(results)[is_meant],
            plan.fairness,
            plan.fair_settings()["positive_class"],
        )
        return cls(
            rows,
            float(found["gap"].iloc[0]) if len(found) else float("nan"),
            found["gap_without"].to_numpy(dtype=float),
            found["n_changed"].to_numpy(dtype=int),
            found["tells"].to_numpy(dtype=float),
            tuple(
                _pair(first, second) for first, second in zip(found["told_first"], found["told_second"], strict=True)
            ),
        )


def _pair(first: object, second: object) -> tuple[str, str] | None:
    return None if pd.isna(first) else (str(first), str(second))  # type: ignore[call-overload]


def in_words(gaps: RuleGaps, number: int) -> list[str]:
    """What the rule does to the gap, and how well it tells the groups apart; nothing where that cannot be known."""
    return [text for text in (_push_in_words(gaps, number), _group_in_words(gaps, number)) if text]


def _push_in_words(gaps: RuleGaps, number: int) -> str:
    if np.isnan(gaps.gap):
        return f"What it does to the gap cannot be told: no two groups have enough {gaps.rows} rows."
    push = float(gaps.pushes[number])
    people = f"{counted(int(gaps.n_changed[number]), gaps.rows + ' row')} would be decided otherwise"
    before = f"the largest gap between groups on the {gaps.rows} rows would be"
    if abs(push) < NO_CHANGE:
        return f"Without it, and with all else as it is, {before} {points(gaps.gap)} as well; {people}."
    side = "widens" if push > 0 else "narrows"
    return (
        f"It **{side} the gap**: without it, and with all else as it is, {before} "
        f"**{points(float(gaps.without[number]))}** instead of {points(gaps.gap)}; {people}."
    )


def _group_in_words(gaps: RuleGaps, number: int) -> str:
    pair = gaps.told[number]
    if pair is None:
        return ""
    return (
        f"Of two people, one of {named(pair[0])} and one of {named(pair[1])}, a guess from whether it applies tells "
        f"who is who in **{100 * gaps.tells[number]:.0f} of 100** such pairs ({gaps.rows} rows; a coin is right in 50)."
    )
