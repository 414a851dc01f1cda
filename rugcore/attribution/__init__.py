"""What every column adds to a score that is a sum of conjunctions, against people one is compared with: exactly."""

from rugcore.attribution.conjunctions import Conjunction, Patterns, shapley_values
from rugcore.attribution.cuts import CutColumn, RuleCuts
from rugcore.attribution.fared import FEWEST_TO_TELL, Fared, interval_bounds
from rugcore.attribution.people import CodedPeople
from rugcore.attribution.reference import Background, Reference
from rugcore.attribution.rule_votes import RuleVotes, to_scores

__all__ = [
    "FEWEST_TO_TELL",
    "Background",
    "CodedPeople",
    "Conjunction",
    "CutColumn",
    "Fared",
    "Patterns",
    "Reference",
    "RuleCuts",
    "RuleVotes",
    "interval_bounds",
    "shapley_values",
    "to_scores",
]
