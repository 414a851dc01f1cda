"""The loops over rows, compiled. Everything else in the engine works on small arrays.

Kernels release the interpreter lock and are cached on disk, so that only the first process on a machine compiles them.
They take plain arrays and write into arrays that the caller owns.
"""

import numpy as np
from numba import njit

compiled = njit(nogil=True, cache=True)


@compiled
def number_codes(numbers, cuts, codes):
    """codes[i] = 1 + how many cuts lie below the number; 0 for a blank (NaN).

    `cuts` is padded with infinities to 256 entries: eight halvings without a branch find the place.
    """
    for row in range(numbers.size):
        number = numbers[row]
        below = 0
        step = 128
        while step > 0:
            below += step * (cuts[below + step - 1] < number)
            step >>= 1
        codes[row] = 0 if np.isnan(number) else below + 1


@compiled
def add_class_histograms(codes, rows, nodes, classes, weights, histograms):
    """histograms[f, n, c, k] += weight of the rows in node n with code c in feature f and class k.

    `rows` are the rows that matter; `nodes`, `classes` and `weights` are aligned with it.
    """
    for feature in range(codes.shape[0]):
        line = codes[feature]
        table = histograms[feature]
        for position in range(rows.size):
            table[nodes[position], line[rows[position]], classes[position]] += weights[position]


@compiled
def best_split_per_node(histograms, n_codes, is_category, tolerance, best):
    """The split of each node with the largest drop in weighted Gini impurity.

    best[n] = (feature, code, is_equality, missing_goes_left, has_missing), or feature -1 where no split exists.
    A split sends codes 1..code left (a threshold) or exactly `code` left (an equality; code 0 asks for blanks).
    Among equals the first feature and code win, where equal means within `tolerance` of the node's weight: the order
    in which a sum was added up must not decide. The last code of a feature is never asked for: above the last bin
    there is nothing, and a category's last code stands for values without a name.
    """
    n_features, n_nodes, _, n_classes = histograms.shape
    total = np.zeros(n_classes)
    left = np.zeros(n_classes)
    for node in range(n_nodes):
        best[node, 0] = -1
        for k in range(n_classes):
            total[k] = histograms[0, node, :, k].sum()
        node_weight = total.sum()
        if node_weight <= 0.0 or total.max() >= node_weight * (1.0 - 1e-12):
            continue  # empty or pure
        best_score = -1.0
        for feature in range(n_features):
            table = histograms[feature, node]
            blanks = table[0].sum()
            has_missing = blanks > 0.0
            if has_missing and blanks < node_weight:
                score = _score(table[0], total, node_weight)
                if score > best_score + tolerance * node_weight:
                    best_score = score
                    _note(best, node, feature, 0, 1, 0, 1)
            if is_category[feature]:
                for code in range(1, n_codes[feature] - 1):
                    score = _score(table[code], total, node_weight)
                    if score > best_score + tolerance * node_weight:
                        best_score = score
                        _note(best, node, feature, code, 1, 0, has_missing)
                continue
            for missing_left in range(2 if has_missing else 1):
                for k in range(n_classes):
                    left[k] = table[0, k] if missing_left else 0.0
                for code in range(1, n_codes[feature] - 1):
                    is_empty = True
                    for k in range(n_classes):
                        if table[code, k] > 0.0:
                            left[k] += table[code, k]
                            is_empty = False
                    if is_empty:
                        continue
                    score = _score(left, total, node_weight)
                    if score > best_score + tolerance * node_weight:
                        best_score = score
                        _note(best, node, feature, code, 0, missing_left, has_missing)
        if best[node, 0] >= 0 and best[node, 2] == 0:
            _centre_in_gap(histograms[best[node, 0], node], n_codes[best[node, 0]], best[node])


@compiled
def _score(left, total, node_weight):
    """sum_k L_k^2 / L + sum_k R_k^2 / R: largest where the Gini impurity is smallest; -2 if a side is empty."""
    left_weight = 0.0
    left_square = 0.0
    right_square = 0.0
    for k in range(left.size):
        left_weight += left[k]
        left_square += left[k] * left[k]
        right_square += (total[k] - left[k]) ** 2
    right_weight = node_weight - left_weight
    least = 1e-12 * node_weight
    if left_weight <= least or right_weight <= least:
        return -2.0
    return left_square / left_weight + right_square / right_weight


@compiled
def _note(best, node, feature, code, is_equality, missing_left, has_missing):
    best[node, 0] = feature
    best[node, 1] = code
    best[node, 2] = is_equality
    best[node, 3] = missing_left
    best[node, 4] = has_missing


@compiled
def _centre_in_gap(table, n_codes, split):
    """Cut in the middle of the codes that no row of the node has: the best guess for rows yet to come."""
    following = split[1] + 1
    while following < n_codes - 1 and table[following].sum() <= 0.0:
        following += 1
    split[1] = (split[1] + following - 1) // 2


