"""rugcore: classifiers made of weighted if-then rules, learned by linear programming with column generation."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Public name -> where it lives. Loaded on first use, so that `import rugcore` costs next to nothing.
_HOMES = {
    "RUGClassifier": "rugcore.estimators",
    "Explanation": "rugcore.explain",
    "Round": "rugcore.generation.loop",
    "Rule": "rugcore.rules",
    "RuleSet": "rugcore.rules",
    "interpretability_report": "rugcore.reports",
    "Dataset": "rugcore.datasets",
    "list_demos": "rugcore.datasets",
    "load_demo": "rugcore.datasets",
    "make_loans": "rugcore.datasets",
    "InputError": "rugcore.errors",
    "ModelFileError": "rugcore.errors",
    "RugError": "rugcore.errors",
    "SolverError": "rugcore.errors",
}

__all__ = [
    "Dataset",
    "Explanation",
    "InputError",
    "ModelFileError",
    "RUGClassifier",
    "Round",
    "RugError",
    "Rule",
    "RuleSet",
    "SolverError",
    "__version__",
    "interpretability_report",
    "list_demos",
    "load_demo",
    "make_loans",
]

if TYPE_CHECKING:
    from rugcore.datasets import Dataset, list_demos, load_demo, make_loans
    from rugcore.errors import InputError, ModelFileError, RugError, SolverError
    from rugcore.estimators import RUGClassifier
    from rugcore.explain import Explanation
    from rugcore.generation.loop import Round
    from rugcore.reports import interpretability_report
    from rugcore.rules import Rule, RuleSet


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rugcore' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
