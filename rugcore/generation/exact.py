"""Exact pricing: the best rule over binarised columns, as the integer program of the paper asks for it.

A literal is a condition on one column: at most a decile, above it, is a category, is not, is blank, is a special code.
A rule joins at most `max_depth` literals, as the leaf of a tree of that depth does. For a class to vote for, and the
rows that matter grouped into patterns s of equal codes and class, the program is

    maximise    sum_s value_s a_s          value_s = beta_s if the class is right, else -beta_s / (K - 1)
    subject to  a_s = 1 exactly where pattern s satisfies every literal of the rule
                at most max_depth literals, standing on exactly l columns

for every class and every length l. It is solved by branch and bound on the literals, which is exact: what a rule
collects can only come from the patterns of positive value that it covers, and every further literal covers fewer. On
problems of this shape that is faster than a general solver by orders of magnitude; the tests compare the two. Every
first literal of a rule is a search of its own, so that all cores search, and each proposes its best rule of every
length: a round finds many rules, not one.

The dual of the master problem asks for sum_i a_ij beta_i <= lambda c_j of every rule j. If M_l is the most that any
rule of length l collects, theta * beta with theta = min(1, min_l lambda c_l / M_l) satisfies them all, so theta times
the dual objective bounds the objective over all rules from below. This holds at any duals, not only at those of the
present vertex. (The paper subtracts the largest violation from the objective instead; that is a bound only if the
weights of the optimal rules sum to at most one.)
"""

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rugcore.generation import exact_kernels
from rugcore.generation.candidates import Candidate, PricedCandidate, RuleKey
from rugcore.generation.costs import CostModel
from rugcore.generation.directions import FREE, FROM_ABOVE, Directions
from rugcore.generation.pricing import Pricing
from rugcore.generation.seam import Rows
from rugcore.parallel import in_parallel
from rugcore.tables.columns import MISSING_CODE, N_CODES, Column

HIGHEST_CODE = N_CODES - 1
# First literals that are searched side by side before the best of them raises the aim.
FIRST_LITERALS_AT_ONCE = 16
# A rule is proposed if it promises at least this share of what the best rule of its class and length does.
WORTH_FINDING = 0.3
# Rules of one class and length that a search proposes in one round.
MOST_RULES_PER_LENGTH = 20


@dataclass(frozen=True)
class Literal:
    """One condition on one column: codes from `low` to `high`, or all others, but for what is not a number.

    Of blanks and special codes, those in `kinds` satisfy it (bit 0: blanks, bit k: the special code k); the special
    codes have the codes from `first_special` on.
    """

    feature: int
    low: int
    high: int
    negated: bool = False
    kinds: int = 0
    first_special: int = N_CODES
    n_specials: int = 0

    def allowed(self) -> np.ndarray:
        codes = np.arange(N_CODES)
        allowed = ((codes >= self.low) & (codes <= self.high)) != self.negated
        for kind in range(self.n_specials + 1):
            allowed[self.first_special + kind - 1 if kind else MISSING_CODE] = bool(self.kinds >> kind & 1)
        return allowed

    def keeps_to(self, directions: Directions | None, class_code: int) -> bool:
        """Whether a rule for the class may have this condition."""
        bound = FREE if directions is None else directions.bound(self.feature, class_code)
        if bound == FREE or self.low > self.high:  # "is blank" and "is a special code" set no bound
            return True
        return self.low == 1 if bound == FROM_ABOVE else self.high == HIGHEST_CODE

    def as_row(self) -> list[int]:
        return [int(getattr(self, name)) for name in self.__dataclass_fields__]


@dataclass(frozen=True)
class Found:
    """A rule as the search finds it: its literals, the columns that they stand on, and what it collects."""

    literals: tuple[Literal, ...]
    n_columns: int
    collected: float


@dataclass(frozen=True)
class Search:
    """The best rule of every first literal and length; by length (from 0 on), the most that any could collect."""

    rules: list[Found]
    upper_bound: np.ndarray

    def best(self, class_code: int) -> list[Candidate]:
        """The most promising ones of every length as rules for a class, no two of them alike."""
        chosen: dict[RuleKey, Candidate] = {}
        for length in range(1, len(self.upper_bound)):
            own = [found for found in self.rules if found.n_columns == length]
            new: dict[RuleKey, Candidate] = {}
            for found in sorted(own, key=lambda found: -found.collected):
                rule = Candidate(_joined(found.literals), class_code)
                new.setdefault(rule.key(), rule)
                if len(new) == MOST_RULES_PER_LENGTH:
                    break
            chosen |= new
        return list(chosen.values())


