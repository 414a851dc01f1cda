"""The branch and bound of exact pricing, compiled."""

import numpy as np

from rugcore.compiled import compiled


@compiled
def search_rules(first, codes, value, n_gaining, n_codes, literals, max_literals, stop, best_value, best_rule):
    """Branch and bound over all rules whose first literal is `first` and whose others come later in the list.

    codes[f, s] and value[s] describe the patterns, the `n_gaining` of positive value first; codes are below `n_codes`;
    literals[p] is a line of `Literal.as_row`. For each number of columns l, best_value[l] is the most that a rule on
    l columns collects, and best_rule[l] its literals (-1 where there are fewer); both are improved in place. A branch
    ends where even the patterns of positive value left in it could not beat the best of any length it can still reach.
    Somebody else may set stop[0]: the search then ends where it is. Returns whether it came to its end.
    """
    n_features, n_patterns = codes.shape
    n_literals = literals.shape[0]
    covered = np.empty((max_literals, n_patterns), dtype=np.int32)
    n_covered = np.zeros((max_literals, 2), dtype=np.int64)  # of positive value, and in all
    gains = np.zeros((max_literals, n_features, n_codes))  # prefix sums over codes; [.., 0] is the blank's own sum
    losses = np.zeros((max_literals, n_features, n_codes))
    chosen = np.full(max_literals, -1, dtype=np.int64)
    following = np.zeros(max_literals, dtype=np.int64)
    n_columns = np.zeros(max_literals, dtype=np.int64)
    everything = np.arange(n_patterns).astype(np.int32)

    depth = 0
    chosen[0] = first
    n_columns[0] = 1
    following[0] = first + 1
    _keep_covered(literals[first], codes, everything, n_gaining, n_patterns, covered[0], n_covered[0])
    total = 0.0
    for position in range(n_covered[0, 1]):
        total += value[covered[0, position]]
    _note_rule(total, 1, chosen, 1, best_value, best_rule)
    if max_literals > 1:
        _sum_by_code(codes, value, covered[0], n_covered[0], gains[0], losses[0])
    while depth >= 0:
        if stop[0]:
            return False
        if depth + 1 >= max_literals or following[depth] >= n_literals:
            depth -= 1
            continue
        literal = literals[following[depth]]
        chosen[depth + 1] = following[depth]
        following[depth] += 1
        gain = _literal_sum(literal, gains[depth, literal[0]])
        if gain <= 0.0:
            continue
        is_new = 1
        for position in range(depth + 1):
            if literals[chosen[position], 0] == literal[0]:
                is_new = 0
        columns = n_columns[depth] + is_new
        left = max_literals - (depth + 2)
        can_improve = False
        for length in range(columns, min(columns + left, best_value.size - 1) + 1):
            if gain > best_value[length]:
                can_improve = True
        if not can_improve:
            continue
        loss = _literal_sum(literal, losses[depth, literal[0]])
        _note_rule(gain - loss, columns, chosen, depth + 2, best_value, best_rule)
        if left == 0:
            continue
        _keep_covered(
            literal,
            codes,
            covered[depth],
            n_covered[depth, 0],
            n_covered[depth, 1],
            covered[depth + 1],
            n_covered[depth + 1],
        )
        if n_covered[depth + 1, 1] == n_covered[depth, 1]:
            continue  # the literal rules nothing out: the branch without it is the same and shorter
        depth += 1
        n_columns[depth] = columns
        following[depth] = chosen[depth] + 1
        _sum_by_code(codes, value, covered[depth], n_covered[depth], gains[depth], losses[depth])
    return True


@compiled
def _keep_covered(literal, codes, among, n_gaining, n_among, covered, n_covered):
    """Those of the patterns `among` that the literal allows, in their order; how many of them gain, and all."""
    count = 0
    own = codes[literal[0]]
    for position in range(n_among):
        if position == n_gaining:
            n_covered[0] = count
        pattern = among[position]
        if _literal_allows(literal, own[pattern]):
            covered[count] = pattern
            count += 1
    if n_gaining == n_among:
        n_covered[0] = count
    n_covered[1] = count


@compiled
def _literal_allows(literal, code):
    if code == 0:
        return literal[4] & 1 == 1
    kind = code - literal[5] + 1
    if 1 <= kind <= literal[6]:
        return (literal[4] >> kind) & 1 == 1
    return (literal[1] <= code <= literal[2]) != (literal[3] == 1)


@compiled
def _literal_sum(literal, sums):
    """sums[0] belongs to the blank; sums[c] is the sum over codes 1..c, the last one over all."""
    last = sums.size - 1
    high = min(literal[2], last)
    low = literal[1]
    within = sums[high] - (sums[low - 1] if low > 1 else 0.0) if high >= low else 0.0
    found = sums[last] - within if literal[3] == 1 else within
    if literal[4] & 1 == 1:
        found += sums[0]
    for kind in range(1, literal[6] + 1):
        code = literal[5] + kind - 1
        is_within = (literal[1] <= code <= literal[2]) != (literal[3] == 1)
        is_meant = (literal[4] >> kind) & 1 == 1
        if is_meant != is_within:
            own = sums[code] - (sums[code - 1] if code > 1 else 0.0)
            found += own if is_meant else -own
    return found


@compiled
def _sum_by_code(codes, value, covered, n_covered, gains, losses):
    gains[:] = 0.0
    losses[:] = 0.0
    n_codes = gains.shape[1]
    for feature in range(codes.shape[0]):
        own, gain, loss = codes[feature], gains[feature], losses[feature]
        for position in range(n_covered[0]):
            pattern = covered[position]
            gain[own[pattern]] += value[pattern]
        for position in range(n_covered[0], n_covered[1]):
            pattern = covered[position]
            loss[own[pattern]] -= value[pattern]
        for code in range(2, n_codes):
            gain[code] += gain[code - 1]
            loss[code] += loss[code - 1]


@compiled
def _note_rule(total, columns, chosen, n_chosen, best_value, best_rule):
    if columns < best_value.size and total > best_value[columns]:
        best_value[columns] = total
        best_rule[columns, :] = -1
        best_rule[columns, :n_chosen] = chosen[:n_chosen]
