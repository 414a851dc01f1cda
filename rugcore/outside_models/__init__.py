"""Decisions and scores that another model made: their audit, and rules that imitate them."""

from rugcore.outside_models.auditing import audit_decisions
from rugcore.outside_models.columns import (
    OutsideDecisions,
    OutsideModel,
    is_undecided,
    outcomes_in_words,
    read_outside,
    read_score,
)
from rugcore.outside_models.fidelity import Fidelity
from rugcore.outside_models.surrogate import surrogate_rules

__all__ = [
    "Fidelity",
    "OutsideDecisions",
    "OutsideModel",
    "audit_decisions",
    "is_undecided",
    "outcomes_in_words",
    "read_outside",
    "read_score",
    "surrogate_rules",
]
