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
from rugcore.encoding.encoder import EncodedTable, encode
from rugcore.encoding.table import Table
from rugcore.errors import InputError
from rugcore.generation.exact import ExactPricer
from rugcore.generation.loop import ColumnGeneration, Round
from rugcore.generation.pricing import CostModel, Pricer, TreePricer
from rugcore.generation.rows import RowBlock
from rugcore.generation.tree import Features
from rugcore.lp.master import MasterProblem
from rugcore.lp.merging import MergedRows
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
        _whole("max_depth", estimator.max_depth, 1, DEEPEST)
        _real("penalty", estimator.penalty, 0.0)
        _whole("max_iter", estimator.max_iter, 0)
        _choice("rule_cost", estimator.rule_cost, ("length", "unit"))
        _real("weight_threshold", estimator.weight_threshold, 0.0, 0.999)  # at 1 no rule would be left
        _choice("pricing", estimator.pricing, ("tree", "exact"))
        _choice("solver", estimator.solver, SOLVER_NAMES)
        if estimator.time_limit is not None:
            _real("time_limit", estimator.time_limit, 0.0)
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


def train(table: Table, target: Target, weight: np.ndarray, settings: Settings, started: float) -> TrainingResult:
    """Encode, generate rules until a stop, keep the rules that matter."""
    has_weight = weight > 0
    classes = target.numbers
    if not has_weight.all():  # a row without weight is as good as absent
        table, classes, weight = table.take(has_weight), classes[has_weight], weight[has_weight]
    if len(np.unique(classes)) < 2:
        raise InputError("Expected at least two classes with weight, but all sample_weight lies on one class.")
    encoded = encode(table, weight, check_random_state(settings.random_state), _max_bins(settings))
    rows = RowBlock(encoded.codes, classes, weight, len(target.classes))
    generation, master = _set_up(rows, encoded, settings, started)
    history, stop_reason = _run(generation, settings, started)
    assert generation.solution is not None
    class_weight = rows.class_weight()
    pool = RulePool(
        candidates=tuple(generation.rules),
        columns=encoded.columns,
        labels=tuple(target.classes.tolist()),
        class_weight=class_weight,
        master=master,
        solution=generation.solution,
        merged_row=rows.signature,
    )
    return TrainingResult(
        history=history,
        lower_bound=generation.lower_bound,
        stop_reason=stop_reason,
        class_share=class_weight / class_weight.sum(),
        pool=pool,
    )


def _max_bins(settings: Settings) -> int:
    return BINS_FOR_EXACT_PRICING if settings.pricing == "exact" else MOST_BINS


def _set_up(
    rows: RowBlock, encoded: EncodedTable, settings: Settings, started: float
) -> tuple[ColumnGeneration, MasterProblem]:
    class_weight = rows.class_weight()
    costs = CostModel(settings.penalty, settings.max_depth, by_length=settings.rule_cost == "length")
    trees = TreePricer(Features.of(encoded.columns), costs, settings.max_depth, class_weight)
    pricer: Pricer = trees
    if settings.pricing == "exact":
        deadline = None if settings.time_limit is None else started + settings.time_limit
        pricer = ExactPricer(encoded.columns, costs, settings.max_depth, deadline)
    merged = MergedRows.by_class(class_weight)
    master = MasterProblem(merged, rows.n_classes, settings.penalty, choose_solver(settings.solver))
    return ColumnGeneration(rows, master, trees, pricer, settings.max_iter, started), master


def _run(generation: ColumnGeneration, settings: Settings, started: float) -> tuple[list[Round], str]:
    history: list[Round] = []
    for round_ in generation:
        history.append(round_)
        if settings.callback is not None and settings.callback(round_) is False:
            return history, "callback"
        if settings.time_limit is not None and time.perf_counter() - started >= settings.time_limit:
            return history, "time_limit"
    has_converged = history[-1].number < settings.max_iter
    return history, "converged" if has_converged else "max_iter"


def check_penalty(penalty: Any) -> None:
    _real("penalty", penalty, 0.0)


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


def _whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        upper = f" to {most}" if most is not None else " or more"
        raise InputError(f"Expected {name} to be a whole number, {least}{upper}, but got {value!r}.")


def _real(name: str, value: Any, least: float, most: float = math.inf) -> None:
    is_number = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or not least <= value <= most:
        upper = f" to {most:g}" if math.isfinite(most) else " or more"
        raise InputError(f"Expected {name} to be a number, {least:g}{upper}, but got {value!r}.")


def _choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"Expected {name} to be one of {', '.join(choices)}, but got {value!r}.")
