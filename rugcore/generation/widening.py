"""A rule that may not be said as it was found is widened until it may be, or dropped.

Leaving out literals lets a rule speak for more people. Of all sets of its literals that make a sound rule, one with
most literals is taken, and of those the one with the lowest reduced cost: the lowest of all would lead to the same few
broad rules from most leaves, and to linear programs that take several times longer.

All sets are judged at once from how the rows meet and miss the literals, their patterns: a rule that asks for the
literals in S covers the patterns that contain S.
"""

from collections.abc import Sequence

import numpy as np

from rugcore.generation.candidates import Candidate, PricedCandidate
from rugcore.generation.costs import CostModel
from rugcore.generation.features import Features
from rugcore.generation.literals import CodeLiteral, joined, literals_of, n_columns
from rugcore.generation.seam import Patterns, Rows
from rugcore.generation.soundness import Soundness

# A rule of more literals loses its last ones before the sets are looked at: each doubles their number.
MOST_LITERALS = 8
# Sets that collect the same to this share of all duals are equal, and one on few columns is taken.
SAME = 1e-9

# In a longer table there are leaves enough; in a shorter one a leaf that would not help may do so once it is widened:
# over 11 tables of at most 5,000 rows and ten splits, half a point of F1.
MOST_ROWS_TO_TRY_ALL = 5_000


class Widener:
    """Makes sound rules of those that are not."""

    def __init__(self, features: Features, costs: CostModel, soundness: Soundness) -> None:
        self._features = features
        self._costs = costs
        self.soundness = soundness

    def sound(self, found: list[PricedCandidate], rows: Rows, dual: np.ndarray) -> list[PricedCandidate]:
        """The rules found, with those that are not sound widened, and left out where that does not help."""
        class_weights = rows.class_weights([priced.rule for priced in found])
        pairs = zip(found, class_weights, strict=True)
        is_sound = [bool(self.soundness.holds(weights, priced.rule.class_code)) for priced, weights in pairs]
        tries_all = rows.n_rows <= MOST_ROWS_TO_TRY_ALL
        tried = [n for n, good in enumerate(is_sound) if not good and (tries_all or found[n].reduced_cost < 0)]
        widened = dict(zip(tried, self.widened([found[n].rule for n in tried], rows, dual), strict=True))
        made = [priced if is_sound[n] else widened.get(n) for n, priced in enumerate(found)]
        return [priced for priced in made if priced is not None]

    def widened(self, rules: Sequence[Candidate], rows: Rows, dual: np.ndarray) -> list[PricedCandidate | None]:
        """For every rule the sound one for the same class that asks for most of its literals."""
        literals = [literals_of(rule, self._features)[:MOST_LITERALS] for rule in rules]
        found = rows.patterns(literals, dual) if rules else []
        return [self._widest(*one) for one in zip(rules, literals, found, strict=True)]

    def _widest(self, rule: Candidate, literals: list[CodeLiteral], patterns: Patterns) -> PricedCandidate | None:
        duals, weights = over_supersets(patterns.duals), over_supersets(patterns.weights)
        sets = 1 + np.flatnonzero(self.soundness.holds(weights[1:], rule.class_code))  # nothing asked for is no rule
        if not len(sets):
            return None
        chosen = [_members(literals, number) for number in sets.tolist()]
        lengths = np.array([n_columns(members) for members in chosen])
        reduced = self._costs.penalty * self._costs.costs(lengths) - self._costs.collected(duals[sets], rule.class_code)
        in_steps = np.round(reduced / (SAME * (1.0 + float(patterns.duals.sum()))))
        n_literals = np.array([len(members) for members in chosen])
        best = int(np.lexsort((sets, lengths, in_steps, -n_literals))[0])
        cost = float(self._costs.cost(int(lengths[best])))
        return PricedCandidate(Candidate(joined(chosen[best]), rule.class_code), cost, float(reduced[best]))


def over_supersets(values: np.ndarray) -> np.ndarray:
    """For every set of literals, the sum over all patterns that contain it."""
    total = values.copy()
    n_literals = len(values).bit_length() - 1
    for bit in range(n_literals):
        halves = total.reshape(-1, 2, 1 << bit, *values.shape[1:])
        halves[:, 0] += halves[:, 1]
    return total


def _members(literals: list[CodeLiteral], number: int) -> list[CodeLiteral]:
    return [literal for bit, literal in enumerate(literals) if number >> bit & 1]
