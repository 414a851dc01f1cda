"""What is said about one person: the decision, its reasons, and what would change it."""

from rugcore.explanations.attributions import RuleExplainer, attribute
from rugcore.explanations.counterfactuals import (
    Change,
    ColumnProfile,
    Flip,
    FlipFinder,
    Flips,
    Limit,
    column_profiles,
    nearest_flips,
)
from rugcore.explanations.explanation import CoveringRule, Explanation
from rugcore.explanations.reasons import ColumnWording, Reason, ReasonFinder, Reasons, Wording, reasons_table
from rugcore.explanations.reasons import reasons as reasons_for
from rugcore.explanations.reasons.giving import MANUAL_REVIEW
from rugcore.explanations.reasons.wording import DEFAULTS as DEFAULT_WORDING
from rugcore.explanations.reasons.wording import check_template
from rugcore.explanations.shap_values import Contribution, ShapExplanation
from rugcore.explanations.sheet import applicant_sheet, by_default, weights_in_words
from rugcore.explanations.triage import MOST_BORDERLINE, Queues, queues

__all__ = [
    "DEFAULT_WORDING",
    "MANUAL_REVIEW",
    "MOST_BORDERLINE",
    "Change",
    "ColumnProfile",
    "ColumnWording",
    "Contribution",
    "CoveringRule",
    "Explanation",
    "Flip",
    "FlipFinder",
    "Flips",
    "Limit",
    "Queues",
    "Reason",
    "ReasonFinder",
    "Reasons",
    "RuleExplainer",
    "ShapExplanation",
    "Wording",
    "applicant_sheet",
    "attribute",
    "by_default",
    "check_template",
    "column_profiles",
    "nearest_flips",
    "queues",
    "reasons_for",
    "reasons_table",
    "weights_in_words",
]
