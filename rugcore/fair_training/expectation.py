"""The gap to expect on new people from the same source, and how far that can be known."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rugcore.fairness.intervals import newcombe
from rugcore.fairness.parity import MIN_CELL_SIZE, Parity

CONFIDENCE = 0.95

# Where an expectation comes from, and what that means in words.
FOLDS, TESTED, LIKELY, COUNTED = "folds", "test", "likely groups", "training rows"
SOURCES = {
    TESTED: "counted on rows kept from training",
    FOLDS: "five models, each trained without a fifth of the rows, decided that fifth",
    LIKELY: "training rows, each counted in every group by how likely it belongs there",
    COUNTED: "counted on the training rows, which flatters a little",
}


DIGITS = 3  # of a gap in words


@dataclass(frozen=True)
class Expectation:
    """The largest gap expected on new people, with the 95 % interval of its pair; None where it cannot be told."""

    gap: float | None
    lower: float | None
    upper: float | None
    label: Any  # the class of the pair, or None for all
    worse: str | None
    better: str | None
    source: str  # one of SOURCES
    too_few: str  # why it cannot be told, or nothing

    def __str__(self) -> str:
        return self.in_words("have the larger rate")

    def in_words(self, larger: str) -> str:
        """With what sets the first group apart: it need not be to its harm, since mistakes may be in its favour."""
        if self.gap is None:
            return f"On new people: cannot be told ({self.too_few})."
        if not round(self.gap, DIGITS):  # nobody has the larger rate
            return f"Expected on new people: {self.gap:.{DIGITS}f} ({self._how})."
        within = "" if self.label is None else f" in class {self.label}"
        return (
            f"Expected on new people: {self.gap:.{DIGITS}f} ('{self.worse}'{within} {larger} than '{self.better}'; "
            f"{self._how})."
        )

    @property
    def _how(self) -> str:
        ends = f"{self.lower:+.{DIGITS}f} to {self.upper:+.{DIGITS}f}"
        return f"95% interval of this pair {ends}; {SOURCES[self.source]}"


def expectation(compared: Parity, tally: np.ndarray, source: str) -> Expectation:
    """From the weight of every cell by decided class; a rate of fewer than 30 rows says nothing about new people."""
    smallest = min(compared.rates, key=lambda rate: rate.rows(tally))
    worst = compared.worst(tally)
    if smallest.rows(tally) < MIN_CELL_SIZE or worst is None:
        where = ", ".join(text for text in (smallest.group, smallest.stratum.said) if text)
        few = f"only {round(smallest.rows(tally))} rows of {where}"
        return Expectation(None, None, None, None, None, None, source, few)
    worse, better = worst.ordered(tally)
    rates = worse.mean(tally), better.mean(tally)
    lower, upper = newcombe(rates, (worse.rows(tally), better.rows(tally)), CONFIDENCE)
    return Expectation(rates[0] - rates[1], lower, upper, worst.label, worse.group, better.group, source, "")
