"""Which segments to move to: all combinations of up to three columns, most of them ruled out without being tried."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from rugcore.explanations.counterfactuals.segments import Options
from rugcore.rules.decisions import TIE_TOLERANCE, decide
from rugcore.training.chances import Chances

# Costs are sums; those that differ by less are the same sum in another order.
COST_DECIMALS = 9
# Combinations, and sets of columns, that are looked at together; more would only take memory.
COMBINATIONS_AT_ONCE = 32_768
SETS_AT_ONCE = 4096
# Answers to be had from one set of columns: what is cheapest may not be what people can do.
MOST_OF_A_SET = 4


@dataclass(frozen=True, eq=False)
class Question:
    """One row, one wanted class, and what may change."""

    options: tuple[Options, ...]  # by column
    weights: np.ndarray  # (rules, classes): what a rule votes
    class_share: np.ndarray
    decided: int  # number of the present class
    wanted: int
    by_default: bool  # whether it counts if the wanted class is only the default
    default: int | None = None  # number of the class of rows that no rule covers; None: the most common one
    chances: Chances | None = None  # how likely decisions are right, if the model knows
    least_chance: float = 0.0  # of what is decided by rules

    @property
    def adds(self) -> np.ndarray:
        """(rules, classes): what a rule votes, and behind it what it adds to the evidence."""
        return self.weights if self.chances is None else np.hstack([self.weights, self.chances.evidence.effect])

    @property
    def fails(self) -> np.ndarray:
        """(rules, columns): where the row fails a rule at present."""
        return ~side_by_side([o.column.satisfies[:, o.present] for o in self.options], len(self.weights))

    def least_cost(self, columns: Sequence[int]) -> float:
        """What it costs at least to change these columns, whatever for."""
        return round(float(sum(self.options[number].costs.min() for number in columns)), COST_DECIMALS)

    def is_answered(self, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which sums of what rules add lead to the wanted class, and with what margin."""
        n_classes = self.weights.shape[1]
        decisions = decide(sums[:, :n_classes], self.class_share, self.default)
        is_default = decisions.is_uncovered | decisions.is_tie
        is_answer = (decisions.class_code == self.wanted) & (self.by_default | ~is_default)
        if self.chances is not None and self.least_chance > 0:
            chance = self.chances.of_effects(sums[:, n_classes:], decisions.is_uncovered)[:, self.wanted]
            is_answer &= is_default | (chance >= self.least_chance)
        return is_answer, decisions.margin


@dataclass(frozen=True)
class Proposal:
    """An answer that changes exactly these columns: for each, the number of its option."""

    columns: tuple[int, ...]
    choice: tuple[int, ...]
    cost: float


def proposals(question: Question, n_columns: int, smaller: Sequence[Proposal] = ()) -> list[Proposal]:
    """The cheapest answers for every set of so many columns that has some, cheapest first.

    What a part of the set, among the `smaller` ones, does for no more is left out.
    """
    fails, reach = question.fails, Reach.of(question)
    found = []
    for columns in reach.promising_sets(n_columns):
        enough = min((other.cost for other in smaller if set(other.columns) < set(columns)), default=math.inf)
        if enough > question.least_cost(columns):
            found += [own for own in _cheapest(question, fails, columns) if own.cost < enough]
    return sorted(found, key=lambda proposal: proposal.cost)


def _cheapest(question: Question, fails: np.ndarray, columns: tuple[int, ...]) -> list[Proposal]:
    options = [question.options[number] for number in columns]
    is_open = ~np.delete(fails, columns, axis=1).any(axis=1)  # no other column stands in the way
    is_touched = is_open & np.logical_or.reduce([option.column.is_mentioned for option in options])
    adds = question.adds
    fixed = adds[is_open & ~is_touched].sum(axis=0)
    best = Grid.of(options, is_touched).cheapest(fixed, adds[is_touched], question.is_answered)
    return [Proposal(columns, own.choice, own.cost) for own in best]


def side_by_side(columns: Sequence[np.ndarray], n_rules: int) -> np.ndarray:
    """(rules, columns), also of no columns at all."""
    return np.column_stack(columns) if columns else np.zeros((n_rules, 0), dtype=bool)


