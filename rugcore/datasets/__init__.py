"""Demo data that ships with the project, and synthetic loans whose true rules are known."""

from rugcore.datasets.dataset import Dataset
from rugcore.datasets.demos import list_demos, load_demo
from rugcore.datasets.planted import PlantedRule
from rugcore.datasets.synthetic import make_loans

__all__ = ["Dataset", "PlantedRule", "list_demos", "load_demo", "make_loans"]
