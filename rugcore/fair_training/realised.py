"""Parity in decisions: what an audit would count on the training rows is within epsilon, and so is what is expected.

Plain RUG comes first; if its decisions are fair enough already, that is the model. Otherwise a few more rounds, in
which the cells that fare worse weigh more (`steering`), bring in rules that can be fair, and the weights of all rules
found are then moved until the decisions are (`search`). Where a group is small, counting its few people alone would
learn them by heart: what is bounded then is both what is counted and what `likely_groups` expects of new people.
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Self

import numpy as np

from rugcore.fair_training.constrained_master import ParityMaster
from rugcore.fair_training.copies import CopiesMaster
from rugcore.fair_training.likely_groups import are_worth_asking, likely_groups
from rugcore.fair_training.outcome import FitRecord
from rugcore.fair_training.people import People
from rugcore.fair_training.pool import FairPool
from rugcore.fair_training.proxy import ProxyPool
from rugcore.fair_training.search import RealisedModel, RealisedSearch
from rugcore.fair_training.settings import FairSettings
from rugcore.fair_training.steering import Steering
from rugcore.generation.candidates import Candidate, RuleKey
from rugcore.lp.master import MasterProblem
from rugcore.parallel import in_parallel
from rugcore.training.rows import Trainable
from rugcore.training.run import TrainingResult, TrainingRun
from rugcore.training.settings import Settings
from rugcore.training.twins import Twins, cancelled, find_opposites, transferred

# Rounds with cell weights. On adult, over the three notions at epsilon 0.01, training accuracy was 82.9 % without any,
# 83.8 % with four, 84.4 % with eight.
STEERING_ROUNDS = 8


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
        if self.fair.guarantee == "confident":  # another model than the one that was tested
            return replace(self, fair=replace(self.fair, guarantee="realised")).adjusted(penalty, epsilon, without)
        if self.fair.guarantee == "proxy" and math.isfinite(epsilon):
            return self._constrained().adjusted(penalty, epsilon, without)
        if penalty == self.master.penalty and not without:
            return self.weighed(epsilon, also=self.rule_weight).joined()
        masters = [self.master] if self.steered is None else [self.master, self.steered]
        pools = in_parallel(lambda master: self._solved(master.copy(penalty), without), masters)
        starts = tuple(Start(pool.master.importance, pool.solution.rule_weight) for pool in pools)
        return replace(pools[0], starts=starts).weighed(epsilon).joined()

    def over(self, master: MasterProblem, also: np.ndarray, *, may_stay: bool) -> FairPool:
        """As of any pool; the weights that were fair before stay if they may, else are one more place to start from."""
        is_tested = self.fair.guarantee == "confident"  # what comes is another model than the one that was tested
        fair = replace(self.fair, guarantee="realised") if is_tested else self.fair
        importance = self._nearest_start(self.rule_weight).importance
        solution = master.solve()
        starts = [Start(master.importance, solution.rule_weight)]
        if not np.array_equal(importance, master.importance):
            steered = master.copy(master.penalty)
            steered.importance = importance
            starts.append(Start(importance, steered.solve().rule_weight))
        pool = replace(
            self, master=master, solution=solution, rule_weight=solution.rule_weight, starts=tuple(starts), fair=fair
        )
        if may_stay:
            return pool.taking(pool.search(also).measure(also), fair.epsilon)
        return pool.weighed(fair.epsilon, also=also).joined()

    def _reweighed(self, n_new: int) -> "RealisedPool":
        """After new rules came in they have no weight yet: the others were weighed with care."""
        starts = tuple(replace(start, rule_weight=_padded(start.rule_weight, n_new)) for start in self.starts)
        return replace(self, rule_weight=_padded(self.rule_weight, n_new), starts=starts)

    def _moved(self, twins: Sequence[Twins]) -> Self | None:
        """With the weight of twins on their joined rules, pair by pair.

        What is left of the heavier twin may lie below the threshold under which rules are left out: then some decision
        may change, and the twins stay apart.
        """
        return self._deciding_alike([partial(transferred, twins=[pair], rules=self.candidates) for pair in twins])

    def joined(self) -> Self:
        """As of any pool; then, of two rules that ask the same and vote against each other, only the heavier one stays.

        A linear program never pays for both, but weights that were moved may leave both with some.
        """
        pool = super().joined()
        if len(pool.classes) != 2:
            return pool
        pairs = find_opposites(pool.candidates, pool._may_be_joined)
        return pool._deciding_alike([partial(cancelled, opposites=pair) for pair in pairs]) or pool

    def _deciding_alike(self, moves: Sequence[Callable[[np.ndarray], np.ndarray]]) -> Self | None:
        """With other weights, by those of the moves after which everybody is decided as before; None if by none."""
        search, weight = self.search(self.rule_weight), self.rule_weight
        decided = search.decided(search.measure(weight).rule_weight)
        for move in moves:
            moved = search.measure(move(weight)).rule_weight
            if np.array_equal(search.decided(moved), decided):
                weight = moved
        return None if weight is self.rule_weight else replace(self, rule_weight=weight)

    @cached_property
    def steered(self) -> MasterProblem | None:
        """The program with the importances that led to the model, solved; None if that is the plain one.

        Another lambda goes on from its basis: far fewer steps than from the plain solution.
        """
        importance = self._nearest_start(self.rule_weight).importance
        if np.array_equal(importance, self.master.importance):
            return None
        master = self.master.copy(self.master.penalty)
        master.importance = importance
        master.solve()
        return master

    def weighed(self, epsilon: float, also: np.ndarray | None = None) -> "RealisedPool":
        """The best weights that any start leads to; plain RUG wherever it is fair enough."""
        search = self.search(self.starts[0].rule_weight)
        plain = search.measure(self.starts[0].rule_weight)
        if plain.is_fair(epsilon):
            return self.taking(plain, epsilon)
        starts = [start.rule_weight for start in self.starts]
        if also is not None:
            measured = search.measure(also)
            if measured.is_fair(epsilon) and measured.error <= plain.error:  # there is nothing left to win
                return self.taking(measured, epsilon)
            starts.append(also)
        return self.taking(search.best(starts, epsilon), epsilon)

    def taking(self, model: RealisedModel, epsilon: float) -> "RealisedPool":
        n_cells = self.people.cells.n_cells
        record = FitRecord(
            guarantee=self.fair.guarantee,
            epsilon=epsilon,
            tally=model.tally[-n_cells:],
            expected_tally=model.tally[:n_cells],
            cell_loss=self.master.cell_loss(model.rule_weight),
            padding=np.zeros(n_cells),
            importance=self._nearest_start(model.rule_weight).importance,
            price=None,
        )
        return self._with(record, model.rule_weight, epsilon)

    def _constrained(self) -> ProxyPool:
        """The same rules in the paper's program: without a bound (epsilon infinite) it was not needed to train."""
        plain = self.master
        master = ParityMaster(
            plain.merged, plain.wrong_vote, plain.penalty, plain.solver, self.people.parity.matrix, math.inf
        )
        master.rule_class, master.rule_cost, master.floor = plain.rule_class, plain.rule_cost, plain.floor
        fields = {name: getattr(self, name) for name in FairPool.__dataclass_fields__}
        return ProxyPool(**(fields | {"master": master}))

    def _nearest_start(self, rule_weight: np.ndarray) -> Start:
        """The solution that the weights were moved from, or the one that they came to lie nearest to.

        By shares of all weight: decisions do not change with the scale.
        """
        shares = _as_shares(rule_weight)

        def distance(start: Start) -> float:
            before = _as_shares(_padded(start.rule_weight, len(rule_weight) - len(start.rule_weight)))
            return float(np.abs(shares - before).sum())

        return min(self.starts, key=distance)


