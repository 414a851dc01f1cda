"""rugcore: classifiers made of weighted if-then rules, learned by linear programming with column generation."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

# Public name -> where it lives. Loaded on first use, so that `import rugcore` costs next to nothing.
_HOMES = {
    "RUGClassifier": "rugcore.estimators",
    "FairRUGClassifier": "rugcore.estimators",
    "load_model": "rugcore.estimators",
    "load_pool": "rugcore.persistence.pool_files",
    "save_pool": "rugcore.persistence.pool_files",
    "FairnessFit": "rugcore.fair_training.outcome",
    "FairnessFrontierDisplay": "rugcore.estimators.frontier_display",
    "FrontierPoint": "rugcore.estimators.frontier",
    "fairness_frontier": "rugcore.estimators.frontier",
    "frontier_of": "rugcore.estimators.frontier",
    "RuleGovernance": "rugcore.governance",
    "governance_of": "rugcore.governance",
    "Explanation": "rugcore.explanations.explanation",
    "Round": "rugcore.generation.loop",
    "Rule": "rugcore.rules",
    "RuleSet": "rugcore.rules",
    "Monitoring": "rugcore.monitoring",
    "Period": "rugcore.monitoring",
    "monitor": "rugcore.monitoring",
    "Audit": "rugcore.fairness",
    "audit": "rugcore.fairness",
    "borrowed_rates": "rugcore.fairness",
    "demographic_parity_gap": "rugcore.fairness",
    "equal_opportunity_gap": "rugcore.fairness",
    "error_rate_gap": "rugcore.fairness",
    "error_rates": "rugcore.fairness",
    "fairness_report": "rugcore.fairness",
    "group_report": "rugcore.fairness",
    "rule_gaps": "rugcore.fairness",
    "stand_ins": "rugcore.fairness",
    "interpretability_report": "rugcore.rules.readability",
    "FairAlternative": "rugcore.comparison",
    "PeerClassifier": "rugcore.comparison",
    "ShapExplainer": "rugcore.comparison",
    "ShapExplanation": "rugcore.comparison",
    "compare": "rugcore.comparison",
    "comparison_table": "rugcore.comparison",
    "default_peers": "rugcore.comparison",
    "fair_alternatives": "rugcore.comparison",
    "FairnessOverSplits": "rugcore.selection",
    "SettingsCurve": "rugcore.selection",
    "SettingsPoint": "rugcore.selection",
    "choose_settings": "rugcore.selection",
    "fairness_over_splits": "rugcore.selection",
    "rule_stability": "rugcore.selection",
    "FlipFinder": "rugcore.explanations.counterfactuals",
    "Limit": "rugcore.explanations.counterfactuals",
    "column_profiles": "rugcore.explanations.people",
    "nearest_flips": "rugcore.explanations.counterfactuals",
    "ConfidenceFinder": "rugcore.explanations.confidence",
    "burden_by_group": "rugcore.explanations.burden",
    "rewarded_against_direction": "rugcore.explanations.directions",
    "similar_people": "rugcore.explanations.people",
    "attribute": "rugcore.explanations.attributions",
    "ReasonFinder": "rugcore.explanations.reasons",
    "Wording": "rugcore.explanations.reasons",
    "reasons_table": "rugcore.explanations.reasons",
    "applicant_sheet": "rugcore.explanations.sheet",
    "ColumnEntry": "rugcore.dictionary",
    "DataDictionary": "rugcore.dictionary",
    "Suggestion": "rugcore.dictionary",
    "accepted": "rugcore.dictionary",
    "suggest": "rugcore.dictionary",
    "NewCases": "rugcore.new_cases",
    "decide_new_cases": "rugcore.new_cases",
    "Fidelity": "rugcore.outside_models",
    "audit_decisions": "rugcore.outside_models",
    "surrogate_rules": "rugcore.outside_models",
    "Dataset": "rugcore.datasets",
    "list_demos": "rugcore.datasets",
    "load_demo": "rugcore.datasets",
    "make_loans": "rugcore.datasets",
    "InputError": "rugcore.errors",
    "MissingPackageError": "rugcore.errors",
    "ModelFileError": "rugcore.errors",
    "RugError": "rugcore.errors",
    "SolverError": "rugcore.errors",
    "FairnessWarning": "rugcore.errors",
}

__all__ = [
    "Audit",
    "ColumnEntry",
    "ConfidenceFinder",
    "DataDictionary",
    "Dataset",
    "Explanation",
    "FairAlternative",
    "FairRUGClassifier",
    "FairnessFit",
    "FairnessFrontierDisplay",
    "FairnessOverSplits",
    "FairnessWarning",
    "Fidelity",
    "FlipFinder",
    "FrontierPoint",
    "InputError",
    "Limit",
    "MissingPackageError",
    "ModelFileError",
    "Monitoring",
    "NewCases",
    "PeerClassifier",
    "Period",
    "RUGClassifier",
    "ReasonFinder",
    "Round",
    "RugError",
    "Rule",
    "RuleGovernance",
    "RuleSet",
    "SettingsCurve",
    "SettingsPoint",
    "ShapExplainer",
    "ShapExplanation",
    "SolverError",
    "Suggestion",
    "Wording",
    "__version__",
    "accepted",
    "applicant_sheet",
    "attribute",
    "audit",
    "audit_decisions",
    "borrowed_rates",
    "burden_by_group",
    "choose_settings",
    "column_profiles",
    "compare",
    "comparison_table",
    "decide_new_cases",
    "default_peers",
    "demographic_parity_gap",
    "equal_opportunity_gap",
    "error_rate_gap",
    "error_rates",
    "fair_alternatives",
    "fairness_frontier",
    "fairness_over_splits",
    "fairness_report",
    "frontier_of",
    "governance_of",
    "group_report",
    "interpretability_report",
    "list_demos",
    "load_demo",
    "load_model",
    "load_pool",
    "make_loans",
    "monitor",
    "nearest_flips",
    "reasons_table",
    "rewarded_against_direction",
    "rule_gaps",
    "rule_stability",
    "save_pool",
    "similar_people",
    "stand_ins",
    "suggest",
    "surrogate_rules",
]

if TYPE_CHECKING:
    from rugcore.comparison import (
        FairAlternative,
        PeerClassifier,
        ShapExplainer,
        ShapExplanation,
        compare,
        comparison_table,
        default_peers,
        fair_alternatives,
    )
    from rugcore.datasets.dataset import Dataset
    from rugcore.datasets.demos import list_demos, load_demo
    from rugcore.datasets.synthetic import make_loans
    from rugcore.dictionary import ColumnEntry, DataDictionary, Suggestion, accepted, suggest
    from rugcore.errors import FairnessWarning, InputError, MissingPackageError, ModelFileError, RugError, SolverError
    from rugcore.estimators import FairRUGClassifier, RUGClassifier, load_model
    from rugcore.estimators.frontier import FrontierPoint, fairness_frontier, frontier_of
    from rugcore.estimators.frontier_display import FairnessFrontierDisplay
    from rugcore.explanations.attributions import attribute
    from rugcore.explanations.burden import burden_by_group
    from rugcore.explanations.confidence import ConfidenceFinder
    from rugcore.explanations.counterfactuals import FlipFinder, Limit, nearest_flips
    from rugcore.explanations.directions import rewarded_against_direction
    from rugcore.explanations.explanation import Explanation
    from rugcore.explanations.people import column_profiles, similar_people
    from rugcore.explanations.reasons import ReasonFinder, Wording, reasons_table
    from rugcore.explanations.sheet import applicant_sheet
    from rugcore.fair_training.outcome import FairnessFit
    from rugcore.fairness.audit import Audit, audit, error_rates, fairness_report, group_report
    from rugcore.fairness.borrowing import borrowed_rates
    from rugcore.fairness.metrics import demographic_parity_gap, equal_opportunity_gap, error_rate_gap
    from rugcore.fairness.rule_gaps import rule_gaps
    from rugcore.fairness.stand_ins import stand_ins
    from rugcore.generation.loop import Round
    from rugcore.governance import RuleGovernance, governance_of
    from rugcore.monitoring import Monitoring, Period, monitor
    from rugcore.new_cases import NewCases, decide_new_cases
    from rugcore.outside_models import Fidelity, audit_decisions, surrogate_rules
    from rugcore.persistence.pool_files import load_pool, save_pool
    from rugcore.rules import Rule, RuleSet
    from rugcore.rules.readability import interpretability_report
    from rugcore.selection import (
        FairnessOverSplits,
        SettingsCurve,
        SettingsPoint,
        choose_settings,
        fairness_over_splits,
        rule_stability,
    )


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rugcore' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
