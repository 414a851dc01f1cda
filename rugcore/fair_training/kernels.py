"""The exact search along one rule weight, compiled."""

from typing import NamedTuple

import numpy as np

from rugcore.compiled import compiled


class Rows(NamedTuple):
    """The merged rows, as decisions see them: those that no rule tells apart are decided together.

    Row r has the parts ends[r] to ends[r + 1]: how much of its weight lies in which cell.
    """

    class_code: np.ndarray  # by row
    ends: np.ndarray
    cell: np.ndarray  # by part
    weight: np.ndarray  # by part
    total: float  # of the weights
    class_rank: np.ndarray  # of the classes: ties go to the lowest
    class_of_cell: np.ndarray


class Rates(NamedTuple):
    """The rates that a notion compares; the first three by cell and decided class."""

    number: np.ndarray  # of the rate that such rows belong to; -1 where they are not compared
    is_among: np.ndarray  # whether it looks at them
    is_counted: np.ndarray  # whether it counts them
    least: np.ndarray  # of each rate: resting on less weight, it cannot be told
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
    may_be_zero: bool = True


class Sums(NamedTuple):
    """What the rates are made of, kept up to date while rows change their decision."""

    counted: np.ndarray  # weight by rate
    among: np.ndarray
    highest: np.ndarray  # scratch, by stratum
    lowest: np.ndarray


@compiled
def worst_gap(tally, rates):
    """The largest difference of two rates within one stratum; 1 where one of them cannot be told."""
    return _worst_gap(_sums(tally, rates), rates)


@compiled
def _sums(tally, rates):
    n_rates = rates.least.size
    sums = Sums(np.zeros(n_rates), np.zeros(n_rates), np.empty(rates.n_strata), np.empty(rates.n_strata))
    for cell in range(tally.shape[0]):
        for decided in range(tally.shape[1]):
            _add(sums, rates, cell, decided, tally[cell, decided])
    return sums


@compiled
def _add(sums, rates, cell, decided, weight):
    rate = rates.number[cell, decided]
    if rate >= 0:
        if rates.is_counted[cell, decided]:
            sums.counted[rate] += weight
        if rates.is_among[cell, decided]:
            sums.among[rate] += weight


@compiled
def _worst_gap(sums, rates):
    sums.highest[:] = -np.inf
    sums.lowest[:] = np.inf
    for rate in range(rates.least.size):
        if sums.among[rate] <= 0.0 or sums.among[rate] < rates.least[rate] - 1e-9:
            return 1.0
        mean = sums.counted[rate] / sums.among[rate]
        stratum = rates.stratum[rate]
        sums.highest[stratum] = max(sums.highest[stratum], mean)
        sums.lowest[stratum] = min(sums.lowest[stratum], mean)
    worst = 0.0
    for stratum in range(rates.n_strata):
        worst = max(worst, sums.highest[stratum] - sums.lowest[stratum])
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
def _merit(wrong, sums, total, rates, prices):
    gap = _worst_gap(sums, rates)
    return max(wrong / total, prices.least_error) + prices.gap * max(gap - prices.epsilon, 0.0)


@compiled
def _give(tally, rows, row, other, own, sign):
    """Move a row from the best other class to the rule's own, or (sign -1) back; says what that adds to the errors."""
    moved = 0.0
    for part in range(rows.ends[row], rows.ends[row + 1]):
        weight = sign * rows.weight[part]
        tally[rows.cell[part], other] -= weight
        tally[rows.cell[part], own] += weight
        moved += weight
    return ((own != rows.class_code[row]) - 1.0 * (other != rows.class_code[row])) * moved


@compiled
def _give_rates(sums, rates, rows, row, other, own):
    """What moving a row does to what the rates are made of."""
    for part in range(rows.ends[row], rows.ends[row + 1]):
        _add(sums, rates, rows.cell[part], other, -rows.weight[part])
        _add(sums, rates, rows.cell[part], own, rows.weight[part])


@compiled
def _wrong(tally, rows):
    """The wrongly decided weight: of a row's cell, all that is not decided for the class of the cell."""
    wrong = 0.0
    for cell in range(tally.shape[0]):
        for decided in range(tally.shape[1]):
            if decided != rows.class_of_cell[cell]:
                wrong += tally[cell, decided]
    return wrong


@compiled
def best_rule_weight(covered, votes, own_class, own_weight, tally, rows, rates, prices, bounds, best_tally):
    """The weight of one rule, 0 (if it may be) or within the bounds, with the lowest merit, all others as they are.

    merit = share of wrong rows (or least_error, if that is more) + price of gap * (worst gap above epsilon)
            + price of the rule (if the weight is not 0)

    As the weight grows, every covered row changes its class at most once, from the best other class to the rule's own,
    at the weight it needs. So merit is a step function: sort the needs, walk over them, look at every step. The middle
    of the best step is returned, with its merit (infinite where no step is wide enough); `best_tally` gets the weight
    by cell and decided class.
    """
    least, most, tolerance, may_be_zero = bounds
    n_rows = covered.size
    need = np.empty(n_rows)
    place_of = np.empty(n_rows, dtype=np.int64)
    others = np.empty(n_rows, dtype=np.int64)
    n_open = 0  # rows whose need lies where the weight may be: only those are put in order
    best_tally[:] = tally  # with a weight of 0
    step_tally = tally.copy()  # with the least weight
    for place in range(n_rows):
        row = covered[place]
        other = best_other_class(votes[row], own_class, rows.class_rank, tolerance)
        others[place] = other
        row_need = votes[row, other] - (votes[row, own_class] - own_weight)
        wins_ties = rows.class_rank[own_class] < rows.class_rank[other]
        is_given = own_weight - row_need > tolerance or (own_weight - row_need >= -tolerance and wins_ties)
        at_zero = row_need < -tolerance or (row_need <= tolerance and wins_ties)
        at_least = row_need <= least
        if is_given != at_zero:
            _give(best_tally, rows, row, other, own_class, 1.0 if at_zero else -1.0)
        if is_given != at_least:
            _give(step_tally, rows, row, other, own_class, 1.0 if at_least else -1.0)
        if not at_least and row_need < most:
            need[n_open], place_of[n_open] = row_need, place
            n_open += 1
    order = np.argsort(need[:n_open])

    best_merit, best_weight = np.inf, 0.0
    if may_be_zero:
        best_merit = _merit(_wrong(best_tally, rows), _sums(best_tally, rates), rows.total, rates, prices)

    wrong, sums = _wrong(step_tally, rows), _sums(step_tally, rates)
    position = 0
    while True:
        low = least if position == 0 else need[order[position - 1]]
        high = most if position == n_open else need[order[position]]
        if high - low > 1e-6 * most:  # narrower steps are not told apart safely
            merit = _merit(wrong, sums, rows.total, rates, prices) + prices.rule
            if merit < best_merit - 1e-12:
                best_merit = merit
                best_weight = 0.5 * (low + high)
                best_tally[:] = step_tally
        if position == n_open:
            break
        passed = need[order[position]]
        while position < n_open and need[order[position]] <= passed + tolerance:
            place = place_of[order[position]]
            row, other = covered[place], others[place]
            wrong += _give(step_tally, rows, row, other, own_class, 1.0)
            _give_rates(sums, rates, rows, row, other, own_class)
            position += 1
    return best_merit, best_weight