def train_realised(
    rows: Trainable, people: People, settings: Settings, fair: FairSettings, started: float
) -> TrainingResult:
    run = TrainingRun(rows, settings, started, make_master=CopiesMaster)
    stop_reason = run.run()
    as_found = [weighed.rule for weighed in run.generation.weighed(run.generation.weights)]
    run.tidy()
    people = _told_apart(run, rows, people, fair)
    has_time = stop_reason in ("converged", "max_iter")
    met, stopped = _steered(run, people, settings, fair, as_found, STEERING_ROUNDS if has_time else 0)
    # Back to equal importance, now with the new rules, and over the rows as the groups split them.
    run.generation.resolve(met[0].importance)
    if len(met) > 1:
        met.append(Met(met[0].importance, run.generation.rules_with_weight()))
    before = [one.start(run.generation.rules) for one in met]
    number = run.strip()
    starts = tuple(_renumbered(start, number) for start in before)
    pool = RealisedPool.around(run.pool(), people, fair, settings, starts=starts).weighed(fair.epsilon)
    if len(met) > 1:
        pool = _shortened(run, pool, settings)
    return run.result(stopped or stop_reason, pool.joined())


def _told_apart(run: TrainingRun, rows: Trainable, people: People, fair: FairSettings) -> People:
    """Rows of different groups become different rows; where a group is small, every row stands in all groups."""
    if math.isinf(fair.epsilon) or not are_worth_asking(people.parity):
        run.generation.tell_apart(people.groups.codes, people.groups.n_groups)
        return people
    here, codes = rows.outcomes(people.groups), run.rows.gathered_codes()
    likely = likely_groups(codes, run.columns, here.class_codes, here.groups, here.weight)
    run.generation.tell_apart_by_chance(likely.expected, people.groups.n_groups)
    return people.by_likelihood(likely, likely.expected_cells(people.cells, here.class_codes), fair)


