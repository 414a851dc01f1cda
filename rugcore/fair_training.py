"""One training run towards parity between groups, from checked rows to a fair pool of rules.

proxy     Column generation over the master problem with the paper's constraint (`rugcore.lp.parity`).
realised  Plain RUG first; if its decisions are fair enough already, that is the model. Otherwise a few more rounds in
          which the cells that fare worse weigh more (`fairness.steering`) bring in rules that can be fair, and the
          weights of all rules found are then moved until the decisions on the training rows are
          (`fairness.realised`).
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state

from rugcore.decisions import decide
from rugcore.encoding.schema import Schema
from rugcore.errors import InputError
from rugcore.fairness.groups import Groups
from rugcore.fairness.notions import Cells, Parity, cell_numbers, check_notion, parity
from rugcore.fairness.realised import RealisedModel, RealisedSearch
from rugcore.fairness.result import FairnessFit, FitRecord
from rugcore.fairness.steering import Steering
from rugcore.lp.certificate import Certificate
from rugcore.lp.merging import MergedRows
from rugcore.lp.parity import ParityMaster, ParitySolution
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


@dataclass(frozen=True)
class FairSettings:
    """The parameters of a fair estimator, checked, beyond those of `Settings`."""

    notion: str
    epsilon: float
    guarantee: str
    min_cell_size: int
    validation_fraction: float | None

    @classmethod
    def checked(cls, estimator: Any) -> "FairSettings":
        check_epsilon(estimator.epsilon)
        check_choice("guarantee", estimator.guarantee, GUARANTEES)
        check_whole("min_cell_size", estimator.min_cell_size, 1)
        if estimator.validation_fraction is not None:
            check_real("validation_fraction", estimator.validation_fraction, 0.05, 0.5)
            if estimator.guarantee == "proxy":
                raise InputError(
                    "Expected validation_fraction to be None with guarantee='proxy', where there is nothing to choose."
                )
        return cls(
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


@dataclass(frozen=True)
class People:
    """Who the training rows are: their groups, the cells these make with the classes, and what is compared."""

    groups: Groups
    cells: Cells
    parity: Parity
    positive: int | None  # number of the positive class, if there is one

    @classmethod
    def of(cls, rows: TrainingRows, groups: Groups, positive: int | None, fair: FairSettings) -> "People":
        cells = Cells.of(rows.labels, rows.classes, groups, rows.weight)
        found = parity(fair.notion, cells, positive, fair.min_cell_size)
        if not found.contrasts:
            raise InputError(_nothing_to_compare(found, groups, fair))
        return cls(groups, cells, found, positive)


def _nothing_to_compare(found: Parity, groups: Groups, fair: FairSettings) -> str:
    if groups.n_groups < 2:
        return (
            f"Expected at least two groups to compare, but every row belongs to {groups.names[0]!r}. Choose another "
            "sensitive feature, or use RUGClassifier."
        )
    sizes = ", ".join(
        f"{rate.count} of {rate.group}" + ("" if rate.label is None else f" in class {rate.label}")
        for rate in (*found.rates, *found.not_estimable)
    )
    return (
        f"Expected two groups with at least {fair.min_cell_size} rows of the same class to compare, but there are "
        f"{sizes}. Join small groups, or lower min_cell_size."
    )


@dataclass(frozen=True)
class FairPool(RulePool):
    """A pool whose rules are weighed under parity; a new epsilon or lambda is a matter of the pool alone."""

    people: People
    fair: FairSettings
    weight_threshold: float
    fit: FairnessFit | None = None  # once the rules are weighed

    @property
    def class_share(self) -> np.ndarray:
        share: np.ndarray = self.class_weight / self.class_weight.sum()
        return share

    def search(self, plain_weight: np.ndarray) -> RealisedSearch:
        return RealisedSearch(
            self.master.merged,
            self.master.rule_label,
            self.class_share,
            self.people.parity,
            self.weight_threshold,
            plain_weight,
        )

    def _with(self, record: FitRecord, rule_weight: np.ndarray, epsilon: float) -> Self:
        return replace(
            self,
            rule_weight=rule_weight,
            fair=replace(self.fair, epsilon=epsilon),
            fit=record.fit(self.people.parity, self.people.cells),
        )


# -- the paper's constraint ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ProxyPool(FairPool):
    """A pool weighed by the linear program with the constraint in it."""

    exact: ParitySolution | None = None

    def adjusted(self, penalty: float, epsilon: float, without: Collection[int]) -> "ProxyPool":
        """This pool under another lambda and epsilon, and without some rules."""
        assert isinstance(self.master, ParityMaster)
        pool = self._solved(self.master.with_epsilon(epsilon, penalty), without)
        return pool.weighed(epsilon)

    def weighed(self, epsilon: float) -> "ProxyPool":
        """Solve to the end, and measure what came out."""
        assert isinstance(self.master, ParityMaster)
        exact = self.master.solve_exactly()
        model = self.search(exact.rule_weight).measure(exact.rule_weight)
        record = FitRecord(
            guarantee=self.fair.guarantee,
            epsilon=epsilon,
            cell_errors=model.cell_errors,
            cell_loss=exact.cell_loss,
            padding=exact.padding,
            importance=np.maximum(1.0 + exact.price @ self.master.contrasts, 0.0),
            price=exact.price,
        )
        solution = replace(
            self.solution, objective=exact.value, rule_weight=exact.rule_weight, merged_dual=exact.row_dual
        )
        return replace(self._with(record, exact.rule_weight, epsilon), solution=solution, exact=exact)

    def certificate(self) -> Certificate:
        """Proof that the rule weights are optimal under the constraint, over the pool."""
        assert isinstance(self.master, ParityMaster)
        assert self.exact is not None
        return self.master.certificate(self.exact)


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


@dataclass(frozen=True)
class Start:
    """A solution of the linear program met on the way: the importance of the cells, and the weights it gave."""

    importance: np.ndarray
    rule_weight: np.ndarray


@dataclass(frozen=True)
class RealisedPool(FairPool):
    """A pool whose weights were moved until the decisions on the training rows are fair."""

    starts: tuple[Start, ...] = ()  # the first is plain RUG

    def adjusted(self, penalty: float, epsilon: float, without: Collection[int]) -> FairPool:
        """This pool under another lambda and epsilon, and without some rules."""
        if self.fair.guarantee == "proxy" and math.isfinite(epsilon):
            return self._constrained().adjusted(penalty, epsilon, without)
        if penalty == self.master.penalty and not without:
            return self.weighed(epsilon, also=self.rule_weight)
        pool = self._solved(self.master.copy(penalty), without)
        starts = []
        for start in self.starts:
            pool.master.importance = start.importance
            starts.append(Start(start.importance, pool.master.solve().rule_weight))
        pool.master.importance = self.starts[0].importance
        return replace(pool, starts=tuple(starts)).weighed(epsilon)

    def weighed(self, epsilon: float, also: np.ndarray | None = None) -> "RealisedPool":
        """The best weights that any start leads to; plain RUG wherever it is fair enough."""
        search = self.search(self.starts[0].rule_weight)
        plain = search.measure(self.starts[0].rule_weight)
        if plain.is_fair(epsilon):
            return self.taking(plain, epsilon)
        more = [] if also is None else [also]
        return self.taking(search.best([start.rule_weight for start in self.starts] + more, epsilon), epsilon)

    def taking(self, model: RealisedModel, epsilon: float) -> "RealisedPool":
        record = FitRecord(
            guarantee=self.fair.guarantee,
            epsilon=epsilon,
            cell_errors=model.cell_errors,
            cell_loss=self._cell_loss(model.rule_weight),
            padding=np.zeros(self.people.cells.n_cells),
            importance=self._nearest_start(model.rule_weight).importance,
            price=None,
        )
        return self._with(record, model.rule_weight, epsilon)

    def _constrained(self) -> ProxyPool:
        """The same rules in the paper's program: without a bound (epsilon infinite) it was not needed to train."""
        plain = self.master
        master = ParityMaster(
            plain.merged, plain.n_classes, plain.penalty, plain.solver, self.people.parity.matrix, math.inf
        )
        master.rule_label, master.rule_cost = plain.rule_label, plain.rule_cost
        fields = {name: getattr(self, name) for name in FairPool.__dataclass_fields__}
        return ProxyPool(**(fields | {"master": master}))

    def _cell_loss(self, rule_weight: np.ndarray) -> np.ndarray:
        merged = self.master.merged
        loss = np.maximum(1.0 - self.master.votes().T @ rule_weight, 0.0) * merged.weight
        return np.bincount(merged.cell, loss, self.people.cells.n_cells)

    def _nearest_start(self, rule_weight: np.ndarray) -> Start:
        """The solution that the weights were moved from, or the one that they came to lie nearest to."""

        def distance(start: Start) -> float:
            before = np.zeros(len(rule_weight))
            before[: len(start.rule_weight)] = start.rule_weight
            return float(np.abs(rule_weight - before).sum())

        return min(self.starts, key=distance)


