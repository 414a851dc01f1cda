"""The exact search along one rule weight, compiled."""

from typing import NamedTuple

import numpy as np

from rugcore.compiled import compiled


class Rows(NamedTuple):
    """The merged rows, as decisions see them."""

    class_code: np.ndarray
    cell: np.ndarray
    weight: np.ndarray
    total: float  # of the weights
    class_rank: np.ndarray  # of the classes: ties go to the lowest


class Rates(NamedTuple):
    """The rates that a notion compares."""

    of_cell: np.ndarray  # number of the rate that a cell belongs to; -1 where it is not compared
    weight: np.ndarray  # of each rate
    stratum: np.ndarray  # within which it is compared
    n_strata: int


class Prices(NamedTuple):
    """What a model pays for."""

    epsilon: float
    gap: float  # for a unit of gap above epsilon
    rule: float  # for keeping the rule
    least_error: float  # below this, fewer errors are worth nothing


class Bounds(NamedTuple):
    """What the weight of a rule may be, if not 0, and what counts as a tie."""

    least: float
    most: float
    tolerance: float


@compiled
def worst_gap(errors, rates):
    """The largest difference of two error rates within one stratum."""
    return _worst_gap(errors, rates, _scratch(rates))


@compiled
def _scratch(rates):
    return np.empty(rates.weight.size), np.empty(rates.n_strata), np.empty(rates.n_strata)


@compiled
def _worst_gap(errors, rates, scratch):
    means, highest, lowest = scratch
    means[:] = 0.0
    highest[:] = -np.inf
    lowest[:] = np.inf
    for cell in range(errors.size):
        rate = rates.of_cell[cell]
        if rate >= 0:
            means[rate] += errors[cell] / rates.weight[rate]
    for rate in range(means.size):
        stratum = rates.stratum[rate]
        highest[stratum] = max(highest[stratum], means[rate])
        lowest[stratum] = min(lowest[stratum], means[rate])
    worst = 0.0
    for stratum in range(highest.size):
        worst = max(worst, highest[stratum] - lowest[stratum])
    return worst


@compiled
def weight_spoken_for_alone(rows, votes, own_weight, row_weight, tolerance):
    """Weight of the rows that no rule would cover without this one."""
    total = 0.0
    for place in range(rows.size):
        cast = 0.0
        for k in range(votes.shape[1]):
            cast += votes[rows[place], k]
        if cast - own_weight <= tolerance:
            total += row_weight[rows[place]]
    return total


@compiled
def best_other_class(votes, own_class, class_rank, tolerance):
    """The class with the most votes besides one; of equals the one with the lower rank."""
    best = 1 if own_class == 0 else 0
    for k in range(votes.size):
        lead = votes[k] - votes[best]
        is_ahead = lead > tolerance or (lead >= -tolerance and class_rank[k] < class_rank[best])
        if k != own_class and is_ahead:
            best = k
    return best


@compiled
def _merit(errors, total, rates, prices, scratch):
    gap = _worst_gap(errors, rates, scratch)
    return max(errors.sum() / total, prices.least_error) + prices.gap * max(gap - prices.epsilon, 0.0)


@compiled
def best_rule_weight(covered, votes, own_class, own_weight, errors, rows, rates, prices, bounds, best_errors):
    """The weight of one rule, 0 or within the bounds, with the lowest merit, all other rules as they are.

    merit = share of wrong rows (or least_error, if that is more) + price of gap * (worst gap above epsilon)
            + price of the rule (if the weight is not 0)

    As the weight grows, every covered row changes its class at most once, from the best other class to the rule's own,
    at the weight it needs. So merit is a step function: sort the needs, walk over them, look at every step. The middle
    of the best step is returned, with its merit; `best_errors` gets the wrong weight by cell.
    """
    least, most, tolerance = bounds
    n_rows = covered.size
    need = np.empty(n_rows)
    change = np.empty(n_rows)
    cell_of_place = np.empty(n_rows, dtype=np.int64)
    n_open = 0  # rows whose need lies where the weight may be: only those are put in order
    base = errors.copy()  # once no covered row is given to the rule's class
    at_zero = np.zeros(errors.size)  # what a weight of 0 gives to the rule's class all the same
    at_least = np.zeros(errors.size)  # what any weight but 0 gives to it
    for place in range(n_rows):
        row = covered[place]
        other = best_other_class(votes[row], own_class, rows.class_rank, tolerance)
        row_need = votes[row, other] - (votes[row, own_class] - own_weight)
        wins_ties = rows.class_rank[own_class] < rows.class_rank[other]
        row_change = ((own_class != rows.class_code[row]) - 1.0 * (other != rows.class_code[row])) * rows.weight[row]
        if own_weight - row_need > tolerance or (own_weight - row_need >= -tolerance and wins_ties):
            base[rows.cell[row]] -= row_change
        if row_need < -tolerance or (row_need <= tolerance and wins_ties):
            at_zero[rows.cell[row]] += row_change
        if row_need <= least:
            at_least[rows.cell[row]] += row_change
        elif row_need < most:
            need[n_open], change[n_open], cell_of_place[n_open] = row_need, row_change, rows.cell[row]
            n_open += 1
    order = np.argsort(need[:n_open])

    scratch = _scratch(rates)
    best_errors[:] = base + at_zero
    best_merit = _merit(best_errors, rows.total, rates, prices, scratch)
    best_weight = 0.0

    step_errors = base + at_least
    position = 0
    while True:
        low = least if position == 0 else need[order[position - 1]]
        high = most if position == n_open else need[order[position]]
        if high - low > 1e-6 * most:  # narrower steps are not told apart safely
            merit = _merit(step_errors, rows.total, rates, prices, scratch) + prices.rule
            if merit < best_merit - 1e-12:
                best_merit = merit
                best_weight = 0.5 * (low + high)
                best_errors[:] = step_errors
        if position == n_open:
            break
        passed = need[order[position]]
        while position < n_open and need[order[position]] <= passed + tolerance:
            step_errors[cell_of_place[order[position]]] += change[order[position]]
            position += 1
    return best_merit, best_weight