def _shortened(run: TrainingRun, pool: RealisedPool, settings: Settings) -> RealisedPool:
    """The same decisions from shorter rules: what none of them depends on is taken out."""
    decided = pool.search(pool.rule_weight).decided(pool.rule_weight)[: pool.master.merged.n_rows]
    weight = run.shorten_by_decision(pool.rule_weight, decided)
    n_new = len(weight) - len(pool.rule_weight)
    starts = tuple(replace(start, rule_weight=_padded(start.rule_weight, n_new)) for start in pool.starts)
    shorter = RealisedPool.around(run.pool(), pool.people, pool.fair, settings, starts=starts)
    return shorter.taking(shorter.search(starts[0].rule_weight).measure(weight), pool.fair.epsilon)


def _renumbered(start: Start, number: np.ndarray) -> Start:
    """The start once the rules have other numbers; rules that became one add up."""
    n_rules = int(number.max(initial=-1)) + 1
    return replace(start, rule_weight=np.bincount(number, start.rule_weight, n_rules))


def _as_shares(weight: np.ndarray) -> np.ndarray:
    total = weight.sum()
    return weight / total if total > 0 else weight


def _padded(weight: np.ndarray, n_new: int) -> np.ndarray:
    return np.concatenate([weight, np.zeros(n_new)])


@dataclass(frozen=True)
class Met:
    """A solution of the linear program met on the way; by rule, because the rules are renumbered as others go."""

    importance: np.ndarray
    weights: dict[RuleKey, float]

    def start(self, rules: Sequence[Candidate]) -> Start:
        return Start(self.importance, np.array([self.weights.get(rule.key(), 0.0) for rule in rules]))


def _steered(
    run: TrainingRun,
    people: People,
    settings: Settings,
    fair: FairSettings,
    as_found: Sequence[Candidate],
    n_rounds: int,
) -> tuple[list[Met], str | None]:
    """Plain RUG, then rounds with more importance for the cells that fare worse; none if it is fair already.

    What was taken out of the plain rules may be what tells groups apart: from here on they are there `as_found`, too.
    """
    generation = run.generation
    assert generation.solution is not None
    met = [Met(np.ones(people.cells.n_cells), generation.rules_with_weight())]
    model = _measured(run, people, settings, generation.solution.rule_weight)
    if model.is_fair(fair.epsilon) or not run.master.n_rules:
        return met, None
    run.take_in(as_found)
    run.allow_corrections()
    steering = Steering(people.expected, people.expected_cells, people.positive)
    first = run.history[-1].number + 1
    for number in range(first, first + n_rounds):
        steering.look(model.tally[: people.cells.n_cells], fair.epsilon)
        solution = generation.resolve(steering.importance())
        met.append(Met(steering.importance(), generation.rules_with_weight()))
        model = _measured(run, people, settings, solution.rule_weight)
        stopped = run.report(generation.extend(number, model.error, model.gap))
        if stopped is not None:
            return met, stopped
    return met, None


def _measured(run: TrainingRun, people: People, settings: Settings, rule_weight: np.ndarray) -> RealisedModel:
    search = RealisedSearch(
        people.rows_seen(run.master.merged, run.rows.merged_row),
        run.master.rule_class,
        run.class_share,
        people.both,
        settings.weight_threshold,
        rule_weight,
    )
    return search.measure(rule_weight)
