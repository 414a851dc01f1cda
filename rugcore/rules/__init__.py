"""What a rule is: conditions, rules, rule sets, their words and their JSON."""

from rugcore.rules.conditions import Condition, Interval, IsMissing, Membership
from rugcore.rules.rule import Rule
from rugcore.rules.ruleset import RuleSet

__all__ = ["Condition", "Interval", "IsMissing", "Membership", "Rule", "RuleSet"]
