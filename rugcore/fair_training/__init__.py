"""Learning towards parity between groups: the paper's constraint, realised parity, and what fairness costs."""

from rugcore.fair_training.outcome import CellFit, ContrastFit, FairnessFit

__all__ = [
    "CellFit",
    "ContrastFit",
    "FairnessFit",
]
