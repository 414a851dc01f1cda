"""The number nearest to another within a span."""

import math
from dataclasses import dataclass

# A span may be narrower than a step of its column: then finer numbers are tried, up to so many decimals more.
FINER_DECIMALS = 6


@dataclass(frozen=True)
class Span:
    """Numbers above `above`, from `lowest` to `highest`, of so many decimals where that is possible.

    Those in `without` are no amounts, and are not in it.
    """

    above: float
    lowest: float
    highest: float
    decimals: int
    must_be_whole: bool
    without: frozenset[float] = frozenset()

    def holds(self, number: float) -> bool:
        return self.above < number and self.lowest <= number <= self.highest and number not in self.without

    def nearest(self, start: float) -> float | None:
        """None if the span holds no number that may be."""
        finest = 0 if self.must_be_whole else self.decimals + FINER_DECIMALS
        for decimals in range(self.decimals, finest + 1):
            inside = [number for number in self._candidates(start, decimals) if self.holds(number)]
            if inside:
                return min(inside, key=lambda number: abs(number - start))
        return None if self.must_be_whole or not self.holds(self.highest) else self.highest

    def _candidates(self, start: float, decimals: int) -> list[float]:
        """Those around the start and around the ends; the nearest is among them."""
        own = [] if self.must_be_whole and start != math.floor(start) else [start]
        ends = [start, max(self.above, self.lowest), self.highest]
        return own + [number for end in ends for number in _around(end, decimals)]


def _around(number: float, decimals: int) -> list[float]:
    """Numbers of so many decimals on both sides; two on each, because the multiplication may round."""
    if not math.isfinite(number):
        return []
    scale = 10**decimals
    below = math.floor(number * scale)
    return [step / scale for step in range(below - 1, below + 3)]
