"""Column generation: solve the master problem, price new rules with its duals, add them, repeat."""

import itertools
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from rugcore.generation.candidates import Candidate, PricedCandidate, RuleKey
from rugcore.generation.costs import CostModel
from rugcore.generation.pricing import Pricer, Pricing, best_reduced_cost
from rugcore.generation.seam import AnyRowVotes, MergedSplit, Rows
from rugcore.generation.shortening import Changes, WeighedRule
from rugcore.lp.master import MasterProblem, MasterSolution

# A rule must promise at least this share of the objective; below it lies the solver's own rounding.
LEAST_IMPROVEMENT = 1e-9
# An optimality gap up to this is a proof: rules that promise less than the share above may be missing.
PROVED = 1e-6
# The duals of a vertex jump from round to round, because many vertices are optimal; trees grown on a moving average
# of them find rules that last. This is the share of the past in it: over 12 data sets and 6 splits, at depths 5 and 3,
# it left accuracy within 0.1 points of no smoothing, with 12 % and 18 % fewer rules.
INERTIA = 0.7
# An exact search looks this far on the way from the vertex to the duals of the best bound. 0.3, 0.5 and 0.8 took 98,
# 116 and 122 rounds to prove three tables at depth 3.
PULL = 0.3
# An exact search keeps idle rules: dropped, they are found again, round after round, where many vertices are optimal.
MOST_IDLE_RULES_IN_SEARCH = 3_000
# Rules without weight that are kept in the linear program for the rounds to come. With none, F1 fell by one to three
# points; between 32 and 100 quality stood still, while the linear programs took several times longer.
MOST_IDLE_RULES = 32
# In a large linear program fewer do: over 16 tables, 8 left accuracy within 0.3 points of 32, in two thirds of the
# time.
MOST_IDLE_RULES_IF_LARGE, LARGE = 8, 1_000
# And fewer rules enter it per round, the most promising first. Over six tables of 5,000 to 49,000 rows at depth 5, ten
# instead of all left accuracy where it was (+0.2 points, standard error 0.2), with a quarter fewer rules and less than
# half the time on the slowest. Eight instead of ten saved the slowest a fifth of the time (accuracy -0.02, standard
# error 0.02); six and four saved no more, and cost 0.1 points.
MOST_ENTERING_IF_LARGE = 8
# Three, once it is very large: on the slowest table, over six splits, accuracy went from 85.8 to 85.7 and the time from
# 1.07 to 0.75 seconds, with a fifth fewer rules and the same ranking.
MOST_ENTERING_IF_VERY_LARGE, VERY_LARGE = 3, 4_000
# On the way to fairness idle rules are worth keeping as long as the linear program stays small enough to be solved
# again in a fraction of a second: up to so many merged rows, and twice what it had before. On 200,000 rows at depth 3
# it would otherwise grow to 56,000 of them, and take a minute to solve.
ROOMY = 4_000


@dataclass(frozen=True)
class Round:
    """One round of training: the linear program is solved, then new rules are looked for with its dual prices.

    `history_` of a model lists them, and its `callback` gets each as soon as it is over.

    Attributes
    ----------
    number : int
        0 is the first pool of rules.
    objective : float
        Of the linear program; without a bound on groups it never rises from round to round.
    n_rules, n_rules_with_weight : int
        Rules in the linear program, and those that it uses.
    n_added : int
        Rules that enter the next round; 0 where nothing better was found.
    best_reduced_cost : float or None
        Of the rules found: below 0, the objective can still fall. None where no rules were looked for.
    lower_bound : float or None
        No rules at all have a lower objective; only the search of exact pricing knows one.
    optimality_gap : float or None
        The part of the objective above the lower bound: up to `PROVED`, the solver's rounding, no rules are better.
    n_merged_rows : int
        Rows of the linear program after equal ones were merged.
    seconds : float
        Since the start of training.
    solver : str
        Who solved it.
    error, gap : float or None
        Share of the training rows decided wrongly, and the gap between groups; known where fairness is looked for.
    """

    number: int
    objective: float
    n_rules: int
    n_rules_with_weight: int
    n_added: int
    best_reduced_cost: float | None
    lower_bound: float | None
    n_merged_rows: int
    seconds: float
    solver: str
    error: float | None = None
    gap: float | None = None

    @property
    def optimality_gap(self) -> float | None:
        """By how much of itself the objective may still lie above the best possible; None where that is not known.

        On the way to fairness the objective weighs rows differently, and the bound is not about it.
        """
        if self.lower_bound is None or self.error is not None:
            return None
        return max(self.objective - self.lower_bound, 0.0) / self.objective if self.objective > 0 else 0.0


