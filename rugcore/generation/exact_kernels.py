"""The branch and bound of exact pricing, compiled."""

import numpy as np

from rugcore.compiled import compiled


@compiled
def search_rules(first, codes, value, literals, max_literals, best_value, best_rule):
    """Branch and bound over all rules whose first literal is `first` and whose others come later in the list.

    codes[f, s] and value[s] describe the patterns; literals[p] is a line of `Literal.as_row`. For each
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
        return literal[4] & 1 == 1
    kind = code - literal[5] + 1
    if 1 <= kind <= literal[6]:
        return (literal[4] >> kind) & 1 == 1
    return (literal[1] <= code <= literal[2]) != (literal[3] == 1)


@compiled
def _literal_sum(literal, sums):
    """sums[0] belongs to the blank; sums[c] is the sum over codes 1..c, and sums[256] over all."""
    within = sums[literal[2]] - (sums[literal[1] - 1] if literal[1] > 1 else 0.0) if literal[2] >= literal[1] else 0.0
    found = sums[256] - within if literal[3] == 1 else within
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
