"""What is said about one person: the decision, its reasons, and what would change it."""

from rugcore.explanations.attributions import RuleExplainer, attribute
from rugcore.explanations.burden import burden_by_group
from rugcore.explanations.confidence import (
    FEW_PEOPLE,
    Confidence,
    ConfidenceFinder,
    in_percent,
    people_behind,
    record_in_words,
)
from rugcore.explanations.counterfactuals import Change, Flip, FlipFinder, Flips, Limit, nearest_flips
from rugcore.explanations.directions import rewarded_against_direction
from rugcore.explanations.explanation import CoveringRule, Explanation
from rugcore.explanations.people import (
    ColumnProfile,
    Difference,
    SimilarPeople,
    SimilarPerson,
    column_profiles,
    similar_people,
)
from rugcore.explanations.reasons import ColumnWording, Reason, ReasonFinder, Reasons, Wording, reasons_table
from rugcore.explanations.reasons import reasons as reasons_for
from rugcore.explanations.reasons.faring import FaringWell, who_fares_well
from rugcore.explanations.reasons.giving import MANUAL_REVIEW
from rugcore.explanations.reasons.objections import LEFT_OPEN
from rugcore.explanations.reasons.wording import DEFAULTS as DEFAULT_WORDING
from rugcore.explanations.reasons.wording import check_template
from rugcore.explanations.shap_values import Contribution, ShapExplanation
from rugcore.explanations.sheet import NOT_YET, applicant_sheet, by_default, grade_in_words, weights_in_words
from rugcore.explanations.triage import MOST_BORDERLINE, Queues, queues

__all__ = [
    "DEFAULT_WORDING",
    "FEW_PEOPLE",
    "LEFT_OPEN",
    "MANUAL_REVIEW",
    "MOST_BORDERLINE",
    "NOT_YET",
    "Change",
    "ColumnProfile",
    "ColumnWording",
    "Confidence",
    "ConfidenceFinder",
    "Contribution",
    "CoveringRule",
    "Difference",
    "Explanation",
    "FaringWell",
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
    "SimilarPeople",
    "SimilarPerson",
    "Wording",
    "applicant_sheet",
    "attribute",
    "burden_by_group",
    "by_default",
    "check_template",
    "column_profiles",
    "grade_in_words",
    "in_percent",
    "nearest_flips",
    "people_behind",
    "queues",
    "reasons_for",
    "reasons_table",
    "record_in_words",
    "rewarded_against_direction",
    "similar_people",
    "weights_in_words",
    "who_fares_well",
]
