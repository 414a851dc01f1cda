"""One training run towards parity between groups, from checked rows to a fair pool of rules.

proxy     Column generation over the master problem with the paper's constraint (`rugcore.lp.parity`).
realised  Plain RUG first; if its decisions are fair enough already, that is the model. Otherwise a few more rounds in
          which the cells that fare worse weigh more (`fairness.steering`) bring in rules that can be fair, and the
          weights of all rules found are then moved until the decisions on the training rows are
          (`fairness.realised`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state

from rugcore.decisions import decide
from rugcore.encoding.schema import Schema
from rugcore.errors import InputError
from rugcore.fair_pool import FairSettings, People, ProxyPool, RealisedPool, Start
from rugcore.fairness.groups import Groups
from rugcore.fairness.notions import Cells, cell_numbers, check_notion
from rugcore.fairness.realised import RealisedModel, RealisedSearch
from rugcore.fairness.steering import Steering
from rugcore.generation.candidates import Candidate, RuleKey
from rugcore.lp.merging import MergedRows
from rugcore.lp.parity import ParityMaster
from rugcore.lp.program import Solver
from rugcore.matching import RuleMatcher
from rugcore.pool import RulePool
from rugcore.training import Settings, TrainingResult, TrainingRows, TrainingRun, check_choice, check_real, check_whole

GUARANTEES = ("realised", "proxy")
# Rounds with cell weights. On adult, over the three notions at epsilon 0.01, training accuracy was 82.9 % without any,
# 83.8 % with four, 84.4 % with eight.
STEERING_ROUNDS = 8
# With rows held out, models for these shares of epsilon are made, and the held-out rows choose among them.
STRICTER = (1.0, 0.75, 0.5, 0.25, 0.0)


def checked(estimator: Any) -> FairSettings:
    """The parameters of a fair estimator, beyond those of `Settings`; refused with a sentence if they make no sense."""
    check_epsilon(estimator.epsilon)
    check_choice("guarantee", estimator.guarantee, GUARANTEES)
    check_whole("min_cell_size", estimator.min_cell_size, 1)
    if estimator.validation_fraction is not None:
        check_real("validation_fraction", estimator.validation_fraction, 0.05, 0.5)
        if estimator.guarantee == "proxy":
            raise InputError(
                "Expected validation_fraction to be None with guarantee='proxy', where there is nothing to choose."
            )
    return FairSettings(
        notion=check_notion(estimator.fairness),
        epsilon=float(estimator.epsilon),
        guarantee=estimator.guarantee,
        min_cell_size=estimator.min_cell_size,
        validation_fraction=estimator.validation_fraction,
    )


def check_epsilon(epsilon: Any) -> None:
    """Zero or more; infinity asks for nothing."""
    if not (isinstance(epsilon, float) and math.isinf(epsilon) and epsilon > 0):
        check_real("epsilon", epsilon, 0.0)


# -- the paper's constraint ----------------------------------------------------------------------------------------


def _train_proxy(
    rows: TrainingRows, people: People, settings: Settings, fair: FairSettings, started: float
) -> TrainingResult:
    def make_master(merged: MergedRows, n_classes: int, penalty: float, solver: Solver) -> ParityMaster:
        return ParityMaster(merged, n_classes, penalty, solver, people.parity.matrix, fair.epsilon)

    cells = cell_numbers(rows.classes, people.groups)
    run = TrainingRun(rows, settings, started, cells, make_master)
    stop_reason = run.run()
    pool = ProxyPool(**_fields(run.pool()), **_fair_fields(people, fair, settings))
    return run.result(stop_reason, pool.weighed(fair.epsilon))


# -- realised parity -----------------------------------------------------------------------------------------------


def _train_realised(
    rows: TrainingRows, people: People, settings: Settings, fair: FairSettings, started: float
) -> TrainingResult:
    run = TrainingRun(rows, settings, started)
    stop_reason = run.run()
    run.generation.tell_apart(people.groups.numbers, people.groups.n_groups)
    has_time = stop_reason in ("converged", "max_iter")
    met, stopped = _steered(run, people, settings, fair, STEERING_ROUNDS if has_time else 0)
    # Back to equal importance, now with the new rules, and over the rows as the groups split them.
    run.generation.resolve(met[0].importance)
    if len(met) > 1:
        met.append(Met(met[0].importance, run.generation.rules_with_weight()))
    starts = tuple(one.start(run.generation.rules) for one in met)
    pool = RealisedPool(**_fields(run.pool()), **_fair_fields(people, fair, settings), starts=starts)
    return run.result(stopped or stop_reason, pool.weighed(fair.epsilon))


@dataclass(frozen=True)
class Met:
    """A solution of the linear program met on the way; by rule, because the rules are renumbered as others go."""

    importance: np.ndarray
    weights: dict[RuleKey, float]

    def start(self, rules: Sequence[Candidate]) -> Start:
        return Start(self.importance, np.array([self.weights.get(rule.key(), 0.0) for rule in rules]))


def _steered(
    run: TrainingRun, people: People, settings: Settings, fair: FairSettings, n_rounds: int
) -> tuple[list[Met], str | None]:
    """Plain RUG, then rounds with more importance for the cells that fare worse; none if it is fair already."""
    generation = run.generation
    assert generation.solution is not None
    met = [Met(np.ones(people.cells.n_cells), generation.rules_with_weight())]
    model = _measured(run, people, settings, generation.solution.rule_weight)
    if model.is_fair(fair.epsilon) or not run.master.n_rules:
        return met, None
    steering = Steering(people.parity, people.cells)
    first = run.history[-1].number + 1
    for number in range(first, first + n_rounds):
        steering.look(model.cell_errors, fair.epsilon)
        solution = generation.resolve(steering.importance())
        met.append(Met(steering.importance(), generation.rules_with_weight()))
        model = _measured(run, people, settings, solution.rule_weight)
        stopped = run.report(generation.extend(number, model.error, model.gap))
        if stopped is not None:
            return met, stopped
    return met, None


def _measured(run: TrainingRun, people: People, settings: Settings, rule_weight: np.ndarray) -> RealisedModel:
    search = RealisedSearch(
        run.master.merged,
        run.master.rule_label,
        run.class_share,
        people.parity,
        settings.weight_threshold,
        rule_weight,
    )
    return search.measure(rule_weight)


# -- either --------------------------------------------------------------------------------------------------------


def train_fair(
    rows: TrainingRows,
    groups: Groups,
    positive: int | None,
    settings: Settings,
    fair: FairSettings,
    started: float,
) -> TrainingResult:
    """A pool of rules whose weights keep the gaps between groups within epsilon, or say that they do not."""
    if fair.validation_fraction is not None:
        return _train_with_validation(rows, groups, positive, settings, fair, started)
    people = _people(rows, groups, positive, fair)
    # Without a bound there is nothing to constrain: the model is the one that plain training finds.
    is_constrained = fair.guarantee == "proxy" and math.isfinite(fair.epsilon)
    train = _train_proxy if is_constrained else _train_realised
    return train(rows, people, settings, fair, started)


def _people(rows: TrainingRows, groups: Groups, positive: int | None, fair: FairSettings) -> People:
    return People.of(Cells.of(rows.labels, rows.classes, groups, rows.weight), groups, positive, fair)


def _fields(pool: RulePool) -> dict[str, Any]:
    return {name: getattr(pool, name) for name in RulePool.__dataclass_fields__}


def _fair_fields(people: People, fair: FairSettings, settings: Settings) -> dict[str, Any]:
    return {"people": people, "fair": fair, "weight_threshold": settings.weight_threshold}


# -- choosing on held-out rows -------------------------------------------------------------------------------------


def _train_with_validation(
    rows: TrainingRows,
    groups: Groups,
    positive: int | None,
    settings: Settings,
    fair: FairSettings,
    started: float,
) -> TrainingResult:
    """Train on some rows for several strictnesses, and let the others choose among the models."""
    is_held_out = _held_out(cell_numbers(rows.classes, groups), fair, settings.random_state)
    held_out = rows.take(is_held_out)
    held_out_people = _people(held_out, groups.take(is_held_out), positive, fair)
    fair_inside = replace(fair, validation_fraction=None)
    taken = rows.take(~is_held_out)
    result = train_fair(taken, groups.take(~is_held_out), positive, settings, fair_inside, started)
    pool = result.pool
    assert isinstance(pool, RealisedPool)
    pools = [pool.weighed(share * fair.epsilon) for share in (STRICTER if math.isfinite(fair.epsilon) else (1.0,))]
    judged = [_judged(candidate, held_out, held_out_people, fair) for candidate in pools]
    return replace(result, pool=min(judged, key=_validation_rank))


def _held_out(cells: np.ndarray, fair: FairSettings, random_state: Any) -> np.ndarray:
    """A share of every cell, so that both parts can tell the groups apart."""
    several = np.flatnonzero(np.bincount(cells)[cells] > 1)  # the only row of its cell is needed for training
    is_held_out = np.zeros(len(cells), dtype=bool)
    try:
        _, chosen = train_test_split(
            several,
            test_size=fair.validation_fraction,
            random_state=check_random_state(random_state),
            stratify=cells[several],
        )
    except ValueError as error:
        raise InputError(
            f"Expected enough rows to hold some of every class and group out, but there are {len(cells)}. Use "
            "validation_fraction=None."
        ) from error
    is_held_out[chosen] = True
    return is_held_out


def _judged(pool: RealisedPool, held_out: TrainingRows, people: People, fair: FairSettings) -> RealisedPool:
    """The pool with what its model does on the held-out rows written into its result."""
    rules = pool.kept_rules(pool.weight_threshold)
    number = {label: place for place, label in enumerate(pool.labels)}
    matcher = RuleMatcher(rules, Schema.of(held_out.table))
    votes = matcher.votes(held_out.table, [number[rule.label] for rule in rules], len(pool.labels))
    is_wrong = decide(votes, pool.class_share).label != held_out.classes
    cells = cell_numbers(held_out.classes, people.groups)
    errors = np.bincount(cells, is_wrong * held_out.weight, people.cells.n_cells)
    assert pool.fit is not None
    fit = replace(
        pool.fit,
        epsilon=fair.epsilon,
        validation_gap=people.parity.gap(errors),
        validation_accuracy=1.0 - float(errors.sum() / held_out.weight.sum()),
    )
    return replace(pool, fair=fair, fit=fit)


def _validation_rank(pool: RealisedPool) -> tuple[float, float]:
    """Fair on the held-out rows before unfair; then the more accurate there."""
    fit = pool.fit
    assert fit is not None
    assert fit.validation_gap is not None
    assert fit.validation_accuracy is not None
    return max(fit.validation_gap - fit.epsilon, 0.0), -fit.validation_accuracy
