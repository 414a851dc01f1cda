"""Learning towards parity between groups: the paper's constraint, realised parity, and what fairness costs."""

from rugcore.fair_training.assurance import Assurance, AssuredRate, assurance_in_words
from rugcore.fair_training.expectation import Expectation
from rugcore.fair_training.outcome import CellFit, ContrastFit, FairnessFit
from rugcore.fair_training.realised import STEERING_ROUNDS
from rugcore.fair_training.renaming import with_group_names

__all__ = [
    "STEERING_ROUNDS",
    "Assurance",
    "AssuredRate",
    "CellFit",
    "ContrastFit",
    "Expectation",
    "FairnessFit",
    "assurance_in_words",
    "with_group_names",
]
