"""One training run from a checked table to a set of rules."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rugcore.fairness.groups import Groups
from rugcore.generation.candidates import Candidate
from rugcore.generation.costs import CostModel
from rugcore.generation.exact import ExactPricer
from rugcore.generation.features import Features
from rugcore.generation.loop import ColumnGeneration, Round
from rugcore.generation.pricing import Pricer, TreePricer
from rugcore.generation.shortening import Changes, Shortener
from rugcore.generation.soundness import Soundness
from rugcore.generation.widening import Widener
from rugcore.lp.master import MasterProblem
from rugcore.lp.merging import MergedRows
from rugcore.lp.program import Solver
from rugcore.lp.solvers.choice import choose_solver
from rugcore.training.pool import RulePool
from rugcore.training.rows import Trainable
from rugcore.training.settings import Settings, weight_of_a_person
from rugcore.training.twins import find_unions


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
        rows: Trainable,
        settings: Settings,
        started: float,
        groups: Groups | None = None,
        make_master: Callable[[MergedRows, float, float, Solver], MasterProblem] = MasterProblem,
    ) -> None:
        """`groups` tell rows apart from the start; `make_master` is told how they are merged."""
        n_classes = len(rows.classes)
        self._settings = settings
        self._started = started
        self._classes = rows.classes
        self._wrong_vote = settings.wrong_vote(n_classes)
        encoded = rows.encoded(settings, groups)
        self.columns, self.rows = encoded.columns, encoded.rows
        self.class_weight = self.rows.class_weight()
        self.master = make_master(encoded.merged, self._wrong_vote, settings.penalty, choose_solver(settings.solver))
        self._soundness = self._soundness_asked_for()
        self._features = Features.of(self.columns, rows.directions)
        self._widener = Widener(self._features, self._costs, self._soundness)
        self.generation = self._generation()
        self.history: list[Round] = []

    def _generation(self) -> ColumnGeneration:
        settings = self._settings
        trees = TreePricer(self._features, self._costs, settings.max_depth, self.class_weight, self._widener)
        search: Pricer | None = None
        if settings.pricing == "exact":
            deadline = None if settings.time_limit is None else self._started + settings.time_limit
            directions = self._features.directions
            search = ExactPricer(self.columns, self._costs, settings.max_depth, deadline, directions)
        return ColumnGeneration(self.rows, self.master, trees, trees, settings.max_iter, self._started, search)

    @cached_property
    def _has_blanks(self) -> np.ndarray:
        return self.rows.has_blanks()

    @property
    def _costs(self) -> CostModel:
        settings = self._settings
        by_length = settings.rule_cost == "length"
        return CostModel(settings.penalty, settings.max_depth, by_length=by_length, wrong_vote=self._wrong_vote)

    def _soundness_asked_for(self) -> Soundness:
        if self._settings.pricing == "exact" or self._wrong_vote < 1.0:  # as published
            return Soundness.of_anything(len(self.class_weight))
        total = float(self.class_weight.sum())
        person = weight_of_a_person(total, self.rows.n_rows)
        return Soundness(self.class_share, self._settings.support(total, self.rows.n_rows), person)

    def allow_corrections(self) -> None:
        """From now on a rule may be right less often than its class is common.

        Where groups are to be treated alike, some rules are there to take back what others do to one of them.
        """
        self._soundness = self._soundness.without_lift()
        self._widener.soundness = self._soundness

    @property
    def _shortener(self) -> Shortener:
        return Shortener(self.rows, self._features, self._costs, self._soundness)

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
        has_converged = self._settings.pricing == "exact" or self.history[-1].number < self._settings.max_iter
        return "converged" if has_converged else "max_iter"

    def tidy(self) -> None:
        """Take out of the rules what they do not need, and solve the linear program over what is left.

        With exact pricing only what excludes nobody: the objective is to be held against its lower bound. So, too, with
        the paper's loss for many classes, which says little about whom a rule decides rightly.
        """
        if self._settings.pricing == "exact" or self._wrong_vote < 1.0:
            self.strip()
        else:
            self._shorten()
        self._join()

    def _join(self) -> None:
        """Take in what two rules say together as one rule, until the solution uses no two that leave such a rule."""
        while unions := self._sound_unions():
            self.take_in(unions)

    def _sound_unions(self) -> list[Candidate]:
        has_weight = self.generation.weights > 0
        unions = find_unions(self.generation.rules, has_weight, self.columns, self._has_blanks)
        if not unions:
            return []
        pairs = zip(unions, self.rows.class_weights(unions), strict=True)
        return [rule for rule, own in pairs if self._soundness.holds(own, rule.class_code)]

    def _shorten(self) -> None:
        weight, rules = self.generation.weights, self.generation.rules
        changes = self._shortener.by_loss(self.generation.weighed(weight), self.generation.row_votes(weight))
        changes |= self._shortener.by_coverage({j: rules[j] for j in np.flatnonzero(weight == 0).tolist()})
        self._change(changes)

    def strip(self) -> np.ndarray:
        """Take out of the rules what excludes nobody, and nothing else; the new number of every rule."""
        return self._change(self._shortener.by_coverage(dict(enumerate(self.generation.rules))))

    def shorten_by_decision(self, rule_weight: np.ndarray, decided: np.ndarray) -> np.ndarray:
        """Take in rules without what no decision depends on, and move the weight of the longer ones to them.

        `decided` is the class that each merged row is decided for under these weights. The longer rules stay, without
        weight: other models of this pool may want them. Rules that would become equal keep apart: together they would
        weigh more than either, and move the threshold below which rules are left out.
        """
        rules, row_votes = self.generation.weighed(rule_weight), self.generation.row_votes(rule_weight, decided)
        present = {rule.key() for rule in self.generation.rules}
        shorter: dict[int, Candidate] = {}
        for number, rule in self._shortener.by_decision(rules, row_votes).items():
            if rule is not None and rule.key() not in present:
                shorter[number] = rule
                present.add(rule.key())
        self.take_in(shorter.values())
        weight = np.concatenate([rule_weight, rule_weight[list(shorter)]])
        weight[list(shorter)] = 0.0
        return weight

    def take_in(self, rules: Iterable[Candidate]) -> None:
        """Further rules, and the solution with them."""
        self.generation.take_in(rules, self._costs)
        self.generation.resolve(self.master.importance)

    def _change(self, changes: Changes) -> np.ndarray:
        if not changes:
            return np.arange(self.master.n_rules)
        number = self.generation.replace(changes, self._costs)
        self.generation.resolve(self.master.importance)
        return number

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
            columns=self.columns,
            classes=self._classes,
            class_weight=self.class_weight,
            master=self.master,
            solution=solution,
            merged_row=self.rows.merged_row,
            rule_weight=solution.rule_weight,
            costs=self._costs,
            left_out=frozenset(),
            written={},
            has_blanks=self._has_blanks,
        )

    def result(self, stop_reason: str, pool: RulePool) -> TrainingResult:
        return TrainingResult(self.history, self.generation.lower_bound, stop_reason, self.class_share, pool)


def train(rows: Trainable, settings: Settings, started: float) -> TrainingResult:
    """Encode, generate rules until a stop, keep the rules that matter."""
    run = TrainingRun(rows, settings, started)
    stop_reason = run.run()
    run.tidy()
    return run.result(stop_reason, run.pool().joined())