@compiled
def move_to_children(codes, feature, route, rows, duals, guides, classes, nodes):
    """Send every row to route[node, code]; drop those whose journey ends (-1) and return how many are left.

    The arrays are compacted in place: one pass, no copies.
    """
    count = 0
    for position in range(rows.size):
        node = nodes[position]
        if feature[node] < 0:
            continue
        row = rows[position]
        child = route[node, codes[feature[node], row]]
        if child < 0:
            continue
        rows[count] = row
        duals[count] = duals[position]
        guides[count] = guides[position]
        classes[count] = classes[position]
        nodes[count] = child
        count += 1
    return count


@compiled
def cover_words(codes, features, masks, start, stop, words):
    """words[i] = AND over features of masks[feature, code]: bit b is set where rule b covers row i."""
    for row in range(start, stop):
        words[row] = ~np.uint64(0)
    for position in range(features.size):
        line = codes[features[position]]
        mask = masks[position]
        for row in range(start, stop):
            words[row] &= mask[line[row]]


@compiled
def number_words(words, mask, capacity_bits, table_words, table_cells, distinct, cells):
    """cells[i] = number of the word of row i, in order of first sight; returns how many, or -1 if out of room.

    Bits outside `mask` do not count. A hash table with linear probing: the words are few, the rows many.
    """
    size = np.int64(1) << capacity_bits
    shift = np.uint64(64 - capacity_bits)
    n_distinct = 0
    for row in range(words.size):
        word = words[row] & mask
        slot = np.int64((word * np.uint64(0x9E3779B97F4A7C15)) >> shift)
        while table_cells[slot] >= 0 and table_words[slot] != word:
            slot = (slot + 1) & (size - 1)
        if table_cells[slot] < 0:
            if 2 * (n_distinct + 1) > size:
                return -1
            table_words[slot] = word
            table_cells[slot] = n_distinct
            distinct[n_distinct] = word
            n_distinct += 1
        cells[row] = table_cells[slot]
    return n_distinct


@compiled
def add_weight_per_key(signature, cells, n_cells, row_weight, total):
    """total[signature * n_cells + cell] += row weight."""
    for row in range(signature.size):
        total[np.int64(signature[row]) * n_cells + cells[row]] += row_weight[row]


@compiled
def relabel(signature, cells, n_cells, new_label):
    """signature[i] = new_label of its key, in place."""
    for row in range(signature.size):
        signature[row] = new_label[np.int64(signature[row]) * n_cells + cells[row]]


@compiled
def collect_rows(signature, dual, guide, row_weight, least, rows, duals, guides):
    """The rows whose guide is above `least`, with their dual and guide (both given per unit of row weight)."""
    count = 0
    for row in range(signature.size):
        merged = signature[row]
        if guide[merged] > least and row_weight[row] > 0.0:
            rows[count] = row
            duals[count] = dual[merged] * row_weight[row]
            guides[count] = guide[merged] * row_weight[row]
            count += 1
    return count


@compiled
def add_node_classes(nodes, classes, weights, total):
    """total[n, k] += weight of the rows in node n of class k."""
    for position in range(nodes.size):
        total[nodes[position], classes[position]] += weights[position]


@compiled
def add_votes(words, vote_table, start, stop, votes):
    """votes[i, k] += weight of the rules in words[i] that vote for class k.

    vote_table[b, v, k] holds the votes of the rules whose bits are set in value v of byte b of a word.
    """
    n_bytes, _, n_classes = vote_table.shape
    for row in range(start, stop):
        word = words[row]
        for byte in range(n_bytes):
            value = (word >> np.uint64(8 * byte)) & np.uint64(255)
            if value:
                for k in range(n_classes):
                    votes[row, k] += vote_table[byte, value, k]


@compiled
def list_bits(words, n_bits, first_rule, start, stop, place, indices):
    """Write the numbers of the rules that cover each row from indices[place[i]] on, and move place[i] along."""
    for row in range(start, stop):
        word = words[row]
        for bit in range(n_bits):
            if (word >> np.uint64(bit)) & np.uint64(1):
                indices[place[row]] = first_rule + bit
                place[row] += 1


