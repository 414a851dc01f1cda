"""How well something tells two groups apart: of two people, one of each, how often a guess by it is right.

That is the area under the ROC curve. Everything here works on counts: how many people of each group have which value.
"""

import numpy as np

NOTHING = 0.5  # a coin is right in half of the pairs


def share_of_pairs(first: np.ndarray, second: np.ndarray, score: np.ndarray) -> float:
    """Of all pairs of one person of each group, the share in which the first scores higher; a tie counts one half.

    `first` and `second` count the people of each group by value, and `score` is what a value scores. NaN where a group
    has nobody.
    """
    n_pairs = float(first.sum()) * float(second.sum())
    if n_pairs == 0:
        return float("nan")
    _, place = np.unique(score, return_inverse=True)
    ours, theirs = np.bincount(place, first), np.bincount(place, second)
    below = np.cumsum(theirs) - theirs
    return float((ours * (below + theirs / 2)).sum() / n_pairs)


def by_order(first: np.ndarray, second: np.ndarray) -> float:
    """The values in their order: the better of "more of it means the first group" and the reverse."""
    share = share_of_pairs(first, second, np.arange(len(first)))
    return max(share, 1 - share)


def by_learned_values(first: np.ndarray, second: np.ndarray) -> float:
    """Which group a value stands for, learned from other people than those it is tried on: never from the same.

    The counts have a line per fold and a column per value. A value that the other folds never showed says nothing.
    """
    shares = []
    for fold in range(len(first)):
        ours, theirs = first.sum(axis=0) - first[fold], second.sum(axis=0) - second[fold]
        usual = ours.sum() / max(ours.sum() + theirs.sum(), 1)
        score = (ours + usual) / (ours + theirs + 1)  # one person more of the usual kind: few people say little
        shares.append(share_of_pairs(first[fold], second[fold], score))
    known = [share for share in shares if share == share]
    return max(float(np.mean(known)), NOTHING) if known else float("nan")
