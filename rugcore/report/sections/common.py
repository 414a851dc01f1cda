"""What several sections say alike."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from rugcore.fairness import is_in_their_favour, wilson
from rugcore.report.blocks import Interval, Paragraph
from rugcore.report.evidence import Evidence
from rugcore.report.formats import counted
from rugcore.rules import words

CONFIDENCE = 0.95
# What became of fewer people of one group is not told: somebody could know them.
FEWEST_TOLD = 5
PROTECTS = (
    f"Fewer than {FEWEST_TOLD} people are not counted, nor is told what became of them, because somebody could know "
    "them; nor what became of the next larger group where a total would give them away."
)
UNTOLD: Interval = (None, None, None)
LEFT_OUT = f"Groups of fewer than {FEWEST_TOLD} people are left out of the table."


def missing(sentence: str) -> Paragraph:
    """What was not worked out or not said, and how to get it."""
    return Paragraph(sentence, "missing")


def faint(sentence: str) -> Paragraph:
    return Paragraph(sentence, "faint")


def share_of(n_hits: int, n: int) -> Interval:
    """A share with Wilson's interval; nothing of nobody."""
    if not n:
        return None, None, None
    lower, upper = wilson(np.array([n_hits / n]), np.array([n]), CONFIDENCE)
    return n_hits / n, float(lower[0]), float(upper[0])


def people(n: int) -> int | None:
    """How many there are; a handful is not counted: somebody could know them."""
    return None if 0 < n < FEWEST_TOLD else n


def rows_in_words(n: int) -> str:
    return f"under {FEWEST_TOLD} rows" if 0 < n < FEWEST_TOLD else counted(n, "row")


def untold(counts: Sequence[int]) -> np.ndarray:
    """Of which groups nothing is told beside their total: the small ones, and what would give these away.

    Whoever knows the total has what is left of it. If that is about fewer than `FEWEST_TOLD` people, the smallest of
    the other groups is not told either.
    """
    n = np.asarray(counts, dtype=int)
    is_untold: np.ndarray = n < FEWEST_TOLD
    if 0 < n[is_untold].sum() < FEWEST_TOLD and not is_untold.all():
        is_untold[np.where(is_untold, n.max() + 1, n).argmin()] = True
    return is_untold


def lines_of(table: pd.DataFrame) -> dict[Any, dict[Any, Any]]:
    """The lines of a table by their names."""
    return dict(zip(table.index, table.to_dict("records"), strict=True))


def known(number: Any) -> float | None:
    """NaN is not known."""
    return None if number is None or number != number else float(number)


def outcome(label: Any) -> str:
    return words.value(label)


def are_gaining(line: dict[Any, Any], evidence: Evidence) -> bool:
    """Whether the mistakes that a line of gaps counts are in the favour of those about whom they are made."""
    return is_in_their_favour(line["worst_class"], evidence.favourable, evidence.classes)


def with_larger_rate(line: dict[Any, Any], evidence: Evidence) -> str:
    """The group with the larger rate in a line of gaps; nothing where there is none."""
    worse = line["worse_group"]
    if worse is None or worse != worse:
        return ""
    return f"{worse} (in their favour)" if are_gaining(line, evidence) else str(worse)


def listed(names: list[str], most: int = 6) -> str:
    """a, b and 3 more."""
    shown = [f"“{name}”" for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most:,} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else "none"
