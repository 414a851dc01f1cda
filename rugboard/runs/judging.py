"""What a model is worth on the rows of its run: the numbers that stand beside it in a list of runs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rugboard.runs.plan import Plan
from rugboard.runs.prepare import Prepared
from rugboard.runs.records import ModelSummary
from rugcore.fairness import Cells, Parity, cell_numbers, notion_of, parity, read_groups

if TYPE_CHECKING:
    from rugcore.estimators import RuleClassifier


@dataclass(frozen=True, eq=False)
class ComparedRows:
    """Rows by cell, that is by outcome and group, and what is compared between the cells."""

    cell: np.ndarray  # of each row
    n_cells: int
    parity: Parity | None  # None if nobody has the favourable outcome

    @classmethod
    def of(cls, data: Prepared, plan: Plan, rows: np.ndarray) -> "ComparedRows":
        """Of a run with groups; `rows` says of each row whether it is meant."""
        numbers, classes = pd.factorize(data.y[rows])
        groups = read_groups(data.groups[rows], int(rows.sum()))  # type: ignore[index]
        cells = Cells.of(list(classes), np.asarray(numbers), groups)
        positive = plan.fair_settings()["positive_class"]
        position = list(classes).index(positive) if positive in classes else None
        is_known = position is not None or not notion_of(plan.fairness).needs_positive_class
        found = parity(plan.fairness, cells, position) if is_known else None
        return cls(cell_numbers(np.asarray(numbers), groups), cells.n_cells, found)

    def gap(self, is_wrong: np.ndarray) -> float:
        """The largest difference of error rates between two groups; NaN where no two can be compared."""
        errors = np.bincount(self.cell, is_wrong, self.n_cells)
        return float("nan") if self.parity is None else self.parity.gap(errors)


def judge(model: "RuleClassifier", seconds: float, data: Prepared, plan: Plan, is_test: np.ndarray) -> ModelSummary:
    """Decide every row, and count."""
    is_wrong = model.predict(data.X) != data.y.to_numpy(dtype=object)
    compared = None if data.groups is None else ComparedRows.of(data, plan, is_test)
    return ModelSummary(
        train_accuracy=float(1 - is_wrong[~is_test].mean()),
        test_accuracy=float(1 - is_wrong[is_test].mean()),
        rules=len(model.rules_),
        rounds=model.n_iter_,
        objective=float(model.objective_),
        stop_reason=model.stop_reason_,
        seconds=seconds,
        train_rows=int((~is_test).sum()),
        test_rows=int(is_test.sum()),
        test_gap=None if compared is None else compared.gap(is_wrong[is_test]),
    )
