"""What the models of a run decide about all rows of a large table, as counts: the pages have no more than a sample.

all-rows.json in the folder of the run. Counts of people by outcome, decision and group are all that accuracy, gaps and
audits need; counts by rule, outcome and group are what the table of rules needs.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rugboard.runs import files
from rugcore.fairness import Audit, Cells, audit, notion_of, parity
from rugcore.tables import plain_value

if TYPE_CHECKING:
    from rugcore.estimators import RuleClassifier

FILE = "all-rows.json"
VERSION = 1
TRAINING, TEST = "training", "test"
SIDES = (TRAINING, TEST)
EVERYBODY = ""  # the one group of a run without groups


@dataclass(frozen=True)
class Labels:
    """The outcomes and the groups that occur among all rows, each in order."""

    classes: tuple[Any, ...]
    groups: tuple[str, ...]

    @classmethod
    def of(cls, outcomes: Iterable[Any], groups: Iterable[str]) -> "Labels":
        return cls(tuple(sorted(set(map(plain_value, outcomes)))), tuple(sorted(set(groups))) or (EVERYBODY,))

    def class_codes(self, values: Any) -> np.ndarray:
        return _codes(values, self.classes)

    def group_codes(self, groups: pd.Series | None, n_rows: int) -> np.ndarray:
        return np.zeros(n_rows, dtype=np.int64) if groups is None else _codes(groups, self.groups)


def _codes(values: Any, labels: Sequence[Any]) -> np.ndarray:
    places, found = pd.factorize(np.asarray(values, dtype=object))
    number = {label: code for code, label in enumerate(labels)}
    return np.array([number[plain_value(value)] for value in found], dtype=np.int64)[places]


@dataclass(frozen=True, eq=False)
class SideCounts:
    """One model on the training rows or on the test rows."""

    decided: np.ndarray  # (outcomes, decisions, groups): how many people
    covered: np.ndarray  # (rules, outcomes, groups): how many people the rule covers

    @classmethod
    def of(
        cls, model: "RuleClassifier", X: pd.DataFrame, outcome: np.ndarray, group: np.ndarray, labels: Labels
    ) -> "SideCounts":
        """Of rows of the table, each with the number of its outcome and its group."""
        n_classes, n_groups = len(labels.classes), len(labels.groups)
        if not len(X):
            shapes = (n_classes, n_classes, n_groups), (len(model.rules_), n_classes, n_groups)
            return cls(*(np.zeros(shape, dtype=np.int64) for shape in shapes))
        coverage = model.covering_rules(X)
        decision = labels.class_codes(model.classes_[model.decisions_for(coverage).class_code])
        cell, n_cells = outcome * n_groups + group, n_classes * n_groups
        by_decision = np.bincount((outcome * n_classes + decision) * n_groups + group, minlength=n_classes * n_cells)
        by_rule = np.bincount(
            coverage.indices.astype(np.int64) * n_cells + np.repeat(cell, np.diff(coverage.indptr)),
            minlength=len(model.rules_) * n_cells,
        )
        return cls(by_decision.reshape(n_classes, n_classes, n_groups), by_rule.reshape(-1, n_classes, n_groups))

    def plus(self, more: "SideCounts") -> "SideCounts":
        return SideCounts(self.decided + more.decided, self.covered + more.covered)

    @property
    def n_rows(self) -> int:
        return int(self.decided.sum())

    @property
    def total(self) -> np.ndarray:
        """(outcomes, groups)"""
        total: np.ndarray = self.decided.sum(axis=1)
        return total

    @property
    def accuracy(self) -> float:
        """NaN where there is nobody."""
        n_right = int(np.trace(self.decided.sum(axis=2)))
        return n_right / self.n_rows if self.n_rows else float("nan")


ModelCounts = Mapping[str, SideCounts]  # by TRAINING and TEST


def add_counts(found: list[ModelCounts]) -> ModelCounts:
    """Of several parts of the table."""
    total = dict(found[0])
    for own in found[1:]:
        total = {side: total[side].plus(own[side]) for side in SIDES}
    return total


@dataclass(frozen=True, eq=False)
class AllRows:
    """The models of a run, as they were trained, on all rows of its table."""

    labels: Labels
    models: Mapping[str, ModelCounts]

    @cached_property
    def n_rows(self) -> dict[str, int]:
        """By TRAINING and TEST."""
        counts = next(iter(self.models.values()))
        return {side: counts[side].n_rows for side in SIDES}

    def gap(self, model: str, side: str, notion: str, positive: Any) -> float:
        """The largest gap between two groups by a notion; NaN where no two can be compared."""
        counts = self.models[model][side]
        cells = Cells(self.labels.classes, self.labels.groups, counts.total, counts.total.astype(float))
        position = self.labels.classes.index(positive) if positive in self.labels.classes else None
        if position is None and notion_of(notion).needs_positive_class:
            return float("nan")
        tally = counts.decided.transpose(0, 2, 1).reshape(-1, len(self.labels.classes)).astype(float)
        return parity(notion, cells, position).gap(tally)

    def audit(self, model: str, side: str, positive_class: Any, names: Mapping[str, str]) -> Audit:
        """What an audit of all these rows finds; groups are called as `names` says."""
        decided = self.models[model][side].decided
        true, decision, group = (place.ravel() for place in np.indices(decided.shape))
        classes = np.array(self.labels.classes, dtype=object)
        return audit(
            classes[true],
            classes[decision],
            sensitive_features=np.array([names[name] for name in self.labels.groups], dtype=object)[group],
            positive_class=positive_class,
            classes=self.labels.classes,
            repeats=decided.ravel(),
        )

    # -- the file --------------------------------------------------------------------------------------------

    def write(self, folder: Path) -> None:
        models = {
            name: {
                side: {"decided": own.decided.tolist(), "covered": own.covered.tolist()} for side, own in both.items()
            }
            for name, both in self.models.items()
        }
        labels = {"classes": list(self.labels.classes), "groups": list(self.labels.groups)}
        files.write_text(folder / FILE, json.dumps({"version": VERSION, **labels, "models": models}))

    @classmethod
    def read(cls, folder: Path) -> "AllRows | None":
        """None where there is none, or none that can be read: the pages then say that they count a sample."""
        try:
            content = json.loads((folder / FILE).read_text(encoding="utf-8"))
            if content["version"] != VERSION:
                return None
            labels = Labels(tuple(content["classes"]), tuple(content["groups"]))
            return cls(labels, {name: _side_counts(both, labels) for name, both in content["models"].items()})
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None


def _side_counts(content: Any, labels: Labels) -> ModelCounts:
    n_classes, n_groups = len(labels.classes), len(labels.groups)
    return {
        side: SideCounts(
            np.array(content[side]["decided"], dtype=np.int64).reshape(n_classes, n_classes, n_groups),
            np.array(content[side]["covered"], dtype=np.int64).reshape(-1, n_classes, n_groups),
        )
        for side in SIDES
    }
