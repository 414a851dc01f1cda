"""What every column adds to a score that is a sum of conjunctions, against people one is compared with: exactly."""

from rugcore.attribution.conjunctions import Conjunction, Patterns, shapley_values
from rugcore.attribution.cuts import CutColumn, RuleCuts
from rugcore.attribution.people import CodedPeople
from rugcore.attribution.reference import Background, Reference
from rugcore.attribution.rule_votes import RuleVotes, to_scores

__all__ = [
    "Background",
    "CodedPeople",
    "Conjunction",
    "CutColumn",
    "Patterns",
    "Reference",
    "RuleCuts",
    "RuleVotes",
    "shapley_values",
    "to_scores",
]