@compiled
def search_rules(first, codes, value, literals, max_literals, best_value, best_rule):
    """Branch and bound over all rules whose first literal is `first` and whose others come later in the list.

    codes[f, s] and value[s] describe the patterns; literals[p] = (feature, low, high, negated, or_missing). For each
    number of columns l, best_value[l] is the most that a rule on l columns collects, and best_rule[l] its literals
    (-1 where there are fewer); both are improved in place. A branch ends where even the patterns of positive value
    left in it could not beat the best of any length it can still reach.
    """
    n_features, n_patterns = codes.shape
    n_literals = literals.shape[0]
    covered = np.empty((max_literals, n_patterns), dtype=np.int32)
    n_covered = np.zeros(max_literals, dtype=np.int64)
    gains = np.zeros((max_literals, n_features, 257))  # prefix sums over codes; [.., 0] is the blank's own sum
    losses = np.zeros((max_literals, n_features, 257))
    chosen = np.full(max_literals, -1, dtype=np.int64)
    following = np.zeros(max_literals, dtype=np.int64)
    n_columns = np.zeros(max_literals, dtype=np.int64)

    depth = 0
    chosen[0] = first
    n_columns[0] = 1
    for pattern in range(n_patterns):
        if _literal_allows(literals[first], codes[literals[first, 0], pattern]):
            covered[0, n_covered[0]] = pattern
            n_covered[0] += 1
    total = 0.0
    for position in range(n_covered[0]):
        total += value[covered[0, position]]
    _note_rule(total, 1, chosen, 1, best_value, best_rule)
    following[0] = first + 1
    if max_literals > 1:
        _sum_by_code(codes, value, covered[0], n_covered[0], gains[0], losses[0])
    while depth >= 0:
        if depth + 1 >= max_literals or following[depth] >= n_literals:
            depth -= 1
            continue
        literal = literals[following[depth]]
        chosen[depth + 1] = following[depth]
        following[depth] += 1
        gain = _literal_sum(literal, gains[depth, literal[0]])
        if gain <= 0.0:
            continue
        loss = _literal_sum(literal, losses[depth, literal[0]])
        is_new = 1
        for position in range(depth + 1):
            if literals[chosen[position], 0] == literal[0]:
                is_new = 0
        columns = n_columns[depth] + is_new
        _note_rule(gain - loss, columns, chosen, depth + 2, best_value, best_rule)
        left = max_literals - (depth + 2)
        if left == 0:
            continue
        can_improve = False
        for length in range(columns, min(columns + left, best_value.size - 1) + 1):
            if gain > best_value[length]:
                can_improve = True
        if not can_improve:
            continue
        n_covered[depth + 1] = 0
        for position in range(n_covered[depth]):
            pattern = covered[depth, position]
            if _literal_allows(literal, codes[literal[0], pattern]):
                covered[depth + 1, n_covered[depth + 1]] = pattern
                n_covered[depth + 1] += 1
        if n_covered[depth + 1] == n_covered[depth]:
            continue  # the literal rules nothing out: the branch without it is the same and shorter
        depth += 1
        n_columns[depth] = columns
        following[depth] = chosen[depth] + 1
        _sum_by_code(codes, value, covered[depth], n_covered[depth], gains[depth], losses[depth])


@compiled
def _literal_allows(literal, code):
    if code == 0:
        return literal[4] == 1
    return (literal[1] <= code <= literal[2]) != (literal[3] == 1)


@compiled
def _literal_sum(literal, sums):
    """sums[0] belongs to the blank; sums[c] is the sum over codes 1..c, and sums[256] over all."""
    within = sums[literal[2]] - (sums[literal[1] - 1] if literal[1] > 1 else 0.0) if literal[2] >= literal[1] else 0.0
    known = sums[256] - within if literal[3] == 1 else within
    return known + sums[0] if literal[4] == 1 else known


@compiled
def _sum_by_code(codes, value, covered, n_covered, gains, losses):
    gains[:] = 0.0
    losses[:] = 0.0
    for feature in range(codes.shape[0]):
        for position in range(n_covered):
            pattern = covered[position]
            if value[pattern] > 0.0:
                gains[feature, codes[feature, pattern]] += value[pattern]
            else:
                losses[feature, codes[feature, pattern]] -= value[pattern]
        for code in range(2, 257):
            gains[feature, code] += gains[feature, code - 1]
            losses[feature, code] += losses[feature, code - 1]


@compiled
def _note_rule(total, columns, chosen, n_chosen, best_value, best_rule):
    if columns < best_value.size and total > best_value[columns]:
        best_value[columns] = total
        best_rule[columns, :] = -1
        best_rule[columns, :n_chosen] = chosen[:n_chosen]


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
def best_other_class(votes, own_label, class_rank, tolerance):
    """The class with the most votes besides one; of equals the one with the lower rank."""
    best = 1 if own_label == 0 else 0
    for k in range(votes.size):
        lead = votes[k] - votes[best]
        is_ahead = lead > tolerance or (lead >= -tolerance and class_rank[k] < class_rank[best])
        if k != own_label and is_ahead:
            best = k
    return best


@compiled
def best_rule_weight(
    rows,
    votes,
    own_label,
    own_weight,
    label,
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
        other = best_other_class(votes[row], own_label, class_rank, tolerance)
        row_need = votes[row, other] - (votes[row, own_label] - own_weight)
        wins_ties = class_rank[own_label] < class_rank[other]
        row_change = ((own_label != label[row]) - 1.0 * (other != label[row])) * row_weight[row]
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
