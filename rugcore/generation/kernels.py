"""Loops over rows, compiled: class histograms, splits, and rows that no rule tells apart."""

import numpy as np

from rugcore.compiled import compiled


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
def best_split_per_node(histograms, n_codes, is_category, n_specials, direction, favourable, tolerance, best):
    """The split of each node with the largest drop in weighted Gini impurity.

    best[n] = (feature, code, is_equality, left_kinds, seen_kinds), or feature -1 where no split exists.
    A split sends codes 1..code left (a threshold) or exactly `code` left (an equality; code 0 asks for blanks, the last
    codes of a column of numbers for its special codes). What is not a number goes along with either side of a
    threshold: the bits of `left_kinds` say what goes left, those of `seen_kinds` what the node has (bit 0: blanks, bit
    k: the special code k).
    Where direction[feature] is 1, a threshold must leave the class `favourable` a larger share on its right, where it
    is -1 on its left: the bounds of any other threshold would have to be dropped from the rules that want them.
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
            n_values = n_codes[feature] - n_specials[feature]
            seen, n_seen = _seen_kinds(table, n_values, n_specials[feature])
            has_missing = seen & 1
            for kind in range(n_specials[feature] + 1):
                code = 0 if kind == 0 else n_values + kind - 1
                if (seen >> kind) & 1:
                    score = _score(table[code], total, node_weight)
                    if score > best_score + tolerance * node_weight:
                        best_score = score
                        _note(best, node, feature, code, 1, 0, has_missing)
            if is_category[feature]:
                for code in range(1, n_values - 1):
                    score = _score(table[code], total, node_weight)
                    if score > best_score + tolerance * node_weight:
                        best_score = score
                        _note(best, node, feature, code, 1, 0, has_missing)
                continue
            for way in range(_n_ways(n_seen)):
                left_kinds = _left_kinds(way, seen, n_seen)
                for k in range(n_classes):
                    left[k] = table[0, k] if left_kinds & 1 else 0.0
                    for kind in range(1, n_specials[feature] + 1):
                        if (left_kinds >> kind) & 1:
                            left[k] += table[n_values + kind - 1, k]
                for code in range(1, n_values - 1):
                    is_empty = True
                    for k in range(n_classes):
                        if table[code, k] > 0.0:
                            left[k] += table[code, k]
                            is_empty = False
                    if is_empty:
                        continue
                    score = _score(left, total, node_weight)
                    if score > best_score + tolerance * node_weight:
                        if direction[feature] and not _agrees(left, total, favourable, direction[feature]):
                            continue
                        best_score = score
                        _note(best, node, feature, code, 0, left_kinds, seen)
        if best[node, 0] >= 0 and best[node, 2] == 0:
            chosen = best[node, 0]
            _centre_in_gap(histograms[chosen, node], n_codes[chosen] - n_specials[chosen], best[node])


@compiled
def _agrees(left, total, favourable, direction):
    """Whether the favourable class has a larger share where the direction says so; both sides have weight."""
    on_left = left[favourable] * (total.sum() - left.sum())
    on_right = (total[favourable] - left[favourable]) * left.sum()
    return direction * (on_right - on_left) > 0.0


@compiled
def _seen_kinds(table, n_values, n_specials):
    """Which of blanks (bit 0) and special codes (bit k) a node has, and how many of them."""
    seen, n_seen = 0, 0
    for kind in range(n_specials + 1):
        if table[0 if kind == 0 else n_values + kind - 1].sum() > 0.0:
            seen |= 1 << kind
            n_seen += 1
    return seen, n_seen


@compiled
def _n_ways(n_seen):
    """Of up to four kinds every subset can go left; of more, none, all, one, or all but one."""
    return 1 << n_seen if n_seen <= 4 else 2 * n_seen + 2


@compiled
def _left_kinds(way, seen, n_seen):
    """The kinds that go left, as bits."""
    chosen = way
    if n_seen > 4:
        every = (1 << n_seen) - 1
        chosen = 1 << (way // 2) if way // 2 < n_seen else 0
        if way % 2:
            chosen = every - chosen
    left, place = 0, 0
    for kind in range(64):
        if (seen >> kind) & 1:
            left |= ((chosen >> place) & 1) << kind
            place += 1
        if place == n_seen:
            break
    return left


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
def _note(best, node, feature, code, is_equality, left_kinds, seen_kinds):
    best[node, 0] = feature
    best[node, 1] = code
    best[node, 2] = is_equality
    best[node, 3] = left_kinds
    best[node, 4] = seen_kinds


@compiled
def _centre_in_gap(table, n_values, split):
    """Cut in the middle of the codes that no row of the node has: the best guess for rows yet to come."""
    following = split[1] + 1
    while following < n_values - 1 and table[following].sum() <= 0.0:
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
def add_patterns(codes, feature, allows, rows, dual, signature, start, stop, duals, weights):
    """Which literals hold for a row, as the bits of a number: its pattern.

    By pattern and class, `duals` gets the duals of the rows from `start` to `stop` and `weights` their weights.
    """
    for row in range(start, stop):
        pattern = 0
        for literal in range(feature.size):
            pattern |= allows[literal, codes[feature[literal], row]] << literal
        weights[pattern, rows.classes[row]] += rows.weight[row]
        duals[pattern, rows.classes[row]] += dual[signature[row]] * rows.weight[row]


@compiled
def look_around(codes, feature, allows, rows, row_votes, vote, start, stop, loss, reached, opposed, alone):
    """What would change for the rows from `start` to `stop` if a rule lost one of its literals, or went.

    For every literal, over the rows that meet all others and miss it: `loss` gets the change of their loss if the rule
    spoke for them too, `reached` their weight by class, `opposed` the weight of those decided for another class. In the
    last place stand the rows that the rule covers: the change of their loss if it went, and their weight. `alone` gets
    the weight of those for whom no other rule speaks.
    """
    n_literals = feature.size
    for row in range(start, stop):
        missed = n_literals
        for literal in range(n_literals):
            if not allows[literal, codes[feature[literal], row]]:
                if missed < n_literals:
                    missed = -1
                    break
                missed = literal
        if missed < 0:
            continue
        own = rows.classes[row]
        change = vote.right if own == vote.class_code else vote.wrong
        if missed == n_literals:
            change = -change
            if row_votes.n_speakers[row] == 1:
                alone[0] += rows.weight[row]
        lead = row_votes.lead[row]
        loss[missed] += rows.weight[row] * (max(0.0, 1.0 - lead - change) - max(0.0, 1.0 - lead))
        reached[missed, own] += rows.weight[row]
        if row_votes.decided[row] != vote.class_code:
            opposed[missed] += rows.weight[row]


@compiled
def move_votes(codes, feature, allows, dropped, rows, row_votes, vote):
    """Let a rule speak for those that miss the literal `dropped` alone; or, if it is none of them, take it away."""
    n_literals = feature.size
    for row in range(rows.classes.size):
        is_meant = True
        for literal in range(n_literals):
            if allows[literal, codes[feature[literal], row]] == (literal == dropped):
                is_meant = False
                break
        if is_meant:
            sign = 1 if dropped < n_literals else -1
            change = vote.right if rows.classes[row] == vote.class_code else vote.wrong
            row_votes.lead[row] += sign * change
            row_votes.n_speakers[row] += sign
