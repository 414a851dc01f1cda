"""What a model is worth on the rows of its run: the numbers that stand beside it in a list of runs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rugboard.runs.plan import Plan
from rugboard.runs.prepare import Prepared
from rugboard.runs.records import ModelSummary
from rugcore.fairness import Cells, Parity, cell_numbers, notion_of, parity, read_groups, tally_of

if TYPE_CHECKING:
    from rugcore.estimators import RuleClassifier


@dataclass(frozen=True, eq=False)
class ComparedRows:
    """Rows by cell, that is by outcome and group, and what is compared between the cells."""

    cell: np.ndarray  # of each row
    classes: pd.Index  # all of the run, whether or not they occur in these rows
    parity: Parity | None  # None if nobody has the favourable outcome

    @classmethod
    def of(cls, data: Prepared, plan: Plan, rows: np.ndarray) -> "ComparedRows":
        """Of a run with groups; `rows` says of each row whether it is meant."""
        codes, classes = pd.factorize(data.y)
        numbers = np.asarray(codes)[rows]
        groups = read_groups(data.groups[rows], int(rows.sum()))  # type: ignore[index]
        cells = Cells.of(list(classes), numbers, groups)
        positive = plan.fair_settings()["positive_class"]
        position = list(classes).index(positive) if positive in classes else None
        is_known = position is not None or not notion_of(plan.fairness).needs_positive_class
        found = parity(plan.fairness, cells, position) if is_known else None
        return cls(cell_numbers(numbers, groups), pd.Index(classes), found)

    def gap(self, decided: np.ndarray) -> float:
        """The largest gap between two groups under these decisions; NaN where no two can be compared."""
        if self.parity is None:
            return float("nan")
        codes = self.classes.get_indexer(pd.Index(decided))
        tally = tally_of(self.cell, codes, np.ones(len(codes)), self.parity.n_cells, len(self.classes))
        return self.parity.gap(tally)


def judge(model: "RuleClassifier", seconds: float, data: Prepared, plan: Plan, is_test: np.ndarray) -> ModelSummary:
    """Decide every row, and count."""
    decided = model.predict(data.X)
    is_wrong = decided != data.y.to_numpy(dtype=object)
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
        proof_gap=_proof_gap(model),
        test_gap=None if compared is None else compared.gap(decided[is_test]),
    )


def _proof_gap(model: "RuleClassifier") -> float | None:
    """Of RUG with exact pricing; the objective of a fair model is not the one that its bound is about."""
    gaps = [round_.optimality_gap for round_ in model.history_ if round_.optimality_gap is not None]
    return gaps[-1] if gaps and not hasattr(model, "fairness_") else None
