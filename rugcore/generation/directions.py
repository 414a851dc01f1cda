"""Which way a rule may bound a column, so that a better value never counts against anybody.

Two classes, one of which serves people well. Where more of a column should help towards it, a rule for it may bound the
column only from below, and a rule against it only from above; where more should harm, the other way round. Then a rule
for the favourable class that covers somebody goes on to do so when the value gets better, and one against it does so
when it gets worse: the votes, and with them the score, are monotone. Blanks and special codes are no amounts: what is
said of them is free.

Categories that have an order, from worst to best, are bounded in the same way: a rule for the favourable class that
names one names all better ones, too. A category that is not in the order is free, as a special code is.

A tree that does not know of this, and whose leaves lose what they may not say, keeps proposing what has to be dropped.
So trees cut such a column only where the rows agree with its direction, and each leaf is a rule for either class, with
the bounds that the class may have. Over six tables, two depths, two prices and five splits the accuracy on rows held
out was 81.4 % with 19 rules (without directions 81.3 % with 20, with dropping 81.3 % with 16) and the objective 1 %
lower than with dropping; where half of the directions were wrong, 77.7 % with 23 rules against 76.9 % with 11.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

FREE, FROM_BELOW, FROM_ABOVE = 0, 1, -1


@dataclass(frozen=True)
class Directions:
    """By column: 1 where more should help the favourable class, -1 where it should harm, 0 where nothing is said."""

    sign: np.ndarray
    favourable: int  # number of the class
    # Of columns of categories, by name: from the worst to the best. Their sign is 1.
    orders: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def bound(self, feature: int, class_code: int) -> int:
        """From which side a rule for the class may bound the column: FREE, FROM_BELOW or FROM_ABOVE."""
        sign = int(self.sign[feature])
        return sign if class_code == self.favourable else -sign


def orders_of(directions: Directions | None) -> Mapping[str, tuple[Any, ...]]:
    """Of columns of categories, by name; none where nothing is said."""
    return {} if directions is None else directions.orders