class ExactPricer:
    """The best rules for every class and length, at the duals of the guide."""

    def __init__(
        self,
        columns: tuple[Column, ...],
        costs: CostModel,
        max_depth: int,
        deadline: float | None = None,
        directions: Directions | None = None,
    ) -> None:
        self._columns = columns
        self._directions = directions
        self._costs = costs
        self._max_depth = max_depth
        self._deadline = deadline  # on the clock of time.perf_counter

    def price(self, rows: Rows, dual: np.ndarray, guide: np.ndarray) -> Pricing:
        """Searched and bounded at the guide; the reduced costs that come back are those of the duals themselves."""
        patterns = rows.code_patterns(guide)
        literals = find_literals(self._columns, rows.present_codes())
        found: list[Candidate] = []
        factor = 1.0
        with alarm(self._deadline) as stop:
            for class_code in range(rows.n_classes):
                may_be_said = [literal for literal in literals if literal.keeps_to(self._directions, class_code)]
                value = patterns.values(class_code, self._costs.wrong_vote)
                search = search_rules(patterns.codes, value, may_be_said, self._prices(), stop)
                found += search.best(class_code)
                factor = min(factor, self._bound_factor(search.upper_bound))
        return Pricing(self._priced(found, rows, dual), bound_factor=factor)

    def _prices(self) -> np.ndarray:
        """lambda c_l for l = 0, 1, ..., max_depth; a rule must collect more than that to improve anything."""
        lengths = range(self._max_depth + 1)
        return np.array([self._costs.penalty * self._costs.cost(length) for length in lengths])

    def _priced(self, rules: list[Candidate], rows: Rows, dual: np.ndarray) -> list[PricedCandidate]:
        found = []
        for rule, own in zip(rules, rows.covered_duals(rules, dual) if rules else (), strict=True):
            collected = float(self._costs.collected(own, rule.class_code))
            reduced_cost = self._costs.reduced_cost(rule.length, collected)
            found.append(PricedCandidate(rule, self._costs.cost(rule.length), reduced_cost))
        return found

    def _bound_factor(self, upper_bound: np.ndarray) -> float:
        prices = self._prices()[1:]
        most = np.maximum(upper_bound[1:], prices)
        return float(np.min(np.divide(prices, most, out=np.ones_like(prices), where=most > prices)))


def search_rules(
    codes: np.ndarray, value: np.ndarray, literals: list[Literal], prices: np.ndarray, stop: np.ndarray
) -> Search:
    """The rules that collect most, of those that collect more than `prices` says for their length.

    codes[f, s] and value[s] describe the patterns; a rule has as many literals as the longest that has a price. One
    batch of first literals comes after the other; all cores share a batch, and the next one aims higher. What a first
    literal leads to depends on the batches before it alone, never on which core was faster.
    """
    gaining_first = np.argsort(value <= 0, kind="stable")
    codes, value = np.ascontiguousarray(codes[:, gaining_first]), value[gaining_first]
    sizes = int(np.count_nonzero(value > 0)), max(int(codes.max(initial=0)) + 1, 2)
    literals = _by_promise(literals, codes, value)
    table = np.array([literal.as_row() for literal in literals], dtype=np.int64).reshape(len(literals), -1)
    longest = len(prices) - 1
    best = np.tile(prices, (len(literals), 1))
    rules = np.full((len(literals), longest + 1, longest), -1, dtype=np.int64)
    aim = upper_bound = prices

    def search(first: int) -> bool:
        own = best[first], rules[first]
        return bool(exact_kernels.search_rules(first, codes, value, *sizes, table, longest, stop, *own))

    for batch in range(0, len(literals), FIRST_LITERALS_AT_ONCE):
        firsts = range(batch, min(batch + FIRST_LITERALS_AT_ONCE, len(literals)))
        best[firsts] = aim
        has_ended = in_parallel(search, firsts)
        upper_bound = np.maximum(upper_bound, best[firsts].max(axis=0))
        if not all(has_ended):
            upper_bound = np.maximum(upper_bound, _most_left(literals[batch:], codes, value))
            break
        aim = prices + WORTH_FINDING * (upper_bound - prices)
    return Search(_found(literals, best, rules), upper_bound)