def _train_realised(
    rows: TrainingRows, people: People, settings: Settings, fair: FairSettings, started: float
) -> TrainingResult:
    run = TrainingRun(rows, settings, started)
    stop_reason = run.run()
    plain_solution = run.generation.solution
    assert plain_solution is not None
    run.generation.tell_apart(people.groups.numbers, people.groups.n_groups)
    has_time = stop_reason in ("converged", "max_iter")
    starts, stopped = _steered(
        run, people, settings, fair, plain_solution.rule_weight, STEERING_ROUNDS if has_time else 0
    )
    # Back to equal importance, now with the new rules, and over the rows as the groups split them.
    everybody_alike = starts[0].importance
    solution = run.generation.resolve(everybody_alike)
    if len(starts) > 1:
        starts.append(Start(everybody_alike, solution.rule_weight))
    pool = RealisedPool(**_fields(run.pool()), **_fair_fields(people, fair, settings), starts=tuple(starts))
    return run.result(stopped or stop_reason, pool.weighed(fair.epsilon))


def _steered(
    run: TrainingRun,
    people: People,
    settings: Settings,
    fair: FairSettings,
    plain_weight: np.ndarray,
    n_rounds: int,
) -> tuple[list[Start], str | None]:
    """More rounds, each with more importance for the cells that fare worse; none if plain RUG is fair already."""
    starts = [Start(np.ones(people.cells.n_cells), plain_weight)]
    model = _measured(run, people, settings, plain_weight)
    steering = Steering(people.parity, people.cells)
    if model.is_fair(fair.epsilon) or not run.master.n_rules:
        return starts, None
    first = run.history[-1].number + 1
    for number in range(first, first + n_rounds):
        steering.look(model.cell_errors, fair.epsilon)
        solution = run.generation.resolve(steering.importance())
        model = _measured(run, people, settings, solution.rule_weight)
        starts.append(Start(steering.importance(), solution.rule_weight))
        stopped = run.report(run.generation.extend(number, model.error, model.gap))
        if stopped is not None:
            return starts, stopped
    return starts, None


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
    people = People.of(rows, groups, positive, fair)
    # Without a bound there is nothing to constrain: the model is the one that plain training finds.
    is_constrained = fair.guarantee == "proxy" and math.isfinite(fair.epsilon)
    train = _train_proxy if is_constrained else _train_realised
    return train(rows, people, settings, fair, started)


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
    held_out_people = People.of(held_out, groups.take(is_held_out), positive, fair)
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
