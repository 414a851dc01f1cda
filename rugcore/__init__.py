"""rugcore: classifiers made of weighted if-then rules, learned by linear programming with column generation."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public name -> where it lives. Loaded on first use, so that `import rugcore` costs next to nothing.
_HOMES = {
    "RUGClassifier": "rugcore.estimators",
    "FairRUGClassifier": "rugcore.estimators",
    "load_model": "rugcore.estimators",
    "load_pool": "rugcore.pool_io",
    "save_pool": "rugcore.pool_io",
    "FairnessFit": "rugcore.fairness.result",
    "FrontierPoint": "rugcore.frontier",
    "fairness_frontier": "rugcore.frontier",
    "frontier_of": "rugcore.frontier",
    "Explanation": "rugcore.explain",
    "Round": "rugcore.generation.loop",
    "Rule": "rugcore.rules",
    "RuleSet": "rugcore.rules",
    "Audit": "rugcore.reports",
    "audit": "rugcore.reports",
    "error_rates": "rugcore.reports",
    "fairness_report": "rugcore.reports",
    "group_report": "rugcore.reports",
    "interpretability_report": "rugcore.reports",
    "PeerClassifier": "rugcore.comparison",
    "ShapExplainer": "rugcore.comparison",
    "ShapExplanation": "rugcore.comparison",
    "compare": "rugcore.comparison",
    "comparison_table": "rugcore.comparison",
    "default_peers": "rugcore.comparison",
    "FlipFinder": "rugcore.flips",
    "Limit": "rugcore.flips",
    "column_facts": "rugcore.flips",
    "nearest_flips": "rugcore.flips",
    "Wording": "rugcore.reasons",
    "reasons_table": "rugcore.reasons",
    "applicant_sheet": "rugcore.sheet",
    "Dataset": "rugcore.datasets",
    "list_demos": "rugcore.datasets",
    "load_demo": "rugcore.datasets",
    "make_loans": "rugcore.datasets",
    "InputError": "rugcore.errors",
    "ModelFileError": "rugcore.errors",
    "RugError": "rugcore.errors",
    "SolverError": "rugcore.errors",
    "FairnessWarning": "rugcore.errors",
}

__all__ = [
    "Audit",
    "Dataset",
    "Explanation",
    "FairRUGClassifier",
    "FairnessFit",
    "FairnessWarning",
    "FlipFinder",
    "FrontierPoint",
    "InputError",
    "Limit",
    "ModelFileError",
    "PeerClassifier",
    "RUGClassifier",
    "Round",
    "RugError",
    "Rule",
    "RuleSet",
    "ShapExplainer",
    "ShapExplanation",
    "SolverError",
    "Wording",
    "__version__",
    "applicant_sheet",
    "audit",
    "column_facts",
    "compare",
    "comparison_table",
    "default_peers",
    "error_rates",
    "fairness_frontier",
    "fairness_report",
    "frontier_of",
    "group_report",
    "interpretability_report",
    "list_demos",
    "load_demo",
    "load_model",
    "load_pool",
    "make_loans",
    "nearest_flips",
    "reasons_table",
    "save_pool",
]

if TYPE_CHECKING:
    from rugcore.comparison import (
        PeerClassifier,
        ShapExplainer,
        ShapExplanation,
        compare,
        comparison_table,
        default_peers,
    )
    from rugcore.datasets import Dataset, list_demos, load_demo, make_loans
    from rugcore.errors import FairnessWarning, InputError, ModelFileError, RugError, SolverError
    from rugcore.estimators import FairRUGClassifier, RUGClassifier, load_model
    from rugcore.explain import Explanation
    from rugcore.fairness.result import FairnessFit
    from rugcore.flips import FlipFinder, Limit, column_facts, nearest_flips
    from rugcore.frontier import FrontierPoint, fairness_frontier, frontier_of
    from rugcore.generation.loop import Round
    from rugcore.pool_io import load_pool, save_pool
    from rugcore.reasons import Wording, reasons_table
    from rugcore.reports import Audit, audit, error_rates, fairness_report, group_report, interpretability_report
    from rugcore.rules import Rule, RuleSet
    from rugcore.sheet import applicant_sheet


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rugcore' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
