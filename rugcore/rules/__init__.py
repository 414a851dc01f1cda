"""What a rule is: conditions, rules, rule sets, their words and their JSON."""

from rugcore.rules.conditions import Condition, Interval, IsMissing, IsSpecial, Membership
from rugcore.rules.decisions import Decisions, decide
from rugcore.rules.orders import SaidDirection, is_order, turned_round
from rugcore.rules.readability import contrary_rules, interpretability_of, interpretability_report
from rugcore.rules.rule import Rule
from rugcore.rules.ruleset import RuleSet
from rugcore.rules.serial import condition_to_dict
from rugcore.rules.special import SpecialCode, SpecialCodes
from rugcore.rules.words import measured
from rugcore.rules.words import number as number_in_words
from rugcore.rules.words import outcome as outcome_in_words

__all__ = [
    "Condition",
    "Decisions",
    "Interval",
    "IsMissing",
    "IsSpecial",
    "Membership",
    "Rule",
    "RuleSet",
    "SaidDirection",
    "SpecialCode",
    "SpecialCodes",
    "condition_to_dict",
    "contrary_rules",
    "decide",
    "interpretability_of",
    "interpretability_report",
    "is_order",
    "measured",
    "number_in_words",
    "outcome_in_words",
    "turned_round",
]
