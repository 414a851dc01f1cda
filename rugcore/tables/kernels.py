"""Loops over rows, compiled: numbers into codes, codes into rules that hold, rules into votes."""

import numpy as np

from rugcore.compiled import compiled


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
