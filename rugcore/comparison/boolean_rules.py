"""Boolean rule sets: an "or" of "and"s, the simplest model that a person can read (CG and FairCG in the paper)."""

import time
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from rugcore.comparison.boolean_master import BooleanMaster, Prices
from rugcore.comparison.reach import with_reach
from rugcore.errors import InputError
from rugcore.fairness.groups import read_groups
from rugcore.fairness.notions import positive_code
from rugcore.generation.candidates import Candidate, RuleKey
from rugcore.generation.exact import alarm, find_literals, search_rules
from rugcore.lp.solvers.choice import choose_solver
from rugcore.rules.rule import Rule
from rugcore.tables import encode, validation
from rugcore.tables.columns import N_CODES
from rugcore.tables.matching import RuleMatcher
from rugcore.tables.schema import Schema
from rugcore.training.settings import BINS_FOR_EXACT_PRICING, check_choice, check_real, check_whole

NOTIONS = ("eop", "dmc")
LEAST_COMPLEXITY = 2.0  # of one rule with one condition
# A rule must promise at least this share of the loss; below it lies the solver's own rounding.
LEAST_IMPROVEMENT = 1e-7
ANY_CLASS = 1  # all rules of a list speak for one


class BooleanRulesClassifier(ClassifierMixin, BaseEstimator):
    """Whoever meets at least one rule of a short list is decided for the positive class, everybody else is not.

    The list has the fewest mistakes that column generation finds within a bound on its complexity: rules are found by
    an exact search over deciles and categories, and the list is chosen among them by an integer program (Dash, Günlük
    and Wei 2018; with a bound on the gap between groups, Lawless and Günlük 2021).

    Parameters
    ----------
    complexity : float, default=20
        C: what a list may cost at most. A rule costs one, and one for each of its conditions.
    max_depth : int, default=3
        The most conditions of a rule.
    fairness : {"eop", "dmc"} or None, default=None
        What must be alike in all groups: how often the positive class is missed, or also how many rules cover others.
    epsilon : float, default=0.025
        The largest difference between two groups; has an effect with `fairness` only.
    positive_class : label or None, default=None
        The class that rules speak for; None: the rarer one, of equals the second.
    solver : {"auto", "highs", "gurobi"}, default="auto"
    time_limit : float or None, default=None
        Seconds, a half for finding rules and a half for choosing among them, at most.

    Attributes
    ----------
    rules_ : RuleSet
        The list; its weights are 1.
    classes_ : ndarray
    positive_class_ : label
        The class that rules speak for.
    loss_ : float
        Rows of the positive class that are missed, plus for every other row the rules that cover it.
    lower_bound_ : float
        No list within the complexity has a lower loss.
    chance_ : ndarray (2, 2)
        Share of both classes among training rows that no rule covers, and among the others.
    fit_seconds_ : float
    """

    def __init__(
        self,
        complexity: float = 20.0,
        *,
        max_depth: int = 3,
        fairness: str | None = None,
        epsilon: float = 0.025,
        positive_class: Any = None,
        solver: str = "auto",
        time_limit: float | None = None,
    ) -> None:
        self.complexity = complexity
        self.max_depth = max_depth
        self.fairness = fairness
        self.epsilon = epsilon
        self.positive_class = positive_class
        self.solver = solver
        self.time_limit = time_limit

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None) -> Self:
        """Learn from the same tables as `RUGClassifier`; `sensitive_features` are needed with `fairness`."""
        started = time.perf_counter()
        self._check()
        table = validation.training_table(self, X)
        target = validation.read_target(y, table.n_rows)
        if len(target.classes) != 2:
            raise InputError(
                f"Expected two classes, because a Boolean rule set says yes or no, but got {len(target.classes)}."
            )
        self.schema_, self.classes_ = Schema.of(table), target.classes
        encoded = encode(table, np.ones(table.n_rows), np.random.RandomState(0), BINS_FOR_EXACT_PRICING)
        groups = None if self.fairness is None else read_groups(sensitive_features, table.n_rows).codes
        positive = self._positive_code(target.codes)
        self.positive_class_ = self.classes_[positive]
        is_positive = target.codes == positive
        search = _Search(self, encoded.columns, encoded.codes, is_positive, groups, started)
        chosen, self.loss_, self.lower_bound_ = search.run()
        rules = [Rule(rule.conditions(encoded.columns), self.positive_class_, 1.0) for rule in chosen]
        self._matcher = RuleMatcher(rules, self.schema_)
        self.rules_ = with_reach(rules, self._matcher.coverage(table), self.classes_[target.codes])
        self.chance_ = _chances(self._is_covered(table), target.codes)
        self.fit_seconds_ = time.perf_counter() - started
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The positive class where a rule applies, the other one elsewhere."""
        is_covered = self._is_covered_in(X)
        is_first = self.classes_[0] == self.positive_class_
        return self.classes_[(is_covered != is_first).astype(int)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The share of both classes among training rows that a rule covers, or that none does."""
        return self.chance_[self._is_covered_in(X).astype(int)]

    def covering_rules(self, X: Any) -> sparse.csr_array:
        """A boolean matrix with one line per row of X and one column per rule of `rules_`."""
        check_is_fitted(self)
        return self._matcher.coverage(validation.table_to_predict(self, X))

    def _is_covered_in(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._is_covered(validation.table_to_predict(self, X))

    def _is_covered(self, table: Any) -> np.ndarray:
        return np.diff(self._matcher.coverage(table).indptr) > 0

    def _positive_code(self, class_codes: np.ndarray) -> int:
        if self.positive_class is None:
            return int(np.mean(class_codes == 1) <= 0.5)
        code = positive_code(self.positive_class, self.classes_)
        assert code is not None
        return code

    def _check(self) -> None:
        check_real("complexity", self.complexity, LEAST_COMPLEXITY)
        check_whole("max_depth", self.max_depth, 1)
        check_choice("fairness", self.fairness, (None, *NOTIONS))  # type: ignore[arg-type]
        check_real("epsilon", self.epsilon, 0.0, 1.0)
        if self.time_limit is not None:
            check_real("time_limit", self.time_limit, 0.0)


class _Search:
    """Column generation over the patterns of the training rows, then the integer program over what was found."""

    def __init__(
        self,
        model: BooleanRulesClassifier,
        columns: tuple[Any, ...],
        codes: np.ndarray,
        is_positive: np.ndarray,
        groups: np.ndarray | None,
        started: float,
    ) -> None:
        present = np.zeros((len(codes), N_CODES), dtype=bool)
        for feature, own in enumerate(codes):
            present[feature, np.unique(own)] = True
        lengths = np.arange(min(model.max_depth, int(model.complexity) - 1) + 1)
        self._costs = 1.0 + lengths  # c, by number of conditions
        self._literals = find_literals(columns, present)
        self._complexity, self._limit, self._started = model.complexity, model.time_limit, started
        marks = [is_positive] if groups is None else [is_positive, groups]
        lines = np.vstack([*marks, codes]).astype(np.int64)
        patterns, weight = np.unique(lines, axis=1, return_counts=True)
        self._codes = np.ascontiguousarray(patterns[len(marks) :].astype(np.uint8))
        self._master = BooleanMaster(
            weight.astype(float),
            patterns[0] == 1,
            model.complexity,
            choose_solver(model.solver),
            None if groups is None else patterns[1],
            model.epsilon,
            bounds_others=model.fairness == "dmc",
        )
        self._rules: dict[RuleKey, Candidate] = {}

    def run(self) -> tuple[list[Candidate], float, float]:
        """The rules of the list, its loss, and a bound on that of any list."""
        bound, prices = 0.0, self._master.prices()
        longest = len(self._costs) - 1
        for most in range(1, longest + 1):  # short rules are found at once, long ones perhaps not in time
            while not self._is_late():
                found, violation = self._improving(prices, most)
                if most == longest:
                    # A list has at most C / 2 rules, and none of them gains more than the violation.
                    bound = max(bound, prices.objective - violation * self._complexity / 2)
                if not found:
                    break
                self._add(found)
                prices = self._master.prices()
        if not self._rules:
            return [], prices.objective, bound
        left = None if self._limit is None else self._started + self._limit - time.perf_counter()
        best = self._master.best_set(left)
        rules = list(self._rules.values())
        return [rules[number] for number in np.flatnonzero(best.x > 0)], best.objective, bound

    def _improving(self, prices: Prices, most: int) -> tuple[list[Candidate], float]:
        """Rules that are worth their price and not there yet, and the most that any is worth beyond its price.

        Of rules with at most so many conditions.
        """
        costs = self._costs[: most + 1]
        asked = prices.of_complexity * costs + LEAST_IMPROVEMENT * (1.0 + prices.objective)
        deadline = None if self._limit is None else self._started + self._limit / 2
        with alarm(deadline) as stop:
            search = search_rules(self._codes, prices.value, self._literals, asked, stop)
        violation = float(np.max((search.upper_bound - prices.of_complexity * costs)[1:], initial=0.0))
        return [rule for rule in search.best(ANY_CLASS) if rule.key() not in self._rules], violation

    def _add(self, found: list[Candidate]) -> None:
        coverage = [
            np.all([allowed[self._codes[feature]] for feature, allowed in rule.allowed.items()], axis=0)
            for rule in found
        ]
        self._master.add(np.array(coverage).T, np.array([1.0 + rule.length for rule in found]))
        self._rules |= {rule.key(): rule for rule in found}

    def _is_late(self) -> bool:
        return self._limit is not None and time.perf_counter() > self._started + self._limit / 2


def _chances(is_covered: np.ndarray, class_codes: np.ndarray) -> np.ndarray:
    """By whether a rule covers a row: the shares of both classes, with one row of each added, so that none is 0."""
    counts = np.ones((2, 2))
    np.add.at(counts, (is_covered.astype(int), class_codes), 1.0)
    shares: np.ndarray = counts / counts.sum(axis=1, keepdims=True)
    return shares
