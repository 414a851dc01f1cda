"""Decisions and scores that another model made: their audit, and rules that imitate them."""

from rugcore.outside_models.auditing import audit_decisions
from rugcore.outside_models.fidelity import Fidelity
from rugcore.outside_models.surrogate import surrogate_rules

__all__ = ["Fidelity", "audit_decisions", "surrogate_rules"]
