"""Learning towards parity between groups: the paper's constraint, realised parity, and what fairness costs."""

from rugcore.fair_training.outcome import CellFit, ContrastFit, FairnessFit
from rugcore.fair_training.realised import STEERING_ROUNDS

__all__ = [
    "STEERING_ROUNDS",
    "CellFit",
    "ContrastFit",
    "FairnessFit",
]