@contextmanager
def alarm(deadline: float | None) -> Iterator[np.ndarray]:
    """What a search looks at while it goes on: set when the time is up."""
    stop = np.zeros(1, dtype=bool)
    if deadline is None:
        yield stop
        return
    timer = threading.Timer(max(deadline - time.perf_counter(), 0.0), stop.fill, [True])
    timer.start()
    try:
        yield stop
    finally:
        timer.cancel()


def _found(literals: list[Literal], best: np.ndarray, rules: np.ndarray) -> list[Found]:
    places = np.argwhere(rules[:, :, 0] >= 0).tolist() if rules.size else []
    return [
        Found(tuple(literals[p] for p in rules[first, length] if p >= 0), length, float(best[first, length]))
        for first, length in places
    ]


def find_literals(columns: tuple[Column, ...], present_codes: np.ndarray) -> list[Literal]:
    """Every literal that holds for some training rows and not for others."""
    literals: list[Literal] = []
    for feature, (column, present) in enumerate(zip(columns, present_codes, strict=True)):
        for literal in _literals_of(feature, column, present):
            allowed = literal.allowed()
            if (allowed & present).any() and (~allowed & present).any():
                literals.append(literal)
    return literals


def _literals_of(feature: int, column: Column, present: np.ndarray) -> list[Literal]:
    has_missing = bool(present[MISSING_CODE])
    if not column.is_category:
        return _literals_of_numbers(feature, column, present)
    literals = []
    if has_missing:
        literals += [Literal(feature, 1, 0, kinds=1), Literal(feature, 1, HIGHEST_CODE)]
    for code in range(1, column.n_codes - 1):
        literals.append(Literal(feature, code, code))
        literals.append(Literal(feature, code, code, negated=True, kinds=int(has_missing)))
    return literals


def _literals_of_numbers(feature: int, column: Column, present: np.ndarray) -> list[Literal]:
    """Is blank, is a special code, and their contraries; every bound with every choice of what is not a number.

    Categories with an order are as numbers here, and those without a place in it as special codes.
    """
    specials: dict[str, Any] = {"first_special": column.first_special, "n_specials": column.n_specials}
    codes = [MISSING_CODE, *range(column.first_special, column.n_codes)]
    seen = [kind for kind, code in enumerate(codes) if present[code]]
    every_special = (1 << len(codes)) - 2
    literals = []
    for kind in seen:
        others = every_special & ~(1 << kind) | (int(0 in seen) if kind else 0)
        literals += [
            Literal(feature, 1, 0, kinds=1 << kind, **specials),
            Literal(feature, 1, HIGHEST_CODE, kinds=others, **specials),
        ]
    for code in range(1, column.first_special - 1):
        for kinds in _choices(seen):
            literals.append(Literal(feature, 1, code, kinds=kinds, **specials))
            literals.append(Literal(feature, code + 1, HIGHEST_CODE, kinds=kinds, **specials))
    return literals


def _choices(seen: list[int]) -> list[int]:
    """Every subset of up to four kinds, as bits; of more, none, all, one, or all but one."""
    every = sum(1 << kind for kind in seen)
    if len(seen) > 4:
        ones = [1 << kind for kind in seen]
        return [0, every, *ones, *(every - one for one in ones)]
    return [sum(chosen) for size in range(len(seen) + 1) for chosen in combinations([1 << kind for kind in seen], size)]


def _by_promise(literals: list[Literal], codes: np.ndarray, value: np.ndarray) -> list[Literal]:
    """Literals that collect most first: good rules found early end branches early."""
    collected = [value[literal.allowed()[codes[literal.feature]]].sum() for literal in literals]
    return [literals[p] for p in np.argsort(-np.array(collected), kind="stable")]


def _most_left(literals: list[Literal], codes: np.ndarray, value: np.ndarray) -> float:
    """The most that a rule starting with one of these literals could collect."""
    gain = np.maximum(value, 0)
    return max(float(gain[literal.allowed()[codes[literal.feature]]].sum()) for literal in literals)


def _joined(literals: Iterable[Literal]) -> dict[int, np.ndarray]:
    allowed: dict[int, np.ndarray] = {}
    for literal in literals:
        codes = literal.allowed()
        allowed[literal.feature] = codes & allowed[literal.feature] if literal.feature in allowed else codes
    return allowed
