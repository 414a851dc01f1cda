"""The SHAP values of one row, as they are shown and compared; who computes them is another room's business."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Contribution:
    """A column, the row's own value in it (NaN or None where blank), and what it adds to the output."""

    column: str
    value: Any
    amount: float


@dataclass(frozen=True)
class ShapExplanation:
    """base_value plus all contributions is the output for the class `towards`."""

    predicted: Any
    towards: Any
    base_value: float  # the mean output over the training rows
    contributions: tuple[Contribution, ...]  # largest first, whatever their sign
    output: float

    def top(self, most: int) -> tuple[tuple[Contribution, ...], float]:
        """The largest contributions, and the sum of all others."""
        return self.contributions[:most], sum(item.amount for item in self.contributions[most:])
