"""Numbers about the models of a run that the store does not hold."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rugboard.runs.results import Results
from rugboard.session.adjusted_models import decided
from rugboard.session.adjustments import AS_TRAINED
from rugboard.session.cache import cached
from rugcore.fairness import Cells, Parity, cell_numbers, notion_of, parity, read_groups

ANSWERS_KEPT = 64
ROWS_KEPT = 4  # runs; one number per row


@dataclass(frozen=True)
class Gap:
    """The largest difference of error rates between two groups, as the decisions of a model show it."""

    on_training_rows: float  # NaN where no two groups are large enough
    on_test_rows: float


@dataclass(frozen=True)
class Baseline:
    """Giving everybody the most common outcome of the training rows."""

    label: object
    test_accuracy: float


@cached(entries=ANSWERS_KEPT)
def gap(results: Results, model: str) -> Gap | None:
    """Of a model as trained, measured with the run's own notion of fairness; None if the run has no groups."""
    return None if results.data.groups is None else gap_of(results, decided(results, model, AS_TRAINED))


def gap_of(results: Results, decisions: np.ndarray) -> Gap | None:
    """The same for any decisions about the rows of the run's table."""
    if results.data.groups is None:
        return None
    is_wrong = decisions != results.data.y.to_numpy(dtype=object)
    training, test = _compared(results)
    return Gap(training.gap(is_wrong[~results.is_test]), test.gap(is_wrong[results.is_test]))


@dataclass(frozen=True, eq=False)
class _ComparedRows:
    """Rows by cell, that is by outcome and group, and what is compared between the cells."""

    cell: np.ndarray  # of each row
    n_cells: int
    parity: Parity | None  # None if nobody has the favourable outcome

    @classmethod
    def of(cls, results: Results, rows: np.ndarray) -> "_ComparedRows":
        numbers, classes = pd.factorize(results.data.y[rows])
        groups = read_groups(results.data.groups[rows], int(rows.sum()))  # type: ignore[index]
        cells = Cells.of(list(classes), np.asarray(numbers), groups)
        positive = results.plan.fair_settings()["positive_class"]
        position = list(classes).index(positive) if positive in classes else None
        is_known = position is not None or not notion_of(results.plan.fairness).needs_positive_class
        found = parity(results.plan.fairness, cells, position) if is_known else None
        return cls(cell_numbers(np.asarray(numbers), groups), cells.n_cells, found)

    def gap(self, is_wrong: np.ndarray) -> float:
        errors = np.bincount(self.cell, is_wrong, self.n_cells)
        return float("nan") if self.parity is None else self.parity.gap(errors)


@cached(entries=ROWS_KEPT)
def _compared(results: Results) -> tuple[_ComparedRows, _ComparedRows]:
    return _ComparedRows.of(results, ~results.is_test), _ComparedRows.of(results, results.is_test)


@cached(entries=ANSWERS_KEPT)
def baseline(results: Results) -> Baseline:
    label = results.y_train.mode()[0]
    return Baseline(label, float((results.y_test == label).mean()))


def average_length(results: Results, model: str) -> float:
    """Conditions per rule."""
    rules = results.model(model).rules_
    return sum(rule.length for rule in rules) / len(rules) if len(rules) else float("nan")