# --- Bounds -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Reach:
    """How far a set of columns could move the votes at best.

    The wanted class has to catch up with the decided one. At best, every rule for it that fails only within the set
    comes in, and every rule for the decided class that can be left within the set goes.
    """

    mends: np.ndarray  # (entering rules, columns): fails here, but some option satisfies it
    n_failing: np.ndarray  # columns in which an entering rule fails
    entering: np.ndarray  # weights of the rules for the wanted class that do not hold
    can_leave: np.ndarray  # (leaving rules, columns)
    leaving: np.ndarray  # weights of the rules for the decided class that hold
    deficit: float
    columns: np.ndarray  # that have an option at all

    @classmethod
    def of(cls, question: Question) -> "Reach":
        fails, weights = question.fails, question.weights
        holds = ~fails.any(axis=1)
        is_entering = ~holds & (weights[:, question.wanted] > 0)
        is_leaving = holds & (weights[:, question.decided] > 0)
        some = side_by_side([np.asarray(option.satisfies.any(axis=1)) for option in question.options], len(weights))
        every = side_by_side([np.asarray(option.satisfies.all(axis=1)) for option in question.options], len(weights))
        votes = weights[holds].sum(axis=0)
        return cls(
            mends=fails[is_entering] & some[is_entering],
            n_failing=fails[is_entering].sum(axis=1),
            entering=weights[is_entering, question.wanted],
            can_leave=~every[is_leaving],
            leaving=weights[is_leaving, question.decided],
            # A tie may be enough, and sums in another order differ by less than what counts as a tie.
            deficit=float(votes[question.decided] - votes[question.wanted] - 2 * TIE_TOLERANCE * weights.sum()),
            columns=np.array([number for number, option in enumerate(question.options) if option.targets], dtype=int),
        )

    def promising_sets(self, size: int) -> Iterator[tuple[int, ...]]:
        """The sets of so many columns that might be enough."""
        every = combinations(self.columns.tolist(), size)
        while part := list(islice(every, SETS_AT_ONCE)):
            is_promising = self.gain(np.array(part)) >= self.deficit
            yield from (part[number] for number in np.flatnonzero(is_promising))

    def gain(self, sets: np.ndarray) -> np.ndarray:
        """What each set of columns could gain on the decided class."""
        is_in = np.zeros((len(sets), self.mends.shape[1]), dtype=np.float32)
        np.put_along_axis(is_in, sets, 1.0, axis=1)
        enters = is_in @ self.mends.T.astype(np.float32) == self.n_failing
        leaves = is_in @ self.can_leave.T.astype(np.float32) > 0
        return np.asarray(enters @ self.entering + leaves @ self.leaving)


# --- Combinations -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, order=True)
class Best:
    """In the order of preference: the cheapest, and of equally cheap ones the clearest."""

    cost: float
    doubt: float  # minus the margin
    choice: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Grid:
    """All combinations of the options of a few columns, over the rules that these columns can switch."""

    satisfies: list[np.ndarray]  # by column: (rules, options)
    costs: list[np.ndarray]
    numbers: list[np.ndarray]  # which option of the column it is

    @classmethod
    def of(cls, options: Sequence[Options], is_rule: np.ndarray) -> "Grid":
        satisfies = [option.satisfies[is_rule] for option in options]
        kept = [distinct(own, option.costs) for own, option in zip(satisfies, options, strict=True)]
        return cls(
            satisfies=[own[:, numbers] for own, numbers in zip(satisfies, kept, strict=True)],
            costs=[option.costs[numbers] for option, numbers in zip(options, kept, strict=True)],
            numbers=kept,
        )

    def cheapest(
        self,
        fixed: np.ndarray,
        weights: np.ndarray,
        is_answered: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    ) -> list[Best]:
        """The best combinations, given what stands and what the rules that can be switched would add."""
        best: list[Best] = []
        for places in self._combinations():
            is_answer, margin = is_answered(fixed + self._holding(places).T @ weights)
            if is_answer.any():
                best = sorted([*best, *self._best(places, is_answer, margin)])[:MOST_OF_A_SET]
        return best

    def _combinations(self) -> Iterator[tuple[np.ndarray, ...]]:
        """Places of options by column, some combinations at a time."""
        shape = tuple(len(costs) for costs in self.costs)
        total = math.prod(shape)
        for start in range(0, total, COMBINATIONS_AT_ONCE):
            yield np.unravel_index(np.arange(start, min(start + COMBINATIONS_AT_ONCE, total)), shape)

    def _holding(self, places: Sequence[np.ndarray]) -> np.ndarray:
        """(rules, combinations)"""
        return np.logical_and.reduce([own[:, place] for own, place in zip(self.satisfies, places, strict=True)])

    def _best(self, places: Sequence[np.ndarray], is_answer: np.ndarray, margin: np.ndarray) -> list[Best]:
        cost = np.sum([own[place] for own, place in zip(self.costs, places, strict=True)], axis=0)
        cost = np.where(is_answer, np.round(cost, COST_DECIMALS), np.inf)
        first = np.lexsort((-margin, cost))[: min(MOST_OF_A_SET, int(is_answer.sum()))].tolist()
        return [Best(float(cost[own]), -float(margin[own]), self._choice(places, own)) for own in first]

    def _choice(self, places: Sequence[np.ndarray], number: int) -> tuple[int, ...]:
        return tuple(int(own[place[number]]) for own, place in zip(self.numbers, places, strict=True))


def distinct(satisfies: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Of options that satisfy the same rules, only the cheapest matters."""
    seen: dict[bytes, int] = {}
    for number in np.argsort(costs, kind="stable").tolist():
        seen.setdefault(satisfies[:, number].tobytes(), number)
    return np.array(sorted(seen.values()), dtype=int)