@dataclass(frozen=True)
class Center:
    """The duals that gave the best bound so far, scaled until no rule violates them."""

    dual: np.ndarray  # per merged row and unit of its weight
    constant: float  # what their objective is less than their sum


class ColumnGeneration:
    """The loop. Iterate over it to train; whenever it yields, `rules` and `solution` are the best model so far."""

    def __init__(
        self,
        rows: Rows,
        master: MasterProblem,
        first: Pricer,
        pricer: Pricer,
        max_iter: int,
        started: float,
        search: Pricer | None = None,
    ) -> None:
        """`pricer` finds rules for `max_iter` rounds; then `search` goes on, until it proves that there are no more."""
        self.rules: list[Candidate] = []
        self.solution: MasterSolution | None = None
        self.lower_bound: float | None = None
        self._rows = rows
        self._master = master
        self._first = first
        self._pricer = pricer
        self._search = search
        self._center: Center | None = None
        self._max_iter = max_iter
        self._keys_present: set[RuleKey] = set()
        self._protected: set[RuleKey] = set()  # rules that are not dropped, idle or not
        self._idle = np.empty(0, dtype=np.int64)  # rounds since each rule last had weight
        self._guide = np.empty(0)  # the moving average, per merged row
        self._roomy = ROOMY  # merged rows up to which idle rules are kept on the way to fairness
        self._started = started  # on the clock of time.perf_counter

    def __iter__(self) -> Iterator[Round]:
        unit = np.ones(self._master.merged.n_rows)
        self._guide = unit
        self._add(self._first.price(self._rows, unit, unit).found)
        for number in itertools.count():
            self.solution = self._master.solve()
            n_rules = self._master.n_rules
            priced = self._priced_in_turn(number)
            entering = self._most_promising(self._improving(priced))
            yield self._round(number, n_rules, priced, len(entering))
            if not entering:
                return
            self._drop_idle_rules()
            self._add(entering)

    def _priced_in_turn(self, number: int) -> Pricing:
        """Trees first; the search where they find nothing more, or have had their rounds, and from then on."""
        if not self._is_searching:
            priced = self._price(number) if number < self._max_iter else Pricing([])
            if self._search is None or self._improving(priced):
                return priced
            self._pricer = self._search
        return self._search_rules()

    @property
    def _is_searching(self) -> bool:
        return self._pricer is self._search

    # -- going on after the last round, towards fairness -----------------------------------------------------

    def tell_apart(self, numbers: Any, n_numbers: int) -> None:
        """Let rows of different groups be different rows to the linear program; its solution does not change."""
        self._take_split(self._rows.split(numbers, n_numbers, self._master.merged.n_rows), n_numbers)

    def tell_apart_by_chance(self, weight: Any, n_numbers: int) -> None:
        """Let every row stand in all groups, with these weights group by group; the solution does not change."""
        self._take_split(self._rows.split_by_chance(weight, n_numbers, self._master.merged.n_rows), n_numbers)

    def _take_split(self, split: MergedSplit, n_numbers: int) -> None:
        merged = self._master.merged
        cell = merged.class_code[split.parent] * n_numbers + split.number
        n_cells = self._rows.n_classes * n_numbers
        self._master.tell_apart(merged.split(split.parent, split.weight, cell), split.parent, n_cells)
        self._guide = self._guide[split.parent]
        self._center = None
        self._roomy = ROOMY + 2 * self._master.merged.n_rows

    def resolve(self, importance: np.ndarray) -> MasterSolution:
        """Solve again with other importances of the cells."""
        self._master.importance = importance
        self.solution = self._master.solve()
        return self.solution

    @property
    def weights(self) -> np.ndarray:
        """Of the present solution."""
        assert self.solution is not None
        return self.solution.rule_weight

    def rules_with_weight(self) -> dict[RuleKey, float]:
        """The rules of the present solution; they stay in the linear program from now on."""
        assert self.solution is not None
        found = zip(self.rules, self.solution.rule_weight.tolist(), strict=True)
        weights = {rule.key(): weight for rule, weight in found if weight > 0}
        self._protected |= set(weights)
        return weights

    def extend(self, number: int, error: float, gap: float) -> Round:
        """Price new rules at the present duals and take them in."""
        n_rules, lower_bound = self._master.n_rules, self.lower_bound
        priced = self._price(number)
        self.lower_bound = lower_bound  # with other importances the duals bound another objective
        entering = self._improving(priced)
        round_ = replace(self._round(number, n_rules, priced, len(entering)), error=error, gap=gap)
        if self._master.merged.n_rows > self._roomy:
            self._drop_idle_rules()
        self._add(entering)
        return round_

    # -- changing rules ----------------------------------------------------------------------------------------

    def weighed(self, rule_weight: np.ndarray) -> list[WeighedRule]:
        """The rules that have weight among these weights."""
        return [WeighedRule(j, self.rules[j], float(rule_weight[j])) for j in np.flatnonzero(rule_weight > 0).tolist()]

    def row_votes(self, rule_weight: np.ndarray, decided: np.ndarray | None = None) -> AnyRowVotes:
        """Where the rows stand under these weights; `decided` is the class that each merged row is decided for."""
        merged = self._master.merged
        lead = self._master.votes().T @ rule_weight
        n_speakers = merged.coverage.astype(np.int64) @ (rule_weight > 0)
        return self._rows.row_votes(lead, n_speakers, merged.class_code if decided is None else decided)

    def take_in(self, rules: Iterable[Candidate], costs: CostModel) -> None:
        """Further rules, unless they are there; the linear program must be solved again."""
        new = {rule.key(): rule for rule in rules if rule.key() not in self._keys_present}
        self._add([PricedCandidate(rule, costs.cost(rule.length), 0.0) for rule in new.values()])

    def replace(self, changes: Changes, costs: CostModel) -> np.ndarray:
        """Let other rules stand where some stood; the new number of every rule, -1 for those that went.

        A rule that became equal to another gets its number. The linear program must be solved again.
        """
        staying = [j for j in range(len(self.rules)) if j not in changes]
        number_of = {self.rules[j].key(): place for place, j in enumerate(staying)}
        entering: list[PricedCandidate] = []
        for rule in changes.values():
            if rule is not None and rule.key() not in number_of:
                number_of[rule.key()] = len(number_of)
                entering.append(PricedCandidate(rule, costs.cost(rule.length), 0.0))
        changed = [changes.get(j, rule) for j, rule in enumerate(self.rules)]
        self._keep(np.array(staying, dtype=np.int64))
        self._add(entering)
        return np.array([-1 if rule is None else number_of[rule.key()] for rule in changed], dtype=np.int64)

    # -- the parts of a round --------------------------------------------------------------------------------

    def _drop_idle_rules(self) -> None:
        """Leave out the rules that have been without weight for longest: the objective cannot rise by that.

        Fewer rules tell fewer rows apart, so the linear program shrinks in both directions.
        """
        assert self.solution is not None
        self._idle = np.where(self.solution.rule_weight > 0, 0, self._idle + 1)
        is_protected = np.array([rule.key() in self._protected for rule in self.rules], dtype=bool)
        idle = np.where(is_protected, 0, self._idle)
        longest_idle_first = np.argsort(-idle, kind="stable")
        n_idle = int(np.count_nonzero(idle))
        dropped = longest_idle_first[: max(n_idle - self._most_idle_rules(), 0)]
        if len(dropped):
            self._keep(np.setdiff1d(np.arange(len(self.rules)), dropped))

    def _most_idle_rules(self) -> int:
        if self._is_searching:
            return MOST_IDLE_RULES_IN_SEARCH
        return MOST_IDLE_RULES if self._master.merged.n_rows <= LARGE else MOST_IDLE_RULES_IF_LARGE

    def _keep(self, kept: np.ndarray) -> None:
        """Only the rules with these numbers, in this order."""
        old_weight = self._master.merged.weight
        number = self._master.keep(kept)
        self._rows.renumber(number)
        self._guide = np.bincount(number, self._guide * old_weight) / self._master.merged.weight
        if self._center is not None:
            dual = np.bincount(number, self._center.dual * old_weight) / self._master.merged.weight
            self._center = replace(self._center, dual=dual)
        self.rules = [self.rules[j] for j in kept]
        self._keys_present = {rule.key() for rule in self.rules}  # one that went may come back when it is wanted again
        self._idle = self._idle[kept]

    def _price(self, number: int) -> Pricing:
        """Price along the smoothed duals; if they mislead, along the duals of this vertex, and those of the optimum."""
        inertia = INERTIA if number else 0.0  # the first duals have no past
        self._guide = inertia * self._guide + (1 - inertia) * self._dual()
        priced = self._priced(self._guide)
        if inertia and not self._improving(priced):
            priced = self._priced(self._dual())
        if not self._improving(priced):
            optimum = self._master.finish()
            if optimum is not None:
                self.solution = optimum
                priced = self._priced(self._dual())
        return priced

    def _search_rules(self) -> Pricing:
        """Search between the duals of this vertex and those of the best bound; if that misleads, at the vertex.

        The vertex jumps, and promises the most where no rules are yet; the duals of the bound violate nothing.
        Between the two, what is found cuts off the vertex or lifts the bound (in-out separation, Ben-Ameur and Neto).
        """
        priced = self._searched(PULL if self._center is not None else 0.0)
        if not self._improving(priced):
            priced = self._searched(0.0)
        if not self._improving(priced):
            optimum = self._master.finish()
            if optimum is not None:
                self.solution = optimum
                priced = self._searched(0.0)
        return priced

    def _searched(self, pull: float) -> Pricing:
        """Search at duals that lie this far on the way from the vertex to the center; keep the bound they give."""
        assert self.solution is not None
        center = self._center or Center(np.zeros(self._master.merged.n_rows), 0.0)
        point = pull * center.dual + (1 - pull) * self._dual()
        constant = pull * center.constant + (1 - pull) * self.solution.dual_constant
        priced = self._pricer.price(self._rows, self._dual(), point)
        if priced.bound_factor is not None:
            factor = min(priced.bound_factor, self._factor_of_pool(point))
            bound = factor * float(point @ self._master.merged.weight) - constant
            if self.lower_bound is None or bound > self.lower_bound:
                self.lower_bound = max(bound, 0.0)
                self._center = Center(factor * point, constant)
        return priced

    def _factor_of_pool(self, point: np.ndarray) -> float:
        """What these duals must be scaled by so that no rule of the linear program violates them."""
        collected = self._master.votes() @ (point * self._master.merged.weight)
        price = self._master.penalty * self._master.rule_cost
        return float(np.min(np.divide(price, collected, out=np.ones_like(price), where=collected > price), initial=1.0))

    def _dual(self) -> np.ndarray:
        """Of every merged row, per unit of its weight."""
        assert self.solution is not None
        dual: np.ndarray = self.solution.merged_dual / self._master.merged.weight
        return dual

    def _priced(self, guide: np.ndarray) -> Pricing:
        return self._pricer.price(self._rows, self._dual(), guide)

    def _improving(self, priced: Pricing) -> list[PricedCandidate]:
        assert self.solution is not None
        least = LEAST_IMPROVEMENT * (1.0 + self.solution.objective)
        entering = {
            found.rule.key(): found for found in priced.found if found.reduced_cost < -least
        }  # exact pricing may find one rule for two lengths
        return [found for key, found in entering.items() if key not in self._keys_present]

    def _most_promising(self, entering: list[PricedCandidate]) -> list[PricedCandidate]:
        """All of them, unless trees found many for a large linear program; an exact search goes on to the last."""
        n_merged = self._master.merged.n_rows
        if n_merged <= LARGE or self._is_searching:
            return entering
        assert self.solution is not None
        step = LEAST_IMPROVEMENT * (1.0 + self.solution.objective)  # sums in another order differ by less
        most = MOST_ENTERING_IF_LARGE if n_merged <= VERY_LARGE else MOST_ENTERING_IF_VERY_LARGE
        return sorted(entering, key=lambda found: round(found.reduced_cost / step))[:most]

    def _add(self, entering: list[PricedCandidate]) -> None:
        if not entering:  # a table without a single split
            return
        rules = [found.rule for found in entering]
        merged = self._master.merged
        refinement = self._rows.refine(rules, merged.n_rows)
        self._master.add(
            merged.refined(refinement.parent, refinement.weight, sparse.csr_array(refinement.new_rules)),
            refinement.parent,
            rule_classes=np.array([rule.class_code for rule in rules], dtype=np.int64),
            costs=np.array([found.cost for found in entering]),
        )
        self._guide = self._guide[refinement.parent]
        if self._center is not None:
            self._center = replace(self._center, dual=self._center.dual[refinement.parent])
        self._idle = np.concatenate([self._idle, np.zeros(len(rules), dtype=np.int64)])
        self.rules += rules
        self._keys_present.update(rule.key() for rule in rules)

    def _round(self, number: int, n_rules: int, priced: Pricing, n_added: int) -> Round:
        assert self.solution is not None
        return Round(
            number=number,
            objective=self.solution.objective,
            n_rules=n_rules,
            n_rules_with_weight=int(np.count_nonzero(self.solution.rule_weight > 0)),
            n_added=n_added,
            best_reduced_cost=best_reduced_cost(priced.found),
            lower_bound=self.lower_bound,
            n_merged_rows=self._master.merged.n_rows,
            seconds=time.perf_counter() - self._started,
            solver=self._master.solver.name,
        )
