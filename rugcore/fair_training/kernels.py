"""The exact search along one rule weight, compiled."""

import numpy as np

from rugcore.compiled import compiled


@compiled
def worst_gap(errors, rate_of_cell, rate_weight, stratum_of_rate, n_strata):
    """The largest difference of two error rates within one stratum; cells with rate -1 are not compared."""
    scratch = (np.empty(rate_weight.size), np.empty(n_strata), np.empty(n_strata))
    return _worst_gap(errors, rate_of_cell, rate_weight, stratum_of_rate, scratch)


@compiled
def _worst_gap(errors, rate_of_cell, rate_weight, stratum_of_rate, scratch):
    rates, highest, lowest = scratch
    rates[:] = 0.0
    highest[:] = -np.inf
    lowest[:] = np.inf
    for cell in range(errors.size):
        if rate_of_cell[cell] >= 0:
            rates[rate_of_cell[cell]] += errors[cell] / rate_weight[rate_of_cell[cell]]
    for rate in range(rates.size):
        stratum = stratum_of_rate[rate]
        highest[stratum] = max(highest[stratum], rates[rate])
        lowest[stratum] = min(lowest[stratum], rates[rate])
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
def best_rule_weight(
    rows,
    votes,
    own_class,
    own_weight,
    class_code,
    row_weight,
    total,
    cell,
    errors,
    class_rank,
    rate_of_cell,
    rate_weight,
    stratum_of_rate,
    n_strata,
    epsilon,
    gap_price,
    rule_price,
    least_error,
    least,
    most,
    tolerance,
    best_errors,
):
    """The weight of one rule, 0 or within [least, most], with the lowest merit, all other rules as they are.

    merit = share of wrong rows (or least_error, if that is more) + gap_price * (worst gap above epsilon)
            + rule_price (if the weight is not 0)

    As the weight grows, every covered row changes its class at most once, from the best other class to the rule's own,
    at the weight it needs. So merit is a step function: sort the needs, walk over them, look at every step. The middle
    of the best step is returned, with its merit; `best_errors` gets the wrong weight by cell.
    """
    n_rows = rows.size
    need = np.empty(n_rows)
    change = np.empty(n_rows)
    cell_of_place = np.empty(n_rows, dtype=np.int64)
    n_open = 0  # rows whose need lies where the weight may be: only those are put in order
    base = errors.copy()  # once no covered row is given to the rule's class
    at_zero = np.zeros(errors.size)  # what a weight of 0 gives to the rule's class all the same
    at_least = np.zeros(errors.size)  # what any weight but 0 gives to it
    for place in range(n_rows):
        row = rows[place]
        other = best_other_class(votes[row], own_class, class_rank, tolerance)
        row_need = votes[row, other] - (votes[row, own_class] - own_weight)
        wins_ties = class_rank[own_class] < class_rank[other]
        row_change = ((own_class != class_code[row]) - 1.0 * (other != class_code[row])) * row_weight[row]
        if own_weight - row_need > tolerance or (own_weight - row_need >= -tolerance and wins_ties):
            base[cell[row]] -= row_change
        if row_need < -tolerance or (row_need <= tolerance and wins_ties):
            at_zero[cell[row]] += row_change
        if row_need <= least:
            at_least[cell[row]] += row_change
        elif row_need < most:
            need[n_open], change[n_open], cell_of_place[n_open] = row_need, row_change, cell[row]
            n_open += 1
    order = np.argsort(need[:n_open])

    scratch = (np.empty(rate_weight.size), np.empty(n_strata), np.empty(n_strata))
    best_errors[:] = base + at_zero
    gap = _worst_gap(best_errors, rate_of_cell, rate_weight, stratum_of_rate, scratch)
    best_merit = max(best_errors.sum() / total, least_error) + gap_price * max(gap - epsilon, 0.0)
    best_weight = 0.0

    step_errors = base + at_least
    position = 0
    while True:
        low = least if position == 0 else need[order[position - 1]]
        high = most if position == n_open else need[order[position]]
        if high - low > 1e-6 * most:  # narrower steps are not told apart safely
            gap = _worst_gap(step_errors, rate_of_cell, rate_weight, stratum_of_rate, scratch)
            merit = max(step_errors.sum() / total, least_error) + gap_price * max(gap - epsilon, 0.0) + rule_price
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
