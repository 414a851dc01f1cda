"""Which way a rule may bound a column, so that a better value never counts against anybody.

Two classes, one of which serves people well. Where more of a column should help towards it, a rule for it may bound the
column only from below, and a rule against it only from above; where more should harm, the other way round. Then a rule
for the favourable class that covers somebody goes on to do so when the value gets better, and one against it does so
when it gets worse: the votes, and with them the score, are monotone. Blanks and special codes are no amounts: what is
said of them is free.
"""

from dataclasses import dataclass

import numpy as np

FREE, FROM_BELOW, FROM_ABOVE = 0, 1, -1


@dataclass(frozen=True)
class Directions:
    """By column: 1 where more should help the favourable class, -1 where it should harm, 0 where nothing is said."""

    sign: np.ndarray
    favourable: int  # number of the class

    def bound(self, feature: int, class_code: int) -> int:
        """From which side a rule for the class may bound the column: FREE, FROM_BELOW or FROM_ABOVE."""
        sign = int(self.sign[feature])
        return sign if class_code == self.favourable else -sign
