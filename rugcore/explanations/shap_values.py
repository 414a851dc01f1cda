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
    """What every column adds to the output of a model for one row: base value plus all contributions is the output.

    Attributes
    ----------
    predicted : label
        The class that is predicted.
    towards : label
        The class whose output is explained.
    base_value : float
        The mean output over those that the row is compared with.
    contributions : tuple of Contribution
        Column, the row's own value and the amount; largest first, whatever the sign.
    output : float
        The sum, before it becomes a probability.
    """

    predicted: Any
    towards: Any
    base_value: float
    contributions: tuple[Contribution, ...]
    output: float

    def top(self, most: int) -> tuple[tuple[Contribution, ...], float]:
        """The largest contributions, as many as `most` says, and the sum of all others."""
        return self.contributions[:most], sum(item.amount for item in self.contributions[most:])
