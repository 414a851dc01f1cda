"""One training run from a checked table to a set of rules."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from rugcore.generation.costs import CostModel
from rugcore.generation.exact import ExactPricer
from rugcore.generation.loop import ColumnGeneration, Round
from rugcore.generation.pricing import Pricer, TreePricer
from rugcore.generation.rows import RowBlock
from rugcore.generation.tree import Features
from rugcore.lp.master import MasterProblem
from rugcore.lp.merging import MergedRows
from rugcore.lp.program import Solver
from rugcore.lp.solvers.choice import choose_solver
from rugcore.tables.columns import MOST_BINS
from rugcore.tables.encoder import encode
from rugcore.training.pool import RulePool
from rugcore.training.rows import TrainingRows
from rugcore.training.settings import Settings

# The paper binarises numbers at deciles for the integer program.
BINS_FOR_EXACT_PRICING = 10


@dataclass(frozen=True)
class TrainingResult:
    """What an estimator takes over after a run."""

    history: list[Round]
    lower_bound: float | None
    stop_reason: str
    class_share: np.ndarray
    pool: RulePool


class TrainingRun:
    """Encoded rows, the linear program over them and the loop that finds rules, from the first round to a pool."""

    def __init__(
        self,
        rows: TrainingRows,
        settings: Settings,
        started: float,
        cells: np.ndarray | None = None,
        make_master: Callable[[MergedRows, float, float, Solver], MasterProblem] = MasterProblem,
    ) -> None:
        """`cells` tell rows apart from the start, class by class; `make_master` is told what they are."""
        n_classes = len(rows.classes)
        self._settings = settings
        self._started = started
        self._classes = rows.classes
        self._wrong_vote = settings.wrong_vote(n_classes)
        self._encoded = encode(rows.table, rows.weight, check_random_state(settings.random_state), _max_bins(settings))
        self.rows = RowBlock(self._encoded.codes, rows.class_codes, rows.weight, n_classes, cells)
        self.class_weight = self.rows.class_weight()
        self.master = make_master(
            _merged(rows, n_classes, cells), self._wrong_vote, settings.penalty, choose_solver(settings.solver)
        )
        self.generation = self._generation()
        self.history: list[Round] = []

    def _generation(self) -> ColumnGeneration:
        settings, columns = self._settings, self._encoded.columns
        costs = CostModel(
            settings.penalty, settings.max_depth, by_length=settings.rule_cost == "length", wrong_vote=self._wrong_vote
        )
        trees = TreePricer(Features.of(columns), costs, settings.max_depth, self.class_weight)
        pricer: Pricer = trees
        if settings.pricing == "exact":
            deadline = None if settings.time_limit is None else self._started + settings.time_limit
            pricer = ExactPricer(columns, costs, settings.max_depth, deadline)
        return ColumnGeneration(self.rows, self.master, trees, pricer, settings.max_iter, self._started)

    @property
    def class_share(self) -> np.ndarray:
        share: np.ndarray = self.class_weight / self.class_weight.sum()
        return share

    def run(self) -> str:
        """All rounds; says why they ended."""
        for round_ in self.generation:
            stopped = self.report(round_)
            if stopped is not None:
                return stopped
        has_converged = self.history[-1].number < self._settings.max_iter
        return "converged" if has_converged else "max_iter"

    def report(self, round_: Round) -> str | None:
        """Note a round and tell the callback; the reason to stop, if there is one."""
        self.history.append(round_)
        if self._settings.callback is not None and self._settings.callback(round_) is False:
            return "callback"
        limit = self._settings.time_limit
        return "time_limit" if limit is not None and time.perf_counter() - self._started >= limit else None

    def pool(self) -> RulePool:
        solution = self.generation.solution
        assert solution is not None
        return RulePool(
            candidates=tuple(self.generation.rules),
            columns=self._encoded.columns,
            classes=self._classes,
            class_weight=self.class_weight,
            master=self.master,
            solution=solution,
            merged_row=self.rows.signature,
            rule_weight=solution.rule_weight,
        )

    def result(self, stop_reason: str, pool: RulePool) -> TrainingResult:
        return TrainingResult(self.history, self.generation.lower_bound, stop_reason, self.class_share, pool)


def train(rows: TrainingRows, settings: Settings, started: float) -> TrainingResult:
    """Encode, generate rules until a stop, keep the rules that matter."""
    run = TrainingRun(rows, settings, started)
    stop_reason = run.run()
    return run.result(stop_reason, run.pool())


def _max_bins(settings: Settings) -> int:
    return BINS_FOR_EXACT_PRICING if settings.pricing == "exact" else MOST_BINS


def _merged(rows: TrainingRows, n_classes: int, cells: np.ndarray | None) -> MergedRows:
    """Before there is any rule: one merged row for every class, or for every cell of every class."""
    if cells is None:
        return MergedRows.by_cell(np.arange(n_classes), np.bincount(rows.class_codes, rows.weight, n_classes))
    cell_class = np.zeros(cells.max() + 1, dtype=np.int64)
    cell_class[cells] = rows.class_codes
    return MergedRows.by_cell(cell_class, np.bincount(cells, rows.weight))
