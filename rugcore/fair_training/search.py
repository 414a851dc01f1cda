"""Rule weights whose realised gap, the one an audit would measure on the training rows, is at most epsilon.

The linear program knows the hinge loss; an audit counts wrong decisions. With the rules at hand the number of wrong
decisions in every cell is a step function of each single rule weight, so the best value of one weight, the others held,
can be found exactly. Going round the rules, with a rising price on the part of the gap above epsilon, leads from the
weights of the linear program to fair ones nearby; nothing is random, and one deterministic model comes out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rugcore.fair_training import kernels
from rugcore.fair_training.copies import without_cells
from rugcore.fair_training.kernels import Bounds, Prices, Rates, Rows
from rugcore.fairness.parity import Parity, tally_of
from rugcore.lp.merging import MergedRows
from rugcore.parallel import in_parallel
from rugcore.rules.decisions import TIE_TOLERANCE, decide

# Prices of a unit of gap above epsilon against a unit of error rate, one after the other: from "worth considering" to
# "at any price".
GAP_PRICES = (0.3, 1.0, 3.0, 10.0, 100.0)
MOST_SWEEPS = 4
# Below this much improvement in a whole sweep the next price is tried.
LEAST_PROGRESS = 1e-5
# A rule must earn its place in front of the reader: five decisions in ten thousand.
RULE_PRICE = 5e-4
# Somebody whom no rule covers is decided by default, and gets no reasons. A rule that alone speaks for one person in a
# hundred earns its place by that.
UNCOVERED_PRICE = 0.05
# A weight is kept this much clear of the threshold below which rules are left out.
CLEAR_OF_THRESHOLD = 1.02
# Rates are sums of fractions: their differences carry the rounding of the last digits.
GAP_TOLERANCE = 1e-12
# The linear programs solved on the way are all places to start from; so many are tried, and more only if none of them
# leads to a fair model.
STARTS_TRIED = 3


@dataclass(frozen=True)
class RealisedModel:
    """Rule weights with what they do on the training rows."""

    rule_weight: np.ndarray
    tally: np.ndarray  # weight by cell and decided class
    error: float
    gap: float  # as large as can be where it cannot be told
    uncovered: float = 0.0  # share of the rows that no rule covers

    @property
    def n_rules(self) -> int:
        return int(np.count_nonzero(self.rule_weight))

    def is_fair(self, epsilon: float) -> bool:
        return self.gap <= epsilon + GAP_TOLERANCE


class RealisedSearch:
    """The merged rows as decided by the rules of a pool under any weights."""

    def __init__(
        self,
        merged: MergedRows,
        rule_class: np.ndarray,
        class_share: np.ndarray,
        parity: Parity,
        weight_threshold: float,
        plain_weight: np.ndarray,
        floor: np.ndarray | None = None,
    ) -> None:
        """`floor` is the least weight of every rule; one that has any is never left out."""
        self._merged = merged
        self._rule_class = rule_class
        self._class_share = class_share
        self._parity = parity
        self._threshold = weight_threshold
        self._floor = np.zeros(len(rule_class)) if floor is None else floor
        # What rules do not tell apart is decided together, whatever its cell.
        self._together, self._number = without_cells(merged)
        self._coverage = self._together.coverage.astype(float)
        self._total = float(merged.weight.sum())
        self._rule_price = max(RULE_PRICE, merged.weight.min() / self._total)
        # To decide more training rows rightly than the linear program did is no aim: that is learning them by heart.
        self._least_error = self.measure(plain_weight).error

    @property
    def n_rules(self) -> int:
        return len(self._rule_class)

    @cached_property
    def _rates(self) -> Rates:
        return rates_of(self._parity, len(self._class_share))

    @cached_property
    def _rows_of_rule(self) -> list[np.ndarray]:
        by_rule = self._together.coverage.tocsc()
        return np.split(by_rule.indices.astype(np.int32), by_rule.indptr[1:-1])

    @cached_property
    def _rows(self) -> Rows:
        order = np.argsort(self._number, kind="stable")
        return Rows(
            class_code=self._together.class_code,
            ends=np.searchsorted(self._number[order], np.arange(self._together.n_rows + 1)),
            cell=self._merged.cell[order],
            weight=self._merged.weight[order],
            total=self._total,
            class_rank=np.argsort(np.argsort(-self._class_share, kind="stable")),
            class_of_cell=self._parity.class_of_cell,
        )

    def measure(self, rule_weight: np.ndarray) -> RealisedModel:
        """What a model with these weights does, once the rules below the threshold are left out."""
        weight = self._padded(rule_weight)
        is_kept = (weight > self._threshold * weight.max(initial=0.0)) | (self._floor > 0)
        weight = np.where(is_kept, weight, 0.0)
        decisions = decide(self._votes(weight), self._class_share)
        merged, n_cells, n_classes = self._merged, self._parity.n_cells, len(self._class_share)
        tally = tally_of(merged.cell, decisions.class_code[self._number], merged.weight, n_cells, n_classes)
        error = float(self._parity.wrong(tally).sum() / self._total)
        uncovered = float(self._together.weight[decisions.is_uncovered].sum() / self._total)
        return RealisedModel(weight, tally, error, self._parity.strict_gap(tally), uncovered)

    def decided(self, rule_weight: np.ndarray) -> np.ndarray:
        """The class that each merged row is decided for, by weights from which the light rules are gone already."""
        return decide(self._votes(self._padded(rule_weight)), self._class_share).class_code[self._number]

    def merit(self, model: RealisedModel, epsilon: float, gap_price: float) -> float:
        return self._priced_error(model, epsilon, gap_price) + self._burden(model)

    def _priced_error(self, model: RealisedModel, epsilon: float, gap_price: float) -> float:
        return max(model.error, self._least_error) + gap_price * max(model.gap - epsilon, 0.0)

    def _burden(self, model: RealisedModel) -> float:
        """What there is to read, and how many are left without anything to read."""
        return self._rule_price * model.n_rules + UNCOVERED_PRICE * model.uncovered

    def best(self, starts: Sequence[np.ndarray], epsilon: float) -> RealisedModel:
        """The best model that any of the starts leads to: fair before unfair, then accurate, then easy to read."""
        models = sorted(map(self.measure, starts), key=lambda model: self.merit(model, epsilon, 1.0))
        found = [*models, *in_parallel(lambda model: self.improve(model, epsilon), models[:STARTS_TRIED])]
        for model in models[STARTS_TRIED:]:
            if any(other.is_fair(epsilon) for other in found):
                break
            found.append(self.improve(model, epsilon))
        return min(found, key=lambda model: self._rank(model, epsilon))

    def _rank(self, model: RealisedModel, epsilon: float) -> tuple[float, float, float]:
        excess = 0.0 if model.is_fair(epsilon) else model.gap
        return excess, max(model.error, self._least_error), self._burden(model)

    def improve(self, start: RealisedModel, epsilon: float) -> RealisedModel:
        """From a model towards the most accurate one nearby whose gap is at most epsilon."""
        found = [start]
        for gap_price in GAP_PRICES if start.n_rules else ():
            found.append(self._at_price(found[-1], epsilon, gap_price))
            if found[-1].is_fair(epsilon):  # a higher price would change nothing
                break
        return min(found, key=lambda model: self._rank(model, epsilon))

    def _at_price(self, model: RealisedModel, epsilon: float, gap_price: float) -> RealisedModel:
        for _ in range(MOST_SWEEPS):
            before = self.merit(model, epsilon, gap_price)
            model = self._sweep(model, epsilon, gap_price)
            if before - self.merit(model, epsilon, gap_price) < LEAST_PROGRESS:
                break
        return model

    def _sweep(self, model: RealisedModel, epsilon: float, gap_price: float) -> RealisedModel:
        """Once round the rules, heaviest first. The heaviest itself stays: it is the scale of all others."""
        weight, tally = model.rule_weight.copy(), model.tally
        votes = self._votes(weight)
        merit = self._priced_error(model, epsilon, gap_price)
        order = np.argsort(-weight, kind="stable")
        most = float(weight[order[0]])
        clear = CLEAR_OF_THRESHOLD * self._threshold * most
        for rule in order[1:].tolist():
            price = self._price(rule, votes, float(weight[rule]))
            floor = float(self._floor[rule])
            bounds = Bounds(floor or clear, most, TIE_TOLERANCE * most, floor == 0)
            new_tally = np.empty_like(tally)
            found, new_weight = kernels.best_rule_weight(
                self._rows_of_rule[rule],
                votes,
                int(self._rule_class[rule]),
                float(weight[rule]),
                tally,
                self._rows,
                self._rates,
                Prices(epsilon, gap_price, price, self._least_error),
                bounds,
                new_tally,
            )
            old_merit = merit + price * (weight[rule] > 0)
            if found < old_merit - GAP_TOLERANCE:
                votes[self._rows_of_rule[rule], self._rule_class[rule]] += new_weight - weight[rule]
                weight[rule], tally = new_weight, new_tally
                merit = found - price * (new_weight > 0)
        return self.measure(weight)

    def _price(self, rule: int, votes: np.ndarray, own_weight: float) -> float:
        """Of keeping a rule: what it adds to read, less what it is worth to those for whom no other rule speaks."""
        alone = kernels.weight_spoken_for_alone(
            self._rows_of_rule[rule], votes, own_weight, self._together.weight, TIE_TOLERANCE * own_weight
        )
        return self._rule_price - UNCOVERED_PRICE * alone / self._total

    def _votes(self, weight: np.ndarray) -> np.ndarray:
        by_class = np.zeros((self.n_rules, len(self._class_share)))
        by_class[np.arange(self.n_rules), self._rule_class] = weight
        return np.asarray(self._coverage @ by_class)

    def _padded(self, rule_weight: np.ndarray) -> np.ndarray:
        """Rules that came into the pool later have no weight."""
        return np.concatenate([rule_weight, np.zeros(self.n_rules - len(rule_weight))])


def rates_of(parity: Parity, n_classes: int) -> Rates:
    """The rates of a notion as plain arrays."""
    strata = parity.strata()
    rates = [rate for stratum in strata for rate in stratum]
    number = np.full((parity.n_cells, n_classes), -1, dtype=np.int64)
    is_among, is_counted = np.zeros(number.shape, dtype=bool), np.zeros(number.shape, dtype=bool)
    for place, rate in enumerate(rates):
        codes = list(rate.stratum.class_codes)
        is_among[rate.cells] |= rate.stratum.among[codes]
        is_counted[rate.cells] |= rate.stratum.counted[codes]
        number[rate.cells] = np.where(rate.stratum.among[codes], place, number[rate.cells])
    stratum_of_rate = np.repeat(np.arange(len(strata)), [len(stratum) for stratum in strata])
    least = np.array([rate.least for rate in rates])
    return Rates(number, is_among, is_counted, least, stratum_of_rate, len(strata))
