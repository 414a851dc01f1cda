"""The table of rules: its lines, its filters, its order, and its form as a file. Nothing here is shown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rugboard.rules.comebacks import UNKNOWN, RuleComebacks
from rugboard.rules.statistics import FEW, TEST, TRAINING, Counts, RuleStatistics
from rugboard.session.adjustments import rule_id
from rugboard.shell.text import brief, value_in_words
from rugcore.rules import Rule

MOST_GROUPS = 8  # columns; the detail of a rule shows all groups
LONGEST_NAME = 24  # letters of a column's heading

ORDERS = {
    "weight": "Weight, heaviest first",
    "coverage": "Applies to, most people first",
    "precision": "Right for, highest share first",
    "length": "Conditions, fewest first",
    "spread": "Group difference, largest first",
    "pushes": "Pushes the gap apart, most first",
    "tells": "Tells the group, most first",
    "came_back": "Came back, most often first",
}
OF_GROUPS = ("spread", "pushes", "tells")  # orders that make sense with groups only
FEW_PEOPLE = "few people"
CONTRARY = "contrary"


@dataclass(frozen=True)
class RuleFilter:
    """Which rules to show; nothing chosen means all."""

    outcomes: tuple[object, ...] = ()
    features: tuple[str, ...] = ()
    lengths: tuple[int, ...] = ()
    text: str = ""
    order: str = "weight"

    @property
    def is_any(self) -> bool:
        return bool(self.outcomes or self.features or self.lengths or self.text.strip())

    def admits(self, rule: Rule) -> bool:
        said = f"{rule} {value_in_words(rule.label)}".casefold()
        return (
            (not self.outcomes or rule.label in self.outcomes)
            and (not self.features or bool(set(self.features) & set(rule.features)))
            and (not self.lengths or rule.length in self.lengths)
            and all(word in said for word in self.text.casefold().split())
        )


def chosen(
    statistics: RuleStatistics, rows: str, rule_filter: RuleFilter, comebacks: RuleComebacks = UNKNOWN
) -> list[int]:
    """Numbers of the rules that pass the filter, in its order."""
    admitted = [number for number, rule in enumerate(statistics.rules) if rule_filter.admits(rule)]
    worth = _worth(statistics, rows, rule_filter.order, comebacks)
    return sorted(admitted, key=lambda number: -worth[number])  # stable: among equals the heavier one comes first


def _worth(statistics: RuleStatistics, rows: str, order: str, comebacks: RuleComebacks) -> np.ndarray:
    """What to sort by, the largest first; what cannot be known comes last."""
    counts = statistics.counts[rows]
    found = {
        "weight": lambda: np.array([rule.weight for rule in statistics.rules]),
        "length": lambda: -np.array([float(rule.length) for rule in statistics.rules]),
        "coverage": lambda: counts.coverage,
        "precision": lambda: counts.precision(statistics.labels),
        "spread": lambda: spread(counts),
        "came_back": lambda: comebacks.of(ids(statistics.rules)),
        "pushes": lambda: _of_gaps(statistics, rows, "pushes"),
        "tells": lambda: _of_gaps(statistics, rows, "tells"),
    }[order]()
    return np.nan_to_num(found, nan=-np.inf)


def _of_gaps(statistics: RuleStatistics, rows: str, name: str) -> np.ndarray:
    """NaN without groups."""
    found = statistics.gaps.get(rows)
    return np.full(len(statistics.rules), np.nan) if found is None else np.asarray(getattr(found, name))


def spread(counts: Counts) -> np.ndarray:
    """How far apart the groups lie that are covered most and least by each rule."""
    shares = counts.coverage_of_groups
    if not len(shares):
        return np.zeros(0)
    is_known = ~np.isnan(shares)
    highest = np.where(is_known, shares, -np.inf).max(axis=1)
    lowest = np.where(is_known, shares, np.inf).min(axis=1)
    return np.where(is_known.any(axis=1), highest - lowest, np.nan)


# -- as shown ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GroupColumn:
    """A column with the share of one group that each rule covers."""

    key: str  # in the frame
    number: int  # of the group
    heading: str


def group_columns(statistics: RuleStatistics, rows: str) -> list[GroupColumn]:
    """The largest groups, in their order."""
    if not statistics.people.has_groups:
        return []
    sizes = statistics.counts[rows].total.sum(axis=0)
    largest = sorted(np.argsort(-sizes, kind="stable")[:MOST_GROUPS].tolist())
    names = [brief(statistics.people.groups[number], LONGEST_NAME) for number in largest]
    headings = [f"Applies to: {name} ({sizes[number]:,})" for number, name in zip(largest, names, strict=True)]
    return [GroupColumn(f"group_{number}", number, heading) for number, heading in zip(largest, headings, strict=True)]


def shown_frame(
    statistics: RuleStatistics, rows: str, numbers: Sequence[int], comebacks: RuleComebacks = UNKNOWN
) -> pd.DataFrame:
    """One line per rule; shares in percent, outcomes as lists of one, which the table shows as a coloured mark."""
    counts = statistics.counts[rows]
    rules = [statistics.rules[number] for number in numbers]
    of_groups, notes = counts.coverage_of_groups, _notes(statistics, rows)[numbers]
    frame = pd.DataFrame(
        {
            "rule": pd.Series([str(rule) for rule in rules], dtype="str"),
            "label": [[value_in_words(rule.label)] for rule in rules],
            "weight": [rule.weight for rule in rules],
            **({"came_back": comebacks.of(ids(rules))} if comebacks.are_known else {}),
            "n_covered": counts.n_covered[numbers],
            "coverage": 100 * counts.coverage[numbers],
            "precision": 100 * counts.precision(statistics.labels)[numbers],
            **({"note": notes.tolist()} if (notes != "").any() else {}),
        }
    )
    if rows in statistics.gaps:
        of_gap = {name: 100 * _of_gaps(statistics, rows, name)[numbers] for name in ("pushes", "tells")}
        frame = frame.assign(**of_gap)
    groups = {c.key: 100 * of_groups[numbers, c.number] for c in group_columns(statistics, rows)}
    return frame.assign(**groups, length=[rule.length for rule in rules])


def _notes(statistics: RuleStatistics, rows: str) -> np.ndarray:
    is_few = statistics.counts[rows].n_covered < FEW
    return np.where(statistics.is_contrary, CONTRARY, np.where(is_few, FEW_PEOPLE, ""))


# -- as a file ---------------------------------------------------------------------------------------------


def file_frame(statistics: RuleStatistics, comebacks: RuleComebacks = UNKNOWN) -> pd.DataFrame:
    """All rules with all numbers, shares as shares."""
    frame = pd.DataFrame(
        {
            "rule": [str(rule) for rule in statistics.rules],
            "outcome": [value_in_words(rule.label) for rule in statistics.rules],
            "weight": [rule.weight for rule in statistics.rules],
            "conditions": [rule.length for rule in statistics.rules],
        }
    )
    if comebacks.are_known:
        frame = frame.assign(**{f"came back, of {comebacks.n_samples} samples": comebacks.of(ids(statistics.rules))})
    for rows in (TEST, TRAINING):
        frame = frame.assign(**_shares(statistics, rows))
    return frame


def _shares(statistics: RuleStatistics, rows: str) -> dict[str, np.ndarray]:
    counts = statistics.counts[rows]
    found = {
        f"covered {rows} rows": counts.n_covered,
        f"coverage on {rows} rows": counts.coverage,
        f"precision on {rows} rows": counts.precision(statistics.labels),
    }
    if statistics.people.has_groups:
        for place, group in enumerate(statistics.people.groups):
            name = f"{group}: coverage on {rows} rows"
            found[name] = counts.coverage_of_groups[:, place]
    if rows in statistics.gaps:
        gaps = statistics.gaps[rows]
        found |= {
            f"largest gap on {rows} rows": np.full(len(statistics.rules), gaps.gap),
            f"largest gap without it on {rows} rows": gaps.without,
            f"{rows} rows decided otherwise without it": gaps.n_changed,
            f"tells groups apart on {rows} rows (AUC)": gaps.tells,
        }
    return found


def ids(rules: Iterable[Rule]) -> list[str]:
    return [rule_id(rule) for rule in rules]
