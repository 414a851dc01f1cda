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
        if self.gap is None:
            return f"On new people: cannot be told ({self.too_few})."
        within = "" if self.label is None else f" in class {self.label}"
        return (
            f"Expected on new people: {self.gap:.3f} ({self.worse} fares worse than {self.better}{within}; 95% "
            f"interval of this pair {self.lower:+.3f} to {self.upper:+.3f}; {SOURCES[self.source]})."
        )


def expectation(compared: Parity, cell_errors: np.ndarray, source: str) -> Expectation:
    """From the wrongly decided weight by cell; a rate of fewer than 30 rows says nothing about new people."""
    smallest = min(compared.rates, key=lambda rate: rate.count)
    if smallest.count < MIN_CELL_SIZE:
        where = smallest.group + ("" if smallest.label is None else f", class {smallest.label}")
        return Expectation(None, None, None, None, None, None, source, f"only {smallest.count} rows of {where}")
    worst = compared.worst(cell_errors)
    assert worst is not None
    is_first_worse = worst.gap(cell_errors) >= 0
    worse, better = (worst.first, worst.second) if is_first_worse else (worst.second, worst.first)
    rates = worse.mean(cell_errors), better.mean(cell_errors)
    lower, upper = newcombe(rates, (worse.count, better.count), CONFIDENCE)
    return Expectation(rates[0] - rates[1], lower, upper, worst.label, worse.group, better.group, source, "")
