"""Pools whose rules are weighed under parity between groups: what a new epsilon or lambda works on after training."""

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from rugcore.errors import InputError
from rugcore.fairness.groups import Groups
from rugcore.fairness.notions import Cells, Parity, parity
from rugcore.fairness.realised import RealisedModel, RealisedSearch
from rugcore.fairness.result import FairnessFit, FitRecord
from rugcore.lp.certificate import Certificate
from rugcore.lp.master import MasterProblem
from rugcore.lp.parity import ParityMaster, ParitySolution
from rugcore.parallel import in_parallel
from rugcore.pool import RulePool

MOST_LISTED = 6  # cells in a sentence


@dataclass(frozen=True)
class FairSettings:
    """What kind of parity is asked for."""

    notion: str
    epsilon: float
    guarantee: str
    min_cell_size: int
    validation_fraction: float | None


@dataclass(frozen=True)
class People:
    """Who the training rows are: their groups, the cells these make with the classes, and what is compared."""

    groups: Groups
    cells: Cells
    parity: Parity
    positive: int | None  # number of the positive class, if there is one

    @classmethod
    def of(cls, cells: Cells, groups: Groups, positive: int | None, fair: FairSettings) -> "People":
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
    rates = sorted((*found.rates, *found.not_estimable), key=lambda rate: -rate.count)
    sizes = ", ".join(
        f"{rate.count} of {rate.group}" + ("" if rate.label is None else f" in class {rate.label}")
        for rate in rates[:MOST_LISTED]
    ) + (f" and {len(rates) - MOST_LISTED} smaller ones" if len(rates) > MOST_LISTED else "")
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
        masters = [self.master] if self.steered is None else [self.master, self.steered]
        pools = in_parallel(lambda master: self._solved(master.copy(penalty), without), masters)
        starts = tuple(Start(pool.master.importance, pool.solution.rule_weight) for pool in pools)
        return replace(pools[0], starts=starts).weighed(epsilon)

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
            known = search.measure(also)
            if known.is_fair(epsilon) and known.error <= plain.error:  # there is nothing left to win
                return self.taking(known, epsilon)
            starts.append(also)
        return self.taking(search.best(starts, epsilon), epsilon)

    def taking(self, model: RealisedModel, epsilon: float) -> "RealisedPool":
        record = FitRecord(
            guarantee=self.fair.guarantee,
            epsilon=epsilon,
            cell_errors=model.cell_errors,
            cell_loss=self.master.cell_loss(model.rule_weight),
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

    def _nearest_start(self, rule_weight: np.ndarray) -> Start:
        """The solution that the weights were moved from, or the one that they came to lie nearest to."""

        def distance(start: Start) -> float:
            before = np.zeros(len(rule_weight))
            before[: len(start.rule_weight)] = start.rule_weight
            return float(np.abs(rule_weight - before).sum())

        return min(self.starts, key=distance)
