"""One training run from a checked table to a set of rules."""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from rugcore.encoding.columns import MOST_BINS
from rugcore.encoding.encoder import encode
from rugcore.encoding.table import Table
from rugcore.errors import InputError
from rugcore.generation.exact import ExactPricer
from rugcore.generation.loop import ColumnGeneration, Round
from rugcore.generation.pricing import CostModel, Pricer, TreePricer
from rugcore.generation.rows import RowBlock
from rugcore.generation.tree import Features
from rugcore.lp.master import MasterProblem
from rugcore.lp.merging import MergedRows
from rugcore.lp.program import Solver
from rugcore.lp.solvers import SOLVER_NAMES, choose_solver
from rugcore.pool import RulePool
from rugcore.rules.rule import Rule
from rugcore.validation import Target

# The paper binarises numbers at deciles for the integer program.
BINS_FOR_EXACT_PRICING = 10
DEEPEST = 14  # a tree of this depth has more leaves than anybody will read rules


@dataclass(frozen=True)
class Settings:
    """The parameters of an estimator, checked."""

    max_depth: int
    penalty: float
    max_iter: int
    rule_cost: str
    weight_threshold: float
    pricing: str
    solver: str
    time_limit: float | None
    callback: Callable[[Round], Any] | None
    random_state: Any

    @classmethod
    def checked(cls, estimator: Any) -> "Settings":
        """Refuse a parameter that makes no sense, with its name and what it may be."""
        check_whole("max_depth", estimator.max_depth, 1, DEEPEST)
        check_real("penalty", estimator.penalty, 0.0)
        check_whole("max_iter", estimator.max_iter, 0)
        check_choice("rule_cost", estimator.rule_cost, ("length", "unit"))
        check_real("weight_threshold", estimator.weight_threshold, 0.0, 0.999)  # at 1 no rule would be left
        check_choice("pricing", estimator.pricing, ("tree", "exact"))
        check_choice("solver", estimator.solver, SOLVER_NAMES)
        if estimator.time_limit is not None:
            check_real("time_limit", estimator.time_limit, 0.0)
        if estimator.callback is not None and not callable(estimator.callback):
            raise InputError(f"Expected callback to be a function or None, but got {estimator.callback!r}.")
        return cls(**{name: getattr(estimator, name) for name in cls.__dataclass_fields__})


@dataclass(frozen=True)
class TrainingResult:
    """What an estimator takes over after a run."""

    history: list[Round]
    lower_bound: float | None
    stop_reason: str
    class_share: np.ndarray
    pool: RulePool


@dataclass(frozen=True)
class TrainingRows:
    """The rows that count: those with weight."""

    table: Table
    classes: np.ndarray
    weight: np.ndarray
    labels: tuple[Any, ...]  # the classes themselves

    @classmethod
    def of(cls, table: Table, target: Target, weight: np.ndarray) -> "TrainingRows":
        return cls(table, target.numbers, weight, tuple(target.classes.tolist()))

    def take(self, is_taken: np.ndarray) -> "TrainingRows":
        return TrainingRows(self.table.take(is_taken), self.classes[is_taken], self.weight[is_taken], self.labels)


class TrainingRun:
    """Encoded rows, the linear program over them and the loop that finds rules, from the first round to a pool."""

    def __init__(
        self,
        rows: TrainingRows,
        settings: Settings,
        started: float,
        cells: np.ndarray | None = None,
        make_master: Callable[[MergedRows, int, float, Solver], MasterProblem] = MasterProblem,
    ) -> None:
        """`cells` tell rows apart from the start, class by class; `make_master` is told what they are."""
        n_classes = len(rows.labels)
        self._settings = settings
        self._started = started
        self._labels = rows.labels
        self._encoded = encode(rows.table, rows.weight, check_random_state(settings.random_state), _max_bins(settings))
        self.rows = RowBlock(self._encoded.codes, rows.classes, rows.weight, n_classes, cells)
        self.class_weight = self.rows.class_weight()
        self.master = make_master(
            _merged(rows, n_classes, cells), n_classes, settings.penalty, choose_solver(settings.solver)
        )
        self.generation = self._generation()
        self.history: list[Round] = []

    def _generation(self) -> ColumnGeneration:
        settings, columns = self._settings, self._encoded.columns
        costs = CostModel(settings.penalty, settings.max_depth, by_length=settings.rule_cost == "length")
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
            labels=self._labels,
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
        return MergedRows.by_cell(np.arange(n_classes), np.bincount(rows.classes, rows.weight, n_classes))
    cell_label = np.zeros(cells.max() + 1, dtype=np.int64)
    cell_label[cells] = rows.classes
    return MergedRows.by_cell(cell_label, np.bincount(cells, rows.weight))


def check_penalty(penalty: Any) -> None:
    check_real("penalty", penalty, 0.0)


def pool_of(model: Any) -> RulePool:
    """The pool of a trained model; a model read from a file has only its rules."""
    pool = getattr(model, "pool_", None)
    if pool is None:
        raise InputError("Expected a model trained here, but this one was loaded from a file. Train it again to refit.")
    return pool


def numbers_of(model: Any, rules: Rule | Iterable[Rule]) -> list[int]:
    """Where rules of the model stand in its pool."""
    rules = [rules] if isinstance(rules, Rule) else list(rules)
    if not all(isinstance(rule, Rule) for rule in rules):
        raise InputError("Expected the rules to leave out as they stand in rules_, such as [model.rules_[0]].")
    if not rules:
        return []
    place = {(rule.conditions, rule.label): number for number, rule in enumerate(pool_of(model).rules())}
    unknown = [rule for rule in rules if (rule.conditions, rule.label) not in place]
    if unknown:
        raise InputError(f"Expected rules of this model to leave out, but it has no rule '{unknown[0]}'.")
    return [place[rule.conditions, rule.label] for rule in rules]


def check_whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        upper = f" to {most}" if most is not None else " or more"
        raise InputError(f"Expected {name} to be a whole number, {least}{upper}, but got {value!r}.")


def check_real(name: str, value: Any, least: float, most: float = math.inf) -> None:
    is_number = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or not least <= value <= most:
        upper = f" to {most:g}" if math.isfinite(most) else " or more"
        raise InputError(f"Expected {name} to be a number, {least:g}{upper}, but got {value!r}.")


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"Expected {name} to be one of {', '.join(choices)}, but got {value!r}.")
